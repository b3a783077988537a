/* One cell as text for people. */
#ifndef TARE_SINK_TEXT_CELL_H
#define TARE_SINK_TEXT_CELL_H

#include "core/frame.h"

enum { TEXT_CELL_SIZE = 1024 };

/* Terminal-safe text of a cell in out (TEXT_CELL_SIZE bytes); "n/a" when absent. */
void text_cell(const struct column *column, const struct cell *cell, char *out);
/* Columns on a terminal that safe text takes. */
u32 text_width(const char *text);
/* Heading: title and unit ("READ B/s"). */
void text_heading(const struct column *column, char *out, u32 size);
/* Are values of this column flush right? */
bool text_is_right(const struct column *column);

#endif
