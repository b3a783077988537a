/* Inside of the process list: shared by plist*.c only. */
#ifndef TARE_TUI_PLIST_WORK_H
#define TARE_TUI_PLIST_WORK_H

#include "tui/plist.h"

enum { MARK_WANTED = 1, MARK_DONE = 2 };
#define NO_ROW    UINT32_MAX
#define SORT_AWAY UINT64_MAX /* absent values stand last in both directions */

/* Raw bytes of a text cell, "" when it is absent. */
const char *plist_text(const struct frame_table *t, s8 column, u32 row, u32 *len);
/* The first eight bytes, capitals as small letters: enough to order names in a list. */
u64 plist_text_key(const char *text, u32 len);
/* Makes order from the first n items: parents before children. */
void plist_tree_order(struct plist *p, const struct fields *f, u32 n);
/* Makes order from the first n items: a line for each group, in the order of the sort column. */
void plist_group_order(struct plist *p, const struct fields *f, u32 n);
/* Key of the group that the row belongs to. */
u64 plist_group_key(const struct fields *f, enum plist_group group, u32 row);

#endif
