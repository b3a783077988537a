/* Less of the events that are asked for: by the kernel's own filters, of some processes, on some CPUs. */
#ifndef TARE_FTRACE_NARROW_H
#define TARE_FTRACE_NARROW_H

#include "ftrace/tracefs.h"

enum { NARROW_FILTERS = 16, NARROW_PIDS = 64 };

struct narrow {
	const char *filters[NARROW_FILTERS]; /* "sched/sched_switch: prev_pid > 0" */
	u32 nfilters;
	u32 pids[NARROW_PIDS]; /* with all of their threads, and what they start */
	u32 npids;
	const char *cpus; /* "0-3,8"; NULL: all */
};

/* Of a filter its event ("sched/sched_switch") and its expression. false: it has not both. */
bool narrow_split(const char *filter, char *event, size_t size, const char **expression);
/* "0-3,8" as the kernel's mask in hexadecimal words. -EINVAL: it is no list, or none of ncpus CPUs. */
int narrow_mask(const char *list, u32 ncpus, char *mask, size_t size);

/* Before events are let in. 0, or -errno with err: the kernel does not take an expression, a process is gone. */
int narrow_apply(const struct narrow *n, const struct tracefs *t, const struct root *root,
	u32 ncpus, struct err *err);

#endif
