/* Tools of the panels: lines of items, bars, texts for values. */
#ifndef TARE_TUI_PANEL_H
#define TARE_TUI_PANEL_H

#include "tui/view_state.h"

struct bar_part {
	double share; /* of the whole bar */
	char mark;    /* so that it does not depend on colour */
	enum role role;
};
/* "[||||++   ]", width columns with the brackets. */
void bar_draw(struct grid *g, u32 x, u32 y, u32 width, const struct bar_part *parts, u32 n);

enum { VALUE_TEXT = 64 };
enum value_kind { VALUE_PERCENT, VALUE_BYTES, VALUE_RATE, VALUE_WATTS, VALUE_COUNT };
/* The cell's value with its unit, or the reason why it is absent. */
void value_text(char out[VALUE_TEXT], const struct cell *cell, enum value_kind kind);
void field_text(char out[VALUE_TEXT], const struct fields *f, enum field field, u32 row,
	enum value_kind kind);
/* Columns that text takes on a terminal. */
u32 text_columns(const char *text, u32 len);
/* Text of a TEXT cell made safe, at most size - 1 bytes. */
void field_label(char *out, u32 size, const struct fields *f, enum field field, u32 row);
/* "starting", "first sample", "stale 12s" … of a table, "" when its values are good. */
void table_note(char out[VALUE_TEXT], const struct frame_table *t);

#endif
