#include "process/gpu_use.h"

#include <string.h>
#include <unistd.h>

#include "gpu/columns.h"
#include "process/columns.h"
#include "process/process.h"

enum { TEXT_MOST = 256, NO_ROW = -1 };

/* Columns of the process table and where they come from. */
static const struct {
	u8 process, client;
} columns[] = {
	{PROCESS_GPU_BUSY, CLIENT_BUSY},
	{PROCESS_GPU_GFX, CLIENT_GFX},
	{PROCESS_GPU_COMPUTE, CLIENT_COMPUTE},
	{PROCESS_GPU_MEDIA, CLIENT_MEDIA},
	{PROCESS_GPU_COPY, CLIENT_COPY},
	{PROCESS_GPU_MEMORY, CLIENT_MEMORY},
};

static enum engine_class class_of(const struct frame_table *engines, u32 row)
{
	struct cell cell;

	frame_cell(engines, row, ENGINE_CLASS, &cell);
	for (u32 i = 0; i < CLASSES; i++)
		if (cell.text_len == strlen(engine_class_names[i]) &&
			!memcmp(cell.text, engine_class_names[i], cell.text_len))
			return (enum engine_class)i;
	return CLASS_OTHER;
}

static bool is_absent(const struct frame_table *t, u32 row, u32 column)
{
	return cell_state(t->now->cell[column][row]) == CELL_ABSENT;
}

/* Parts per million that this row has so far, plus more. */
static void add(struct frame_table *t, u32 row, u32 column, u64 more, u8 cell)
{
	u64 sum = is_absent(t, row, column) ? 0 : t->now->col[column][row];

	delta_set(t, row, column, sum + more, cell);
}

static void sum_column(struct frame_table *t, u32 column, u8 cell)
{
	bool ratio = t->schema->columns[column].unit == UNIT_RATIO;
	double sum = 0;
	bool any = false;

	for (u32 row = 0; row < t->n; row++) {
		if (is_absent(t, row, column))
			continue;
		any = true;
		sum += (double)t->now->col[column][row];
	}
	if (any)
		delta_set_total(t, column, ratio ? sum * 1e-4 : sum, cell);
}

void gpu_use_clients(struct frame_table *clients, const struct frame_table *engines)
{
	u64 key;
	double busy;

	for (u32 i = 0; engines && i < engines->n; i++) {
		int row = frame_raw(engines, i, ENGINE_CLIENT, &key) ? table_find(clients->now, key)
								     : NO_ROW;
		struct cell cell;
		u32 column;

		if (row < 0)
			continue;
		column = CLIENT_GFX + class_of(engines, i);
		if (!frame_num(engines, i, ENGINE_BUSY, &busy)) {
			frame_cell(engines, i, ENGINE_BUSY, &cell);
			if (is_absent(clients, (u32)row, column))
				delta_set(clients, (u32)row, column, 0,
					cell_make(CELL_ABSENT, cell.reason));
			if (is_absent(clients, (u32)row, CLIENT_BUSY))
				delta_set(clients, (u32)row, CLIENT_BUSY, 0,
					cell_make(CELL_ABSENT, cell.reason));
			continue;
		}
		add(clients, (u32)row, column, (u64)(busy * 1e4 + 0.5), CELL_VALUE);
		add(clients, (u32)row, CLIENT_BUSY, (u64)(busy * 1e4 + 0.5), CELL_VALUE);
	}
	for (u32 c = CLIENT_BUSY; c <= CLIENT_OTHER; c++)
		sum_column(clients, c, CELL_VALUE);
}

