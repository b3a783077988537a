/* Huge page pools of every size: /sys/kernel/mm/hugepages/hugepages-NkB/{nr_hugepages,free_hugepages}
 * (Documentation/admin-guide/mm/hugetlbpage.rst). The HugePages_ lines of /proc/meminfo only tell of the
 * default size. */
#ifndef TARE_SOURCE_MEMORY_HUGE_H
#define TARE_SOURCE_MEMORY_HUGE_H

#include "base/kfile.h"

enum { HUGE_POOLS = 8 };

struct huge_pools {
	struct {
		u64 page_bytes;
		struct kfile total, free;
	} pool[HUGE_POOLS];
	u32 n;
};

/* 0 (also without any pool) or -ENOMEM. */
int huge_pools_open(struct huge_pools *h, const struct root *root);
void huge_pools_close(struct huge_pools *h);
/* Bytes over all pools. -ENOENT without pools, -errno when one cannot be read. */
int huge_pools_read(struct huge_pools *h, const struct root *root, u64 *reserved, u64 *used);

#endif
