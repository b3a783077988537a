/* Which panels the screen has room for: taken in the order of their worth, the process table always
 * keeps its lines. */
#include "tui/view_state.h"

enum { COLS_LEAST = 10, ROWS_LEAST = 3, LIST_LEAST = 5, BAR_ROWS = 8, HEAT_LABEL_COLS = 10 };

bool layout_too_small(u32 cols, u32 rows)
{
	return cols < COLS_LEAST || rows < ROWS_LEAST;
}

/* Take up to n lines, none if fewer than `least` are left. */
static u32 take(u32 *left, u32 n, u32 least)
{
	if (n > *left)
		n = *left;
	if (n < least)
		return 0;
	*left -= n;
	return n;
}

static u32 power_of_two_below(u32 n)
{
	u32 p = 1;

	while (p * 2 <= n)
		p *= 2;
	return p;
}

/* Bars in as few columns as fit a quarter of the height, else a heat map in at most a third. */
static u32 plan_cpus(struct view *v, struct layout *l, u32 left)
{
	u32 n = fields_rows(&v->f, TAB_CPU);
	u32 most = l->rows / 4 < left ? l->rows / 4 : left;
	u32 columns = l->cols >= 100 && n >= 4 ? 4 : l->cols >= 40 && n >= 2 ? 2 : 1;

	if (!n || v->per_cpu == PER_CPU_NONE || !(v->panels & PANEL_CPUS))
		return 0;
	l->cpu_group = 1;
	l->bars = v->per_cpu == PER_CPU_AUTO && most > 0;
	for (; l->bars && l->cols / columns >= 18; columns++) {
		l->cpu_columns = columns;
		if ((n + columns - 1) / columns <= most)
			return (n + columns - 1) / columns;
	}
	l->bars = false;
	most = l->rows / 3 < left ? l->rows / 3 : left;
	if (!most || l->cols < HEAT_LABEL_COLS + 8)
		return 0;
	l->cpu_columns = power_of_two_below(l->cols - HEAT_LABEL_COLS);
	for (;; l->cpu_group *= 2) {
		u32 line = l->cpu_columns * l->cpu_group;

		if ((n + line - 1) / line <= most)
			return (n + line - 1) / line;
	}
}

/* One line at least: it says why when there is nothing. */
static u32 files_lines(const struct view *v, u32 cols, u32 most)
{
	u32 n = fields_rows(&v->f, TAB_FILESYSTEM), columns = cols >= 100 ? 2 : 1;
	u32 lines = (n + columns - 1) / columns;

	return lines < 1 ? 1 : lines < most ? lines : most;
}

/* A heading and a line each while there is room, in a third of the height; or one line for all. */
static u32 gpu_lines(const struct view *v, const struct layout *l, u32 left)
{
	u32 lines = v->gpus.n + 1, most = l->rows / 3;

	if (!gpus_panel(v) || l->rows < BAR_ROWS)
		return 0;
	lines = lines < most ? lines : most;
	lines = lines < left ? lines : left;
	return lines == 2 && v->gpus.n > 1 ? 1 : lines;
}

static void take_lines(struct view *v, struct layout *l)
{
	u32 left = l->rows - 3, io = l->cols >= 100 ? 1 : 2; /* header, heading, one process */
	bool tall = l->rows >= 30, small = l->rows < BAR_ROWS;
	u32 graph_most = l->rows / 6 > 12 ? 12 : l->rows / 6;
	u32 sums = v->f.table[TAB_EXITED] ? 4 : 3;

	l->heading_h = 1;
	l->list_h = 1;
	l->cpu_h = take(&left, 1, 1);
	l->bar_h = small ? 0 : take(&left, 1, 1);
	if (v->panels & PANEL_MEMORY)
		l->memory_h = small ? 0 : take(&left, 1, 1);
	l->list_h += take(&left, 2, 0);
	if (v->panels & PANEL_SUMS)
		l->sums_h = small ? 0 : take(&left, 1, 1);
	l->list_h += take(&left, LIST_LEAST - 3, 0);
	l->gpu_h = take(&left, gpu_lines(v, l, left), 1);
	if (v->panels & PANEL_IO)
		l->io_h = take(&left, io, 1);
	l->cpus_h = plan_cpus(v, l, left);
	left -= l->cpus_h;
	if ((v->panels & PANEL_POWER) && power_known(v))
		l->power_h = take(&left, 1, 1);
	if ((v->panels & PANEL_GRAPHS) && l->cols >= 40)
		l->graph_h = take(&left, 3, 3);
	l->list_h += take(&left, 3, 0);
	if (l->memory_h && l->cols < 120)
		l->memory_h += take(&left, 1, 1);
	if ((v->panels & PANEL_FILESYSTEMS) && v->f.table[TAB_FILESYSTEM] &&
		((tall && (!l->gpu_h || l->rows >= 40)) || v->files_asked))
		l->files_h = take(&left, files_lines(v, l->cols, tall ? 3 : 2), 1);
	if (tall && l->sums_h) /* more, exited where that is known, irq, unattributed, TOTAL */
		l->sums_h += take(&left, sums, sums);
	if (l->graph_h && graph_most > l->graph_h)
		l->graph_h += take(&left, graph_most - l->graph_h, 0);
	if (l->rows >= 40 && l->io_h && l->cols >= 100)
		l->io_h += take(&left, 1, 1);
	l->list_h += left;
}

void layout_make(struct view *v, u32 cols, u32 rows)
{
	struct layout *l = &v->layout;
	u32 y = 1;

	*l = (struct layout){.cols = cols, .rows = rows, .cpu_columns = 1, .cpu_group = 1};
	if (layout_too_small(cols, rows))
		return;
	take_lines(v, l);
#define PLACE(panel) (l->panel##_y = y, y += l->panel##_h)
	PLACE(cpu);
	PLACE(cpus);
	PLACE(graph);
	PLACE(memory);
	PLACE(io);
	PLACE(power);
	PLACE(files);
	PLACE(gpu);
	PLACE(heading);
	PLACE(list);
	PLACE(sums);
	PLACE(bar);
#undef PLACE
}
