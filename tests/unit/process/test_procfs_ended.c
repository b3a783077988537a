/* What ended between two scans, by what its parent was told; and CPU time that no scan had handed over. */
#include "made.h"

enum { TICK_MS = 10 };

static const u64 need = (1ull << PROCESS_CPU) | (1ull << PROCESS_COMMAND);
static const char *const moments[] = {"t0/", "t1/", "t2/", "t3/"};

static void put(u32 moment, u32 pid, const struct made *m)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "%sproc/%u", moments[moment], pid);
	made_stat(dir, pid, m);
}

static void open_at_first(void)
{
	for (u32 i = 0; i < ARRAY_LEN(moments); i++)
		made_clock(moments[i], 100 + i);
	made_open(tree_dir);
	made_scan(need);
	made_ended();
	assert_int_equal(made.nexits, 0);
	/* now that somebody asks, what is so far is known */
	made_scan(need);
	made_ended();
	assert_int_equal(made.nexits, 0);
}

static void next(void)
{
	made_next();
	made_scan(need);
	made_ended();
}

static void one_exit(const char *parent, u32 ppid, u64 user, u64 system, u64 faults)
{
	const struct exit_record *r = &made.exits[0].r;

	assert_int_equal(made.nexits, 1);
	assert_string_equal(made.exits[0].parent, parent);
	assert_int_equal(r->ppid, ppid);
	assert_int_equal(r->command_len, 0);
	assert_int_equal(r->count, 0);
	assert_true(r->approx && !r->has_io);
	assert_int_equal(r->cpu_ns, r->user_ns + r->system_ns);
	assert_int_equal(r->cpu_ns, (user + system) * TICK_MS * NSEC_PER_MSEC);
	assert_int_equal(r->user_ns, user * TICK_MS * NSEC_PER_MSEC);
	assert_int_equal(r->minor_faults, faults);
}

/* A child's row had shown a part; another child lived between two scans. */
static void test_less_what_rows_had_shown(void **state)
{
	struct made shell = made_plain, child = made_plain;

	(void)state;
	shell.comm = "shell";
	shell.child_user = 100;
	shell.child_system = 20;
	shell.child_minor = 500;
	child.ppid = 10;
	child.user = 30;
	child.system = 5;
	child.minor = 50;
	put(0, 10, &shell);
	put(0, 20, &child);
	shell.child_user += 45;
	shell.child_system += 10;
	shell.child_minor += 80;
	put(1, 10, &shell);
	shell.child_user += 2;
	put(2, 10, &shell);
	put(3, 10, &shell);
	open_at_first();
	next();
	one_exit("shell", 10, 15, 5, 30);
	next();
	one_exit("shell", 10, 2, 0, 0);
	next();
	assert_int_equal(made.nexits, 0);
}

/* The child is gone before its parent waits for it; and the kernel's split at the end is another. */
static void test_told_later(void **state)
{
	struct made shell = made_plain, child = made_plain;

	(void)state;
	child.ppid = 10;
	child.user = 20;
	child.system = 0;
	put(0, 10, &shell);
	put(0, 20, &child);
	child.user = 0;
	child.system = 20;
	child.ppid = 11;
	put(0, 11, &shell);
	put(0, 21, &child);
	put(1, 11, &shell);
	put(1, 10, &shell);
	shell.child_user = 15;
	shell.child_system = 5;
	shell.child_minor = 10;
	put(2, 10, &shell);
	put(2, 11, &shell);
	shell.child_user -= 5; /* never below 0 */
	put(3, 10, &shell);
	open_at_first();
	for (u32 i = 0; i < 3; i++) {
		next();
		assert_int_equal(made.nexits, 0);
	}
}

/* What a process that ended had been told of its own children goes on to its parent, once. */
static void test_grandchildren(void **state)
{
	struct made init = made_plain, shell = made_plain;

	(void)state;
	init.comm = "init";
	shell.ppid = 1;
	shell.child_user = 70;
	put(0, 1, &init);
	put(0, 10, &shell);
	init.child_user = 250 + 70 + 3;
	init.child_system = 40;
	init.child_minor = 10;
	put(1, 1, &init);
	put(2, 1, &init);
	put(3, 1, &init);
	open_at_first();
	next();
	one_exit("init", 1, 3, 0, 0);
}

/* A known child of a known child: both end in one window, and the shell is told of both at once. */
static void test_two_generations_end_together(void **state)
{
	struct made shell = made_plain, child = made_plain, grandchild = made_plain;

	(void)state;
	shell.comm = "shell";
	child.ppid = 10;
	child.user = 30;
	grandchild.ppid = 20;
	grandchild.user = 400;
	put(0, 10, &shell);
	put(0, 20, &child);
	put(0, 30, &grandchild);
	shell.child_user += child.user + grandchild.user + 7;
	shell.child_system += child.system + grandchild.system;
	put(1, 10, &shell);
	put(2, 10, &shell);
	put(3, 10, &shell);
	open_at_first();
	next();
	one_exit("shell", 10, 7, 0, 0);
	next();
	assert_int_equal(made.nexits, 0);
}

/* A shell that comes and goes its way at once: its children count in full, though it used nothing. */
static void test_children_of_a_new_one(void **state)
{
	struct made shell = made_plain;

	(void)state;
	put(0, 1, &made_plain);
	put(1, 1, &made_plain);
	shell.comm = "new";
	shell.user = shell.system = 0;
	shell.start = 10050;
	shell.child_user = 30;
	put(1, 10, &shell);
	shell.comm = "old"; /* not seen before, but older: not of this window */
	shell.start = 100;
	put(1, 11, &shell);
	open_at_first();
	next();
	one_exit("new", 10, 30, 0, 0);
}

static void fresh(u32 pid, u64 ticks)
{
	assert_int_equal(made_row(pid)->r.fresh_ns, ticks * TICK_MS * NSEC_PER_MSEC);
}

static void test_time_is_handed_over_once(void **state)
{
	struct made m = made_plain, late = made_plain, born = made_plain;

	(void)state;
	put(0, 10, &m);
	m.user += 7;
	put(1, 10, &m);
	late.start = 9000;
	put(1, 11, &late);
	born.start = 10010;
	put(1, 12, &born);
	m.user -= 3; /* a reading that is behind */
	put(2, 10, &m);
	put(2, 11, &late);
	put(2, 12, &born);
	m.user += 10;
	late.system += 4;
	put(3, 10, &m);
	put(3, 11, &late);
	born.start = 10250; /* another one with its number */
	born.user = 6;
	born.system = 0;
	put(3, 12, &born);
	open_at_first();
	fresh(10, 0);
	next();
	fresh(10, 7);
	fresh(11, 0);
	fresh(12, 290);
	next();
	fresh(10, 0);
	made_is(10, PROCESS_CPU, (250 + 40 + 7) * TICK_MS * NSEC_PER_MSEC);
	fresh(12, 0);
	next();
	fresh(10, 7);
	fresh(11, 4);
	fresh(12, 6);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, made_setup, made_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_less_what_rows_had_shown),
		TEST(test_told_later),
		TEST(test_grandchildren),
		TEST(test_two_generations_end_together),
		TEST(test_children_of_a_new_one),
		TEST(test_time_is_handed_over_once),
	};

	return cmocka_run_group_tests_name("procfs_ended", tests, NULL, NULL);
}
