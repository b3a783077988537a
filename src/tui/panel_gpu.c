/* The panel of GPUs: a line each, or one for all where there is no room. */
#include "tui/panel_gpu.h"

#include <string.h>

#include "base/human.h"
#include "base/sbuf.h"

enum part { LABEL, SPARK, NOW, MEMORY, POWER, TEMPERATURE, CLOCK, PCIE, TROUBLES, PARTS };

enum {
	LABEL_LEAST = 10,
	LABEL_MOST = 26,
	SPARK_LEAST = 6,
	SPARK_USUAL = 14,
	SPARK_MOST = 30,
	TROUBLES_LEAST = 14,
};

static const struct {
	const char *title;
	u8 width, has;
} parts[PARTS] = {
	[LABEL] = {"GPU", LABEL_LEAST, 0},
	[SPARK] = {"busy,60s", SPARK_LEAST, 0},
	[NOW] = {"now", 4, 0},
	[MEMORY] = {"mem,GiB", 9, 0},
	[POWER] = {"W/cap", 8, GPU_HAS_POWER},
	[TEMPERATURE] = {"°C", 3, GPU_HAS_TEMPERATURE},
	[CLOCK] = {"MHz", 4, GPU_HAS_CLOCK},
	[PCIE] = {"pcie,G/s", 9, GPU_HAS_PCIE},
	[TROUBLES] = {"slowed,health", 0, 0},
};

struct places {
	u32 x[PARTS], width[PARTS]; /* width 0: not shown */
	u32 digits;                 /* of the numbers */
};

/* What makers put before the name that people know. */
static const char *without_maker(const char *name)
{
	static const char *const makers[] = {
		"NVIDIA ", "AMD ", "Intel ", "GeForce ", "Tesla ", "Instinct ", "Radeon "};

	for (u32 i = 0; i < ARRAY_LEN(makers); i++)
		if (!strncmp(name, makers[i], strlen(makers[i])) && name[strlen(makers[i])])
			name += strlen(makers[i]);
	return name;
}

static const char *short_name(const struct view *v, u32 row, char out[GPU_NAME_TEXT])
{
	field_label(out, GPU_NAME_TEXT, &v->whole, FIELD_GPU_name, row);
	if (!out[0])
		field_label(out, GPU_NAME_TEXT, &v->whole, FIELD_GPU_driver, row);
	return without_maker(out);
}

static bool is_part(const struct view *v, u32 row)
{
	char parent[16];

	field_label(parent, sizeof(parent), &v->whole, FIELD_GPU_parent, row);
	return parent[0] != '\0';
}

/* Columns that the labels would like. */
static u32 label_wish(const struct view *v, struct places *p)
{
	char name[GPU_NAME_TEXT], number[16];
	u32 most = 0;

	p->digits = 1;
	for (u32 i = 0; i < v->gpus.n; i++) {
		u32 row = v->gpus.row[i], len;

		if (is_part(v, row))
			continue;
		field_label(number, sizeof(number), &v->whole, FIELD_GPU_number, row);
		len = (u32)strlen(number);
		p->digits = len > p->digits ? len : p->digits;
		len = (u32)strlen(short_name(v, row, name));
		most = len > most ? len : most;
	}
	most += p->digits + 1;
	return most < LABEL_LEAST ? LABEL_LEAST : most > LABEL_MOST ? LABEL_MOST : most;
}

static void widen(u32 *width, u32 most, u32 *left)
{
	u32 more = *width < most ? most - *width : 0;

	more = more < *left ? more : *left;
	*width += more;
	*left -= more;
}

