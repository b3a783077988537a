#include "core/delta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/unit.h"

/* Start times are in clock ticks of 10 ms, cut off. */
#define BIRTH_SLACK_NS (10 * NSEC_PER_MSEC)

int delta_init(struct delta *d, const struct schema *schema)
{
	*d = (struct delta){0};
	for (u32 i = 0; i < ARRAY_LEN(d->tables); i++)
		if (table_init(&d->tables[i], schema))
			return -E2BIG;
	d->spare = &d->tables[0];
	d->now = &d->tables[1];
	d->frame.schema = schema;
	d->frame.now = d->now;
	d->frame.gap = REASON_STARTING;
	for (u32 c = 0; c < schema->ncolumns; c++)
		d->frame.total_cell[c] = cell_make(CELL_ABSENT, REASON_STARTING);
	return 0;
}

void delta_fini(struct delta *d)
{
	if (!d)
		return;
	for (u32 i = 0; i < ARRAY_LEN(d->tables); i++)
		table_fini(&d->tables[i]);
	for (u32 c = 0; c < MAX_COLUMNS; c++) {
		free(d->frame.diff[c]);
		free(d->frame.cell[c]);
	}
	free(d->frame.window_ns);
	*d = (struct delta){0};
}

struct table *delta_spare(struct delta *d)
{
	return d->spare;
}

static bool is_counter(const struct schema *s, u32 column)
{
	return s->columns[column].kind == COLUMN_COUNTER;
}

static int frame_reserve(struct frame_table *f, u32 n)
{
	u32 cap = f->cap ? f->cap : 4;
	u64 *window;

	if (n <= f->cap)
		return 0;
	while (cap < n)
		cap += cap / 2;
	window = realloc(f->window_ns, cap * sizeof(*window));
	if (!window)
		return -ENOMEM;
	f->window_ns = window;
	for (u32 c = 0; c < f->schema->ncolumns; c++) {
		u64 *diff;
		u8 *cell;

		if (!is_counter(f->schema, c))
			continue;
		diff = realloc(f->diff[c], cap * sizeof(*diff));
		if (!diff)
			return -ENOMEM;
		f->diff[c] = diff;
		cell = realloc(f->cell[c], cap);
		if (!cell)
			return -ENOMEM;
		f->cell[c] = cell;
	}
	f->cap = cap;
	return 0;
}

static void row_absent(struct frame_table *f, u32 row, enum reason reason)
{
	for (u32 c = 0; c < f->schema->ncolumns; c++) {
		u8 own;

		if (!is_counter(f->schema, c))
			continue;
		/* a cell that has its own reason keeps it */
		own = f->now->cell[c][row];
		f->diff[c][row] = 0;
		f->cell[c][row] = cell_state(own) == CELL_ABSENT ? own
								 : cell_make(CELL_ABSENT, reason);
	}
}

/* A counter went down: did it wrap, and is the result possible? */
static bool wrapped(const struct column *c, const struct table *now, u32 row, u64 before, u64 after,
	u64 window_ns, u64 *diff)
{
	u64 range;

	switch (c->wrap) {
	case WRAP_NONE:
		return false;
	case WRAP_32:
		if (before >> 32 || c->limit_column <= 0 ||
			cell_state(now->cell[c->limit_column][row]) == CELL_ABSENT)
			return false;
		*diff = after + (1ull << 32) - before;
		return (double)*diff <= (double)now->col[c->limit_column][row] * (double)window_ns /
						(double)NSEC_PER_SEC;
	case WRAP_RANGE:
		if (before > c->range)
			return false;
		*diff = after + c->range - before;
		return *diff <= c->range / 2;
	case WRAP_COLUMN:
		range = now->col[c->wrap_column][row];
		if (cell_state(now->cell[c->wrap_column][row]) == CELL_ABSENT || before > range)
			return false;
		*diff = after + range - before;
		return true;
	}
	return false;
}

/* One counter of one row. false: it was reset. */
static bool counter(struct frame_table *f, struct table *now, u32 row, u32 column,
	const struct table *base, u32 base_row)
{
	const struct column *c = &f->schema->columns[column];
	u64 before = base->col[column][base_row], after = now->col[column][row], diff = 0;
	u8 *cell = &f->cell[column][row];

	f->diff[column][row] = 0;
	*cell = now->cell[column][row];
	if (cell_state(*cell) == CELL_ABSENT)
		return true;
	if (cell_state(base->cell[column][base_row]) == CELL_ABSENT) {
		*cell = cell_make(CELL_ABSENT, REASON_FIRST);
		return true;
	}
	if (after >= before) {
		diff = after - before;
	} else if (before - after <= c->hold) {
		now->col[column][row] = before;
		*cell = cell_make(CELL_HELD, REASON_NONE);
	} else if (!wrapped(c, now, row, before, after, f->window_ns[row], &diff)) {
		return false;
	}
	f->diff[column][row] = diff;
	return true;
}

