/* Time. One struct stamp is taken per reading: CLOCK_MONOTONIC for windows, CLOCK_BOOTTIME to see a
 * suspend, CLOCK_REALTIME for output only. A scripted clock stands in for the kernel's when a
 * recorded machine (--root) is read, so that output is the same every time. */
#ifndef TARE_BASE_CLOCK_H
#define TARE_BASE_CLOCK_H

#include "base/types.h"

struct stamp {
	u64 mono_ns;
	u64 boot_ns;
	u64 real_ns;
};

struct clock {
	bool scripted;
	struct stamp at; /* scripted: what clock_read returns until it is set anew */
};

/* The live clock; no state. */
void clock_init(struct clock *clock);
/* From here on clock_read returns *at. */
void clock_script(struct clock *clock, const struct stamp *at);
void clock_read(const struct clock *clock, struct stamp *out);
/* Only CLOCK_MONOTONIC and CLOCK_BOOTTIME (real_ns is left 0): cheaper, for rows. */
void clock_read_row(const struct clock *clock, struct stamp *out);

/* The kernel's CLOCK_MONOTONIC, also where a recorded machine has a scripted clock: for timers, deadlines
 * and waits, never for a value's window. */
u64 clock_mono_ns(void);

/* CPU time of the calling thread, of the whole process; nanoseconds. Never scripted. */
u64 clock_thread_cpu_ns(void);
u64 clock_process_cpu_ns(void);

#endif
