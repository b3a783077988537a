#include "core/delta.h"

#include <errno.h>
#include <stddef.h>
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
		free(d->own[c].diff);
		free(d->own[c].cell);
	}
	free(d->blank.diff);
	free(d->blank.cell);
	free(d->was);
	free(d->how);
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

static bool grow(void *array, size_t size, u32 cap)
{
	void **p = array, *q = realloc(*p, size * cap);

	if (q)
		*p = q;
	return q != NULL;
}

/* Rows of one column; a column of the blank is NOT_ASKED throughout. */
static int reserve_column(u64 **diff, u8 **cell, u32 *have, u32 cap, bool blank)
{
	if (*have >= cap)
		return 0;
	if (!grow(diff, sizeof(**diff), cap) || !grow(cell, 1, cap))
		return -ENOMEM;
	for (u32 i = *have; blank && i < cap; i++) {
		(*diff)[i] = 0;
		(*cell)[i] = cell_make(CELL_ABSENT, REASON_NOT_ASKED);
	}
	*have = cap;
	return 0;
}

static int reserve(struct delta *d, const struct table *sample)
{
	struct frame_table *f = &d->frame;
	u32 cap = f->cap ? f->cap : 4;

	while (cap < sample->n)
		cap += cap / 2;
	if (cap > f->cap) {
		if (!grow(&f->window_ns, sizeof(u64), cap) || !grow(&d->was, sizeof(u32), cap) ||
			!grow(&d->how, 1, cap))
			return -ENOMEM;
		f->cap = d->cap = cap;
	}
	for (u32 c = 0; c < f->schema->ncolumns; c++) {
		if (!is_counter(f->schema, c))
			continue;
		if (!table_holds(sample, c)) {
			if (reserve_column(
				    &d->blank.diff, &d->blank.cell, &d->blank.cap, cap, true))
				return -ENOMEM;
			f->diff[c] = d->blank.diff;
			f->cell[c] = d->blank.cell;
			continue;
		}
		if (reserve_column(&d->own[c].diff, &d->own[c].cell, &d->own[c].cap, cap, false))
			return -ENOMEM;
		f->diff[c] = d->own[c].diff;
		f->cell[c] = d->own[c].cell;
	}
	return 0;
}

/* A counter without a difference; a cell that has its own reason keeps it. */
static void cell_absent(struct frame_table *f, u32 row, u32 c, enum reason reason)
{
	u8 own = f->now->cell[c][row];

	f->diff[c][row] = 0;
	f->cell[c][row] = cell_state(own) == CELL_ABSENT ? own : cell_make(CELL_ABSENT, reason);
}

