/* The rules of the one arithmetic, each with a scripted table. */
#include "test.h"

#include <stdlib.h>

#include "core/delta.h"

enum { A, B, LIMIT, RANGE, UJ, BORN, HELD, MS };

#define COUNTER .unit = UNIT_COUNT, .kind = COLUMN_COUNTER, .total = TOTAL_SUM
static const struct column columns[] = {
	[A] = {.name = "a", COUNTER},
	[B] = {.name = "b", COUNTER, .wrap = WRAP_32, .limit_column = LIMIT},
	[LIMIT] = {.name = "limit", .unit = UNIT_BYTES, .kind = COLUMN_GAUGE},
	[RANGE] = {.name = "range", .unit = UNIT_UJ, .kind = COLUMN_GAUGE},
	[UJ] = {.name = "uj", COUNTER, .wrap = WRAP_COLUMN, .wrap_column = RANGE},
	[BORN] = {.name = "born", .unit = UNIT_BOOTTIME, .kind = COLUMN_GAUGE},
	[HELD] = {.name = "held", COUNTER, .hold = 300},
	[MS] = {.name = "ms", COUNTER, .wrap = WRAP_RANGE, .range = 1ull << 32},
};
static const struct schema schema = {.name = "t",
	.title = "T",
	.ncolumns = ARRAY_LEN(columns),
	.columns = columns,
	.label_column = -1,
	.birth_column = BORN,
	.counted_column = -1};

static struct delta d;

static int setup(void **state)
{
	(void)state;
	return delta_init(&d, &schema);
}

static int teardown(void **state)
{
	(void)state;
	delta_fini(&d);
	return 0;
}

static struct table *begin(u64 ms, u64 asleep_ms)
{
	struct stamp at = {ms * NSEC_PER_MSEC, (ms + asleep_ms) * NSEC_PER_MSEC, 0};

	table_begin(delta_spare(&d), &at, ~0ull);
	return delta_spare(&d);
}

static void row(struct table *t, u64 key, u32 column, u64 raw)
{
	int at = t->n && t->key[t->n - 1] == key ? (int)t->n - 1 : table_row(t, key);

	table_set(t, (u32)at, column, raw);
}

static void step(struct table *t)
{
	table_end(t);
	assert_int_equal(delta_step(&d), 0);
}

static void one(u64 ms, u32 column, u64 raw)
{
	struct table *t = begin(ms, 0);

	row(t, 1, column, raw);
	step(t);
}

static void expect_diff(u32 at, u32 column, u64 want)
{
	u64 diff;

	assert_true(frame_diff(&d.frame, at, column, &diff));
	assert_int_equal(diff, want);
}

static void expect_absent(u32 at, u32 column, enum reason reason)
{
	struct cell cell;

	frame_cell(&d.frame, at, column, &cell);
	assert_int_equal(cell.state, CELL_ABSENT);
	assert_int_equal(cell.reason, reason);
}

static void test_first_then_value(void **state)
{
	(void)state;
	one(1000, A, 5);
	expect_absent(0, A, REASON_FIRST);
	one(2000, A, 12);
	expect_diff(0, A, 7);
	assert_int_equal(frame_window_ns(&d.frame, 0), NSEC_PER_SEC);
}

static void test_fast_caller_accumulates_a_window(void **state)
{
	(void)state;
	one(1000, A, 0);
	one(1020, A, 1);
	expect_absent(0, A, REASON_SHORT);
	one(1040, A, 2);
	expect_absent(0, A, REASON_SHORT);
	one(1060, A, 3);
	expect_diff(0, A, 3);
	assert_int_equal(d.frame.total_window_ns, 60 * NSEC_PER_MSEC);
}

static void test_reset_takes_the_whole_row(void **state)
{
	struct table *t = begin(0, 0);

	(void)state;
	row(t, 1, A, 100);
	row(t, 1, UJ, 5);
	step(t);
	t = begin(1000, 0);
	row(t, 1, A, 3);
	row(t, 1, UJ, 9);
	step(t);
	expect_absent(0, A, REASON_RESET);
	expect_absent(0, UJ, REASON_RESET);
	t = begin(2000, 0);
	row(t, 1, A, 10);
	row(t, 1, UJ, 10);
	step(t);
	expect_diff(0, A, 7);
	expect_diff(0, UJ, 1);
}

static void wrap32(bool limited, u64 limit)
{
	struct table *t = begin(0, 0);

	row(t, 1, B, 0xfffffff0u);
	step(t);
	t = begin(1000, 0);
	row(t, 1, B, 0x10);
	if (limited)
		row(t, 1, LIMIT, limit);
	step(t);
}

static void test_wrap_32_needs_a_limit_that_allows_it(void **state)
{
	wrap32(true, 1000);
	expect_diff(0, B, 0x20);
	teardown(state);
	setup(state);
	wrap32(true, 0x1f);
	expect_absent(0, B, REASON_RESET);
	teardown(state);
	setup(state);
	wrap32(false, 0);
	expect_absent(0, B, REASON_RESET);
}

static void test_wrap_range(void **state)
{
	(void)state;
	one(0, MS, (1ull << 32) - 10);
	one(1000, MS, 5);
	expect_diff(0, MS, 15);
	one(2000, MS, 1ull << 20);
	one(3000, MS, 0); /* would be more than half of the range */
	expect_absent(0, MS, REASON_RESET);
}

