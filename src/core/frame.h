/* What happened between two readings: the result of delta(), the only thing sinks and the live view
 * look at. Rates come from here and nowhere else. */
#ifndef TARE_CORE_FRAME_H
#define TARE_CORE_FRAME_H

#include "core/table.h"

enum { ROW_TOTAL = 0xffffffffu }; /* row index of the sum over rows */

/* A window shorter than this gives no value and leaves the baseline. */
#define WINDOW_LEAST_NS (50 * NSEC_PER_MSEC)

struct frame_table {
	const struct schema *schema;
	const struct table *now; /* newest sample: gauges, text, keys; valid until the next step */
	u32 n, cap;              /* rows, as now->n */
	u64 *diff[MAX_COLUMNS];  /* counters: raw difference over the row's window; else NULL */
	u8 *cell[MAX_COLUMNS];   /* counters: state of the difference; else NULL: see now->cell */
	u64 *window_ns;          /* each row's own window; 0: none */
	u64 total_diff[MAX_COLUMNS];
	double total_num[MAX_COLUMNS]; /* display value of TOTAL */
	u8 total_cell[MAX_COLUMNS];
	u64 total_window_ns;   /* from the table's stamps; 0 before the second reading */
	struct stamp from, to; /* the table's window */
	u64 seq;               /* of the reading that this frame is from */
	bool fresh;            /* a new reading since the last frame; else the same values again */
	enum reason
		gap; /* whole window without values (FIRST, SHORT, SUSPEND, STARTING, …) or NONE */
	u64 age_ns;  /* fresh false: how old the reading is */
	bool stale;  /* a slow source is later than it should be */
};

/* One cell as people and programs see it. */
struct cell {
	enum cell_state state;
	enum reason reason;
	double num;       /* in display units (schema.h), percent as 0 to 100; 0 when absent */
	u64 raw;          /* the sample's raw value (cumulative for counters) */
	u64 diff;         /* counters: raw difference */
	const char *text; /* TEXT: raw bytes from strangers, not terminated */
	u32 text_len;
};

/* Read a cell. row may be ROW_TOTAL. Never fails; an impossible request is absent UNSUPPORTED. */
void frame_cell(const struct frame_table *t, u32 row, u32 column, struct cell *out);
/* Its display number; false when absent or text. */
bool frame_num(const struct frame_table *t, u32 row, u32 column, double *out);
/* Counter's raw difference; false when absent. */
bool frame_diff(const struct frame_table *t, u32 row, u32 column, u64 *out);
/* Gauge's raw value; false when absent. */
bool frame_raw(const struct frame_table *t, u32 row, u32 column, u64 *out);
u64 frame_window_ns(const struct frame_table *t, u32 row);

/* Everything of one tick. Both consumers of a tick see the same frame. */
struct frame {
	u64 seq;
	struct stamp at;
	u64 interval_ns; /* as planned */
	u64 window_ns;   /* since the last tick, CLOCK_MONOTONIC */
	u64 missed;      /* ticks that did not happen since the start */
	u64 gaps;        /* suspends and windows longer than 1.5 intervals since the start */
	u32 ntables;
	const struct frame_table *const *tables; /* in the order of the source list */
};

/* Table by name, or NULL. */
const struct frame_table *frame_find(const struct frame *frame, const char *name);

#endif
