/* The columns that the process list can show: headings, widths, how a value is written. */
#ifndef TARE_TUI_PCOLUMN_H
#define TARE_TUI_PCOLUMN_H

#include "base/err.h"
#include "tui/fields.h"

enum pformat {
	PFORMAT_NUMBER,
	PFORMAT_COUNT,
	PFORMAT_BYTES,
	PFORMAT_PERCENT,
	PFORMAT_WATTS,
	PFORMAT_TIME,
	PFORMAT_AGE,
	PFORMAT_PRIORITY,
	PFORMAT_TEXT,
	PFORMAT_PATH, /* its end is what tells */
	PFORMAT_COMMAND,
};

/* A column of the process table. */
struct pcolumn {
	u8 field; /* enum field */
	u8 format;
	u8 width;       /* 0: what the others leave */
	u16 least_cols; /* shown from this screen width on; COLUMN_ASKED: only when asked for */
	bool ascending; /* the first direction when chosen */
	bool additive;  /* the sum over processes means something */
	const char *title, *help;
};

enum { COLUMN_ASKED = 0xffff, PCOLUMN_MOST = 64 };

extern const struct pcolumn pcolumns[];
extern const u32 pcolumn_count;
/* Index in pcolumns by process column name or title (any case), or -1. */
int pcolumn_find(const char *name);
/* Index of the one that shows this field. */
u32 pcolumn_of(enum field field);

/* Which of them, in which order. */
struct columns {
	bool chosen; /* by the user; else by the width of the screen */
	bool gpu;    /* GPUs have or had clients: their columns are among the usual ones */
	u64 on;      /* chosen: bit per index in pcolumns */
	u8 order[PCOLUMN_MOST];
};

void columns_init(struct columns *c);
/* Names with blanks or commas between, in the order of the screen; "" is the choice by width. 0, or
 * -EINVAL with *err (may be NULL) naming what is not a column; *c is then as it was. */
int columns_set(struct columns *c, const char *list, struct err *err);
/* The list that columns_set takes; out is always terminated. */
void columns_text(const struct columns *c, char *out, u32 size);
bool columns_shows(const struct columns *c, u32 column, u32 cols);
/* Show or hide one; what the screen shows at `cols` becomes the choice when there was none. */
void columns_toggle(struct columns *c, u32 column, u32 cols);
/* Exchange the one at place `at` of the order with its neighbour: step -1 or 1. Returns its place. */
u32 columns_move(struct columns *c, u32 at, int step, u32 cols);

#endif
