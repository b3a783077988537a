#include "tui/tags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void tags_fini(struct tags *t)
{
	free(t->key);
	*t = (struct tags){0};
}

/* First one that is not below key. */
static u32 place(const struct tags *t, u64 key)
{
	u32 lo = 0, hi = t->n;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (t->key[mid] < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool tags_has(const struct tags *t, u64 key)
{
	u32 at = place(t, key);

	return at < t->n && t->key[at] == key;
}

int tags_toggle(struct tags *t, u64 key)
{
	u32 at = place(t, key);

	if (at < t->n && t->key[at] == key) {
		memmove(t->key + at, t->key + at + 1, (--t->n - at) * sizeof(*t->key));
		return 0;
	}
	if (t->n == t->cap) {
		u32 cap = t->cap ? t->cap * 2 : 64;
		u64 *keys = realloc(t->key, cap * sizeof(*keys));

		if (!keys)
			return -ENOMEM;
		t->key = keys;
		t->cap = cap;
	}
	memmove(t->key + at + 1, t->key + at, (t->n++ - at) * sizeof(*t->key));
	t->key[at] = key;
	return 0;
}

void tags_clear(struct tags *t)
{
	t->n = 0;
}

void tags_keep(struct tags *t, const struct table *table)
{
	u32 n = 0;

	for (u32 i = 0; i < t->n; i++)
		if (table_find(table, t->key[i]) >= 0)
			t->key[n++] = t->key[i];
	t->n = n;
}
