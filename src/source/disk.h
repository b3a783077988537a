/* What kind of block device a name is; from sysfs, once when the device is first seen. */
#ifndef TARE_SOURCE_DISK_H
#define TARE_SOURCE_DISK_H

#include "base/root.h"

enum disk_kind {
	DISK_WHOLE,
	DISK_PARTITION,
	DISK_DM,
	DISK_MD,
	DISK_LOOP,
	DISK_RAM,
	DISK_ZRAM,
	DISK_PATH, /* one path of a multipath NVMe namespace */
	DISK_NBD,
	DISK_ROM,
};

enum { DISK_NAME_SIZE = 32 };

const char *disk_kind_name(enum disk_kind kind);
enum disk_kind disk_kind_of(const struct root *root, const char *name);
/* Path of a file (or "") of the device in sysfs. */
void disk_sysfs_path(char *out, u32 size, const char *name, const char *file);
/* Built on others (has slaves): its traffic is theirs too. */
bool disk_is_stacked(const struct root *root, const char *name);
/* "nvme0c1n1" → "nvme0n1"; false when name is not a path. */
bool disk_head_of_path(const char *name, char out[DISK_NAME_SIZE]);

#endif
