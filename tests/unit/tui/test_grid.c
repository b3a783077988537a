#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "tui/grid.h"

static struct grid g;

static int setup(void **state)
{
	(void)state;
	grid_init(&g);
	return grid_resize(&g, 10, 2);
}

static int teardown(void **state)
{
	(void)state;
	grid_fini(&g);
	return 0;
}

static void expect(const char *text)
{
	char *got = grid_to_text(&g);

	assert_string_equal(got, text);
	free(got);
}

static void test_text_is_made_safe(void **state)
{
	static const char evil[] = "a\x1b[2J\x9b\xc2\x9b\x7f\n";

	(void)state;
	assert_int_equal(grid_text(&g, 0, 0, 10, ROLE_NORMAL, evil, sizeof(evil) - 1), 9);
	expect("a?[2J????\n\n");
}

static void test_wide_and_combining_keep_columns(void **state)
{
	(void)state;
	assert_int_equal(grid_str(&g, 0, 0, 10, ROLE_NORMAL, "日e\xcc\x81x"), 4);
	grid_str(&g, 4, 0, 10, ROLE_NORMAL, "|");
	expect("日e\xcc\x81x|\n\n");
	assert_int_equal(g.cell[1].width, 0);
	assert_int_equal(g.cell[2].cp[1], 0x301);
}

static void test_no_half_characters(void **state)
{
	(void)state;
	/* at the edge there is no room for the second half */
	assert_int_equal(grid_str(&g, 7, 0, 8, ROLE_NORMAL, "日"), 7);
	/* one half overwritten: the other goes too */
	grid_str(&g, 0, 1, 10, ROLE_NORMAL, "日本");
	grid_put(&g, 1, 1, ROLE_NORMAL, 'x');
	grid_put(&g, 2, 1, ROLE_NORMAL, 'y');
	expect("\n xy\n");
	for (u32 i = 0; i < 20; i++)
		assert_int_equal(g.cell[i].width, 1);
}

static void test_out_of_range_is_ignored(void **state)
{
	(void)state;
	grid_put(&g, 10, 0, ROLE_NORMAL, 'x');
	grid_put(&g, 0, 2, ROLE_NORMAL, 'x');
	grid_fill(&g, 8, 1, 100, ROLE_DIM, '#');
	grid_role(&g, 0, 7, 3, ROLE_DIM);
	assert_int_equal(grid_str(&g, 30, 0, 99, ROLE_NORMAL, "x"), 30);
	expect("\n        ##\n");
	assert_int_equal(grid_resize(&g, 0, 0), 0);
	assert_int_equal(g.cols, 1);
	assert_int_equal(grid_resize(&g, 5000, 1), 0);
	assert_int_equal(g.cols, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_text_is_made_safe, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_wide_and_combining_keep_columns, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_half_characters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_out_of_range_is_ignored, setup, teardown),
	};

	return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
