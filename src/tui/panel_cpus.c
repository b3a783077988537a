/* Every CPU by itself: bars while they fit, else a heat map of one character a CPU; and the history
 * graphs. */
#include "tui/panel.h"

#include <string.h>

#include "base/human.h"
#include "base/sbuf.h"

enum { HEAT_LABEL = 10 };

static void cpu_label(const struct view *v, u32 row, char out[12])
{
	const struct frame_table *t = v->f.table[TAB_CPU];
	struct sbuf sb;

	sbuf_init(&sb, out, 12);
	sbuf_u64(&sb, t->now->key[row]);
}

static void one_bar(const struct view *v, struct grid *g, u32 row, u32 x, u32 y, u32 width)
{
	const struct fields *f = &v->f;
	char label[12], number[HUMAN_SIZE];
	struct bar_part parts[6];
	struct cell busy;
	u32 at, len;

#define SHARE(name) (field_or_zero(f, FIELD_CPU_##name, row) / 100)
	cpu_label(v, row, label);
	len = (u32)strlen(label);
	at = x + (len < 3 ? 3 - len : 0);
	at = grid_str(g, at, y, x + width, ROLE_TITLE, label);
	if (width < 16)
		return;
	width -= at - x;
	field_cell(f, FIELD_CPU_busy, row, &busy);
	if (busy.state == CELL_ABSENT) {
		grid_put(g, at, y, ROLE_STRONG, '[');
		grid_str(g, at + 1, y, at + width - 1, ROLE_DIM, reason_text(busy.reason));
		grid_put(g, at + width - 1, y, ROLE_STRONG, ']');
		return;
	}
	parts[0] = (struct bar_part){SHARE(user) + SHARE(nice), '|', ROLE_USER};
	parts[1] = (struct bar_part){SHARE(guest) + SHARE(guest_nice), 'g', ROLE_GUEST};
	parts[2] = (struct bar_part){SHARE(system), '+', ROLE_SYSTEM};
	parts[3] = (struct bar_part){SHARE(irq) + SHARE(softirq), '*', ROLE_IRQ};
	parts[4] = (struct bar_part){SHARE(steal), '%', ROLE_ALERT};
	parts[5] = (struct bar_part){SHARE(iowait), '.', ROLE_WAIT};
#undef SHARE
	bar_draw(g, at, y, width - 6, parts, 6);
	human_percent(number, busy.num);
	strcat(number, "%");
	len = (u32)strlen(number);
	grid_str(g, at + width - (len < 6 ? len : 6), y, at + width, ROLE_NORMAL, number);
}

static void draw_bars(struct view *v, struct grid *g)
{
	const struct layout *l = &v->layout;
	u32 n = fields_rows(&v->f, TAB_CPU), width = (g->cols + 1) / l->cpu_columns;

	/* down the columns, as htop has them */
	for (u32 row = 0; row < n; row++) {
		u32 column = row / l->cpus_h, line = row % l->cpus_h;

		if (column < l->cpu_columns)
			one_bar(v, g, row, column * width, l->cpus_y + line, width - 1);
	}
}

/* The busiest of a few CPUs as one character; absent only when all are. */
static void heat_cell(const struct view *v, u32 row, u32 n, u32 *cp, enum role *role)
{
	bool known = false;
	double most = 0, value;
	struct cell cell = {0};

	for (u32 i = row; i < row + n; i++) {
		field_cell(&v->f, FIELD_CPU_busy, i, &cell);
		value = cell.num;
		if (cell.state == CELL_ABSENT)
			continue;
		known = true;
		most = value > most ? value : most;
	}
	*role = ROLE_DIM;
	*cp = cell.reason == REASON_OFFLINE ? 'x' : '?';
	if (!known)
		return;
	*role = most >= 90 ? ROLE_ALERT : most >= 50 ? ROLE_WARN : ROLE_OK;
	if (v->charset == CHARSET_ASCII)
		*cp = most >= 95 ? '#' : '0' + (u32)(most / 10);
	else
		*cp = 0x2581 + (most >= 99.9 ? 7 : (u32)(most / 100 * 8));
}