/* Row of the process or thread that a client belongs to. */
static int row_of(
	const struct frame_table *rows, const struct frame_table *clients, u32 i, bool threads)
{
	u64 pid, started, tid;
	u32 low = 0, high = rows->n;

	if (!frame_raw(clients, i, CLIENT_PID, &pid))
		return NO_ROW;
	if (!threads)
		return frame_raw(clients, i, CLIENT_STARTED, &started)
			       ? table_find(rows->now, process_key((u32)pid, started))
			       : NO_ROW;
	/* of a thread the start is not known: the first row of its number */
	if (!frame_raw(clients, i, CLIENT_TID, &tid))
		return NO_ROW;
	while (low < high) {
		u32 middle = (low + high) / 2;

		if (process_key_pid(rows->now->key[middle]) < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < rows->n && process_key_pid(rows->now->key[low]) == tid ? (int)low : NO_ROW;
}

/* Not of others' processes when those could not be looked at. */
static void clear(struct frame_table *rows, bool own_only)
{
	const struct table *t = rows->now;
	const u8 none = cell_make(CELL_ABSENT, REASON_NO_CLIENT);
	const u8 denied = cell_make(CELL_ABSENT, REASON_PERMISSION);
	u64 own = geteuid();

	for (u32 row = 0; row < rows->n; row++) {
		bool other = own_only && !is_absent(rows, row, PROCESS_UID) &&
			     t->col[PROCESS_UID][row] != own;

		if (table_holds(t, PROCESS_GPU))
			delta_set(rows, row, PROCESS_GPU, 0, other ? denied : none);
		for (u32 i = 0; i < ARRAY_LEN(columns); i++)
			if (table_holds(t, columns[i].process))
				delta_set(rows, row, columns[i].process, 0, other ? denied : none);
	}
}

static void add_client(struct frame_table *rows, u32 row, const struct frame_table *clients, u32 i)
{
	u8 value = clients->stale ? cell_make(CELL_HELD, REASON_STALE) : CELL_VALUE;
	struct cell cell;
	u64 raw;

	for (u32 c = 0; c < ARRAY_LEN(columns); c++) {
		u32 to = columns[c].process;

		if (!table_holds(rows->now, to))
			continue;
		if (frame_raw(clients, i, columns[c].client, &raw)) {
			add(rows, row, to, raw, value);
			continue;
		}
		/* a client without a value is not one that does nothing */
		frame_cell(clients, i, columns[c].client, &cell);
		if (is_absent(rows, row, to))
			delta_set(rows, row, to, 0, cell_make(CELL_ABSENT, cell.reason));
	}
}

/* Is it among these, with commas between them? */
static bool has_number(const char *text, u32 len, const struct cell *number)
{
	for (u32 at = 0; at < len;) {
		const char *comma = memchr(text + at, ',', len - at);
		u32 end = comma ? (u32)(comma - text) : len;

		if (end - at == number->text_len && !memcmp(text + at, number->text, end - at))
			return true;
		at = end + 1;
	}
	return false;
}

static int add_number(struct frame_table *rows, u32 row, const struct cell *number)
{
	char text[TEXT_MOST];
	const char *before;
	text_ref ref;
	u32 len = 0;
	int ret;

	if (number->state == CELL_ABSENT || !number->text_len ||
		!table_holds(rows->now, PROCESS_GPU))
		return 0;
	if (!is_absent(rows, row, PROCESS_GPU)) {
		before = table_get_text(rows->now, row, PROCESS_GPU, &len);
		if (has_number(before, len, number) || len + number->text_len + 1 > TEXT_MOST)
			return 0;
		memcpy(text, before, len);
		text[len++] = ',';
	} else if (number->text_len > TEXT_MOST) {
		return 0;
	}
	memcpy(text + len, number->text, number->text_len);
	ret = delta_text(rows, text, len + number->text_len, &ref);
	if (!ret)
		delta_set(rows, row, PROCESS_GPU, ref, CELL_VALUE);
	return ret;
}

int gpu_use_processes(struct frame_table *rows, const struct frame_table *clients, bool threads)
{
	struct cell number;
	int ret = 0;

	if (!clients || !clients->seq || !clients->now->need)
		return 0;
	clear(rows, clients->now->partial);
	for (u32 i = 0; i < clients->n && !ret; i++) {
		int row = row_of(rows, clients, i, threads);

		if (row < 0)
			continue;
		add_client(rows, (u32)row, clients, i);
		frame_cell(clients, i, CLIENT_GPU, &number);
		ret = add_number(rows, (u32)row, &number);
	}
	for (u32 c = 0; c < ARRAY_LEN(columns); c++)
		if (table_holds(rows->now, columns[c].process))
			sum_column(rows, columns[c].process,
				clients->now->partial ? CELL_APPROX : CELL_VALUE);
	return ret;
}
