/* When a CPU's turn ends, by scripts of what reads return; which events a list asks for, and what makes them fewer. */
#include "test.h"

#include <string.h>

#include "ftrace/narrow.h"
#include "ftrace/policy.h"
#include "ftrace/select.h"

enum { FULL = 4080, LITTLE = 100 };

/* One read(2): what it returned and the payload. */
struct answer {
	ssize_t n;
	u32 payload;
};

static enum turn_next play(struct turn *t, const struct answer *answers, u32 n)
{
	enum turn_next next = TURN_MORE;

	for (u32 i = 0; i < n; i++) {
		assert_int_equal(next, TURN_MORE);
		next = turn_after(t, answers[i].n, answers[i].payload);
	}
	return next;
}

#define PLAY(t, ...)                                  \
	play(t, (const struct answer[]){__VA_ARGS__}, \
		ARRAY_LEN(((const struct answer[]){__VA_ARGS__})))

static struct turn a_turn(void)
{
	return (struct turn){.budget = 4, .half = FULL / 2};
}

static void caught_up(void **state)
{
	struct turn t = a_turn();

	(void)state;
	assert_int_equal(PLAY(&t, {-EAGAIN, 0}), TURN_CAUGHT);
	t = a_turn();
	assert_int_equal(PLAY(&t, {0, 0}), TURN_CAUGHT);
	t = a_turn();
	assert_int_equal(PLAY(&t, {4096, FULL}, {4096, FULL}, {4096, LITTLE}), TURN_CAUGHT);
	/* the first may be the rest of a sub-buffer of which a part was read before */
	t = a_turn();
	assert_int_equal(PLAY(&t, {4096, LITTLE}), TURN_MORE);
	assert_int_equal(PLAY(&t, {-EAGAIN, 0}), TURN_CAUGHT);
	assert_int_equal(t.error, 0);
}

static void budget(void **state)
{
	struct turn t = a_turn();

	(void)state;
	assert_int_equal(
		PLAY(&t, {4096, FULL}, {4096, FULL}, {4096, FULL}, {4096, FULL}), TURN_BUDGET);
	assert_int_equal(t.read, 4);
}

static void errors(void **state)
{
	static const int quiet[] = {EAGAIN, ENODEV, EBUSY, ENOMEM, EINTR};
	struct turn t = a_turn();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(quiet); i++) {
		t = a_turn();
		assert_int_equal(PLAY(&t, {4096, FULL}, {-quiet[i], 0}), TURN_CAUGHT);
		assert_int_equal(t.error, 0);
	}
	t = a_turn();
	assert_int_equal(PLAY(&t, {-EIO, 0}), TURN_FAILED);
	assert_int_equal(t.error, -EIO);
}

/* Nothing is written any more: what is under half full is not the last. */
static void at_the_stop(void **state)
{
	struct turn t = a_turn();

	(void)state;
	t.to_the_end = true;
	assert_int_equal(PLAY(&t, {4096, LITTLE}, {4096, LITTLE}, {-EAGAIN, 0}), TURN_CAUGHT);
	t.read = 0;
	assert_int_equal(PLAY(&t, {4096, LITTLE}, {4096, LITTLE}, {4096, LITTLE}, {4096, LITTLE}),
		TURN_BUDGET);
}

static const char available[] = "sched:sched_switch\nsched:sched_waking\nsched:sched_stat_runtime\n"
				"irq:irq_handler_entry\nirq:softirq_entry\nblock:block_rq_issue\n"
				"raw_syscalls:sys_enter\nraw_syscalls:sys_exit\nother:irq\n";
static char chosen[512];
static struct err err;

static int choose(void *arg, const char *group, const char *name)
{
	(void)arg;
	strcat(strcat(strcat(strcat(chosen, group), ":"), name), " ");
	return 0;
}

static int ask(const char *list)
{
	chosen[0] = '\0';
	err = (struct err){0};
	return select_events(list, available, choose, NULL, &err);
}

