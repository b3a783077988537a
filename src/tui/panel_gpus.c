/* The view that shows nothing but GPUs: each with all that is known of it. */
#include <string.h>

#include "base/human.h"
#include "base/sbuf.h"
#include "tui/panel_gpus.h"

enum { INDENT = 7, ENGINES = 16, ENGINE_NAME = 24, BAR_ROWS = 8, PERCENT_COLS = 5 };

/* Items one after the other on as many lines as they need, of which those of a window are drawn. */
struct flow {
	struct grid *g; /* NULL: only count */
	u32 x, line;
	u32 top, y, room; /* first line of the window, where it stands, its lines */
};

static bool visible(const struct flow *w)
{
	return w->g && w->line >= w->top && w->line < w->top + w->room;
}

static void flow_break(struct flow *w)
{
	w->line++;
	w->x = INDENT;
}

/* Makes room for so many columns; true: draw at w->x in line flow_y(). */
static bool flow_room(struct flow *w, u32 width, u32 cols)
{
	if (w->x > INDENT && w->x + width > cols)
		flow_break(w);
	return visible(w);
}

static u32 flow_y(const struct flow *w)
{
	return w->y + w->line - w->top;
}

static void flow_item(struct flow *w, u32 cols, enum role role, const char *title, const char *text)
{
	u32 n = title ? (u32)strlen(title) : 0, len = (u32)strlen(text);
	u32 width = n + (n && len ? 1 : 0) + text_columns(text, len), x;

	if (flow_room(w, width, cols)) {
		x = w->x;
		if (n)
			x = grid_str(w->g, x, flow_y(w), cols, ROLE_DIM, title) + (len ? 1 : 0);
		grid_text(w->g, x, flow_y(w), cols, role, text, len);
	}
	w->x += width + 2;
}

/* Begins a line of a device: what it is about stands in front. */
static void flow_title(struct flow *w, u32 cols, const char *title)
{
	if (visible(w))
		grid_str(w->g, 2, flow_y(w), cols, ROLE_TITLE, title);
}

/* Ends it, unless there is nothing on it. */
static void flow_end(struct flow *w)
{
	if (w->x > INDENT)
		flow_break(w);
}

static void number_item(struct flow *w, u32 cols, const struct view *v, u32 row, enum field field,
	const char *title, double scale, u32 decimals, const char *unit)
{
	char text[VALUE_TEXT];
	double value;

	if (!field_num(&v->whole, field, row, &value))
		return;
	human_fixed(text, value * scale, decimals);
	strcat(text, unit);
	flow_item(w, cols, ROLE_NORMAL, title, text);
}

static void percent_item(struct flow *w, u32 cols, const char *title, double value)
{
	char text[VALUE_TEXT];

	human_percent(text, value);
	strcat(text, "%");
	flow_item(w, cols, share_role(value), title, text);
	/* so that devices stand in columns */
	if (strlen(text) < PERCENT_COLS)
		w->x += PERCENT_COLS - (u32)strlen(text);
}

static void share_item(struct flow *w, u32 cols, const struct view *v, u32 row, enum field field,
	const char *title)
{
	double value;

	if (field_num(&v->whole, field, row, &value))
		percent_item(w, cols, title, value);
}

/* "of most": 1620/1980MHz, 688/700W. */
static void of_most_item(struct flow *w, u32 cols, const struct view *v, u32 row, enum field field,
	enum field most, const char *title, double scale, const char *unit)
{
	char text[VALUE_TEXT], number[HUMAN_SIZE];
	double value;

	if (!field_num(&v->whole, field, row, &value))
		return;
	human_fixed(text, value * scale, 0);
	if (field_num(&v->whole, most, row, &value) && value > 0) {
		human_fixed(number, value * scale, 0);
		strcat(text, "/");
		strcat(text, number);
	}
	strcat(text, unit);
	flow_item(w, cols, ROLE_NORMAL, title, text);
}

/* Does this row of another table belong to the device (or part) of that row of `gpu`? */
static bool belongs(const struct view *v, enum field gpu, u32 row, const struct cell *number)
{
	struct cell cell;

	field_cell(&v->whole, gpu, row, &cell);
	return cell.state != CELL_ABSENT && number->state != CELL_ABSENT &&
	       cell.text_len == number->text_len && !memcmp(cell.text, number->text, cell.text_len);
}

