#include "process/kill.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/process.h"

static bool is_it(const struct root *root, s32 pid, u64 key)
{
	char path[40], text[2048];
	struct process_stat st;
	int len;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	len = root_read(root, path, text, sizeof(text));
	if (len < 0 || process_parse_stat(text, text + len, 1ull << STAT_START_TICKS, &st))
		return false;
	return st.have >> STAT_START_TICKS & 1 &&
	       process_key((u32)pid, st.value[STAT_START_TICKS]) == key;
}

int process_signal(const struct root *root, u64 key, int sig)
{
	s32 pid = (s32)process_key_pid(key);
	int fd, rc = 0;

	if (!root_is_live(root))
		return -EROFS;
	if (pid <= 0)
		return -ESRCH;
	/* holds on to this process: if it is the right one now, it is when the signal is sent */
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0 && errno != ENOSYS && errno != EPERM)
		return -errno;
	if (!is_it(root, pid, key))
		rc = -ESRCH;
	else if (fd >= 0 ? syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0) : kill(pid, sig))
		rc = -errno;
	if (fd >= 0)
		close(fd);
	return rc;
}
