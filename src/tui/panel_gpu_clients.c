/* The clients of the GPUs, in the GPU-only view: who does what on which. */
#include <string.h>

#include "base/human.h"
#include "base/sbuf.h"
#include "tui/panel_gpus.h"

enum format { NUMBER, TEXT, PERCENT, BYTES, USER, COMMAND };

static const struct {
	u32 field;
	u8 format, width; /* width 0: what the others leave */
	u8 least_cols;    /* shown from this screen width on */
	s8 sort;          /* enum gpu_sort that it shows, or -1 */
	const char *title;
} columns[] = {
	{FIELD_CLIENT_pid, NUMBER, 5, 0, GPU_BY_PID, "PID"},
	{FIELD_PROCESS_user, USER, 9, 56, -1, "USER"},
	{FIELD_CLIENT_gpu, TEXT, 5, 0, -1, "GPU"},
	{FIELD_CLIENT_kind, TEXT, 4, 50, -1, "TYPE"},
	{FIELD_CLIENT_busy, PERCENT, 5, 0, GPU_BY_BUSY, "GPU%"},
	{FIELD_CLIENT_gfx, PERCENT, 5, 76, -1, "GFX%"},
	{FIELD_CLIENT_compute, PERCENT, 5, 76, -1, "COMP%"},
	{FIELD_CLIENT_media, PERCENT, 6, 96, -1, "MEDIA%"},
	{FIELD_CLIENT_copy, PERCENT, 5, 96, -1, "COPY%"},
	{FIELD_CLIENT_other, PERCENT, 6, 130, -1, "OTHER%"},
	{FIELD_CLIENT_memory, BYTES, 6, 30, GPU_BY_MEMORY, "GPUMEM"},
	{FIELD_CLIENT_shared, BYTES, 6, 90, -1, "SHARED"},
	{FIELD_CLIENT_holders, NUMBER, 4, 90, -1, "HOLD"},
	{FIELD_CLIENT_command, COMMAND, 0, 0, -1, "COMMAND"},
};

/* pids are as wide as the largest one needs. */
static u32 width_of(const struct view *v, u32 column)
{
	const struct frame_table *t = v->whole.table[TAB_PROCESS];
	u32 width = columns[column].width;

	if (columns[column].field == FIELD_CLIENT_pid && t && t->n)
		for (u64 most = t->now->key[t->n - 1] >> 42; most >= 100000; most /= 10)
			width++;
	return width;
}

