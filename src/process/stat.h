/* /proc/PID/stat and /proc/PID/statm as numbers (Documentation/filesystems/proc.rst, tables 1-4 and 1-3).
 * Pure functions over bytes. */
#ifndef TARE_PROCESS_STAT_H
#define TARE_PROCESS_STAT_H

#include "base/types.h"

#define PROC_KTHREAD 0x00200000u /* PF_KTHREAD of include/linux/sched.h */

struct proc_stat {
	const char *comm; /* into the caller's bytes; from the first '(' to the last ')' */
	u32 comm_len;
	char state;
	u64 pid, ppid, flags;
	u64 minor_faults, major_faults;
	u64 user_ticks, system_ticks;
	s64 priority, nice;
	u64 threads, start_ticks, virtual_bytes;
	u64 resident_pages;
	u64 processor; /* UINT64_MAX when the line ends before it */
};

/* 0, or -EINVAL when a field up to resident_pages is missing. Numbers beyond 64 bits saturate. */
int proc_stat_parse(struct proc_stat *out, const char *p, const char *end);
/* Shared pages: the third number. 0 or -EINVAL. */
int proc_statm_shared(const char *p, const char *end, u64 *pages);

#endif
