/* From /proc/PID/cgroup (cgroups(7)) the group, and from the group's path the container that it belongs to. Pure. */
#ifndef TARE_PROCESS_CONTAINER_H
#define TARE_PROCESS_CONTAINER_H

#include "base/types.h"

struct cgroup_slice {
	const char *text; /* NULL: there is none */
	u32 len;
};

/* Path of the group that [p, end), a cgroup file, names: the one of version 2; with hierarchies of version 1 beside
 * it the longest of all paths, since a runtime that uses those leaves the other at "/". */
struct cgroup_slice cgroup_of_file(const char *p, const char *end);

/* Name of the container in the path, a part of it: 12 characters of an id as the runtimes' own tools show them, or
 * the name of an LXC container or a machine. Of nested ones the innermost. len 0: no container. */
struct cgroup_slice container_of_cgroup(struct cgroup_slice path);

#endif
