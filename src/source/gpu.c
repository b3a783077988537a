/* The table `gpu`: a row for each graphics card, accelerator and part of one. What is read of them, and when, is
 * src/gpu's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/delta.h"
#include "gpu/gpu.h"
#include "source/sources_list.h"

enum { ENGINE_NAMES = 32, ENGINE_NAME_SIZE = 24 };

struct source {
	const struct source_env *env;
	struct gpu *gpu;
	u64 seq; /* of the reading that the newest table is from */
};

static void gpu_close(struct source *s)
{
	if (!s)
		return;
	if (s->gpu)
		gpu_put(s->gpu, s->env);
	free(s);
}

static int gpu_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	ret = gpu_get(&s->gpu, env);
	if (ret) {
		gpu_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static void begin(struct source *s)
{
	gpu_begin(s->gpu, s->env);
}

static bool wait_for(struct source *s, u64 until_ns)
{
	return gpu_wait(s->gpu, s->env, until_ns);
}

static const char *text_of(const struct gpu_record *r, u32 column)
{
	switch (column) {
	case GPU_NUMBER:
		return r->number;
	case GPU_NAME:
		return r->name;
	case GPU_DEVICE:
		return r->device;
	case GPU_DRIVER:
		return r->driver;
	case GPU_PARENT:
		return r->parent;
	case GPU_KIND:
		return r->kind;
	case GPU_STATE:
		return r->state;
	case GPU_LINK:
		return r->link;
	case GPU_SLOWED:
		return r->slowed;
	default:
		return r->health;
	}
}

static int add_row(struct table *t, const struct gpu_record *r)
{
	int row = table_row(t, r->key), ret = 0;

	if (row < 0)
		return row;
	t->mono_ns[row] = r->at.mono_ns;
	t->boot_ns[row] = r->at.boot_ns;
	for (u32 c = 0; c < GPU_COLUMNS && !ret; c++) {
		const struct column *column = &t->schema->columns[c];
		bool have = r->have & column_bit(c);
		const char *text = column->kind == COLUMN_TEXT ? text_of(r, c) : NULL;

		if (column->kind == COLUMN_DERIVED)
			continue;
		if (text && (have || text[0]))
			ret = table_set_text(t, (u32)row, c, text, strlen(text));
		else if (have && !text)
			table_set(t, (u32)row, c, r->value[c]);
		else if (r->reason[c])
			table_absent(t, (u32)row, c, r->reason[c]);
	}
	return ret;
}

static int gpu_read(struct source *s, struct table *t, u64 need)
{
	const struct gpu_reading *r = gpu_newest(s->gpu, s->env);
	int ret = 0;

	if (!r || r->seq == s->seq)
		return -EAGAIN;
	table_begin(t, &r->at, need);
	for (u32 i = 0; i < r->ndevices && !ret; i++)
		ret = add_row(t, &r->devices[i]);
	if (!ret)
		ret = table_end(t);
	if (!ret)
		s->seq = r->seq;
	return ret;
}

struct engine_sum {
	char name[ENGINE_NAME_SIZE];
	double busy;
};

static bool same_text(const struct frame_table *t, u32 row, u32 column, const struct cell *other)
{
	struct cell cell;

	frame_cell(t, row, column, &cell);
	return cell.state != CELL_ABSENT && other->state != CELL_ABSENT &&
	       cell.text_len == other->text_len && !memcmp(cell.text, other->text, cell.text_len);
}

/* Add this engine's use to the sum of its name. The largest sum so far. */
static double add_engine(
	struct engine_sum *sums, u32 *n, const struct frame_table *engines, u32 row, double busy)
{
	struct cell name;
	u32 len, i = 0;

	frame_cell(engines, row, ENGINE_NAME, &name);
	len = name.text_len < ENGINE_NAME_SIZE - 1 ? name.text_len : ENGINE_NAME_SIZE - 1;
	while (i < *n && (strlen(sums[i].name) != len || memcmp(sums[i].name, name.text, len) != 0))
		i++;
	if (i == *n) {
		if (*n == ENGINE_NAMES)
			return 0;
		sums[i] = (struct engine_sum){.busy = 0};
		memcpy(sums[i].name, name.text, len);
		(*n)++;
	}
	sums[i].busy += busy;
	return sums[i].busy;
}

/* The busiest of this device's engines: each one's sum over its clients. */
static void set_busy(struct frame_table *mine, u32 row, const struct frame_table *engines, bool all)
{
	struct engine_sum sums[ENGINE_NAMES];
	double most = 0, busy, sum;
	bool any = false;
	struct cell device;
	u32 n = 0;

	frame_cell(mine, row, GPU_DEVICE, &device);
	for (u32 i = 0; i < engines->n; i++) {
		if (!same_text(engines, i, ENGINE_DEVICE, &device) ||
			!frame_num(engines, i, ENGINE_BUSY, &busy))
			continue;
		any = true;
		sum = add_engine(sums, &n, engines, i, busy);
		most = sum > most ? sum : most;
	}
	if (any)
		delta_set(mine, row, GPU_BUSY_CLIENTS, (u64)(most * 1e4),
			all ? CELL_VALUE : CELL_APPROX);
}

/* Each process once, however many clients it has. */
static void set_processes(
	struct frame_table *mine, u32 row, const struct frame_table *clients, bool all)
{
	struct cell number;
	u64 pid, earlier;
	u32 n = 0;

	frame_cell(mine, row, GPU_NUMBER, &number);
	for (u32 i = 0; i < clients->n; i++) {
		bool seen = false;

		if (!same_text(clients, i, CLIENT_GPU, &number))
			continue;
		if (frame_raw(clients, i, CLIENT_PID, &pid))
			for (u32 j = 0; j < i && !seen; j++)
				seen = frame_raw(clients, j, CLIENT_PID, &earlier) &&
				       earlier == pid && same_text(clients, j, CLIENT_GPU, &number);
		n += !seen;
	}
	delta_set(mine, row, GPU_PROCESSES, n, all ? CELL_VALUE : CELL_APPROX);
}

static void finish(struct source *s, struct frame_table *mine, const struct frame *frame)
{
	const struct frame_table *engines = frame_find(frame, gpu_engine_table_schema.name);
	const struct frame_table *clients = frame_find(frame, gpu_client_table_schema.name);
	bool read = clients && clients->seq && clients->now->need;

	(void)s;
	for (u32 row = 0; row < mine->n; row++) {
		u8 state = mine->now->cell[GPU_PROCESSES][row];

		if (cell_reason(state) == REASON_ASLEEP)
			continue;
		if (engines && engines->seq)
			set_busy(mine, row, engines, !engines->now->partial);
		if (read)
			set_processes(mine, row, clients, !clients->now->partial);
	}
}

static void explain(struct source *s, struct findings *out)
{
	gpu_explain(s->gpu, out);
}

const struct source_ops gpu_source = {.schema = &gpu_table_schema,
	.open = gpu_open,
	.begin = begin,
	.wait = wait_for,
	.read = gpu_read,
	.finish = finish,
	.explain = explain,
	.close = gpu_close};
