/* History: one point a reading, gaps kept, series that make way. */
#include "test.h"

#include "core/delta.h"
#include "core/history.h"

enum { USED, READS, DOUBLE };

static u8 doubled(const struct frame_table *t, u32 row, double *out)
{
	if (!frame_num(t, row, USED, out))
		return REASON_UNKNOWN;
	*out *= 2;
	return REASON_NONE;
}

static const struct column columns[] = {
	[USED] = {.name = "used", .unit = UNIT_BYTES, .kind = COLUMN_GAUGE, .total = TOTAL_SUM},
	[READS] = {.name = "reads", .unit = UNIT_COUNT, .kind = COLUMN_COUNTER, .total = TOTAL_SUM},
	[DOUBLE] = {.name = "double",
		.unit = UNIT_BYTES,
		.kind = COLUMN_DERIVED,
		.total = TOTAL_SUM,
		.derive = doubled},
};
static const struct schema schema = {.name = "t",
	.title = "T",
	.ncolumns = ARRAY_LEN(columns),
	.columns = columns,
	.label_column = -1,
	.birth_column = -1,
	.counted_column = -1};

static struct delta d;
static struct history *h;
static const struct frame_table *const tables[] = {&d.frame};
static struct frame frame = {.ntables = 1, .tables = tables};

static int setup(void **state)
{
	(void)state;
	h = NULL;
	return delta_init(&d, &schema);
}

static int teardown(void **state)
{
	(void)state;
	history_free(h);
	delta_fini(&d);
	return 0;
}

/* A reading with rows 1 … n: used = 100 · key + ms, reads = key · ms. */
static void tick(u64 ms, u32 n)
{
	struct stamp at = {.mono_ns = ms * NSEC_PER_MSEC, .boot_ns = ms * NSEC_PER_MSEC};
	struct table *t = delta_spare(&d);

	table_begin(t, &at, ~0ull);
	for (u32 key = 1; key <= n; key++) {
		int row = table_row(t, key);

		table_set(t, (u32)row, USED, 100 * key + ms);
		table_set(t, (u32)row, READS, key * ms);
	}
	table_end(t);
	assert_int_equal(delta_step(&d), 0);
	frame.at = at;
	frame.seq++;
	history_push(h, &frame);
}

static void test_points_with_their_windows(void **state)
{
	struct history_point p;
	int total, row, derived;

	(void)state;
	assert_int_equal(history_new(&h, 8, 3), 0);
	total = history_watch(h, "t", true, 77, "reads");
	row = history_watch(h, "t", false, 2, "used");
	derived = history_watch(h, "t", false, 1, "double");
	assert_int_equal(history_len(h, total), 0);
	assert_false(history_at(h, total, 0, &p));
	tick(1000, 2);
	assert_true(history_at(h, total, 0, &p));
	assert_int_equal(cell_state(p.cell), CELL_ABSENT);
	assert_int_equal(cell_reason(p.cell), REASON_FIRST);
	tick(2000, 2);
	tick(2500, 2);
	assert_int_equal(history_len(h, total), 3);
	assert_true(history_at(h, total, 0, &p));
	assert_int_equal(p.window_ns, 500 * NSEC_PER_MSEC);
	assert_int_equal(p.end_mono_ns, 2500 * NSEC_PER_MSEC);
	assert_float_equal(p.num, 3000, 1e-3);
	assert_true(history_at(h, total, 1, &p));
	assert_int_equal(p.window_ns, NSEC_PER_SEC);
	assert_true(history_at(h, row, 1, &p));
	assert_float_equal(p.num, 2200, 1e-3);
	assert_true(history_at(h, derived, 0, &p));
	assert_float_equal(p.num, 5200, 1e-3);
	assert_false(history_at(h, row, 3, &p));
}

static void test_one_reading_counts_once(void **state)
{
	struct stamp later = {.mono_ns = 3 * NSEC_PER_SEC};
	int s;

	(void)state;
	assert_int_equal(history_new(&h, 8, 1), 0);
	s = history_watch(h, "t", true, 0, "used");
	tick(1000, 1);
	tick(2000, 1);
	history_push(h, &frame); /* the very same frame */
	delta_repeat(&d, &later);
	history_push(h, &frame); /* a slow source that is late */
	assert_int_equal(history_len(h, s), 2);
	tick(4000, 1);
	assert_int_equal(history_len(h, s), 3);
	/* nor does it begin with a reading of before */
	delta_repeat(&d, &later);
	s = history_watch(h, "t", true, 0, "reads");
	history_push(h, &frame);
	assert_int_equal(history_len(h, s), 0);
}

