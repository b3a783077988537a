/* What a source may ask of the engine beside being read: options, shared things, a descriptor of its own between
 * ticks, what is on the screen, the last word on its frame. */
#include "test.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "core/engine.h"

enum { PLAIN, ASKED, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PLAIN] = {.name = "plain", .unit = UNIT_COUNT, .kind = COLUMN_COUNTER},
	[ASKED] = {.name = "asked", .unit = UNIT_COUNT, .flags = COLUMN_ON_REQUEST},
};
static const struct schema schema = {.name = "hooked",
	.title = "Hooked",
	.ncolumns = COLUMNS,
	.columns = columns,
	.label_column = -1,
	.birth_column = -1,
	.counted_column = -1};

struct source {
	const struct source_env *env;
	int fds[2];
	u64 need, value, seen[4];
	u32 nseen, wakes, finished;
	bool closed;
};
static struct source self_;
static bool freed, freed_after_close;

static void free_shared(void *processes)
{
	freed = processes == &self_;
	freed_after_close = self_.closed;
}

static int hook_open(struct source **out, const struct source_env *env)
{
	self_ = (struct source){.env = env};
	assert_int_equal(pipe(self_.fds), 0);
	assert_non_null(env->shared);
	assert_null(env->shared->processes);
	env->shared->processes = &self_;
	env->shared->free_processes = free_shared;
	*out = &self_;
	return 0;
}

static int hook_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;

	clock_read(s->env->clock, &at);
	s->need = need;
	table_begin(t, &at, need);
	table_set(t, (u32)table_row(t, 1), PLAIN, s->value += 5);
	return table_end(t);
}

static void hook_finish(struct source *s, struct frame_table *mine, const struct frame *frame)
{
	assert_ptr_equal(frame_find(frame, "hooked"), mine);
	s->finished++;
	if (mine->n && mine->diff[PLAIN])
		mine->diff[PLAIN][0] = 42;
}

static void hook_visible(struct source *s, const u64 *keys, u32 n)
{
	s->nseen = n;
	memcpy(s->seen, keys, n * sizeof(*keys));
}

static int hook_fd(struct source *s)
{
	return s->fds[0];
}

static void hook_wake(struct source *s)
{
	char byte;

	assert_int_equal(read(s->fds[0], &byte, 1), 1);
	s->wakes++;
}

static void hook_close(struct source *s)
{
	s->closed = true;
	close(s->fds[0]);
	close(s->fds[1]);
}

static const struct source_ops hooked = {.schema = &schema,
	.open = hook_open,
	.read = hook_read,
	.finish = hook_finish,
	.visible = hook_visible,
	.fd = hook_fd,
	.wake = hook_wake,
	.close = hook_close};
static const struct source_ops *const list[] = {&hooked, NULL};

static struct engine *e;
static struct root root;
static struct clock clock_;

static int setup(void **state)
{
	static const char *const options[] = {"scan=bpf", "scanner=x", NULL};
	struct err err;
	struct engine_config config = {.root = &root,
		.clock = &clock_,
		.sources = list,
		.options = options,
		.interval_ns = NSEC_PER_SEC};

	(void)state;
	freed = freed_after_close = false;
	clock_init(&clock_);
	assert_int_equal(root_init(&root, NULL, &clock_, &err), 0);
	assert_int_equal(engine_open(&e, &config, &err), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	engine_close(e);
	root_fini(&root);
	return 0;
}

static void test_options(void **state)
{
	(void)state;
	assert_string_equal(source_option(self_.env, "scan"), "bpf");
	assert_string_equal(source_option(self_.env, "scanner"), "x");
	assert_null(source_option(self_.env, "sca"));
	assert_null(source_option(&(struct source_env){0}, "scan"));
}

static void test_shared_things_outlive_the_sources(void **state)
{
	(void)state;
	engine_close(e);
	assert_true(freed);
	assert_true(freed_after_close);
	setup(NULL);
}

static void test_on_request_is_not_asked_for(void **state)
{
	const struct frame *frame;

	(void)state;
	assert_int_equal(engine_tick(e, &frame), 0);
	assert_true(self_.need & column_bit(PLAIN));
	assert_false(self_.need & column_bit(ASKED));
	engine_need(e, "hooked", ~0ull);
	assert_int_equal(engine_tick(e, &frame), 0);
	assert_true(self_.need & column_bit(ASKED));
}

static void test_visible(void **state)
{
	static const u64 keys[] = {3, 9};

	(void)state;
	engine_visible(e, "hooked", keys, 2);
	assert_int_equal(self_.nseen, 2);
	assert_int_equal(self_.seen[1], 9);
	engine_visible(e, "another", keys, 1);
	assert_int_equal(self_.nseen, 2);
}

static void test_woken_between_ticks(void **state)
{
	struct pollfd p = {.fd = engine_fd(e), .events = POLLIN};

	(void)state;
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(write(self_.fds[1], "x", 1), 1);
	assert_int_equal(poll(&p, 1, 1000), 1);
	assert_int_equal(engine_expired(e), 0);
	assert_int_equal(self_.wakes, 1);
	/* and the timer behind the same descriptor */
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(engine_start(e), 0);
	assert_int_equal(poll(&p, 1, 2000), 1);
	assert_int_equal(engine_expired(e), 1);
	assert_int_equal(self_.wakes, 1);
}

static void test_the_last_word(void **state)
{
	const struct frame *frame;
	u64 diff;

	(void)state;
	assert_int_equal(engine_tick(e, &frame), 0);
	usleep(60 * 1000);
	assert_int_equal(engine_tick(e, &frame), 0);
	assert_int_equal(self_.finished, 2);
	assert_true(frame_diff(frame->tables[0], 0, PLAIN, &diff));
	assert_int_equal(diff, 42);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_options),
		T(test_shared_things_outlive_the_sources),
		T(test_on_request_is_not_asked_for),
		T(test_visible),
		T(test_woken_between_ticks),
		T(test_the_last_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