static void test_wrap_column_each_row_its_own(void **state)
{
	static const u64 range[] = {262143328850ull, 65712999613ull};

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct table *t = begin(i * 1000, 0);

		for (u32 k = 0; k < 2; k++) {
			row(t, k, RANGE, range[k]);
			row(t, k, UJ, i ? 500 : range[k] - 1000);
		}
		row(t, 2, UJ, i ? 500 : 1000); /* range unreadable */
		step(t);
	}
	expect_diff(0, UJ, 1500);
	expect_diff(1, UJ, 1500);
	expect_absent(2, UJ, REASON_RESET);
}

static void test_wrap_column_figures(void **state)
{
	static const u64 before[] = {1000000000, 65712000000}, after[] = {1030000000, 4000387};

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct table *t = begin(i * 1000, 0);

		for (u32 k = 0; k < 2; k++) {
			row(t, k, RANGE, k ? 65712999613ull : 262143328850ull);
			row(t, k, UJ, i ? after[k] : before[k]);
		}
		step(t);
	}
	expect_diff(0, UJ, 30000000);
	expect_diff(1, UJ, 5000000);
}

static void test_step_back_is_held_at_the_largest(void **state)
{
	(void)state;
	one(0, HELD, 10944650);
	one(1000, HELD, 10944648);
	expect_diff(0, HELD, 0);
	assert_int_equal(cell_state(d.frame.cell[HELD][0]), CELL_HELD);
	assert_int_equal(d.now->col[HELD][0], 10944650);
	one(2000, HELD, 10944653);
	expect_diff(0, HELD, 3);
	one(3000, HELD, 10944653 - 301);
	expect_absent(0, HELD, REASON_RESET);
}

static void test_row_goes_and_comes_back_by_key(void **state)
{
	struct table *t;

	(void)state;
	for (u32 i = 0; i < 4; i++) {
		t = begin(i * 1000, 0);
		row(t, 0, A, i);
		if (i != 1)
			row(t, 1, A, 1000 + i);
		row(t, 2, A, 100 + 10 * i);
		step(t);
		if (i == 1) { /* the one that left hides nothing of the others */
			expect_diff(1, A, 10);
			expect_diff(ROW_TOTAL, A, 11);
		} else if (i == 2) {
			expect_absent(1, A, REASON_FIRST);
			expect_diff(2, A, 10);
		}
	}
	expect_diff(1, A, 1);
	expect_diff(ROW_TOTAL, A, 12);
}

static void test_suspend_is_a_gap(void **state)
{
	struct table *t;

	(void)state;
	one(0, A, 1);
	t = begin(1000, 5000);
	row(t, 1, A, 9);
	step(t);
	expect_absent(0, A, REASON_SUSPEND);
	t = begin(2000, 5000);
	row(t, 1, A, 11);
	step(t);
	expect_diff(0, A, 2);
}

static void birth(bool partial, u64 born_ms)
{
	struct table *t = begin(1000, 0);

	t->partial = partial;
	step(t);
	t = begin(2000, 0);
	row(t, 1, A, 42);
	row(t, 1, BORN, born_ms * NSEC_PER_MSEC);
	step(t);
}

static void test_births(void **state)
{
	birth(false, 1500);
	expect_diff(0, A, 42);
	teardown(state);
	setup(state);
	birth(false, 500);
	expect_absent(0, A, REASON_FIRST);
	teardown(state);
	setup(state);
	birth(true, 1500);
	expect_absent(0, A, REASON_FIRST);
}

static void test_failure_keeps_the_baseline(void **state)
{
	struct stamp at = {.mono_ns = 2 * NSEC_PER_SEC};

	(void)state;
	one(0, A, 1);
	one(1000, A, 5);
	delta_repeat(&d, &at);
	assert_false(d.frame.fresh);
	expect_diff(0, A, 4);
	delta_fail(&d, REASON_ERROR);
	expect_absent(0, A, REASON_ERROR);
	expect_absent(ROW_TOTAL, A, REASON_ERROR);
	one(3000, A, 11);
	expect_diff(0, A, 6);
	assert_int_equal(frame_window_ns(&d.frame, 0), 2 * NSEC_PER_SEC);
}

static void walk(u32 seed)
{
	u64 raw = 7, ms = 0, sum = 0, diff;

	srandom(seed);
	one(ms, A, raw);
	for (u32 i = 0; i < 300; i++) {
		ms += 1 + (u64)random() % 120;
		raw += (u64)random() % 1000;
		one(ms, A, raw);
		if (frame_diff(&d.frame, 0, A, &diff))
			sum += diff;
	}
	one(ms + 60, A, raw);
	assert_true(frame_diff(&d.frame, 0, A, &diff));
	assert_int_equal(sum + diff, raw - 7);
}

static void test_diffs_add_up_whatever_the_ticks(void **state)
{
	for (u32 seed = 1; seed <= 50; seed++) {
		teardown(state);
		setup(state);
		walk(seed);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_first_then_value),
		T(test_fast_caller_accumulates_a_window),
		T(test_reset_takes_the_whole_row),
		T(test_wrap_32_needs_a_limit_that_allows_it),
		T(test_wrap_range),
		T(test_wrap_column_each_row_its_own),
		T(test_wrap_column_figures),
		T(test_step_back_is_held_at_the_largest),
		T(test_row_goes_and_comes_back_by_key),
		T(test_suspend_is_a_gap),
		T(test_births),
		T(test_failure_keeps_the_baseline),
		T(test_diffs_add_up_whatever_the_ticks),
	};

	return cmocka_run_group_tests_name("delta", tests, NULL, NULL);
}
