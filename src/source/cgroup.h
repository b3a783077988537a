/* Where tare's own control group is, and the small formats of its files. */
#ifndef TARE_SOURCE_CGROUP_H
#define TARE_SOURCE_CGROUP_H

#include "base/root.h"

enum { CGROUP_PATH_SIZE = 1024 };
#define CGROUP_NO_LIMIT UINT64_MAX

struct cgroup_paths {
	u32 version;                 /* 1 or 2 */
	char name[CGROUP_PATH_SIZE]; /* as /proc/self/cgroup says: "/system.slice/x" */
	char cpu[CGROUP_PATH_SIZE]; /* directories below /sys/fs/cgroup; "" without the controller */
	char cpuacct[CGROUP_PATH_SIZE];
	char cpuset[CGROUP_PATH_SIZE];
	char memory[CGROUP_PATH_SIZE];
};

/* From /proc/self/cgroup. -ENOENT without control groups. */
int cgroup_find(struct cgroup_paths *paths, const struct root *root);
/* Smallest limit of the ancestors; CGROUP_NO_LIMIT when none has one. CPUs in hundredths. */
u64 cgroup_parents_memory(const struct cgroup_paths *paths, const struct root *root);
u64 cgroup_parents_cpu(const struct cgroup_paths *paths, const struct root *root);

/* "200000 100000", "50000" (period 100000), "max", "max 100000" → CPUs in hundredths or CGROUP_NO_LIMIT.
 * -EINVAL for anything else, a period of 0 included. */
int cgroup_parse_cpu_max(const char *p, const char *end, u64 *centi);
/* Bytes or "max". */
int cgroup_parse_limit(const char *p, const char *end, u64 *bytes);

#endif