static void test_row_that_is_not_there(void **state)
{
	struct history_point p;
	int s, none, missing;

	(void)state;
	assert_int_equal(history_new(&h, 8, 3), 0);
	s = history_watch(h, "t", false, 2, "used");
	none = history_watch(h, "t", false, 2, "no_such");
	missing = history_watch(h, "no_such", true, 0, "used");
	for (u32 i = 1; i <= 4; i++)
		tick(1000 * i, i == 3 ? 1 : 2);
	assert_int_equal(history_len(h, s), 4);
	assert_true(history_at(h, s, 1, &p));
	assert_int_equal(cell_state(p.cell), CELL_ABSENT);
	assert_int_equal(cell_reason(p.cell), REASON_OFFLINE);
	assert_int_equal(p.end_mono_ns, 3 * NSEC_PER_SEC);
	assert_true(history_at(h, s, 0, &p));
	assert_int_equal(cell_state(p.cell), CELL_VALUE);
	assert_float_equal(p.num, 4200, 1e-3);
	assert_true(history_at(h, none, 0, &p));
	assert_int_equal(cell_reason(p.cell), REASON_UNSUPPORTED);
	assert_int_equal(history_len(h, missing), 0);
}

static void test_ring_keeps_the_newest(void **state)
{
	struct history_point p;
	int s;

	(void)state;
	assert_int_equal(history_new(&h, 4, 1), 0);
	s = history_watch(h, "t", false, 1, "used");
	for (u32 i = 1; i <= 11; i++)
		tick(1000 * i, 1);
	assert_int_equal(history_len(h, s), 4);
	for (u32 back = 0; back < 4; back++) {
		assert_true(history_at(h, s, back, &p));
		assert_int_equal(p.end_mono_ns, (11 - back) * NSEC_PER_SEC);
	}
	assert_false(history_at(h, s, 4, &p));
}

static void test_watching_again_keeps(void **state)
{
	int a, b;

	(void)state;
	assert_int_equal(history_new(&h, 8, 2), 0);
	a = history_watch(h, "t", true, 1, "used");
	b = history_watch(h, "t", false, 1, "used");
	assert_int_not_equal(a, b);
	tick(1000, 1);
	assert_int_equal(history_watch(h, "t", true, 2, "used"), a);
	assert_int_equal(history_len(h, a), 1);
}

static void test_least_recently_watched_makes_way(void **state)
{
	struct history_point p;
	int a, b, c;

	(void)state;
	assert_int_equal(history_new(&h, 8, 2), 0);
	a = history_watch(h, "t", false, 1, "used");
	b = history_watch(h, "t", false, 2, "used");
	tick(1000, 2);
	assert_int_equal(history_watch(h, "t", false, 1, "used"), a);
	c = history_watch(h, "t", false, 1, "reads");
	assert_true(c >= 0);
	assert_int_equal(history_len(h, a), 1);
	assert_int_equal(history_len(h, c), 0);
	/* the old handle is empty, not the new series under another name */
	tick(2000, 2);
	assert_int_equal(history_len(h, b), 0);
	assert_false(history_at(h, b, 0, &p));
	assert_int_equal(history_len(h, c), 1);
	for (u32 i = 0; i < 1000; i++) {
		int again = history_watch(h, "t", false, i, "reads");

		assert_true(again >= 0);
		assert_int_equal(history_len(h, b), 0);
	}
}

static void test_limits(void **state)
{
	(void)state;
	assert_int_not_equal(history_new(&h, 0, 1), 0);
	assert_null(h);
	assert_int_equal(history_new(&h, 1, 0), 0);
	assert_true(history_watch(h, "t", true, 0, "used") < 0);
	assert_int_equal(history_len(h, 0), 0);
	assert_int_equal(history_len(h, -1), 0);
	history_free(h);
	assert_int_equal(history_new(&h, 1, 1), 0);
	assert_true(
		history_watch(h, "a_name_that_is_much_longer_than_any_table", true, 0, "x") < 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_points_with_their_windows),
		T(test_one_reading_counts_once),
		T(test_row_that_is_not_there),
		T(test_ring_keeps_the_newest),
		T(test_watching_again_keeps),
		T(test_least_recently_watched_makes_way),
		T(test_limits),
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
