/* No blind time: a burst of 40 ms reaches the frames whole, at whatever phase of the tick. */
#include "test.h"

#include <poll.h>

#include "core/cadence.h"
#include "core/engine.h"
#include "core/history.h"

#define TICK_NS  (250 * NSEC_PER_MSEC)
#define BURST_NS (40 * NSEC_PER_MSEC)

static const struct column columns[] = {
	{.name = "cpu", .unit = UNIT_NS, .kind = COLUMN_COUNTER, .total = TOTAL_SUM},
};
static const struct schema schema = {.name = "own",
	.title = "Own",
	.ncolumns = 1,
	.columns = columns,
	.label_column = -1,
	.birth_column = -1,
	.counted_column = -1};

struct source {
	const struct source_env *env;
};
static struct source self_;
static u64 newest;

static int own_open(struct source **out, const struct source_env *env)
{
	self_.env = env;
	*out = &self_;
	return 0;
}

static int own_read(struct source *self, struct table *out, u64 need)
{
	struct stamp at;

	clock_read(self->env->clock, &at);
	table_begin(out, &at, need);
	newest = clock_process_cpu_ns();
	table_set(out, (u32)table_row(out, 1), 0, newest);
	return table_end(out);
}

static void own_close(struct source *self)
{
	(void)self;
}

static const struct source_ops own = {
	.schema = &schema, .open = own_open, .read = own_read, .close = own_close};

static void burst(void)
{
	u64 from = clock_thread_cpu_ns();

	while (clock_thread_cpu_ns() - from < BURST_NS)
		;
}

static void test_bursts_reach_the_frames_whole(void **state)
{
	const struct source_ops *const list[] = {&own, NULL};
	struct clock clock;
	struct root root;
	struct err err;
	struct engine *e;
	const struct frame *frame;
	u64 sum = 0, first, to;

	(void)state;
	clock_init(&clock);
	assert_int_equal(root_init(&root, NULL, &clock, &err), 0);
	struct engine_config config = {
		.root = &root, .clock = &clock, .sources = list, .interval_ns = TICK_NS};
	assert_int_equal(engine_open(&e, &config, &err), 0);
	assert_int_equal(engine_start(e), 0);
	assert_int_equal(engine_tick(e, &frame), 0);
	first = newest;
	to = frame->tables[0]->to.mono_ns;
	for (u32 i = 0; i <= 10; i++) {
		struct pollfd p = {.fd = engine_fd(e), .events = POLLIN};
		u64 diff;

		assert_int_equal(poll(&p, 1, 5000), 1);
		assert_true(engine_expired(e) > 0);
		assert_int_equal(engine_tick(e, &frame), 0);
		assert_true(frame_diff(frame->tables[0], 0, 0, &diff));
		assert_int_equal(frame->tables[0]->from.mono_ns, to);
		assert_true(frame->tables[0]->to.mono_ns > to);
		to = frame->tables[0]->to.mono_ns;
		sum += diff;
		if (i == 10)
			break;
		poll(NULL, 0, (int)i * 25);
		burst();
	}
	assert_int_equal(sum, newest - first);
	assert_true(sum >= 10 * BURST_NS);
	engine_close(e);
	root_fini(&root);
}

/* Of the first ten seconds each point is a window of its own, next to the one before: no repeated values, no
 * gap, and together they are all that happened. */
static void test_first_ten_seconds_of_history(void **state)
{
	const struct source_ops *const list[] = {&own, NULL};
	struct stamp at = {.mono_ns = 5 * NSEC_PER_SEC, .boot_ns = 5 * NSEC_PER_SEC};
	struct history_point p, before = {0};
	struct clock clock;
	struct root root;
	struct err err;
	struct engine *e;
	struct history *h;
	const struct frame *frame;
	double sum = 0;
	u64 first = 0;
	u32 repeated = 0;
	int series;

	(void)state;
	clock_init(&clock);
	assert_int_equal(root_init(&root, NULL, &clock, &err), 0);
	clock_script(&clock, &at);
	struct engine_config config = {
		.root = &root, .clock = &clock, .sources = list, .interval_ns = NSEC_PER_SEC};
	assert_int_equal(engine_open(&e, &config, &err), 0);
	assert_int_equal(history_new(&h, 64, 4), 0);
	series = history_watch(h, "own", false, 1, "cpu");
	assert_true(series >= 0);
	/* the baseline, the first real frame after 100 ms, then one a second */
	for (u32 i = 0; i <= 11; i++) {
		if (i)
			at.mono_ns += i == 1 ? FIRST_WINDOW_NS : NSEC_PER_SEC;
		at.boot_ns = at.mono_ns;
		clock_script(&clock, &at);
		burst();
		assert_int_equal(engine_tick(e, &frame), 0);
		history_push(h, frame);
		if (!i)
			first = newest;
	}
	assert_int_equal(history_len(h, series), 12);
	for (u32 back = 11; back-- > 0;) {
		assert_true(history_at(h, series, back, &p));
		assert_int_equal(cell_state(p.cell), CELL_VALUE);
		if (back < 10) {
			assert_int_equal(p.end_mono_ns - p.window_ns, before.end_mono_ns);
			repeated += p.num == before.num;
		} else {
			assert_int_equal(p.window_ns, FIRST_WINDOW_NS);
		}
		sum += (double)p.num / 100 * (double)p.window_ns;
		before = p;
	}
	/* two bursts may take the same time by chance */
	assert_true(repeated <= 2);
	assert_true(history_at(h, series, 11, &p));
	assert_int_equal(cell_reason(p.cell), REASON_FIRST);
	assert_true(
		sum > 0.999 * (double)(newest - first) && sum < 1.001 * (double)(newest - first));
	history_free(h);
	engine_close(e);
	root_fini(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bursts_reach_the_frames_whole),
		cmocka_unit_test(test_first_ten_seconds_of_history)};

	return cmocka_run_group_tests_name("coverage", tests, NULL, NULL);
}
