/* Puts a grid on the terminal through ncurses, which works out the shortest way from what is there.
 * ncurses writes into memory and never to the terminal itself: the bytes are handed over to the
 * caller, who can send them without ever waiting for a terminal that is slow or stopped. */
#ifndef TARE_TUI_PAINT_H
#define TARE_TUI_PAINT_H

#include "base/err.h"
#include "tui/grid.h"

struct painter; /* opaque; one a process, as ncurses keeps global state */

/* The terminal type is known (term_open has checked it). utf8: the locale's; false: every character
 * beyond ASCII is shown as '?'. colour: false for NO_COLOR. */
int painter_open(struct painter **out, bool utf8, bool colour, struct err *err);
void painter_close(struct painter *p);
/* Forget what is on the terminal: the next paint draws everything. */
void painter_forget(struct painter *p);
/* Draw g; the bytes for the terminal are appended to *buf (heap, *size bytes, *len used; grows). Rows
 * that did not change cost a comparison. 0 or -errno. */
int painter_paint(struct painter *p, const struct grid *g, char **buf, u32 *len, u32 *size);

#endif
