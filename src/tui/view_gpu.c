/* GPUs in the live view: their rows and their clients' in order, their history, the keys of the view that shows
 * nothing else. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tui/panel_gpu.h"

/* A minute of ten readings a second, for the small graphs; rows that may come before the history begins anew. */
enum { GPU_POINTS = 640, SPARE_SERIES = 8, SPARE_ROWS = 16 };

void gpus_init(struct gpus *gpus)
{
	*gpus = (struct gpus){.total = -1};
}

void gpus_fini(struct gpus *gpus)
{
	history_free(gpus->history);
	free(gpus->row);
	free(gpus->client);
	free(gpus->items);
	free(gpus->spare);
}

static int begin_history(struct gpus *gpus, u32 n)
{
	history_free(gpus->history);
	gpus->history = NULL;
	gpus->total = -1;
	gpus->series = 0;
	if (history_new(&gpus->history, GPU_POINTS, n + SPARE_SERIES))
		return -ENOMEM;
	gpus->series = n + SPARE_SERIES;
	gpus->total = history_watch(gpus->history, "gpu", true, 0, "busy");
	return 0;
}

int gpus_series(struct gpus *gpus, u64 key)
{
	return gpus->history ? history_watch(gpus->history, "gpu", false, key, "busy") : -1;
}

void gpus_push(struct view *v, const struct frame *frame)
{
	const struct frame_table *t = frame_find(frame, "gpu");
	struct gpus *gpus = &v->gpus;

	if (!t || (!t->n && !gpus->history))
		return;
	if (!gpus->history && !v->second_chosen)
		v->second = SERIES_GPU;
	if (t->n + 1 > gpus->series && begin_history(gpus, t->n))
		return;
	history_watch(gpus->history, "gpu", true, 0, "busy");
	for (u32 row = 0; row < t->n; row++)
		gpus_series(gpus, t->now->key[row]);
	history_push(gpus->history, frame);
}

static int reserve(struct gpus *gpus, u32 rows, u32 clients)
{
	u32 items = gpus->cap > gpus->client_cap ? gpus->cap : gpus->client_cap;

#define GROW(field, n)                                            \
	do {                                                      \
		void *q = realloc(field, (n) * sizeof(*(field))); \
		if (!q)                                           \
			return -ENOMEM;                           \
		field = q;                                        \
	} while (0)
	if (rows > gpus->cap) {
		GROW(gpus->row, rows + SPARE_ROWS);
		gpus->cap = rows + SPARE_ROWS;
	}
	if (clients > gpus->client_cap) {
		GROW(gpus->client, clients * 2 + SPARE_ROWS);
		gpus->client_cap = clients * 2 + SPARE_ROWS;
	}
	if (items < gpus->cap || items < gpus->client_cap) {
		items = gpus->cap > gpus->client_cap ? gpus->cap : gpus->client_cap;
		GROW(gpus->items, items);
		GROW(gpus->spare, items);
	}
#undef GROW
	return 0;
}

/* "2:1" as a number that sorts behind "2" and before "3"; what is no number comes last. */
static u64 number_key(const struct fields *f, u32 row)
{
	struct cell cell;
	u64 part[2] = {0, 0};
	u32 n = 0;

	field_cell(f, FIELD_GPU_number, row, &cell);
	if (cell.state == CELL_ABSENT || !cell.text_len)
		return ~0ull;
	for (u32 i = 0; i < cell.text_len; i++) {
		char c = cell.text[i];

		if (c == ':' && !n)
			part[++n] = 0;
		else if (c < '0' || c > '9' || part[n] > UINT32_MAX / 16)
			return ~0ull;
		else
			part[n] = part[n] * 10 + (u32)(c - '0');
	}
	return part[0] << 32 | (n ? part[1] + 1 : 0);
}

/* Is there a raw value, be it the first of a counter? */
static bool has_raw(const struct fields *f, enum field field, u32 row)
{
	u64 raw;

	return f->col[field] >= 0 && frame_raw(f->table[TAB_GPU], row, (u32)f->col[field], &raw);
}

static void remember(struct gpus *gpus, const struct fields *f, u32 row)
{
	static const struct {
		u32 field, bit;
	} values[] = {{FIELD_GPU_power, GPU_HAS_POWER},
		{FIELD_GPU_temperature, GPU_HAS_TEMPERATURE}, {FIELD_GPU_clock, GPU_HAS_CLOCK},
		{FIELD_GPU_pcie_rx, GPU_HAS_PCIE}};
	struct cell state;
	double value;

	for (u32 i = 0; i < ARRAY_LEN(values); i++)
		if (!(gpus->has & values[i].bit) &&
			field_num(f, (enum field)values[i].field, row, &value))
			gpus->has |= values[i].bit;
	field_cell(f, FIELD_GPU_state, row, &state);
	if (field_or_zero(f, FIELD_GPU_counted, row) > 0 && state.text_len == strlen("active") &&
		!memcmp(state.text, "active", state.text_len) &&
		!has_raw(f, FIELD_GPU_busy_now, row) && !has_raw(f, FIELD_GPU_busy_time, row))
		gpus->has |= GPU_BUSY_BY_CLIENTS;
	if (!gpus->clients && field_num(f, FIELD_GPU_processes, row, &value) && value > 0)
		gpus->clients = true;
}