/* The narrower the screen the fewer: taken in the order of their worth. */
static void place(const struct view *v, u32 cols, struct places *p)
{
	static const u8 worth[] = {LABEL, NOW, MEMORY, TEMPERATURE, POWER, SPARK, CLOCK, PCIE};
	u32 troubles = cols / 4 > TROUBLES_LEAST + 1 ? cols / 4 - 1 : TROUBLES_LEAST;
	u32 left = cols > troubles ? cols - troubles : 0, wish, x = 0;

	*p = (struct places){0};
	wish = label_wish(v, p);
	for (u32 i = 0; i < ARRAY_LEN(worth); i++) {
		u32 width = parts[worth[i]].width;

		if (worth[i] == PCIE && p->width[SPARK])
			widen(&p->width[SPARK], SPARK_USUAL, &left);
		if ((parts[worth[i]].has & ~v->gpus.has) || width + 1 > left)
			continue;
		p->width[worth[i]] = width;
		left -= width + 1;
	}
	widen(&p->width[LABEL], wish, &left);
	if (p->width[SPARK])
		widen(&p->width[SPARK], SPARK_MOST, &left);
	for (u32 i = 0; i < TROUBLES; i++) {
		p->x[i] = x;
		x += p->width[i] ? p->width[i] + 1 : 0;
	}
	p->x[TROUBLES] = x + 1 < cols && left ? x + 1 : x;
	p->width[TROUBLES] = cols > p->x[TROUBLES] ? cols - p->x[TROUBLES] : 0;
}

static void right(struct grid *g, const struct places *p, enum part part, u32 y, enum role role,
	const char *text)
{
	u32 len = (u32)strlen(text), width = p->width[part], x = p->x[part];

	if (!width)
		return;
	if (!text[0]) {
		grid_put(g, x + width - 1, y, ROLE_DIM, '-');
		return;
	}
	grid_str(g, x + (len < width ? width - len : 0), y, x + width, role, text);
}

static void heading(struct grid *g, u32 y, const struct places *p)
{
	for (u32 i = 0; i < PARTS; i++) {
		u32 x = p->x[i], limit = x + p->width[i];
		u32 len = i == TEMPERATURE ? 2 : (u32)strlen(parts[i].title);

		if (!p->width[i])
			continue;
		if (i != LABEL && i != SPARK && i != TROUBLES && len < p->width[i])
			x = limit - len;
		grid_str(g, x, y, limit, i == LABEL ? ROLE_TITLE : ROLE_DIM,
			i == SPARK && p->width[i] < len ? "60s" : parts[i].title);
	}
}

/* Whole words as far as they fit; the first in any case. */
static u32 words(const char *name, u32 room)
{
	u32 len = (u32)strlen(name);

	if (len <= room)
		return len;
	for (u32 i = room + 1; i-- > 0;)
		if (name[i] == ' ')
			return i;
	return room;
}

static void label(const struct view *v, struct grid *g, u32 row, u32 y, const struct places *p)
{
	char number[16], kind[8], name[GPU_NAME_TEXT];
	u32 limit = p->x[LABEL] + p->width[LABEL], x = p->digits + 1;
	const char *what;

	field_label(number, sizeof(number), &v->whole, FIELD_GPU_number, row);
	if (is_part(v, row)) {
		field_label(kind, sizeof(kind), &v->whole, FIELD_GPU_kind, row);
		x = grid_str(g, x, y, limit, ROLE_TREE, "└");
		x = grid_str(g, x, y, limit, ROLE_NORMAL, strcmp(kind, "mig") ? " " : "MIG");
		grid_str(g, x, y, limit, ROLE_NORMAL, number);
		return;
	}
	grid_str(g, x - 1 - (u32)strlen(number), y, limit, ROLE_STRONG, number);
	what = short_name(v, row, name);
	grid_text(g, x, y, limit, ROLE_NORMAL, what, words(what, limit > x ? limit - x : 0));
}