/* What its clients use of one class of engines; where all clients are seen, none use nothing. */
static bool class_sum(
	const struct view *v, const struct cell *number, enum field field, double *sum)
{
	const struct frame_table *t = v->whole.table[TAB_CLIENT];
	bool any = false, known = false;
	double value;

	*sum = 0;
	for (u32 row = 0; row < t->n; row++) {
		if (!belongs(v, FIELD_CLIENT_gpu, row, number))
			continue;
		any = true;
		if (!field_num(&v->whole, field, row, &value))
			continue;
		known = true;
		*sum += value;
	}
	return any ? known : t->seq && !t->gap && !t->now->partial;
}

static void class_items(struct flow *w, u32 cols, const struct view *v, u32 device)
{
	static const struct {
		u32 field;
		const char *name;
	} classes[] = {{FIELD_CLIENT_gfx, "gfx"}, {FIELD_CLIENT_compute, "compute"},
		{FIELD_CLIENT_media, "media"}, {FIELD_CLIENT_copy, "copy"},
		{FIELD_CLIENT_other, "other"}};
	struct cell number;

	field_cell(&v->whole, FIELD_GPU_number, device, &number);
	for (u32 i = 0; v->whole.table[TAB_CLIENT] && i < ARRAY_LEN(classes); i++) {
		double sum;
		bool known = class_sum(v, &number, (enum field)classes[i].field, &sum);

		if (classes[i].field == FIELD_CLIENT_other && sum <= 0)
			continue;
		if (known)
			percent_item(w, cols, classes[i].name, sum);
		else
			flow_item(w, cols, ROLE_DIM, classes[i].name, "-    ");
	}
}

struct engine_sum {
	char name[ENGINE_NAME];
	double busy;
	bool known;
};

/* In the order of their names. */
static struct engine_sum *find_engine(struct engine_sum *sums, u32 *n, const char *name)
{
	u32 at = 0;

	while (at < *n && strcmp(sums[at].name, name) < 0)
		at++;
	if (at < *n && !strcmp(sums[at].name, name))
		return &sums[at];
	if (*n == ENGINES)
		return NULL;
	memmove(&sums[at + 1], &sums[at], (*n - at) * sizeof(*sums));
	sums[at] = (struct engine_sum){0};
	memcpy(sums[at].name, name, strlen(name) + 1);
	(*n)++;
	return &sums[at];
}

/* Each engine by its driver's name: the sum of what its clients did, each over its own window. */
static void engine_items(struct flow *w, u32 cols, const struct view *v, u32 device)
{
	struct engine_sum sums[ENGINES];
	struct cell number;
	u32 n = 0;

	field_cell(&v->whole, FIELD_GPU_number, device, &number);
	for (u32 row = 0; row < fields_rows(&v->whole, TAB_ENGINE); row++) {
		char name[ENGINE_NAME];
		struct engine_sum *sum;
		double value;

		if (!belongs(v, FIELD_ENGINE_gpu, row, &number))
			continue;
		field_label(name, sizeof(name), &v->whole, FIELD_ENGINE_engine, row);
		sum = find_engine(sums, &n, name);
		if (!sum || !field_num(&v->whole, FIELD_ENGINE_busy, row, &value))
			continue;
		sum->busy += value;
		sum->known = true;
	}
	if (n)
		flow_title(w, cols, "eng");
	for (u32 i = 0; i < n; i++) {
		if (sums[i].known)
			percent_item(w, cols, sums[i].name, sums[i].busy);
		else
			flow_item(w, cols, ROLE_DIM, sums[i].name, "-");
	}
}

static void count_item(struct flow *w, u32 cols, const struct view *v, u32 row, enum field field,
	enum role role, const char *title)
{
	char number[HUMAN_SIZE];
	struct cell cell;
	double value;

	if (!field_num(&v->whole, field, row, &value))
		return;
	/* counters: since the start, what happened in the window would be missed */
	field_cell(&v->whole, field, row, &cell);
	human_count(number, (double)cell.raw);
	flow_item(w, cols, cell.raw ? role : ROLE_DIM, title, number);
}

