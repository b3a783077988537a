#include "core/details.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe.h"

/* safe_text makes at most one '?' of each byte, and keeps what is valid. */
static char *safe_copy(const char *text, size_t len)
{
	size_t most = len < DETAIL_TEXT_MOST ? len : DETAIL_TEXT_MOST;
	char *copy = malloc(most + 64);
	u32 n;

	if (!copy)
		return NULL;
	n = safe_text(copy, (u32)most + 1, text, most);
	if (len > most)
		snprintf(copy + n, 64, " … and %zu bytes more", len - most);
	return copy;
}

void details_add(
	struct details *d, enum detail_kind kind, const char *name, const char *text, size_t len)
{
	struct detail *item;

	if (d->n == d->cap) {
		u32 cap = d->cap ? d->cap * 2 : 64;
		struct detail *items = realloc(d->items, cap * sizeof(*items));

		if (!items) {
			d->failed = true;
			return;
		}
		d->items = items;
		d->cap = cap;
	}
	item = &d->items[d->n];
	*item = (struct detail){.kind = (u8)kind, .text = safe_copy(text, len)};
	if (!item->text) {
		d->failed = true;
		return;
	}
	safe_text(item->name, sizeof(item->name), name, strlen(name));
	d->n++;
}

void details_printf(
	struct details *d, enum detail_kind kind, const char *name, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	details_add(d, kind, name, text, strlen(text));
}

void details_free(struct details *d)
{
	for (u32 i = 0; i < d->n; i++)
		free(d->items[i].text);
	free(d->items);
	*d = (struct details){0};
}
