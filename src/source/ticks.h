/* Clock ticks of /proc/stat and /proc/PID/stat in nanoseconds: the machine's CLK_TCK, 100 a second on a
 * recorded one. */
#ifndef TARE_SOURCE_TICKS_H
#define TARE_SOURCE_TICKS_H

#include <unistd.h>

#include "base/root.h"

static inline u64 tick_ns(const struct root *root)
{
	long hz = root_is_live(root) ? sysconf(_SC_CLK_TCK) : 100;

	return NSEC_PER_SEC / (u64)(hz > 0 ? hz : 100);
}

#endif
