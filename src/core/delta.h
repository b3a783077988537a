/* The one arithmetic: delta(base, sample) → frame, base'. Nothing else in the program makes a rate.
 *
 *  first sample            no value (FIRST); a row born after the last complete reading counts from 0
 *  window under 50 ms      no value (SHORT), the baseline stays
 *  counter went down       wrap if the column knows one and the result is possible; held when within
 *                          `hold` (difference 0, baseline stays at the largest); else RESET for every
 *                          counter of the row, new baseline
 *  suspend                 boottime ran more than 100 ms ahead of monotonic: no value (SUSPEND)
 *  row gone                not in the frame; when it comes back it is FIRST
 *  same seq                nothing happens, frame->fresh = false
 */
#ifndef TARE_CORE_DELTA_H
#define TARE_CORE_DELTA_H

#include "core/frame.h"

#define SUSPEND_LEAST_NS (100 * NSEC_PER_MSEC)

struct delta {
	struct table tables[3];
	struct table *base;  /* baseline; NULL before the first sample */
	struct table *now;   /* newest sample, may be the baseline of the next step */
	struct table *spare; /* to be filled by the next reading */
	struct frame_table frame;
	/* per row of the newest sample: row in the baseline, and how its counters are had */
	u32 *was;
	u8 *how;
	u32 cap;
	/* what frame.diff and frame.cell point to; columns that were not read share the blank */
	struct {
		u64 *diff;
		u8 *cell;
		u32 cap;
	} own[MAX_COLUMNS], blank;
};

int delta_init(struct delta *d, const struct schema *schema);
void delta_fini(struct delta *d);
/* The table to read into. Valid until delta_step. */
struct table *delta_spare(struct delta *d);
/* Take the table that was filled: computes d->frame. 0 or -ENOMEM. Allocates only when the number of
 * rows grows. */
int delta_step(struct delta *d);
/* No new reading in this tick: the frame keeps its values, fresh = false, age from now. */
void delta_repeat(struct delta *d, const struct stamp *now);
/* For a source's finish: a gauge cell (also TEXT by its reference, see delta_text) that follows from other tables'
 * frames, and text for such cells in the newest sample's arena. 0 or -ENOMEM. */
void delta_set(struct frame_table *f, u32 row, u32 column, u64 raw, u8 cell);
int delta_text(struct frame_table *f, const char *text, size_t len, text_ref *out);
/* The same for TOTAL of a gauge: the display number. */
void delta_set_total(struct frame_table *f, u32 column, double num, u8 cell);
/* The reading failed (after delta_repeat): counters have no value, gauges are held, for `reason`. */
void delta_fail(struct delta *d, enum reason reason);

#endif
