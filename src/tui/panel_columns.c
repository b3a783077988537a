#include "tui/panel_columns.h"

enum { FLEXIBLE_LEAST = 16 };

static u32 width_of(const struct view *v, const struct pcolumn *c)
{
	const struct frame_table *t = v->f.table[TAB_PROCESS];
	u32 width = c->width;

	/* pids are as wide as the largest one needs */
	if (t && t->n &&
		(c->field == FIELD_PROCESS_pid || c->field == FIELD_PROCESS_ppid ||
			c->field == FIELD_PROCESS_process)) {
		u64 most = t->now->key[t->n - 1] >> 42;

		for (width = 5; most >= 100000; most /= 10)
			width++;
	}
	return width;
}

const char *column_title(const struct view *v, u32 column)
{
	static const char *const groups[GROUP_COUNT] = {
		[GROUP_USER] = "USER", [GROUP_CGROUP] = "CGROUP", [GROUP_CONTAINER] = "CONTAINER"};
	const struct pcolumn *c = &pcolumns[column];

	if (c->field == FIELD_PROCESS_pid && v->list.group)
		return v->list.threads ? "TASKS" : "PROCS";
	if (c->field == FIELD_PROCESS_pid && v->list.threads)
		return "TID";
	if (c->format == PFORMAT_COMMAND && v->list.group)
		return groups[v->list.group];
	return c->title;
}

u32 columns_place(const struct view *v, u32 cols, struct place out[PCOLUMN_MOST])
{
	u32 fixed = 0, n = 0, fits = 0, x = 0, sort = v->list.sort;
	bool extra = view_shows(v, sort, cols) && !columns_shows(&v->columns, sort, cols);

	for (u32 i = 0; i < pcolumn_count; i++) {
		u32 column = v->columns.order[i];

		/* one that is there only to sort by goes before the command */
		if (!view_shows(v, column, cols) || (extra && column == sort))
			continue;
		if (extra && !pcolumns[column].width) {
			out[n] = (struct place){(u8)sort, 0, width_of(v, &pcolumns[sort])};
			fixed += out[n++].width + 1;
			extra = false;
		}
		out[n] = (struct place){(u8)column, 0, width_of(v, &pcolumns[column])};
		fixed += out[n++].width + 1;
	}
	if (extra)
		out[n++] = (struct place){(u8)sort, 0, width_of(v, &pcolumns[sort])};
	for (u32 i = 0; i < n; i++) {
		u32 left = cols > x ? cols - x : 0, others = fixed - x - 1;

		if (!left)
			break;
		if (!out[i].width)
			out[i].width = i + 1 == n                       ? left
				       : left > others + FLEXIBLE_LEAST ? left - others
									: FLEXIBLE_LEAST;
		out[i].x = x;
		if (out[i].width > left && !left_aligned(&pcolumns[out[i].column]))
			break; /* part of a number is another number */
		if (out[i].width > left)
			out[i].width = left;
		x += out[i].width + 1;
		fits++;
	}
	return fits;
}
