/* The pause: a frame is only lent until the next tick, so what stays on the screen is copied. */
#include "tui/view_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void drop_tables(struct snap *s)
{
	for (u32 i = 0; i < s->room; i++) {
		struct frame_table *t = &s->table[i];

		table_fini(&s->sample[i]);
		for (u32 c = 0; c < MAX_COLUMNS; c++) {
			free(t->diff[c]);
			free(t->cell[c]);
		}
		free(t->window_ns);
	}
}

void snap_fini(struct snap *s)
{
	drop_tables(s);
	free(s->table);
	free(s->sample);
	free(s->list);
	*s = (struct snap){0};
}

static void *copy(const void *from, size_t size)
{
	void *to = from ? malloc(size ? size : 1) : NULL;

	if (to)
		memcpy(to, from, size);
	return to;
}

static int copy_table(struct frame_table *dst, struct table *sample, const struct frame_table *src)
{
	int ret = table_init(sample, src->now->schema);

	if (!ret)
		ret = table_copy(sample, src->now);
	*dst = *src;
	dst->now = sample;
	dst->window_ns = copy(src->window_ns, src->n * sizeof(*src->window_ns));
	if (src->window_ns && !dst->window_ns)
		ret = -ENOMEM;
	for (u32 c = 0; c < MAX_COLUMNS; c++) {
		dst->diff[c] = copy(src->diff[c], src->n * sizeof(*src->diff[c]));
		dst->cell[c] = copy(src->cell[c], src->n);
		if ((src->diff[c] && !dst->diff[c]) || (src->cell[c] && !dst->cell[c]))
			ret = -ENOMEM;
	}
	return ret;
}

int snap_take(struct snap *s, const struct frame *frame)
{
	int ret = 0;

	snap_fini(s);
	s->table = calloc(frame->ntables + 1, sizeof(*s->table));
	s->sample = calloc(frame->ntables + 1, sizeof(*s->sample));
	s->list = calloc(frame->ntables + 1, sizeof(*s->list));
	if (!s->table || !s->sample || !s->list) {
		snap_fini(s);
		return -ENOMEM;
	}
	for (u32 i = 0; i < frame->ntables && !ret; i++) {
		s->room = i + 1;
		ret = copy_table(&s->table[i], &s->sample[i], frame->tables[i]);
		s->list[i] = &s->table[i];
	}
	if (ret) {
		snap_fini(s);
		return ret;
	}
	s->frame = *frame;
	s->frame.tables = s->list;
	return 0;
}
