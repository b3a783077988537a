/* All that /proc tells of one process, as lines for a person: who it is, its limits, control group,
 * scheduling, namespaces, capabilities and, only when asked, its environment. */
#ifndef TARE_PROCESS_DETAILS_H
#define TARE_PROCESS_DETAILS_H

#include "base/root.h"
#include "core/details.h"

/* Opens some dozens of files: for a key press, not for the tick. key as in the process table; flags of enum
 * details_flag. What cannot be read is a line that says why. 0, -ESRCH when that process has ended (also
 * when another has its pid), or -errno; said (may be NULL) then has words, and *out nothing. */
int process_details(const struct root *root, const struct clock *clock, u64 key, u32 flags,
	struct details *out, struct err *said);

#endif
