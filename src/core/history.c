/* Rings of points, all in one block that is taken at the start. A handle names a slot and the use of
 * it, so that the handle of a series that had to make way reads as empty and never as another's. */
#include "core/history.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 32, SERIES_MOST = 4096, POINTS_MOST = 1 << 20 };

struct series {
	char table[NAME_SIZE], column[NAME_SIZE];
	u64 key;
	bool total;
	bool used;
	u32 use;                     /* how often the slot was given away before */
	u64 watched;                 /* larger: watched more recently */
	u64 seq;                     /* of the newest point's reading */
	u32 len, newest;             /* points, index of the newest */
	const struct schema *schema; /* that at is an index in; NULL: not resolved */
	int at;                      /* column, or -1 */
	struct history_point *points;
};

struct history {
	u32 points, nseries;
	u64 clock; /* of watches */
	struct history_point *all;
	struct series series[];
};

int history_new(struct history **out, u32 points, u32 series)
{
	struct history *h;

	*out = NULL;
	if (!points || points > POINTS_MOST || series > SERIES_MOST)
		return -EINVAL;
	h = calloc(1, sizeof(*h) + series * sizeof(h->series[0]));
	if (!h)
		return -ENOMEM;
	h->points = points;
	h->nseries = series;
	h->all = calloc((size_t)points * (series ? series : 1), sizeof(*h->all));
	if (!h->all) {
		free(h);
		return -ENOMEM;
	}
	for (u32 i = 0; i < series; i++)
		h->series[i].points = h->all + (size_t)i * points;
	*out = h;
	return 0;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	free(h->all);
	free(h);
}

static int handle_of(const struct history *h, u32 slot)
{
	return (int)(h->series[slot].use * h->nseries + slot);
}

static const struct series *series_of(const struct history *h, int handle)
{
	u32 slot;

	if (handle < 0 || !h->nseries)
		return NULL;
	slot = (u32)handle % h->nseries;
	if (!h->series[slot].used || handle_of(h, slot) != handle)
		return NULL;
	return &h->series[slot];
}

/* The slot of this series, else one that is free, else the one least recently watched. */
static u32 pick(const struct history *h, const struct series *want, bool *known)
{
	u32 best = 0;

	*known = false;
	for (u32 i = 0; i < h->nseries; i++) {
		const struct series *s = &h->series[i], *b = &h->series[best];

		if (s->used && s->total == want->total && s->key == want->key &&
			!strcmp(s->table, want->table) && !strcmp(s->column, want->column)) {
			*known = true;
			return i;
		}
		if (b->used && (!s->used || s->watched < b->watched))
			best = i;
	}
	return best;
}

int history_watch(struct history *h, const char *table, bool total, u64 key, const char *column)
{
	struct series want = {.total = total, .key = total ? 0 : key, .used = true, .at = -1};
	struct series *s;
	bool known;
	u32 slot;

	if (!h->nseries || strlen(table) >= NAME_SIZE || strlen(column) >= NAME_SIZE)
		return -ENOSPC;
	strcpy(want.table, table);
	strcpy(want.column, column);
	slot = pick(h, &want, &known);
	s = &h->series[slot];
	if (!known) {
		want.points = s->points;
		want.use = s->use;
		if (s->used)
			want.use = s->use < (u32)INT_MAX / h->nseries - 1 ? s->use + 1 : 0;
		*s = want;
	}
	s->watched = ++h->clock;
	return handle_of(h, slot);
}

static void take(const struct series *s, const struct frame_table *t, struct history_point *p)
{
	u32 row = ROW_TOTAL;
	struct cell cell;

	*p = (struct history_point){.end_mono_ns = t->to.mono_ns,
		.window_ns = t->total_window_ns,
		.cell = cell_make(CELL_ABSENT, REASON_OFFLINE)};
	if (!s->total) {
		int found = t->n ? table_find(t->now, s->key) : -1;

		if (found < 0) {
			if (t->gap)
				p->cell = cell_make(CELL_ABSENT, t->gap);
			return;
		}
		row = (u32)found;
		p->window_ns = t->window_ns[row];
		if (p->window_ns)
			p->end_mono_ns = t->now->mono_ns[row];
	}
	if (s->at < 0) {
		p->cell = cell_make(CELL_ABSENT, REASON_UNSUPPORTED);
		return;
	}
	frame_cell(t, row, (u32)s->at, &cell);
	p->cell = cell_make(cell.state, cell.reason);
	if (cell.state != CELL_ABSENT)
		p->num = (float)cell.num;
}

void history_push(struct history *h, const struct frame *frame)
{
	for (u32 i = 0; i < h->nseries; i++) {
		struct series *s = &h->series[i];
		const struct frame_table *t;

		if (!s->used)
			continue;
		t = frame_find(frame, s->table);
		if (!t || !t->fresh || (s->len && t->seq == s->seq))
			continue;
		if (s->schema != t->schema) {
			s->schema = t->schema;
			s->at = schema_find(t->schema, s->column);
		}
		s->newest = s->len ? (s->newest + 1) % h->points : 0;
		if (s->len < h->points)
			s->len++;
		s->seq = t->seq;
		take(s, t, &s->points[s->newest]);
	}
}

u32 history_len(const struct history *h, int series)
{
	const struct series *s = series_of(h, series);

	return s ? s->len : 0;
}

bool history_at(const struct history *h, int series, u32 back, struct history_point *out)
{
	const struct series *s = series_of(h, series);

	if (!s || back >= s->len)
		return false;
	*out = s->points[(s->newest + h->points - back) % h->points];
	return true;
}