static void numbers(const struct view *v, struct grid *g, u32 row, u32 y, const struct places *p)
{
	const struct fields *f = &v->whole;
	char text[VALUE_TEXT], number[HUMAN_SIZE];
	struct cell cell;
	double value, tx;

	field_cell(f, FIELD_GPU_busy, row, &cell);
	text[0] = '\0';
	if (cell.state != CELL_ABSENT) {
		human_fixed(text, cell.num, 0);
		strcat(text, "%");
	}
	right(g, p, NOW, y, share_role(cell.num), text);
	gpu_memory_text(v, row, text);
	right(g, p, MEMORY, y,
		field_or_zero(f, FIELD_GPU_memory_used, row) >=
				0.95 * field_or_zero(f, FIELD_GPU_memory_total, row) + 1
			? ROLE_WARN
			: ROLE_NORMAL,
		text);
	if (is_part(v, row) && !field_num(f, FIELD_GPU_power, row, &value))
		return; /* its device's line says the rest */
	gpu_power_text(v, row, text);
	right(g, p, POWER, y, ROLE_NORMAL, text);
	text[0] = '\0';
	if (field_num(f, FIELD_GPU_temperature, row, &value))
		human_fixed(text, value, 0);
	right(g, p, TEMPERATURE, y, ROLE_NORMAL, text);
	text[0] = '\0';
	if (field_num(f, FIELD_GPU_clock, row, &value))
		human_fixed(text, value / 1e6, 0);
	right(g, p, CLOCK, y, ROLE_NORMAL, text);
	text[0] = '\0';
	if (field_num(f, FIELD_GPU_pcie_rx, row, &value) &&
		field_num(f, FIELD_GPU_pcie_tx, row, &tx)) {
		human_fixed(text, value / (1 << 30), 1);
		human_fixed(number, tx / (1 << 30), 1);
		strcat(text, "/");
		strcat(text, number);
	}
	right(g, p, PCIE, y, ROLE_NORMAL, text);
}

static void device(struct view *v, struct grid *g, u32 row, u32 y, const struct places *p)
{
	u32 after = p->x[LABEL] + p->width[LABEL] + 1, x = p->x[TROUBLES];
	enum gpu_state state = gpu_state(v, row);
	struct line l;

	label(v, g, row, y, p);
	if (state == GPU_ASLEEP) {
		grid_str(g, after, y, g->cols, ROLE_DIM, "asleep, left asleep");
		return;
	}
	line_init(&l);
	gpu_troubles(v, row, &l);
	if (state == GPU_LOST) {
		after = grid_str(g, after, y, g->cols, ROLE_ALERT, "lost") + 2;
		x = x > after ? x : after;
	} else {
		if (p->width[SPARK])
			gpu_spark(v, g, row, p->x[SPARK], y, p->width[SPARK]);
		numbers(v, g, row, y, p);
	}
	if (l.n)
		line_draw(&l, g, x, y, g->cols);
}

/* "+3 more", and whether one of them is in trouble. */
static void more(const struct view *v, struct grid *g, u32 y, u32 from)
{
	u32 n = v->gpus.n - from, bad = 0, len;
	char text[ITEM_TEXT];
	struct sbuf sb;

	for (u32 i = from; i < v->gpus.n; i++) {
		struct line l;

		line_init(&l);
		bad += gpu_troubles(v, v->gpus.row[i], &l) ||
		       gpu_state(v, v->gpus.row[i]) == GPU_LOST;
	}
	sbuf_init(&sb, text, sizeof(text));
	sbuf_str(&sb, " +");
	sbuf_u64(&sb, n);
	sbuf_str(&sb, " more");
	if (bad) {
		sbuf_str(&sb, ", ");
		sbuf_u64(&sb, bad);
		sbuf_str(&sb, " bad");
	}
	len = sb.len;
	grid_str(g, g->cols > len ? g->cols - len : 0, y, g->cols, bad ? ROLE_ALERT : ROLE_WARN,
		text);
}

void panel_gpu(struct view *v, struct grid *g)
{
	u32 y = v->layout.gpu_y, room = v->layout.gpu_h - 1;
	struct places p;
	struct line l;

	if (!room) {
		line_init(&l);
		gpu_summary(v, &l);
		line_draw(&l, g, 0, y, g->cols);
		return;
	}
	place(v, g->cols, &p);
	heading(g, y, &p);
	for (u32 i = 0; i < room && i < v->gpus.n; i++)
		device(v, g, v->gpus.row[i], y + 1 + i, &p);
	if (v->gpus.n > room)
		more(v, g, y, room);
}
