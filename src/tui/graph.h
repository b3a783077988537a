/* A history graph: values over time on cells, one sample a dot column (braille: two a cell), so that
 * it scrolls with time at a fixed scale. Gaps stay gaps. */
#ifndef TARE_TUI_GRAPH_H
#define TARE_TUI_GRAPH_H

#include "core/history.h"
#include "tui/grid.h"
#include "tui/view.h"

enum { GRAPH_GUTTER = 10 }; /* columns left of the plot: title, scale, axis */

struct graph {
	const struct history *history;
	int series;
	u64 until_mono_ns; /* points after this are not shown (paused); 0: all */
	const char *title; /* at most 4 columns */
	enum unit unit;    /* UNIT_RATIO: scale 0 to 100 %; UNIT_BYTES: B/s; UNIT_UJ: W */
};

/* Draw into x, y, width, height (last line is the time axis when height is 2 or more). */
void graph_draw(struct grid *g, u32 x, u32 y, u32 width, u32 height, const struct graph *graph,
	enum charset charset);
/* Round top of the scale for values up to `most`: 1, 2 or 5 times a power of ten (of 1024 for bytes). */
double graph_scale(enum unit unit, double most);

#endif
