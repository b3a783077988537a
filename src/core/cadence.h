/* The one place that says how often anything is looked at. */
#ifndef TARE_CORE_CADENCE_H
#define TARE_CORE_CADENCE_H

#include "base/err.h"
#include "base/types.h"

#define INTERVAL_LEAST_NS (100 * NSEC_PER_MSEC)
#define INTERVAL_MOST_NS  (3600 * NSEC_PER_SEC)
/* The first real frame comes this long after the baseline. */
#define FIRST_WINDOW_NS (100 * NSEC_PER_MSEC)

/* Interval of this machine's own view: 1 s. Always the arm without remote nodes, whatever else is
 * watched beside it. */
u64 local_interval(void);
/* Interval for a view over `nodes` other machines: 1–10: 3 s, 11–50: 4 s, 51–100: 5 s, more: 6 s.
 * 0 nodes is local_interval(). */
u64 remote_interval(u32 nodes);
/* Parse --interval: 100 ms to 1 h with units. */
int interval_parse(const char *text, u64 *out_ns, struct err *err);

#endif
