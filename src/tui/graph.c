#include "tui/graph.h"

#include <string.h>

#include "base/human.h"

enum { DOTS_MOST = 2048 };

double graph_scale(enum unit unit, double most)
{
	double power = 1, step = unit == UNIT_BYTES ? 1024 : 1000;
	static const double steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500};

	if (unit == UNIT_RATIO)
		return 100;
	while (most > power * step && power < 1e24)
		power *= step;
	for (u32 i = 0; i < ARRAY_LEN(steps); i++)
		if (most <= steps[i] * power)
			return steps[i] * power;
	return power * step;
}

/* The points that fit, newest last. dots[i] is a height in dots; GAP: nothing known. */
enum { GAP = -1 };

struct plot {
	u32 n;                  /* dot columns */
	u32 skip;               /* newest points that are not shown */
	u32 known;              /* points that exist among the n newest */
	float value[DOTS_MOST]; /* by dot column */
	u8 cell[DOTS_MOST];     /* its cell_make(); 0: before the start */
	double most;
	const struct graph *graph;
};

/* When the window of a dot column ended; only for those that are known. */
static u64 end_of(const struct plot *p, u32 at)
{
	struct history_point point = {0};

	history_at(p->graph->history, p->graph->series, p->skip + p->n - 1 - at, &point);
	return point.end_mono_ns;
}

static void collect(struct plot *p, const struct graph *graph, u32 n)
{
	u32 len = history_len(graph->history, graph->series);
	struct history_point point;

	p->n = n < DOTS_MOST ? n : DOTS_MOST;
	p->graph = graph;
	p->skip = p->known = 0;
	p->most = 0;
	while (graph->until_mono_ns && p->skip < len &&
		history_at(graph->history, graph->series, p->skip, &point) &&
		point.end_mono_ns > graph->until_mono_ns)
		p->skip++;
	for (u32 i = 0; i < p->n; i++) {
		u32 at = p->n - 1 - i;

		p->cell[at] = 0;
		p->value[at] = 0;
		if (!history_at(graph->history, graph->series, p->skip + i, &point)) {
			memset(p->cell, 0, at);
			break;
		}
		p->known++;
		p->cell[at] = point.cell;
		p->value[at] = point.num;
		if (cell_state(point.cell) != CELL_ABSENT && (double)point.num > p->most)
			p->most = (double)point.num;
	}
}

static bool is_gap(const struct plot *p, u32 at)
{
	return cell_state(p->cell[at]) == CELL_ABSENT;
}

/* Height in dots of `full`; anything above nothing shows at least one. */
static u32 height_of(const struct plot *p, u32 at, double scale, u32 full)
{
	double v = (double)p->value[at] / scale;
	u32 h;

	if (is_gap(p, at) || !(v > 0))
		return 0;
	h = (u32)((v > 1 ? 1 : v) * full + 0.5);
	return h ? h : 1;
}

static u32 braille(u32 left, u32 right)
{
	/* dots of a column from the bottom up */
	static const u8 bits[2][5] = {{0, 0x40, 0x44, 0x46, 0x47}, {0, 0x80, 0xa0, 0xb0, 0xb8}};

	return 0x2800 + bits[0][left] + bits[1][right];
}

static u32 part(u32 h, u32 below, u32 most)
{
	return h <= below ? 0 : h - below > most ? most : h - below;
}

static void draw_cells(struct grid *g, u32 x, u32 y, u32 width, u32 rows, const struct plot *p,
	double scale, enum charset charset)
{
	static const char ascii[] = " .:#";
	u32 per_cell = charset == CHARSET_BRAILLE ? 2 : 1;
	u32 dots = charset == CHARSET_BRAILLE ? 4 : charset == CHARSET_BLOCK ? 8 : 3;

	for (u32 i = 0; i < width && (i + 1) * per_cell <= p->n; i++) {
		u32 a = i * per_cell, b = a + per_cell - 1;
		u32 ha = height_of(p, a, scale, rows * dots);
		u32 hb = a == b ? ha : height_of(p, b, scale, rows * dots);

		for (u32 r = 0; r < rows; r++) {
			u32 below = (rows - 1 - r) * dots;
			u32 pa = part(ha, below, dots), pb = part(hb, below, dots), cp;

			if (!pa && !pb)
				continue;
			if (charset == CHARSET_BRAILLE)
				cp = braille(pa, pb);
			else if (charset == CHARSET_BLOCK)
				cp = 0x2580 + pa;
			else
				cp = (u8)ascii[pa];
			grid_put(g, x + i, y + r, ROLE_GRAPH, cp);
		}
	}
}

