/* A source that hangs on a pipe: the tick goes on, nothing piles up, closing does not wait. */
#include "entries.h"
#include "test.h"

#include <errno.h>
#include <unistd.h>

#include "core/engine.h"

static int gate[2];

static const struct column columns[] = {
	{.name = "v", .unit = UNIT_COUNT, .kind = COLUMN_GAUGE, .total = TOTAL_SUM},
};
#define SCHEMA(n)                                                                             \
	{                                                                                     \
		.name = n, .title = n, .ncolumns = 1, .columns = columns, .label_column = -1, \
		.birth_column = -1, .counted_column = -1                                      \
	}
static const struct schema slow_schema = SCHEMA("slow"), fast_schema = SCHEMA("fast");

struct source {
	const struct source_env *env;
};
static struct source slow_self, fast_self;

static int slow_open(struct source **out, const struct source_env *env)
{
	slow_self.env = env;
	*out = &slow_self;
	return 0;
}

static int fast_open(struct source **out, const struct source_env *env)
{
	fast_self.env = env;
	*out = &fast_self;
	return 0;
}

static int fill(struct source *self, struct table *out, u64 need)
{
	struct stamp at;

	clock_read(self->env->clock, &at);
	table_begin(out, &at, need);
	table_set(out, (u32)table_row(out, 1), 0, 7);
	return table_end(out);
}

static int slow_read(struct source *self, struct table *out, u64 need)
{
	char byte;

	return read(gate[0], &byte, 1) == 1 ? fill(self, out, need) : -EIO;
}

static void fake_close(struct source *self)
{
	(void)self;
}

static const struct source_ops slow_ops = {.schema = &slow_schema,
	.open = slow_open,
	.read = slow_read,
	.close = fake_close,
	.period_ns = NSEC_PER_MSEC,
	.slow = true};
static const struct source_ops fast_ops = {
	.schema = &fast_schema, .open = fast_open, .read = fill, .close = fake_close};

static void test_hang(void **state)
{
	const struct source_ops *const list[] = {&slow_ops, &fast_ops, NULL};
	const struct frame *frame;
	const struct frame_table *slow;
	struct engine *e;
	struct root root;
	struct clock clock;
	struct err err;
	struct stamp from, to;
	u32 fds, threads;
	u64 seq = 0;

	(void)state;
	assert_int_equal(pipe(gate), 0);
	clock_init(&clock);
	assert_int_equal(root_init(&root, NULL, &clock, &err), 0);
	struct engine_config config = {
		.root = &root, .clock = &clock, .sources = list, .interval_ns = NSEC_PER_MSEC};
	assert_int_equal(engine_open(&e, &config, &err), 0);
	assert_int_equal(engine_tick(e, &frame), 0);
	slow = frame_find(frame, "slow");
	assert_int_equal(slow->gap, REASON_STARTING);
	assert_false(slow->fresh);
	/* one reading for the request, one that begins after the call */
	assert_int_equal(write(gate[1], "xx", 2), 2);
	assert_true(engine_wait_slow(e, 5 * NSEC_PER_SEC));
	assert_int_equal(engine_tick(e, &frame), 0);
	assert_true(slow->fresh);
	assert_int_equal(slow->n, 1);
	fds = entries("/proc/self/fd");
	threads = entries("/proc/self/task");
	for (u32 i = 0; i < 50; i++) {
		usleep(1000);
		assert_int_equal(engine_tick(e, &frame), 0);
		assert_true(frame_find(frame, "fast")->fresh);
		if (i < 25) { /* the reading asked for by the first tick may still come in */
			seq = slow->seq;
			continue;
		}
		/* a late reading counts once and is seen to be old */
		assert_false(slow->fresh);
		assert_int_equal(slow->seq, seq);
		assert_true(slow->stale);
	}
	assert_int_equal(entries("/proc/self/fd"), fds);
	assert_int_equal(entries("/proc/self/task"), threads);
	clock_read(&clock, &from);
	engine_close(e);
	clock_read(&clock, &to);
	assert_true(to.mono_ns - from.mono_ns < 100 * NSEC_PER_MSEC);
	/* the one left behind comes back and goes, with what it held */
	assert_int_equal(write(gate[1], "x", 1), 1);
	for (u32 i = 0; i < 2000 && entries("/proc/self/task") >= threads; i++)
		usleep(1000);
	assert_int_equal(entries("/proc/self/task"), threads - 1);
	root_fini(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_hang)};

	return cmocka_run_group_tests_name("slow", tests, NULL, NULL);
}