static void known_row(
	struct frame_table *f, struct table *now, u32 row, const struct table *base, u32 base_row)
{
	bool reset = false;

	f->window_ns[row] = now->mono_ns[row] - base->mono_ns[base_row];
	if (now->mono_ns[row] < base->mono_ns[base_row] || f->window_ns[row] < WINDOW_LEAST_NS) {
		f->window_ns[row] = 0;
		row_absent(f, row, REASON_SHORT);
		return;
	}
	for (u32 c = 0; c < f->schema->ncolumns; c++)
		if (is_counter(f->schema, c) && !counter(f, now, row, c, base, base_row))
			reset = true;
	if (reset)
		row_absent(f, row, REASON_RESET);
}

/* A row that is not in the baseline: nothing is known of it, unless it was born since. */
static void new_row(struct frame_table *f, u32 row, const struct table *base)
{
	const struct table *now = f->now;
	s8 birth = f->schema->birth_column;

	f->window_ns[row] = 0;
	if (birth < 0 || base->partial || cell_state(now->cell[birth][row]) == CELL_ABSENT ||
		now->col[birth][row] + BIRTH_SLACK_NS < base->at.boot_ns) {
		row_absent(f, row, REASON_FIRST);
		return;
	}
	f->window_ns[row] = f->total_window_ns;
	for (u32 c = 0; c < f->schema->ncolumns; c++) {
		if (!is_counter(f->schema, c))
			continue;
		f->cell[c][row] = now->cell[c][row];
		f->diff[c][row] = cell_state(now->cell[c][row]) == CELL_ABSENT ? 0
									       : now->col[c][row];
	}
}

static void join(struct frame_table *f, struct table *now, const struct table *base)
{
	u32 b = 0;

	for (u32 row = 0; row < now->n; row++) {
		while (b < base->n && base->key[b] < now->key[row])
			b++;
		if (b < base->n && base->key[b] == now->key[row])
			known_row(f, now, row, base, b);
		else
			new_row(f, row, base);
	}
}

/* Does this kind of absence mean that the sum is still whole? */
static bool harmless(u8 cell)
{
	switch (cell_reason(cell)) {
	case REASON_OFFLINE:
	case REASON_UNSUPPORTED:
	case REASON_NO_LIMIT:
	case REASON_UNKNOWN:
		return true;
	default:
		return false;
	}
}

static bool counted(const struct frame_table *f, u32 row)
{
	s8 c = f->schema->counted_column;

	return c < 0 || (cell_state(f->now->cell[c][row]) != CELL_ABSENT && f->now->col[c][row]);
}

static void total_column(struct frame_table *f, u32 c)
{
	const struct column *column = &f->schema->columns[c];
	const u8 *cells = is_counter(f->schema, c) ? f->cell[c] : f->now->cell[c];
	enum reason missing = REASON_NONE;
	double sum = 0, most = 0;
	u32 values = 0;
	u64 diff = 0;

	f->total_num[c] = 0;
	f->total_diff[c] = 0;
	f->total_cell[c] = cell_make(CELL_ABSENT, f->gap ? f->gap : REASON_UNSUPPORTED);
	if (column->total == TOTAL_NONE || column->kind == COLUMN_TEXT)
		return;
	for (u32 row = 0; row < f->n; row++) {
		double v;

		if (!counted(f, row))
			continue;
		if (cell_state(cells[row]) == CELL_ABSENT) {
			if (!missing || harmless(cell_make(CELL_ABSENT, missing)))
				missing = cell_reason(cells[row]);
			continue;
		}
		if (is_counter(f->schema, c)) {
			v = unit_rate(column->unit, f->diff[c][row], f->window_ns[row]);
			diff += f->diff[c][row];
		} else {
			v = unit_gauge(column, f->now->col[c][row], f->now->boot_ns[row]);
			diff += f->now->col[c][row];
		}
		sum += v;
		if (!values++ || v > most)
			most = v;
	}
	if (!values) {
		if (missing)
			f->total_cell[c] = cell_make(CELL_ABSENT, missing);
		return;
	}
	f->total_cell[c] = CELL_VALUE;
	if (missing && !harmless(cell_make(CELL_ABSENT, missing)))
		f->total_cell[c] = cell_make(CELL_APPROX, missing);
	f->total_diff[c] = diff;
	f->total_num[c] = sum;
	if (column->total == TOTAL_MAX)
		f->total_num[c] = most;
	else if (column->total == TOTAL_MEAN)
		f->total_num[c] = sum / values;
}

