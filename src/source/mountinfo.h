/* One line of /proc/self/mountinfo. */
#ifndef TARE_SOURCE_MOUNTINFO_H
#define TARE_SOURCE_MOUNTINFO_H

#include "base/types.h"

enum { MOUNT_PATH_SIZE = 1024, MOUNT_TYPE_SIZE = 32 };

struct mount {
	u64 key;                     /* major << 20 | minor */
	char point[MOUNT_PATH_SIZE]; /* raw bytes, octal escapes undone, NUL-terminated */
	char device[MOUNT_PATH_SIZE];
	char type[MOUNT_TYPE_SIZE];
	u32 point_len, device_len;
	bool whole; /* its root is mounted, not a folder in it */
	bool read_only;
};

/* 0, -EINVAL when a field is missing, -ENAMETOOLONG. Pure. */
int mount_parse(struct mount *m, const char *p, const char *line);
/* Does it store data that a person would look for in df? */
bool mount_is_storage(const struct mount *m);
/* btrfs and zfs give each subvolume a number of its own: the same device all the same. */
bool mount_same_device(const struct mount *a, const struct mount *b);

#endif