static void row_absent(struct frame_table *f, u32 row, enum reason reason)
{
	for (u32 c = 0; c < f->schema->ncolumns; c++)
		if (is_counter(f->schema, c) && table_holds(f->now, c))
			cell_absent(f, row, c, reason);
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

/* One counter of one row that is not simply larger than before. false: it was reset. */
static bool odd_counter(struct frame_table *f, struct table *now, u32 row, u32 column,
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
	if (after >= before || (c->flags & COLUMN_SIGNED)) {
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

/* How a row's counters are had; anything below is the reason why they are not. */
enum { HOW_DIFFERENCE = 0xff, HOW_BIRTH = 0xfe, HOW_RESET = 0xfd };

static u8 known_row(struct frame_table *f, u32 row, u64 before_ns)
{
	u64 now_ns = f->now->mono_ns[row];

	f->window_ns[row] = now_ns - before_ns;
	if (now_ns >= before_ns && f->window_ns[row] >= WINDOW_LEAST_NS)
		return HOW_DIFFERENCE;
	f->window_ns[row] = 0;
	return REASON_SHORT;
}

/* A row that is not in the baseline: nothing is known of it, unless it was born since. */
static u8 new_row(struct frame_table *f, u32 row, const struct table *base)
{
	const struct table *now = f->now;
	s8 birth = f->schema->birth_column;

	f->window_ns[row] = 0;
	if (birth < 0 || base->partial || cell_state(now->cell[birth][row]) == CELL_ABSENT ||
		now->col[birth][row] + BIRTH_SLACK_NS < base->at.boot_ns)
		return REASON_FIRST;
	f->window_ns[row] = f->total_window_ns;
	return HOW_BIRTH;
}

static void join(struct delta *d, const struct table *now, const struct table *base)
{
	struct frame_table *f = &d->frame;
	u32 b = 0;

	for (u32 row = 0; row < now->n; row++) {
		while (b < base->n && base->key[b] < now->key[row])
			b++;
		d->was[row] = b;
		if (b < base->n && base->key[b] == now->key[row])
			d->how[row] = known_row(f, row, base->mono_ns[b]);
		else
			d->how[row] = new_row(f, row, base);
	}
}

/* A row without a difference to the baseline. */
static void special_row(struct delta *d, struct table *now, u32 row, u32 c)
{
	struct frame_table *f = &d->frame;

	if (d->how[row] != HOW_BIRTH) {
		cell_absent(f, row, c, (enum reason)d->how[row]);
		return;
	}
	f->cell[c][row] = now->cell[c][row];
	f->diff[c][row] = cell_state(now->cell[c][row]) == CELL_ABSENT ? 0 : now->col[c][row];
}

/* One column over all rows: the common case is a value that did not go down. */
static bool counter_column(struct delta *d, struct table *now, const struct table *base, u32 c)
{
	struct frame_table *f = &d->frame;
	const u64 *after = now->col[c], *before = base->col[c];
	const u8 *cell = now->cell[c], *cell_before = base->cell[c];
	bool any_reset = false;

	for (u32 row = 0; row < now->n; row++) {
		u32 b = d->was[row];

		if (d->how[row] != HOW_DIFFERENCE && d->how[row] != HOW_RESET) {
			special_row(d, now, row, c);
		} else if (cell[row] == CELL_VALUE && cell_before[b] == CELL_VALUE &&
			   after[row] >= before[b]) {
			f->diff[c][row] = after[row] - before[b];
			f->cell[c][row] = CELL_VALUE;
		} else if (!odd_counter(f, now, row, c, base, b)) {
			d->how[row] = HOW_RESET;
			any_reset = true;
		}
	}
	return any_reset;
}

static void counters(struct delta *d, struct table *now, const struct table *base)
{
	struct frame_table *f = &d->frame;
	bool any_reset = false;

	for (u32 c = 0; c < f->schema->ncolumns && now->n; c++)
		if (is_counter(f->schema, c) && table_holds(now, c))
			any_reset |= counter_column(d, now, base, c);
	for (u32 row = 0; any_reset && row < now->n; row++)
		if (d->how[row] == HOW_RESET)
			row_absent(f, row, REASON_RESET);
}

/* Does this kind of absence mean that the sum is still whole? */
static bool harmless(u8 cell)
{
	switch (cell_reason(cell)) {
	case REASON_OFFLINE:
	case REASON_UNSUPPORTED:
	case REASON_NO_LIMIT:
	case REASON_UNKNOWN:
	case REASON_ASLEEP:
	case REASON_NO_CLIENT:
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

struct sum {
	double sum, most;
	u64 diff;
	u32 values;
	enum reason missing;
};

static void sum_value(struct sum *s, double v, u64 raw)
{
	s->sum += v;
	s->diff += raw;
	if (!s->values++ || v > s->most)
		s->most = v;
}

static void sum_absent(struct sum *s, u8 cell)
{
	if (!s->missing || harmless(cell_make(CELL_ABSENT, s->missing)))
		s->missing = cell_reason(cell);
}

static void sum_counter(const struct frame_table *f, u32 c, struct sum *s)
{
	const struct column *column = &f->schema->columns[c];
	bool all = f->schema->counted_column < 0;
	double per_unit = 0;
	u64 window_ns = 0;

	for (u32 row = 0; row < f->n; row++) {
		if (!all && !counted(f, row))
			continue;
		if (cell_state(f->cell[c][row]) == CELL_ABSENT) {
			sum_absent(s, f->cell[c][row]);
			continue;
		}
		/* neighbours mostly have the same window: a division saved */
		if (f->window_ns[row] != window_ns) {
			window_ns = f->window_ns[row];
			per_unit = unit_rate(column->unit, 1, window_ns);
		}
		sum_value(s, (double)f->diff[c][row] * per_unit, f->diff[c][row]);
	}
}

static void sum_gauge(const struct frame_table *f, u32 c, struct sum *s)
{
	const struct column *column = &f->schema->columns[c];
	const struct table *now = f->now;
	bool all = f->schema->counted_column < 0;

	for (u32 row = 0; row < f->n; row++) {
		if (!all && !counted(f, row))
			continue;
		if (cell_state(now->cell[c][row]) == CELL_ABSENT)
			sum_absent(s, now->cell[c][row]);
		else
			sum_value(s, unit_gauge(column, now->col[c][row], now->boot_ns[row]),
				now->col[c][row]);
	}
}

static void total_column(struct frame_table *f, u32 c)
{
	const struct column *column = &f->schema->columns[c];
	struct sum s = {0};

	f->total_num[c] = 0;
	f->total_diff[c] = 0;
	f->total_cell[c] = cell_make(CELL_ABSENT, f->gap ? f->gap : REASON_UNSUPPORTED);
	if (column->total == TOTAL_NONE || column->kind == COLUMN_TEXT)
		return;
	if (!table_holds(f->now, c)) {
		f->total_cell[c] = cell_make(CELL_ABSENT, REASON_NOT_ASKED);
		return;
	}
	if (is_counter(f->schema, c))
		sum_counter(f, c, &s);
	else
		sum_gauge(f, c, &s);
	if (!s.values) {
		if (s.missing)
			f->total_cell[c] = cell_make(CELL_ABSENT, s.missing);
		return;
	}
	f->total_cell[c] = CELL_VALUE;
	if (s.missing && !harmless(cell_make(CELL_ABSENT, s.missing)))
		f->total_cell[c] = cell_make(CELL_APPROX, s.missing);
	f->total_diff[c] = s.diff;
	f->total_num[c] = s.sum;
	if (column->total == TOTAL_MAX)
		f->total_num[c] = s.most;
	else if (column->total == TOTAL_MEAN)
		f->total_num[c] = s.sum / s.values;
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
	/* the first that is free: as long as the newest is the baseline, the third is never filled */
	for (u32 i = ARRAY_LEN(d->tables); i-- > 0;)
		if (&d->tables[i] != d->now && &d->tables[i] != d->base)
			d->spare = &d->tables[i];
}

/* A short row inside a long window keeps its baseline: its counters and stamps go back. */
static void keep_short_rows(struct delta *d, struct table *now, const struct table *base)
{
	for (u32 row = 0; row < now->n; row++) {
		u32 b = d->was[row];

		if (d->how[row] != REASON_SHORT)
			continue;
		now->mono_ns[row] = base->mono_ns[b];
		now->boot_ns[row] = base->boot_ns[b];
		for (u32 c = 0; c < now->schema->ncolumns; c++) {
			if (!is_counter(now->schema, c) || !table_holds(now, c))
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
	int ret = reserve(d, sample);

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
		join(d, sample, base);
		counters(d, sample, base);
		keep_short_rows(d, sample, base);
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

/* The frame shows a table as const; it is the delta's own, between two steps. */
static struct table *own_table(struct frame_table *f)
{
	struct delta *d = (void *)((char *)f - offsetof(struct delta, frame));

	return d->now;
}

void delta_set(struct frame_table *f, u32 row, u32 column, u64 raw, u8 cell)
{
	struct table *t = own_table(f);

	t->col[column][row] = raw;
	t->cell[column][row] = cell;
}

int delta_text(struct frame_table *f, const char *text, size_t len, text_ref *out)
{
	return table_text(own_table(f), text, len, out);
}

void delta_set_total(struct frame_table *f, u32 column, double num, u8 cell)
{
	f->total_num[column] = num;
	f->total_cell[column] = cell;
}