static void memory_items(struct flow *w, u32 cols, const struct view *v, u32 row)
{
	const struct fields *f = &v->whole;
	char text[VALUE_TEXT], number[VALUE_TEXT];
	double value;

	gpu_memory_text(v, row, text);
	if (text[0]) {
		strcat(text, "G");
		flow_item(w, cols, ROLE_NORMAL, NULL, text);
		if (field_or_zero(f, FIELD_GPU_memory_shared, row) > 0)
			flow_item(w, cols, ROLE_DIM, NULL, "of the machine's");
	}
	share_item(w, cols, v, row, FIELD_GPU_memory_busy, "bw");
	number_item(w, cols, v, row, FIELD_GPU_memory_temperature, NULL, 1, 0, "°C");
	number_item(w, cols, v, row, FIELD_GPU_memory_clock, NULL, 1e-6, 0, "MHz");
	if (field_num(f, FIELD_GPU_system_used, row, &value)) {
		human_bytes(text, value);
		if (field_num(f, FIELD_GPU_system_total, row, &value)) {
			human_bytes(number, value);
			strcat(text, "/");
			strcat(text, number);
		}
		flow_item(w, cols, ROLE_NORMAL, "gtt", text);
	}
	count_item(w, cols, v, row, FIELD_GPU_ecc_corrected, ROLE_NORMAL, "ecc");
	count_item(w, cols, v, row, FIELD_GPU_ecc_uncorrected, ROLE_ALERT, "uncorrected");
	count_item(w, cols, v, row, FIELD_GPU_retired, ROLE_WARN, "retired");
}

static void board_items(struct flow *w, u32 cols, const struct view *v, u32 row)
{
	char text[VALUE_TEXT];

	gpu_power_text(v, row, text);
	if (text[0]) {
		strcat(text, "W");
		flow_item(w, cols, ROLE_NORMAL, NULL, text);
	}
	number_item(w, cols, v, row, FIELD_GPU_temperature, NULL, 1, 0, "°C");
	number_item(w, cols, v, row, FIELD_GPU_hotspot, "hot", 1, 0, "°C");
	of_most_item(w, cols, v, row, FIELD_GPU_clock, FIELD_GPU_clock_most, NULL, 1e-6, "MHz");
	share_item(w, cols, v, row, FIELD_GPU_fan, "fan");
	number_item(w, cols, v, row, FIELD_GPU_fan_speed, "fan", 1, 0, "rpm");
	number_item(w, cols, v, row, FIELD_GPU_voltage, NULL, 1, 2, "V");
}

static void bus_items(struct flow *w, u32 cols, const struct view *v, u32 row)
{
	char text[VALUE_TEXT];
	double value;

	field_label(text, sizeof(text), &v->whole, FIELD_GPU_link, row);
	if (text[0])
		flow_item(w, cols, strchr(text, '<') ? ROLE_WARN : ROLE_NORMAL, NULL, text);
	if (field_num(&v->whole, FIELD_GPU_pcie_rx, row, &value)) {
		field_text(text, &v->whole, FIELD_GPU_pcie_rx, row, VALUE_RATE);
		flow_item(w, cols, ROLE_NORMAL, "rx", text);
	}
	if (field_num(&v->whole, FIELD_GPU_pcie_tx, row, &value)) {
		field_text(text, &v->whole, FIELD_GPU_pcie_tx, row, VALUE_RATE);
		flow_item(w, cols, ROLE_NORMAL, "tx", text);
	}
	count_item(w, cols, v, row, FIELD_GPU_errors, ROLE_ALERT, "errors");
	count_item(w, cols, v, row, FIELD_GPU_processes, ROLE_NORMAL, "processes");
}

static void trouble_items(struct flow *w, u32 cols, const struct view *v, u32 row)
{
	struct line l;

	line_init(&l);
	gpu_troubles(v, row, &l);
	for (u32 i = 0; i < l.n; i++)
		if (!strchr(l.item[i].text, '<')) /* the link comes among the rest */
			flow_item(w, cols, (enum role)l.item[i].role, NULL, l.item[i].text);
	if (!l.n) {
		char text[VALUE_TEXT];

		field_label(text, sizeof(text), &v->whole, FIELD_GPU_health, row);
		if (text[0])
			flow_item(w, cols, ROLE_OK, NULL, text);
	}
}

static void title_items(struct flow *w, u32 cols, struct view *v, u32 row)
{
	const struct fields *f = &v->whole;
	char text[VALUE_TEXT];
	u32 indent;

	field_label(text, sizeof(text), f, FIELD_GPU_parent, row);
	indent = text[0] ? 2 : 0;
	w->x = indent;
	field_label(text, sizeof(text), f, FIELD_GPU_number, row);
	if (indent && visible(w))
		grid_str(w->g, 0, flow_y(w), cols, ROLE_TREE, "└ ");
	if (visible(w))
		grid_str(w->g, indent, flow_y(w), cols, ROLE_STRONG, text);
	w->x = indent + (u32)strlen(text) + 1;
	field_label(text, sizeof(text), f, FIELD_GPU_name, row);
	if (!text[0])
		field_label(text, sizeof(text), f, FIELD_GPU_driver, row);
	flow_item(w, cols, ROLE_STRONG, NULL, text);
}

