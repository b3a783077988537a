/* What is done to one process, and to no other that may have its number by now: signals, nice values, CPUs.
 *
 * Each takes the key of the process in the process table and looks at the start time right before it acts.
 * Returns 0 when it was done as asked, 1 when only in part, or -errno: -ESRCH when that process has ended
 * (also when another has its pid), -EROFS on a recorded machine. said (may be NULL) always gets words for a
 * person: what is so now, or why not. */
#ifndef TARE_PROCESS_ACT_H
#define TARE_PROCESS_ACT_H

#include "base/root.h"

enum { ACT_NICE_LEAST = -20, ACT_NICE_MOST = 19, ACT_CPUS_TEXT = 512 };

/* By a pidfd where the kernel has them, so that it cannot reach anybody else. */
int act_signal(const struct root *root, u64 key, int sig, struct err *said);

/* Nice value of every thread: value, or each thread's own plus value when step is set. Values beyond the
 * ends are moved to them. */
int act_renice(const struct root *root, u64 key, int value, bool step, struct err *said);

/* Bind every thread to a list of CPUs, "0-3,8". -EINVAL for what is no such list, -ENODEV when one of them
 * does not exist or is offline; 1 when a control group allows only some of them. */
int act_set_cpus(const struct root *root, u64 key, const char *list, struct err *said);

/* The CPUs that the first thread may run on, as such a list. Returns 0 or -errno. */
int act_cpus(const struct root *root, u64 key, char out[ACT_CPUS_TEXT], struct err *said);

#endif
