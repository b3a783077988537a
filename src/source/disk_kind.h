/* What a block device is: static facts from its name and sysfs, looked up when it is first seen. */
#ifndef TARE_SOURCE_DISK_KIND_H
#define TARE_SOURCE_DISK_KIND_H

#include "base/root.h"

enum disk_kind {
	DISK_DISK,
	DISK_PARTITION,
	DISK_DM,
	DISK_MD,
	DISK_LOOP,
	DISK_RAM,
	DISK_ZRAM,
	DISK_PATH,
	DISK_NBD,
	DISK_ROM,
};

struct disk_facts {
	enum disk_kind kind;
	bool counted; /* whole, physical, nothing below it */
	bool size_known;
	u64 size_bytes;
};

const char *disk_kind_name(enum disk_kind kind);
void disk_facts_read(const struct root *root, const char *name, struct disk_facts *out);
/* nvme0c1n2 -> nvme0n2: the head that an NVMe path belongs to. False: not a path. */
bool disk_path_head(const char *name, char *head, u32 size);

#endif
