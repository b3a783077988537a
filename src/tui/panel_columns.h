/* Where the columns of the process list stand on the screen. */
#ifndef TARE_TUI_PANEL_COLUMNS_H
#define TARE_TUI_PANEL_COLUMNS_H

#include "tui/panel.h"

struct place {
	u8 column; /* index in pcolumns */
	u32 x, width;
};

/* Those that begin on a screen of this width, from left to right. Returns how many. */
u32 columns_place(const struct view *v, u32 cols, struct place out[PCOLUMN_MOST]);
/* Heading, which says what the rows are. */
const char *column_title(const struct view *v, u32 column);
static inline bool left_aligned(const struct pcolumn *c)
{
	return c->format == PFORMAT_TEXT || c->format == PFORMAT_PATH ||
	       c->format == PFORMAT_COMMAND;
}

#endif
