/* Paths of control groups by the kernel's number of them, so that the file of each process need not be read. */
#ifndef TARE_PROCESS_CGROUPS_H
#define TARE_PROCESS_CGROUPS_H

#include "process/piddir.h"

struct cgroup_path {
	u64 id;         /* 0: a free place */
	u32 used, read; /* the last turn that asked for it, that read it */
	u32 len;
	u32 container_at, container_len; /* part of path; len 0: none */
	char *path;
};

struct cgroups {
	struct piddir *dir;
	struct cgroup_path *items; /* hashed by id */
	u32 n, cap;                /* cap: a power of two */
	u32 turn;
	bool each; /* there are hierarchies of version 1: the number does not tell the path */
};

void cgroups_init(struct cgroups *c, struct piddir *dir);
void cgroups_fini(struct cgroups *c);
/* A new scan; forgets those that no process is in any more, now and then. */
void cgroups_turn(struct cgroups *c);
/* The path of group id, in which pid is as its `file` tells; key: which process that is. NULL: it cannot be read. Reads and allocates only for a new one. */
const struct cgroup_path *cgroups_path(
	struct cgroups *c, u64 id, u32 pid, const char *file, u64 key);

#endif