static void heat_label(const struct view *v, u32 first, u32 last, char out[32])
{
	const struct frame_table *t = v->f.table[TAB_CPU];
	struct sbuf sb;

	sbuf_init(&sb, out, 32);
	sbuf_u64(&sb, t->now->key[first]);
	if (last != first) {
		sbuf_char(&sb, '-');
		sbuf_u64(&sb, t->now->key[last]);
	}
}

static void draw_heat(struct view *v, struct grid *g)
{
	const struct layout *l = &v->layout;
	u32 n = fields_rows(&v->f, TAB_CPU), per_line = l->cpu_columns * l->cpu_group;
	char label[32];

	for (u32 y = 0; y < l->cpus_h && y * per_line < n; y++) {
		u32 first = y * per_line, last = first + per_line < n ? first + per_line : n, x,
		    len;

		heat_label(v, first, last - 1, label);
		len = (u32)strlen(label);
		x = len < HEAT_LABEL - 1 ? HEAT_LABEL - 1 - len : 0;
		grid_str(g, x, l->cpus_y + y, HEAT_LABEL, ROLE_TITLE, label);
		for (u32 row = first, i = 0; row < last; row += l->cpu_group, i++) {
			u32 group = row + l->cpu_group <= last ? l->cpu_group : last - row, cp;
			enum role role;

			heat_cell(v, row, group, &cp, &role);
			grid_put(g, HEAT_LABEL + i, l->cpus_y + y, role, cp);
		}
		if (y == 0 && l->cpu_group > 1 && g->cols > HEAT_LABEL + l->cpu_columns + 16) {
			struct sbuf sb;

			sbuf_init(&sb, label, sizeof(label));
			sbuf_str(&sb, "busiest of ");
			sbuf_u64(&sb, l->cpu_group);
			grid_str(g, HEAT_LABEL + l->cpu_columns + 1, l->cpus_y, g->cols, ROLE_DIM,
				label);
		}
	}
}

void panel_cpus(struct view *v, struct grid *g)
{
	if (!fields_rows(&v->f, TAB_CPU))
		return;
	if (v->layout.bars)
		draw_bars(v, g);
	else
		draw_heat(v, g);
}

static const struct {
	const char *title;
	enum unit unit;
} graphs[SERIES_COUNT] = {
	[SERIES_CPU] = {"CPU", UNIT_RATIO},
	[SERIES_MEMORY] = {"MEM", UNIT_RATIO},
	[SERIES_RX] = {"NETr", UNIT_BYTES},
	[SERIES_TX] = {"NETt", UNIT_BYTES},
	[SERIES_READ] = {"DSKr", UNIT_BYTES},
	[SERIES_WRITTEN] = {"DSKw", UNIT_BYTES},
	[SERIES_POWER] = {"PWR", UNIT_UJ},
	[SERIES_GPU] = {"GPU", UNIT_RATIO},
};

static void one_graph(struct view *v, struct grid *g, enum series series, u32 x, u32 width)
{
	struct graph graph = {
		.history = series == SERIES_GPU ? v->gpus.history : v->history,
		.series = series == SERIES_GPU ? v->gpus.total : v->series[series],
		.until_mono_ns = v->paused && v->frame ? v->frame->at.mono_ns : 0,
		.title = graphs[series].title,
		.unit = graphs[series].unit,
	};

	graph_draw(g, x, v->layout.graph_y, width, v->layout.graph_h, &graph, v->charset);
}

void panel_graphs(struct view *v, struct grid *g)
{
	u32 half = g->cols / 2;
	enum series second = v->second;

	if (second == SERIES_GPU && !gpus_panel(v))
		second = SERIES_MEMORY;
	if (g->cols < (second == SERIES_GPU ? 90 : 100)) {
		one_graph(v, g, v->second_chosen ? second : SERIES_CPU, 0, g->cols);
		return;
	}
	one_graph(v, g, SERIES_CPU, 0, half - 1);
	one_graph(v, g, second, half + 1, g->cols - half - 1);
}
