#include "process/caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS = _LINUX_CAPABILITY_U32S_3 };

static int caps_get(struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	return syscall(SYS_capget, &header, data) ? -errno : 0;
}

static int caps_set(const struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

bool caps_has(u32 capability)
{
	struct __user_cap_data_struct data[WORDS];

	return !caps_get(data) && data[capability / 32].effective >> capability % 32 & 1;
}

int caps_lower(u64 which)
{
	struct __user_cap_data_struct data[WORDS];
	int ret = caps_get(data);

	for (u32 i = 0; i < WORDS && !ret; i++)
		data[i].effective &= ~(u32)(which >> 32 * i);
	return ret ? ret : caps_set(data);
}

int caps_raise(u64 which)
{
	struct __user_cap_data_struct data[WORDS];
	int ret = caps_get(data);

	for (u32 i = 0; i < WORDS && !ret; i++)
		data[i].effective |= (u32)(which >> 32 * i) & data[i].permitted;
	return ret ? ret : caps_set(data);
}

int caps_drop(u64 which)
{
	struct __user_cap_data_struct data[WORDS];
	int ret = caps_get(data);

	for (u32 i = 0; i < WORDS && !ret; i++) {
		data[i].effective &= ~(u32)(which >> 32 * i);
		data[i].permitted &= ~(u32)(which >> 32 * i);
		data[i].inheritable &= ~(u32)(which >> 32 * i);
	}
	return ret ? ret : caps_set(data);
}
