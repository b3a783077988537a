/* Processes by reading /proc. What is known of each is kept from one scan to the next under its pid, in
 * the order of the kernel's own listing, so that a scan is a merge of two sorted lists; whether a pid is
 * still the same process is told by its start time.
 *
 * A scan costs one pread of a kept descriptor for each process. Each such descriptor also holds
 * a page of kernel memory; beyond their limit files are opened for each scan. */
#ifndef TARE_PROCESS_PROCFS_H
#define TARE_PROCESS_PROCFS_H

#include "base/root.h"
#include "core/source.h"
#include "process/columns.h"
#include "process/piddir.h"

struct process; /* what is kept of one */

struct procfs {
	const struct source_env *env;
	struct piddir dir;
	u64 tick_ns, page_bytes;
	u64 memory_bytes; /* of the machine; 0: unknown */
	u32 own_pid;      /* 0: none, recorded */
	u32 scans;
	u64 need;            /* of the newest scan */
	u32 kept, keep_most; /* descriptors */
	u32 n, cap;
	struct process **now, **before; /* ascending by pid */
	struct process **slabs;
	u32 nslabs;
	struct process *free;
	char *text;   /* one command line */
	u32 hidden;   /* processes of the newest scan that could not be looked at */
	bool limited; /* descriptors ran out in it */
	char hidepid[24];
};

/* 0 or -errno. Raises the soft limit of descriptors to the hard one. */
int procfs_open(struct procfs *fs, const struct source_env *env);
void procfs_close(struct procfs *fs);
/* Close what is kept open; it is opened again when it is needed. */
void procfs_close_files(struct procfs *fs);
/* Hand over every process. need: columns that are wanted. 0 or -errno, also of fn. */
int procfs_scan(struct procfs *fs, u64 need, process_fn *fn, void *arg);
/* May processes be missing from the newest scan? */
static inline bool procfs_partial(const struct procfs *fs)
{
	return fs->hidden || fs->limited || fs->hidepid[0];
}

#endif
