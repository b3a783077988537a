/* Rows under keys, text in the arena, copies that stand alone. */
#include "test.h"

#include <string.h>

#include "core/table.h"

static const struct column columns[] = {
	{.name = "v", .unit = UNIT_COUNT, .kind = COLUMN_GAUGE},
	{.name = "name", .unit = UNIT_TEXT, .kind = COLUMN_TEXT},
};
static const struct schema schema = {.name = "t",
	.title = "T",
	.ncolumns = 2,
	.columns = columns,
	.label_column = 1,
	.birth_column = -1,
	.counted_column = -1};
static const struct stamp at = {5, 6, 7};

static void fill(struct table *t, u32 n)
{
	table_begin(t, &at, ~0ull);
	for (u32 i = 0; i < n; i++) {
		u64 key = (u64)i * 7919 % n;
		int row = table_row(t, key);

		assert_true(row >= 0);
		table_set(t, (u32)row, 0, key * 3);
		assert_int_equal(table_set_text(t, (u32)row, 1, (char *)&key, sizeof(key)), 0);
	}
	table_end(t);
}

static void test_rows_are_sorted_with_their_cells(void **state)
{
	struct table t, copy;
	u32 len;

	(void)state;
	table_init(&t, &schema);
	table_init(&copy, &schema);
	fill(&t, 1000);
	assert_int_equal(table_copy(&copy, &t), 0);
	table_fini(&t);
	assert_int_equal(copy.n, 1000);
	assert_int_equal(copy.seq, 1);
	for (u64 key = 0; key < 1000; key++) {
		assert_int_equal(table_find(&copy, key), key);
		assert_int_equal(copy.col[0][key], key * 3);
		assert_memory_equal(table_get_text(&copy, (u32)key, 1, &len), &key, sizeof(key));
		assert_int_equal(len, sizeof(key));
	}
	assert_int_equal(table_find(&copy, 1000), -1);
	table_fini(&copy);
}

static void test_not_asked_and_seq(void **state)
{
	struct table t;

	(void)state;
	table_init(&t, &schema);
	table_begin(&t, &at, column_bit(1));
	table_row(&t, 4);
	table_row(&t, 4);
	assert_int_equal(t.seq, 0);
	table_end(&t);
	assert_int_equal(t.seq, 1);
	assert_int_equal(t.n, 1);
	assert_int_equal(cell_reason(t.cell[0][0]), REASON_NOT_ASKED);
	assert_int_equal(cell_reason(t.cell[1][0]), REASON_UNSUPPORTED);
	table_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_sorted_with_their_cells),
		cmocka_unit_test(test_not_asked_and_seq),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