/* Ascending keys put the first line first: the busiest, or the one that holds most, unless inverted. */
static u64 client_key(const struct gpus *gpus, const struct fields *f, u32 row)
{
	static const u32 by[GPU_SORTS] = {[GPU_BY_BUSY] = FIELD_CLIENT_busy,
		[GPU_BY_MEMORY] = FIELD_CLIENT_memory,
		[GPU_BY_PID] = FIELD_CLIENT_pid};
	double value;
	u64 key;

	if (!field_num(f, (enum field)by[gpus->sort], row, &value))
		return ~0ull;
	/* of those that do nothing, the larger first */
	if (gpus->sort == GPU_BY_BUSY)
		value += field_or_zero(f, FIELD_CLIENT_memory, row) * 1e-18;
	key = sort_key_number(value);
	return (gpus->sort != GPU_BY_PID) != gpus->inverted ? ~key : key;
}

void gpus_update(struct view *v)
{
	struct gpus *gpus = &v->gpus;
	const struct fields *f = &v->whole;
	u32 rows = fields_rows(f, TAB_GPU), clients = fields_rows(f, TAB_CLIENT);
	u32 had = gpus->has;

	gpus->n = gpus->nclients = 0;
	if (!rows || reserve(gpus, rows, clients))
		return;
	for (u32 row = 0; row < rows; row++) {
		gpus->items[row] = (struct sort_item){number_key(f, row), row};
		remember(gpus, f, row);
	}
	sort_items(gpus->items, gpus->spare, rows);
	for (u32 i = 0; i < rows; i++)
		gpus->row[i] = gpus->items[i].row;
	gpus->n = rows;
	if (clients)
		gpus->clients = true;
	gpus->anew = gpus->anew || had != gpus->has || v->columns.gpu != gpus->clients;
	v->columns.gpu = gpus->clients;
	if (!gpus->asked || !clients)
		return;
	for (u32 row = 0; row < clients; row++)
		gpus->items[row] = (struct sort_item){client_key(gpus, f, row), row};
	sort_items(gpus->items, gpus->spare, clients);
	for (u32 i = 0; i < clients; i++)
		gpus->client[i] = gpus->items[i].row;
	gpus->nclients = clients;
}

bool gpus_here(const struct view *v)
{
	return v->whole.table[TAB_GPU] != NULL;
}

bool gpus_panel(const struct view *v)
{
	return (v->panels & PANEL_GPUS) && v->gpus.n;
}

bool gpus_only(const struct view *v)
{
	return v->gpus.asked && gpus_here(v);
}

static void scroll_by(u32 *top, s64 step)
{
	s64 to = (s64)*top + step;

	*top = to < 0 ? 0 : to > INT32_MAX ? INT32_MAX : (u32)to;
}

static bool scroll_key(struct view *v, u32 key)
{
	struct gpus *gpus = &v->gpus;
	s64 page = v->layout.rows > 8 ? v->layout.rows / 2 : 4;
	u32 *top = gpus->upper ? &gpus->top : &gpus->client_top;

	switch (key) {
	case KEY_UP_:
	case KEY_WHEEL_UP:
		scroll_by(top, -1);
		break;
	case KEY_DOWN_:
	case KEY_WHEEL_DOWN:
		scroll_by(top, 1);
		break;
	case KEY_PAGE_UP:
		scroll_by(top, -page);
		break;
	case KEY_PAGE_DOWN:
		scroll_by(top, page);
		break;
	case KEY_HOME_:
		*top = 0;
		break;
	case KEY_END_:
		*top = INT32_MAX; /* drawing knows where the end is */
		break;
	case KEY_TAB:
		gpus->upper = !gpus->upper;
		break;
	default:
		return false;
	}
	return true;
}

static bool sort_key(struct gpus *gpus, enum action action)
{
	switch (action) {
	case ACTION_BY_CPU:
	case ACTION_BY_TIME:
		gpus->sort = GPU_BY_BUSY;
		break;
	case ACTION_BY_MEMORY:
		gpus->sort = GPU_BY_MEMORY;
		break;
	case ACTION_BY_PID:
		gpus->sort = GPU_BY_PID;
		break;
	case ACTION_SORT:
		gpus->sort = (u8)((gpus->sort + 1) % GPU_SORTS);
		break;
	case ACTION_INVERT:
		gpus->inverted = !gpus->inverted;
		return true;
	default:
		return false;
	}
	gpus->inverted = false;
	return true;
}

bool gpus_key(struct view *v, u32 key, enum view_request *request)
{
	enum action action = key_action(key);

	*request = VIEW_REDRAW;
	if (scroll_key(v, key))
		return true;
	if (sort_key(&v->gpus, action)) {
		gpus_update(v);
		return true;
	}
	switch (action) {
	case ACTION_GPUS:
	case ACTION_BACK:
		v->gpus.asked = false;
		return true;
	/* what holds for every screen */
	case ACTION_QUIT:
	case ACTION_HELP:
	case ACTION_DOCTOR:
	case ACTION_PAUSE:
	case ACTION_FASTER:
	case ACTION_SLOWER:
	case ACTION_CHARSET:
	case ACTION_PATH:
	case ACTION_SUSPEND:
	case ACTION_REDRAW:
		return false;
	default:
		*request = VIEW_NOTHING;
		return true;
	}
}

bool view_needs_anew(struct view *v)
{
	bool anew = v->gpus.anew;

	v->gpus.anew = false;
	return anew;
}
