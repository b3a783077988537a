/* Which rows of the process table are shown, and in which order. */
#ifndef TARE_SINK_SELECT_H
#define TARE_SINK_SELECT_H

#include "core/expr.h"

struct selection {
	int sort_column; /* of the process table; -1: none */
	bool ascending;
	u64 top;             /* at most this many rows; 0: all */
	struct expr *filter; /* NULL: every row */
	u32 *rows;           /* scratch and result of select_rows */
	u32 cap;
	u32 left_out; /* rows that the newest select_rows cut off */
};

/* Rows of t in the order to show, in s->rows; the process table is filtered, sorted and cut, others
 * keep all of their rows. Rows without a value come last. Returns how many, or -ENOMEM. */
int select_rows(struct selection *s, const struct frame *frame, const struct frame_table *t);
void select_fini(struct selection *s);

#endif