static void totals(struct frame_table *f)
{
	for (u32 c = 0; c < f->schema->ncolumns; c++)
		if (f->schema->columns[c].kind != COLUMN_DERIVED)
			total_column(f, c);
}

static enum reason window_gap(const struct table *base, const struct table *now)
{
	u64 mono = now->at.mono_ns - base->at.mono_ns, boot = now->at.boot_ns - base->at.boot_ns;

	if (now->at.mono_ns < base->at.mono_ns || mono < WINDOW_LEAST_NS)
		return REASON_SHORT;
	if (now->at.boot_ns > base->at.boot_ns && boot > mono + SUSPEND_LEAST_NS)
		return REASON_SUSPEND;
	return REASON_NONE;
}

/* Make sample the newest; it also becomes the baseline unless that has to stay. */
static void rotate(struct delta *d, struct table *sample, bool keep_base)
{
	d->now = sample;
	if (!keep_base)
		d->base = sample;
	for (u32 i = 0; i < ARRAY_LEN(d->tables); i++)
		if (&d->tables[i] != d->now && &d->tables[i] != d->base)
			d->spare = &d->tables[i];
}

/* A short row inside a long window keeps its baseline: its counters and stamps go back. */
static void keep_short_rows(struct frame_table *f, struct table *now, const struct table *base)
{
	for (u32 row = 0; row < now->n; row++) {
		int b;

		if (f->window_ns[row] || (b = table_find(base, now->key[row])) < 0)
			continue;
		now->mono_ns[row] = base->mono_ns[b];
		now->boot_ns[row] = base->boot_ns[b];
		for (u32 c = 0; c < f->schema->ncolumns; c++) {
			if (!is_counter(f->schema, c))
				continue;
			now->col[c][row] = base->col[c][b];
			now->cell[c][row] = base->cell[c][b];
		}
	}
}

int delta_step(struct delta *d)
{
	struct table *sample = d->spare;
	const struct table *base = d->base;
	struct frame_table *f = &d->frame;
	int ret = frame_reserve(f, sample->n);

	if (ret)
		return ret;
	if (sample->seq <= d->now->seq)
		sample->seq = d->now->seq + 1;
	f->now = sample;
	f->n = sample->n;
	f->seq = sample->seq;
	f->to = f->from = sample->at;
	f->fresh = true;
	f->stale = false;
	f->age_ns = 0;
	f->total_window_ns = 0;
	f->gap = base ? window_gap(base, sample) : REASON_FIRST;
	if (sample->missing)
		f->gap = sample->missing;
	if (base && !f->gap) {
		f->from = base->at;
		f->total_window_ns = sample->at.mono_ns - base->at.mono_ns;
		join(f, sample, base);
		keep_short_rows(f, sample, base);
	} else {
		for (u32 row = 0; row < f->n; row++) {
			f->window_ns[row] = 0;
			row_absent(f, row, f->gap);
		}
	}
	totals(f);
	rotate(d, sample, f->gap == REASON_SHORT && base);
	return 0;
}

void delta_repeat(struct delta *d, const struct stamp *now)
{
	d->frame.fresh = false;
	if (d->frame.seq)
		d->frame.age_ns = now->mono_ns - d->frame.to.mono_ns;
}

/* The baseline may be the same table as d->now: its counters are left alone, so that the next good
 * reading covers the whole time. */
void delta_fail(struct delta *d, enum reason reason)
{
	struct frame_table *f = &d->frame;

	f->gap = reason;
	f->stale = true;
	f->total_window_ns = 0;
	for (u32 row = 0; row < f->n; row++) {
		f->window_ns[row] = 0;
		row_absent(f, row, reason);
		for (u32 c = 0; c < f->schema->ncolumns; c++)
			if (f->schema->columns[c].kind == COLUMN_GAUGE &&
				cell_state(d->now->cell[c][row]) != CELL_ABSENT)
				d->now->cell[c][row] = cell_make(CELL_HELD, reason);
	}
	totals(f);
}