static void lists_of_events(void **state)
{
	(void)state;
	assert_int_equal(ask("sched_switch"), 0);
	assert_string_equal(chosen, "sched:sched_switch ");
	assert_int_equal(ask("sched:sched_switch,sched/sched_wak*,sched_switch"), 0);
	assert_string_equal(chosen, "sched:sched_switch sched:sched_waking ");
	/* a group, and an event of that name */
	assert_int_equal(ask("irq"), 0);
	assert_string_equal(chosen, "irq:irq_handler_entry irq:softirq_entry other:irq ");
	assert_int_equal(ask("irq/*"), 0);
	assert_string_equal(chosen, "irq:irq_handler_entry irq:softirq_entry ");
	/* a preset asks for what there is of it */
	assert_int_equal(ask("sched"), 0);
	assert_string_equal(chosen, "sched:sched_switch sched:sched_waking ");
	assert_int_equal(ask("syscalls,cpu"), 0);
	assert_non_null(strstr(chosen, "raw_syscalls:sys_exit "));
	assert_non_null(strstr(chosen, "irq:softirq_entry "));
	assert_int_equal(ask("*:*"), 0);
	assert_int_equal(ask("gpu"), 0);
	assert_string_equal(chosen, "");
}

static void lists_that_are_wrong(void **state)
{
	char many[400] = "";

	(void)state;
	assert_int_equal(ask("sched_switch,sched_swich"), -ENOENT);
	assert_non_null(strstr(err.msg, "sched_swich"));
	assert_int_equal(ask("nothing:sched_switch"), -ENOENT);
	assert_non_null(strstr(err.msg, "nothing:sched_switch"));
	assert_int_equal(ask(""), -EINVAL);
	assert_int_equal(ask("sched_switch,"), -EINVAL);
	for (u32 i = 0; i < 100; i++)
		strcat(many, "a,");
	assert_int_equal(ask(many), -E2BIG);
	memset(many, 'x', sizeof(many) - 1);
	assert_int_equal(ask(many), -E2BIG);
}

static void filters(void **state)
{
	static const struct {
		const char *text, *event, *expression; /* event NULL: refused */
	} all[] = {
		{"sched/sched_switch: prev_pid > 0", "sched/sched_switch", "prev_pid > 0"},
		{"sched:sched_switch:prev_pid > 0", "sched/sched_switch", "prev_pid > 0"},
		{"a/b: comm == \"x:y/z\"", "a/b", "comm == \"x:y/z\""},
		{"a/b:", NULL, NULL},
		{"a/b", NULL, NULL},
		{"a: b", NULL, NULL},
		{": x", NULL, NULL},
		{"a/b/c: x", NULL, NULL},
		{"/b: x", NULL, NULL},
		{"../b: x", NULL, NULL},
		{"", NULL, NULL},
	};
	char event[32];
	const char *expression;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		bool ok = narrow_split(all[i].text, event, sizeof(event), &expression);

		assert_int_equal(ok, all[i].event != NULL);
		if (ok) {
			assert_string_equal(event, all[i].event);
			assert_string_equal(expression, all[i].expression);
		}
	}
	assert_false(narrow_split(
		"a_very_long_group/and_a_long_name: x", event, sizeof(event), &expression));
}

static void masks(void **state)
{
	static const struct {
		const char *list;
		u32 ncpus;
		const char *mask; /* NULL: refused */
	} all[] = {
		{"0", 2, "00000001"},
		{"0-3,8", 32, "0000010f"},
		{"33,1", 40, "00000002,00000002"},
		{"31-32", 128, "00000000,00000000,00000001,80000000"},
		{"2", 2, NULL},
		{"", 2, NULL},
		{"1-0", 2, NULL},
		{"x", 2, NULL},
		{"0,", 2, NULL},
		{"1024", UINT32_MAX, NULL},
	};
	char mask[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		int ret = narrow_mask(all[i].list, all[i].ncpus, mask, sizeof(mask));

		assert_int_equal(ret, all[i].mask ? 0 : -EINVAL);
		if (!ret)
			assert_string_equal(mask, all[i].mask);
	}
	assert_int_equal(narrow_mask("0", 128, mask, 9), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caught_up),
		cmocka_unit_test(budget),
		cmocka_unit_test(errors),
		cmocka_unit_test(at_the_stop),
		cmocka_unit_test(lists_of_events),
		cmocka_unit_test(lists_that_are_wrong),
		cmocka_unit_test(filters),
		cmocka_unit_test(masks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