static void state_items(struct flow *w, u32 cols, struct view *v, u32 row)
{
	u32 spark = cols >= 96 ? 20 : 10;
	char text[VALUE_TEXT];
	struct cell busy;

	if (flow_room(w, spark + 1 + PERCENT_COLS, cols))
		gpu_spark(v, w->g, row, w->x, flow_y(w), spark);
	w->x += spark + 1;
	field_cell(&v->whole, FIELD_GPU_busy, row, &busy);
	value_text(text, &busy, VALUE_PERCENT);
	flow_item(w, cols, busy.state == CELL_ABSENT ? ROLE_DIM : share_role(busy.num), NULL, text);
}

static void address_items(struct flow *w, u32 cols, const struct view *v, u32 row)
{
	static const u32 fields[] = {FIELD_GPU_device, FIELD_GPU_driver, FIELD_GPU_kind};
	char text[VALUE_TEXT];

	for (u32 i = 0; i < ARRAY_LEN(fields); i++) {
		field_label(text, sizeof(text), &v->whole, (enum field)fields[i], row);
		if (text[0] && (i < 2 || strcmp(text, "card") != 0))
			flow_item(w, cols, ROLE_DIM, NULL, text);
	}
}

static void device(struct flow *w, u32 cols, struct view *v, u32 row)
{
	enum gpu_state state = gpu_state(v, row);

	title_items(w, cols, v, row);
	if (state == GPU_ASLEEP)
		flow_item(w, cols, ROLE_DIM, NULL, "asleep, left asleep");
	else if (state == GPU_LOST)
		flow_item(w, cols, ROLE_ALERT, NULL, "lost");
	else
		state_items(w, cols, v, row);
	if (state != GPU_ASLEEP)
		trouble_items(w, cols, v, row);
	address_items(w, cols, v, row);
	flow_break(w);
	if (state == GPU_ASLEEP || state == GPU_LOST)
		return;
	flow_title(w, cols, "use");
	class_items(w, cols, v, row);
	share_item(w, cols, v, row, FIELD_GPU_encoder, "enc");
	share_item(w, cols, v, row, FIELD_GPU_decoder, "dec");
	share_item(w, cols, v, row, FIELD_GPU_idle, "deepest idle");
	flow_end(w);
	engine_items(w, cols, v, row);
	flow_end(w);
	flow_title(w, cols, "mem");
	memory_items(w, cols, v, row);
	flow_end(w);
	flow_title(w, cols, "chip");
	board_items(w, cols, v, row);
	bus_items(w, cols, v, row);
	flow_end(w);
}

static u32 devices(struct view *v, struct grid *g, u32 cols, u32 top, u32 y, u32 room)
{
	struct flow w = {.g = g, .top = top, .y = y, .room = room, .x = INDENT};

	for (u32 i = 0; i < v->gpus.n; i++)
		device(&w, cols, v, v->gpus.row[i]);
	return w.line;
}

static u32 clamp(u32 *top, u32 lines, u32 room)
{
	if (*top > lines || *top + room > lines)
		*top = lines > room ? lines - room : 0;
	return lines > *top + room ? lines - *top - room : 0;
}

static void summary_line(const struct view *v, struct grid *g, u32 y)
{
	struct line l;

	line_init(&l);
	if (v->gpus.n) {
		gpu_summary(v, &l);
	} else {
		char note[VALUE_TEXT];

		table_note(note, v->whole.table[TAB_GPU]);
		line_add(&l, 0, ROLE_NORMAL, "GPU", note[0] ? note : "none");
	}
	line_draw(&l, g, 0, y, g->cols);
}

void panel_gpus_only(struct view *v, struct grid *g)
{
	struct gpus *gpus = &v->gpus;
	u32 bar = g->rows >= BAR_ROWS, room = g->rows - 2 - bar, clients = gpus->nclients;
	u32 lines, upper, lower, below;

	panel_header(v, g);
	if (g->rows < 3)
		return;
	summary_line(v, g, 1);
	lines = devices(v, NULL, g->cols, 0, 0, 0);
	clients = (clients ? clients : 1) + GPU_CLIENT_HEAD;
	upper = lines;
	if (lines + clients > room) /* half for each, and what the other does not need */
		upper = room > clients && room - clients > room / 2 ? room - clients : room / 2;
	upper = upper < lines ? upper : lines;
	lower = room - upper;
	/* arrows go where there is something to scroll */
	if (upper < lines && clients <= lower)
		gpus->upper = true;
	else if (upper == lines)
		gpus->upper = false;
	below = clamp(&gpus->top, lines, upper);
	devices(v, g, g->cols, gpus->top, 2, upper);
	panel_gpu_clients(v, g, 2 + upper, lower, below);
}
