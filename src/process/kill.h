/* Signals to one process and no other that may have its number by now. */
#ifndef TARE_PROCESS_KILL_H
#define TARE_PROCESS_KILL_H

#include "base/root.h"

/* Send sig to the process of this key in the process table, by a pidfd where the kernel has them. 0, -ESRCH
 * when that process has ended (also when another has its pid), -EROFS on a recorded machine, or -errno of
 * the kernel. */
int process_signal(const struct root *root, u64 key, int sig);

#endif
