#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "source/disk.h"

const char *disk_kind_name(enum disk_kind kind)
{
	static const char *const names[] = {
		"disk", "partition", "dm", "md", "loop", "ram", "zram", "path", "nbd", "rom"};

	return names[kind];
}

static bool numbered(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return !strncmp(name, prefix, n) && scan_is_digit(name[n]);
}

bool disk_head_of_path(const char *name, char out[DISK_NAME_SIZE])
{
	const char *c;

	if (!numbered(name, "nvme"))
		return false;
	for (c = name + 4; scan_is_digit(*c); c++)
		;
	if (*c != 'c' || !scan_is_digit(c[1]))
		return false;
	snprintf(out, DISK_NAME_SIZE, "%.*s", (int)(c - name), name);
	for (c++; scan_is_digit(*c); c++)
		;
	if (*c != 'n' || !scan_is_digit(c[1]))
		return false;
	snprintf(out + strlen(out), DISK_NAME_SIZE - strlen(out), "%s", c);
	return true;
}

/* sda1, nvme0n1p2, mmcblk0p1: for recorded machines without sysfs. */
static bool partition_by_name(const char *name)
{
	size_t len = strlen(name), digits = 0;

	while (digits < len && scan_is_digit(name[len - 1 - digits]))
		digits++;
	if (!digits || digits == len)
		return false;
	if (numbered(name, "nvme") || numbered(name, "mmcblk"))
		return len - digits > 2 && name[len - 1 - digits] == 'p' &&
		       scan_is_digit(name[len - 2 - digits]);
	return !strncmp(name, "sd", 2) || !strncmp(name, "vd", 2) || !strncmp(name, "hd", 2) ||
	       !strncmp(name, "xvd", 3);
}

/* "cciss/c0d0" is "cciss!c0d0" in sysfs. */
static void sysfs_path(char *out, u32 size, const char *folder, const char *name, const char *file)
{
	u32 at = (u32)strlen(folder);

	snprintf(out, size, "%s%s%s", folder, name, file);
	for (u32 end = at + (u32)strlen(name); at < end && at < size; at++)
		if (out[at] == '/')
			out[at] = '!';
}

void disk_sysfs_path(char *out, u32 size, const char *name, const char *file)
{
	sysfs_path(out, size, "/sys/class/block/", name, file);
}

enum disk_kind disk_kind_of(const struct root *root, const char *name)
{
	static const struct {
		const char *prefix;
		enum disk_kind kind;
	} prefixes[] = {{"dm-", DISK_DM}, {"md", DISK_MD}, {"loop", DISK_LOOP}, {"ram", DISK_RAM},
		{"zram", DISK_ZRAM}, {"nbd", DISK_NBD}, {"sr", DISK_ROM}};
	char path[128], head[DISK_NAME_SIZE];

	disk_sysfs_path(path, sizeof(path), name, "/partition");
	if (root_exists(root, path))
		return DISK_PARTITION;
	if (disk_head_of_path(name, head))
		return DISK_PATH;
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (numbered(name, prefixes[i].prefix))
			return prefixes[i].kind;
	disk_sysfs_path(path, sizeof(path), name, "");
	if (!root_exists(root, path) && partition_by_name(name))
		return DISK_PARTITION;
	return DISK_WHOLE;
}

static int any(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return 1;
}

bool disk_is_stacked(const struct root *root, const char *name)
{
	char path[128];

	disk_sysfs_path(path, sizeof(path), name, "/slaves");
	if (root_list(root, path, any, NULL) == 1)
		return true;
	sysfs_path(path, sizeof(path), "/sys/block/", name, "/slaves");
	return root_list(root, path, any, NULL) == 1;
}
