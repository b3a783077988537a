/* No blind time: a burst of 40 ms reaches the frames whole, at whatever phase of the tick. */
#include "test.h"

#include <poll.h>

#include "core/engine.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bursts_reach_the_frames_whole)};

	return cmocka_run_group_tests_name("coverage", tests, NULL, NULL);
}
