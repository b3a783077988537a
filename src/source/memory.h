/* /proc/meminfo as numbers, and the accounting over it: what the rows of the memory table mean. Pure. */
#ifndef TARE_SOURCE_MEMORY_H
#define TARE_SOURCE_MEMORY_H

#include "base/types.h"

/* Fields of /proc/meminfo that are used, in bytes (Documentation/filesystems/proc.rst, meminfo). */
enum meminfo_field {
	MI_TOTAL,
	MI_FREE,
	MI_AVAILABLE,
	MI_BUFFERS,
	MI_CACHED,
	MI_SWAP_CACHED,
	MI_SHMEM,
	MI_ANON,
	MI_SRECLAIMABLE,
	MI_SUNRECLAIM,
	MI_KERNEL_STACK,
	MI_PAGE_TABLES,
	MI_PERCPU,
	MI_DIRTY,
	MI_WRITEBACK,
	MI_SWAP_TOTAL,
	MI_SWAP_FREE,
	MI_ZSWAP,
	MI_ZSWAPPED,
	MI_COMMIT_LIMIT,
	MI_COMMITTED,
	MI_HUGE_TOTAL, /* pages */
	MI_HUGE_FREE,  /* pages */
	MI_HUGE_SIZE,
	MI_HUGETLB,
	MI_FIELDS,
};

struct meminfo {
	u64 v[MI_FIELDS];
	u64 have; /* bit per field */
};

/* ZFS: size and c_min of the ARC in bytes; 0 when there is none. */
struct arc {
	u64 size, min;
};

/* Huge pages of all sizes in bytes, from sysfs; have false: only the default size is known. */
struct huge {
	u64 reserved, used;
	bool have;
};

/* Classes in bytes; total = free + buffers + cache + shared + anon + kernel + hugepages + other. */
struct memory_classes {
	u64 used, available, free, buffers, cache, shared, anon, kernel, hugepages, huge_used,
		other;
	bool available_ok; /* MemAvailable is there and possible */
	bool used_ok;      /* it, or else MemFree, is there */
};

static inline bool meminfo_has(const struct meminfo *m, enum meminfo_field f)
{
	return (m->have >> f & 1) != 0;
}
/* Parse; unknown lines are skipped. 0, or -EINVAL without a MemTotal. */
int meminfo_parse(struct meminfo *m, const char *p, const char *end);
/* used: MemTotal − MemAvailable, the reclaimable part of the ARC taken off; MemTotal − MemFree when
 * MemAvailable is missing or larger than MemTotal. Classes are clamped to what is left of the total. */
void memory_account(const struct meminfo *m, const struct arc *arc, const struct huge *pools,
	struct memory_classes *out);

#endif
