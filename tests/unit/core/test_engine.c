/* The tick with scripted sources: failures, absence, one frame for all, the schedule. */
#include "test.h"

#include <errno.h>
#include <poll.h>

#include "core/cadence.h"
#include "core/engine.h"

static const struct column columns[] = {
	{.name = "c", .unit = UNIT_COUNT, .kind = COLUMN_COUNTER, .total = TOTAL_SUM},
};
static const struct schema schema = {.name = "fake",
	.title = "Fake",
	.ncolumns = 1,
	.columns = columns,
	.label_column = -1,
	.birth_column = -1,
	.counted_column = -1};
static struct schema other_schema;

struct source {
	const struct source_env *env;
};
static struct source self_;
static u64 value;
static int fails;

static int fake_open(struct source **out, const struct source_env *env)
{
	self_.env = env;
	*out = &self_;
	return 0;
}

static int no_open(struct source **out, const struct source_env *env)
{
	(void)out;
	(void)env;
	return -EACCES;
}

static int fake_read(struct source *self, struct table *out, u64 need)
{
	struct stamp at;

	if (fails)
		return fails;
	clock_read(self->env->clock, &at);
	table_begin(out, &at, need);
	table_set(out, (u32)table_row(out, 1), 0, value);
	return table_end(out);
}

static void fake_close(struct source *self)
{
	(void)self;
}

static const struct source_ops fake = {
	.schema = &schema, .open = fake_open, .read = fake_read, .close = fake_close};
static const struct source_ops denied = {
	.schema = &other_schema, .open = no_open, .read = fake_read, .close = fake_close};
static const struct source_ops optional = {.schema = &other_schema,
	.open = fake_open,
	.read = fake_read,
	.close = fake_close,
	.optional = true};

static struct engine *e;
static struct root root;
static struct clock clock_;

static void start(const struct source_ops *second, const char *const *include)
{
	static const struct source_ops *list[3];
	struct err err;
	struct engine_config config = {.root = &root,
		.clock = &clock_,
		.sources = list,
		.interval_ns = NSEC_PER_SEC,
		.include = include};

	other_schema = schema;
	other_schema.name = "other";
	fails = 0;
	list[0] = &fake;
	list[1] = second;
	clock_init(&clock_);
	assert_int_equal(root_init(&root, NULL, &clock_, &err), 0);
	assert_int_equal(engine_open(&e, &config, &err), 0);
}

static void finish(void)
{
	engine_close(e);
	root_fini(&root);
}

static const struct frame *tick(u64 ms, u64 boot_ms, u64 raw)
{
	struct stamp at = {ms * NSEC_PER_MSEC, boot_ms * NSEC_PER_MSEC, 0};
	const struct frame *frame;

	clock_script(&clock_, &at);
	value = raw;
	assert_int_equal(engine_tick(e, &frame), 0);
	assert_ptr_equal(frame, engine_frame(e));
	return frame;
}

static void test_failing_read(void **state)
{
	const struct frame *f;
	u64 diff;
	u32 n;

	(void)state;
	start(NULL, NULL);
	assert_null(engine_frame(e));
	tick(1000, 1000, 10);
	f = tick(2000, 2000, 15);
	assert_true(frame_diff(f->tables[0], 0, 0, &diff));
	assert_int_equal(diff, 5);
	fails = -EIO;
	f = tick(3000, 3000, 0);
	assert_false(f->tables[0]->fresh);
	assert_int_equal(f->tables[0]->gap, REASON_ERROR);
	assert_int_equal(engine_costs(e, &n)->errors, 1);
	assert_int_equal(n, 1);
	fails = 0;
	f = tick(4000, 4000, 22);
	assert_true(frame_diff(f->tables[0], 0, 0, &diff));
	assert_int_equal(diff, 7);
	finish();
}

static void test_suspend_and_long_window_are_gaps(void **state)
{
	(void)state;
	start(NULL, NULL);
	tick(1000, 1000, 0);
	assert_int_equal(tick(2000, 2000, 0)->gaps, 0);
	assert_int_equal(tick(3000, 9000, 0)->gaps, 1);
	assert_int_equal(tick(5000, 11000, 0)->gaps, 2);
	finish();
}

static void test_absent_and_optional(void **state)
{
	static const char *const both[] = {"fake", "other", NULL};
	const char *name;
	enum reason reason;

	(void)state;
	start(&denied, NULL);
	assert_true(engine_absent(e, 0, &name, &reason));
	assert_string_equal(name, "other");
	assert_int_equal(reason, REASON_PERMISSION);
	assert_false(engine_absent(e, 1, &name, &reason));
	finish();
	start(&optional, NULL);
	assert_null(frame_find(tick(1, 1, 0), "other"));
	finish();
	start(&optional, both);
	assert_non_null(frame_find(tick(1, 1, 0), "other"));
	finish();
}

static void test_schedule(void **state)
{
	struct stamp from, to;
	const struct frame *frame;
	struct pollfd p;

	(void)state;
	start(NULL, NULL);
	assert_int_equal(engine_start(e), 0);
	assert_int_equal(engine_set_interval(e, 100 * NSEC_PER_MSEC), 0);
	clock_read(&clock_, &from);
	assert_int_equal(engine_tick(e, &frame), 0);
	p = (struct pollfd){.fd = engine_fd(e), .events = POLLIN};
	assert_int_equal(engine_expired(e), 0);
	for (u32 i = 1; i <= 3; i++) {
		assert_int_equal(poll(&p, 1, 5000), 1);
		clock_read(&clock_, &to);
		assert_true(to.mono_ns - from.mono_ns >= i * FIRST_WINDOW_NS);
		assert_true(engine_expired(e) >= 1);
	}
	poll(NULL, 0, 250);
	assert_true(engine_expired(e) >= 2);
	assert_int_equal(engine_tick(e, &frame), 0);
	assert_true(frame->missed >= 1);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failing_read),
		cmocka_unit_test(test_suspend_and_long_window_are_gaps),
		cmocka_unit_test(test_absent_and_optional),
		cmocka_unit_test(test_schedule),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
