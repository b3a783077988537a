/* Values over time for graphs: one ring per series (table, row key, column), every point with the
 * window it is from; gaps are kept as gaps. Fixed memory. */
#ifndef TARE_CORE_HISTORY_H
#define TARE_CORE_HISTORY_H

#include "core/frame.h"

struct history_point {
	u64 end_mono_ns;
	u64 window_ns;
	float num; /* display units */
	u8 cell;   /* cell_make(); absent points are kept with their reason */
};

struct history;

/* points: kept per series; series: at most so many (the least recently watched make way). */
int history_new(struct history **out, u32 points, u32 series);
void history_free(struct history *h);
/* Start to keep a series (or keep on keeping it). key is ignored for ROW_TOTAL series (total =
 * true). Returns a handle >= 0 or -ENOSPC. Allocates nothing after history_new. */
int history_watch(struct history *h, const char *table, bool total, u64 key, const char *column);
/* Take one frame: each watched series of a table that is fresh gets exactly one point; a table that
 * is not fresh gives none (one reading counts once); a watched row that is not there gives an absent
 * point (REASON_OFFLINE). */
void history_push(struct history *h, const struct frame *frame);
/* Number of points, and point i counted back from the newest (0). */
u32 history_len(const struct history *h, int series);
bool history_at(const struct history *h, int series, u32 back, struct history_point *out);

#endif
