#include "test.h"

#include "fake.h"
#include "tui/graph.h"

static struct fake m;
static struct history *h;
static int series;
static struct grid g;

static void start(void)
{
	fake_init(&m, 1, NULL, 0);
	assert_int_equal(history_new(&h, 64, 2), 0);
	series = history_watch(h, "network", true, 0, "rx");
	assert_true(series >= 0);
	grid_init(&g);
	grid_resize(&g, GRAPH_GUTTER + 20, 4);
}

static void stop(void)
{
	grid_fini(&g);
	history_free(h);
	fake_fini(&m);
}

static void draw(enum charset charset, u64 until)
{
	struct graph graph = {h, series, until, "NET", UNIT_BYTES};

	grid_clear(&g);
	graph_draw(&g, 0, 0, g.cols, g.rows, &graph, charset);
}

static void test_scale_is_round(void **state)
{
	(void)state;
	assert_true(graph_scale(UNIT_RATIO, 3) == 100);
	assert_true(graph_scale(UNIT_BYTES, 3000) == 5 * 1024);
	assert_true(graph_scale(UNIT_UJ, 2100) == 5000);
	assert_true(graph_scale(UNIT_UJ, 0) == 1);
	assert_true(graph_scale(UNIT_BYTES, 700 * 1024) == 1024 * 1024);
}

/* One sample is one column: a tick moves every column one to the left and changes none. */
static void test_scrolls_by_one_column_a_sample(void **state)
{
	u32 before[20];

	(void)state;
	start();
	for (u32 i = 0; i < 30; i++) {
		m.scale = 100;
		history_push(h, fake_tick(&m, i == 25 ? 9 * NSEC_PER_SEC : 0));
	}
	draw(CHARSET_BLOCK, 0);
	for (u32 x = 0; x < 20; x++)
		before[x] = g.cell[2 * g.cols + GRAPH_GUTTER + x].cp[0];
	/* the suspend is a blank column, 30 - 25 from the right */
	assert_int_equal(before[15], ' ');
	assert_int_not_equal(before[14], ' ');
	assert_int_not_equal(before[16], ' ');
	history_push(h, fake_tick(&m, 0));
	draw(CHARSET_BLOCK, 0);
	for (u32 x = 0; x + 1 < 20; x++)
		assert_int_equal(g.cell[2 * g.cols + GRAPH_GUTTER + x].cp[0], before[x + 1]);
	/* as it was a second ago */
	draw(CHARSET_BLOCK, m.at.mono_ns - NSEC_PER_SEC);
	for (u32 x = 0; x < 20; x++)
		assert_int_equal(g.cell[2 * g.cols + GRAPH_GUTTER + x].cp[0], before[x]);
	stop();
}

static void test_character_sets(void **state)
{
	(void)state;
	start();
	for (u32 i = 0; i < 30; i++)
		history_push(h, fake_tick(&m, 0));
	draw(CHARSET_BRAILLE, 0);
	assert_in_range(g.cell[2 * g.cols + g.cols - 1].cp[0], 0x2800, 0x28ff);
	/* two samples a cell: 30 samples but the first are 14 cells and a half */
	assert_int_equal(g.cell[2 * g.cols + GRAPH_GUTTER + 4].cp[0], ' ');
	draw(CHARSET_ASCII, 0);
	for (u32 x = GRAPH_GUTTER; x < g.cols; x++)
		for (u32 y = 0; y < 3; y++)
			assert_true(g.cell[y * g.cols + x].cp[0] < 0x80);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scale_is_round),
		cmocka_unit_test(test_scrolls_by_one_column_a_sample),
		cmocka_unit_test(test_character_sets),
	};

	return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
