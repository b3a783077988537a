/* Where tare's own control group is, and the small formats of its files. */
#ifndef TARE_SOURCE_CGROUP_H
#define TARE_SOURCE_CGROUP_H

#include "base/kfile.h"
#include "base/root.h"

enum { CGROUP_PATH_SIZE = 1024, CGROUP_DEPTH = 32 };
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

/* One kind of limit of all ancestors, nearest first, as kept files. */
struct cgroup_parents {
	struct kfile limit[CGROUP_DEPTH], period[CGROUP_DEPTH];
	u32 n;
};

/* Those above dir, up to the mount, that have the file; period NULL: it has none beside it. 0 or -ENOMEM. */
int cgroup_parents_open(struct cgroup_parents *p, const struct root *root, const char *dir,
	const char *limit, const char *period);
void cgroup_parents_close(struct cgroup_parents *p);
/* Smallest limit; CGROUP_NO_LIMIT when none has one. CPUs in hundredths. */
u64 cgroup_parents_memory(struct cgroup_parents *p, const struct root *root, struct kbuf *buf);
u64 cgroup_parents_cpu(struct cgroup_parents *p, const struct root *root, struct kbuf *buf);

/* Limit of one group: cpu.max of v2 (period NULL or never initialised), quota and period of v1. 0 or -errno. */
int cgroup_read_cpu(struct kfile *max, struct kfile *period, const struct root *root,
	struct kbuf *buf, u64 *centi);
int cgroup_read_memory(struct kfile *max, const struct root *root, struct kbuf *buf, u64 *bytes);

/* "200000 100000", "50000" (period 100000), "max", "max 100000" → CPUs in hundredths or CGROUP_NO_LIMIT.
 * -EINVAL for anything else, a period of 0 included. */
int cgroup_parse_cpu_max(const char *p, const char *end, u64 *centi);
/* Bytes or "max". */
int cgroup_parse_limit(const char *p, const char *end, u64 *bytes);

#endif