/* A word in the gap that a suspend left, where there is room for it. */
static void label_gaps(struct grid *g, u32 x, u32 y, u32 width, const struct plot *p, u32 per_cell)
{
	static const char word[] = "(suspend)";
	u32 half = sizeof(word) / 2;

	if (width < 40)
		return;
	for (u32 i = 0; i < width; i++) {
		u32 at = i * per_cell;
		bool suspend = false;

		for (u32 k = 0; k < per_cell && at + k < p->n; k++)
			suspend = suspend || (is_gap(p, at + k) && cell_reason(p->cell[at + k]) ==
									   REASON_SUSPEND);
		if (!suspend || i < half || i + half >= width)
			continue;
		grid_str(g, x + i - half, y, x + width, ROLE_WARN, word);
		i += sizeof(word);
	}
}

static void age_label(char *out, u64 seconds)
{
	out[0] = '-';
	human_duration(out + 1, (double)seconds * 1e9);
	if (seconds >= 1 && seconds < 60) {
		u32 n = human_fixed(out + 1, (double)seconds, 0);

		memcpy(out + 1 + n, "s", 2);
	}
}

static u64 axis_step(const struct plot *p, u32 per_cell)
{
	static const u16 steps[] = {1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600, 7200};
	u64 span = end_of(p, p->n - 1) - end_of(p, p->n - p->known);
	double cells = (double)p->known / per_cell;

	for (u32 i = 0; i < ARRAY_LEN(steps); i++)
		if (steps[i] * 1e9 / ((double)span + 1) * cells >= 12)
			return steps[i];
	return 14400;
}

/* Where the points' own stamps cross round ages. */
static void draw_axis(struct grid *g, u32 x, u32 y, u32 width, const struct plot *p, u32 per_cell)
{
	u32 free_until = x + width;
	u64 step, next, now;

	grid_fill(g, x, y, width, ROLE_DIM, 0x2500);
	if (width < 8)
		return;
	free_until = x + width - 3;
	grid_str(g, free_until, y, x + width, ROLE_DIM, "now");
	if (p->known < 2)
		return;
	step = axis_step(p, per_cell);
	next = step;
	now = end_of(p, p->n - 1);
	for (u32 i = width; i-- > 0;) {
		u32 at = i * per_cell, len;
		char label[HUMAN_SIZE + 1];
		u64 age;

		if (at < p->n - p->known || at >= p->n)
			continue;
		age = now - end_of(p, at) + NSEC_PER_MSEC;
		if (age < next * NSEC_PER_SEC)
			continue;
		age_label(label, next);
		len = (u32)strlen(label);
		/* the minus sign stands at the moment */
		if (x + i + len < free_until) {
			grid_str(g, x + i, y, x + width, ROLE_DIM, label);
			free_until = x + i;
		}
		while (next * NSEC_PER_SEC <= age)
			next += step;
	}
}

static void scale_label(char *out, enum unit unit, double v)
{
	u32 n;

	if (unit == UNIT_RATIO) {
		n = human_fixed(out, v, 0);
		memcpy(out + n, "%", 2);
	} else if (unit == UNIT_UJ) {
		n = human_count(out, v);
		memcpy(out + n, "W", 2);
	} else {
		human_bytes(out, v);
	}
}

static void gutter(struct grid *g, u32 x, u32 y, const char *text)
{
	u32 len = (u32)strlen(text);
	u32 at = x + (len < GRAPH_GUTTER - 1 ? GRAPH_GUTTER - 1 - len : 0);

	grid_str(g, at, y, x + GRAPH_GUTTER - 1, ROLE_DIM, text);
	grid_put(g, x + GRAPH_GUTTER - 1, y, ROLE_DIM, 0x2524);
}

void graph_draw(struct grid *g, u32 x, u32 y, u32 width, u32 height, const struct graph *graph,
	enum charset charset)
{
	u32 per_cell = charset == CHARSET_BRAILLE ? 2 : 1;
	u32 rows = height > 1 ? height - 1 : height;
	char label[HUMAN_SIZE + 2];
	struct plot plot;
	double scale;
	u32 plot_x, plot_w;

	if (width < GRAPH_GUTTER + 4 || !height || graph->series < 0)
		return;
	plot_x = x + GRAPH_GUTTER;
	plot_w = width - GRAPH_GUTTER;
	if (plot_w * per_cell > DOTS_MOST)
		plot_w = DOTS_MOST / per_cell;
	collect(&plot, graph, plot_w * per_cell);
	scale = graph_scale(graph->unit, plot.most);
	draw_cells(g, plot_x, y, plot_w, rows, &plot, scale, charset);
	label_gaps(g, plot_x, y + rows / 2, plot_w, &plot, per_cell);
	for (u32 r = 0; r < rows; r++)
		grid_put(g, x + GRAPH_GUTTER - 1, y + r, ROLE_DIM, 0x2502);
	scale_label(label, graph->unit, scale);
	gutter(g, x, y, label);
	if (rows >= 4 || rows == 2) {
		scale_label(label, graph->unit, scale / 2);
		gutter(g, x, y + rows / 2, label);
	}
	grid_str(g, x, y, x + GRAPH_GUTTER - 1, ROLE_TITLE, graph->title);
	if (height > 1) {
		gutter(g, x, y + rows, "0");
		draw_axis(g, plot_x, y + rows, plot_w, &plot, per_cell);
	}
}
