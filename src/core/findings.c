#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe.h"
#include "core/source.h"

void findings_add(struct findings *f, const char *source, enum reason reason, const char *what,
	const char *why, const char *fix)
{
	struct finding *item;

	if (f->n == f->cap) {
		u32 cap = f->cap ? f->cap * 2 : 16;
		struct finding *items = realloc(f->items, cap * sizeof(*items));

		if (!items)
			return;
		f->items = items;
		f->cap = cap;
	}
	item = &f->items[f->n++];
	*item = (struct finding){.source = source, .reason = reason};
	safe_text(item->what, sizeof(item->what), what, strlen(what));
	safe_text(item->why, sizeof(item->why), why, strlen(why));
	safe_text(item->fix, sizeof(item->fix), fix, strlen(fix));
}

void findings_free(struct findings *f)
{
	free(f->items);
	*f = (struct findings){0};
}
