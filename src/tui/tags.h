/* The tagged processes: a set of keys of the process table. */
#ifndef TARE_TUI_TAGS_H
#define TARE_TUI_TAGS_H

#include "core/table.h"

struct tags {
	u64 *key; /* ascending; heap */
	u32 n, cap;
};

void tags_fini(struct tags *t);
bool tags_has(const struct tags *t, u64 key);
/* 0 or -ENOMEM. */
int tags_toggle(struct tags *t, u64 key);
void tags_clear(struct tags *t);
/* Drop those that are not in the table; allocates nothing. */
void tags_keep(struct tags *t, const struct table *table);

#endif