/* Row of the process with this pid, or -1: keys begin with it. */
static s64 process_of(const struct view *v, u32 row)
{
	const struct frame_table *t = v->whole.table[TAB_PROCESS];
	u32 lo = 0, hi = t ? t->n : 0;
	double pid;

	if (!field_num(&v->whole, FIELD_CLIENT_pid, row, &pid) || pid < 1)
		return -1;
	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (t->now->key[mid] >> 42 < (u64)pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return t && lo < t->n && t->now->key[lo] >> 42 == (u64)pid ? (s64)lo : -1;
}

static void draw_text(struct grid *g, u32 x, u32 y, u32 limit, const struct cell *cell)
{
	if (cell->state == CELL_ABSENT || !cell->text_len)
		grid_put(g, x, y, ROLE_DIM, '-');
	else
		grid_text(g, x, y, limit, ROLE_NORMAL, cell->text, cell->text_len);
}

static void draw_command(const struct view *v, struct grid *g, u32 row, u32 x, u32 y)
{
	s64 process = process_of(v, row);
	struct cell cell = {.state = CELL_ABSENT, .text = ""};

	if (process >= 0 && !v->names_only)
		field_cell(&v->whole, FIELD_PROCESS_cmdline, (u32)process, &cell);
	if (cell.state == CELL_ABSENT || !cell.text_len)
		field_cell(&v->whole, FIELD_CLIENT_command, row, &cell);
	draw_text(g, x, y, g->cols, &cell);
}

static void draw_number(struct grid *g, u32 x, u32 y, u32 width, u8 format, const struct cell *cell)
{
	char number[HUMAN_SIZE] = "-";
	enum role role = ROLE_NORMAL;
	u32 len = 1;

	if (cell->state == CELL_ABSENT) {
		role = ROLE_DIM;
	} else if (format == PERCENT) {
		len = human_percent(number, cell->num);
		role = share_role(cell->num);
	} else if (format == BYTES) {
		len = human_bytes(number, cell->num);
	} else {
		len = human_fixed(number, cell->num, 0);
	}
	grid_text(g, x + (len < width ? width - len : 0), y, x + width, role, number, len);
}

static void draw_client(const struct view *v, struct grid *g, u32 row, u32 y)
{
	u32 x = 0;

	for (u32 i = 0; i < ARRAY_LEN(columns) && x < g->cols; i++) {
		u32 width = width_of(v, i);
		struct cell cell = {.state = CELL_ABSENT, .text = ""};

		if (columns[i].least_cols > g->cols)
			continue;
		if (columns[i].format == COMMAND) {
			draw_command(v, g, row, x, y);
			return;
		}
		if (columns[i].format == USER) {
			s64 process = process_of(v, row);

			if (process >= 0)
				field_cell(&v->whole, FIELD_PROCESS_user, (u32)process, &cell);
		} else {
			field_cell(&v->whole, (enum field)columns[i].field, row, &cell);
		}
		if (columns[i].format == TEXT || columns[i].format == USER)
			draw_text(g, x, y, x + width, &cell);
		else
			draw_number(g, x, y, width, columns[i].format, &cell);
		x += width + 1;
	}
}

static void heading(const struct view *v, struct grid *g, u32 y)
{
	const struct gpus *gpus = &v->gpus;
	bool descending = (gpus->sort != GPU_BY_PID) != gpus->inverted;
	u32 x = 0;

	grid_fill(g, 0, y, g->cols, ROLE_HEADER, ' ');
	for (u32 i = 0; i < ARRAY_LEN(columns); i++) {
		u32 len = (u32)strlen(columns[i].title), width = width_of(v, i), end;
		bool left = columns[i].format == TEXT || columns[i].format >= USER;
		bool sort = columns[i].sort == gpus->sort;
		enum role role = sort ? ROLE_SORT : ROLE_HEADER;

		if (columns[i].least_cols > g->cols)
			continue;
		end = grid_str(g, x + (left ? 0 : width - len), y, g->cols, role, columns[i].title);
		if (sort)
			grid_put(g, end, y, role, descending ? 0x25bc : 0x25b2);
		x += width + 1;
	}
}

/* What the list is, what is not in it, and what did not fit above. */
static void title(const struct view *v, struct grid *g, u32 y, u32 below)
{
	const struct frame_table *t = v->whole.table[TAB_CLIENT];
	char text[ITEM_TEXT];
	struct line l;
	struct sbuf sb;

	sbuf_init(&sb, text, sizeof(text));
	sbuf_u64(&sb, v->gpus.nclients);
	line_init(&l);
	line_add(&l, 0, ROLE_NORMAL, "CLIENTS", text);
	if (t && t->now->partial)
		line_add(&l, 1, ROLE_WARN, NULL, "own processes only [d]");
	if (below) {
		sbuf_init(&sb, text, sizeof(text));
		sbuf_u64(&sb, below);
		sbuf_str(&sb, below == 1 ? " line more above" : " lines more above");
		sbuf_str(&sb, v->gpus.upper ? ": arrows" : ": Tab, arrows");
		line_right(&l, 2, ROLE_WARN, NULL, text);
	}
	line_draw(&l, g, 0, y, g->cols);
}

void panel_gpu_clients(struct view *v, struct grid *g, u32 y, u32 room, u32 below)
{
	struct gpus *gpus = &v->gpus;
	char note[VALUE_TEXT];

	if (room < GPU_CLIENT_HEAD)
		return;
	title(v, g, y, below);
	heading(v, g, y + 1);
	y += GPU_CLIENT_HEAD;
	room -= GPU_CLIENT_HEAD;
	if (gpus->client_top > gpus->nclients || gpus->client_top + room > gpus->nclients)
		gpus->client_top = gpus->nclients > room ? gpus->nclients - room : 0;
	for (u32 i = 0; i < room && gpus->client_top + i < gpus->nclients; i++)
		draw_client(v, g, gpus->client[gpus->client_top + i], y + i);
	if (gpus->nclients || !room)
		return;
	table_note(note, v->whole.table[TAB_CLIENT]);
	grid_str(g, 0, y, g->cols, ROLE_DIM, note[0] ? note : "nobody uses a GPU");
}

void panel_gpu_bar(const struct view *v, struct grid *g, u32 y)
{
	static const char *const keys[][2] = {{"g", "back"}, {"P", "by GPU%"}, {"M", "by memory"},
		{"N", "by pid"}, {"I", "turn"}, {"Tab", "scroll"}, {"Space", "pause"},
		{"d", "doctor"}, {"F1", "help"}, {"q", "quit"}};
	u32 x = 0;

	for (u32 i = 0; i < ARRAY_LEN(keys); i++) {
		if (x + strlen(keys[i][0]) + 1 + strlen(keys[i][1]) > g->cols)
			return;
		x = grid_str(g, x, y, g->cols, ROLE_KEY, keys[i][0]) + 1;
		x = grid_str(g, x, y, g->cols, ROLE_DIM,
			    v->paused && keys[i][0][0] == 'S' ? "go on" : keys[i][1]) +
		    2;
	}
}
