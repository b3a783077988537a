#include "sink/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct order {
	const struct frame_table *table;
	const struct selection *selection;
};

static int compare_text(const struct cell *a, const struct cell *b)
{
	u32 n = a->text_len < b->text_len ? a->text_len : b->text_len;
	int c = n ? memcmp(a->text, b->text, n) : 0;

	return c ? c : (a->text_len > b->text_len) - (a->text_len < b->text_len);
}

static int compare_rows(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	u32 ra = *(const u32 *)pa, rb = *(const u32 *)pb;
	struct cell a, b;
	int c;

	frame_cell(o->table, ra, (u32)o->selection->sort_column, &a);
	frame_cell(o->table, rb, (u32)o->selection->sort_column, &b);
	if ((a.state == CELL_ABSENT) != (b.state == CELL_ABSENT))
		return a.state == CELL_ABSENT ? 1 : -1;
	if (o->table->schema->columns[o->selection->sort_column].unit == UNIT_TEXT)
		c = compare_text(&a, &b);
	else
		c = (a.num > b.num) - (a.num < b.num);
	if (!o->selection->ascending)
		c = -c;
	return c ? c : (ra > rb) - (ra < rb);
}

int select_rows(struct selection *s, const struct frame *frame, const struct frame_table *t)
{
	struct order order = {t, s};
	bool process = !strcmp(t->schema->name, "process");
	u32 n = 0;

	s->left_out = 0;
	if (t->n > s->cap) {
		u32 *rows = realloc(s->rows, t->n * sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		s->rows = rows;
		s->cap = t->n;
	}
	for (u32 row = 0; row < t->n; row++) {
		if (process && s->filter && !expr_match(s->filter, frame, t, row))
			continue;
		s->rows[n++] = row;
	}
	if (!process)
		return (int)n;
	if (s->sort_column >= 0)
		qsort_r(s->rows, n, sizeof(*s->rows), compare_rows, &order);
	if (s->top && n > s->top) {
		s->left_out = n - (u32)s->top;
		n = (u32)s->top;
	}
	return (int)n;
}

void select_fini(struct selection *s)
{
	expr_free(s->filter);
	free(s->rows);
	s->filter = NULL;
	s->rows = NULL;
	s->cap = 0;
}
