/* The source on made-up machines: values, windows, pids used again, exec, death, files that fail. */
#include "test.h"

#include <errno.h>

#include "core/delta.h"
#include "process/columns.h"
#include "process/process.h"
#include "unit/base/tree.h"

enum { KTHREAD = 0x200000, NO_EXEC = 0x40 };

struct made {
	const char *comm;
	char state;
	u32 flags;
	u64 faults, user, system, start, pages;
};

static struct root root;
static struct clock clock_;
static struct source_env env = {.root = &root, .clock = &clock_};
static struct source *source;
static struct delta d;

static void put_stat(const char *moment, u32 pid, const struct made *m)
{
	char path[64], line[512];

	snprintf(path, sizeof(path), "%sproc/%u/stat", moment, pid);
	snprintf(line, sizeof(line),
		"%u (%s) %c 1 %u %u 0 -1 %u %llu 0 3 0 %llu %llu 9 9 20 -5 3 0 %llu 204800000 "
		"%llu 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n",
		pid, m->comm, m->state, pid, pid, m->flags, (unsigned long long)m->faults,
		(unsigned long long)m->user, (unsigned long long)m->system,
		(unsigned long long)m->start, (unsigned long long)m->pages);
	tree_file(path, line);
}

static void put(const char *moment, u32 pid, const char *file, const void *data, size_t len)
{
	char path[64];

	snprintf(path, sizeof(path), "%sproc/%u/%s", moment, pid, file);
	tree_bytes(path, data, len);
}

static void put_text(const char *moment, u32 pid, const char *file, const char *text)
{
	put(moment, pid, file, text, strlen(text));
}

static void put_link(const char *moment, u32 pid, const char *file, const char *target)
{
	char path[64];

	snprintf(path, sizeof(path), "%sproc/%u/%s", moment, pid, file);
	tree_link(path, target);
}

static int setup(void **state)
{
	int ret = tree_setup(state);

	memset(&d, 0, sizeof(d));
	source = NULL;
	root.fd = -1;
	return ret;
}

static int teardown(void **state)
{
	process_source.close(source);
	delta_fini(&d);
	root_fini(&root);
	return tree_teardown(state);
}

static void open_machine(void)
{
	struct err err = {0};

	clock_init(&clock_);
	assert_int_equal(root_init(&root, tree_dir, &clock_, &err), 0);
	assert_int_equal(process_source.open(&source, &env), 0);
	assert_int_equal(delta_init(&d, process_source.schema), 0);
}

static const struct table *reading(u64 need)
{
	assert_int_equal(process_source.read(source, delta_spare(&d), need), 0);
	assert_int_equal(delta_step(&d), 0);
	return d.now;
}

static const struct table *next(void)
{
	struct err err;

	assert_int_equal(root_next(&root, &clock_, &err), 0);
	return reading(~0ull);
}

static u32 row_of(const struct table *t, u32 pid)
{
	for (u32 i = 0; i < t->n; i++)
		if (t->key[i] >> 42 == pid)
			return i;
	fail_msg("no row of pid %u", pid);
	return 0;
}

static bool has(const struct table *t, u32 pid)
{
	for (u32 i = 0; i < t->n; i++)
		if (t->key[i] >> 42 == pid)
			return true;
	return false;
}

static void is(const struct table *t, u32 pid, enum process_column c, u64 want)
{
	u32 row = row_of(t, pid);

	assert_int_equal(t->cell[c][row], CELL_VALUE);
	assert_int_equal(t->col[c][row], want);
}

static void absent(const struct table *t, u32 pid, enum process_column c, enum reason reason)
{
	assert_int_equal(t->cell[c][row_of(t, pid)], cell_make(CELL_ABSENT, reason));
}

static void text_is(const struct table *t, u32 pid, enum process_column c, const char *want)
{
	u32 row = row_of(t, pid), len;
	const char *text = table_get_text(t, row, c, &len);

	assert_int_equal(t->cell[c][row], CELL_VALUE);
	if (len != strlen(want) || memcmp(text, want, len))
		fail_msg("pid %u: \"%.*s\", not \"%s\"", pid, (int)len, text, want);
}

static const struct made plain = {.comm = "app",
	.state = 'S',
	.flags = 0x400000,
	.faults = 10,
	.user = 250,
	.system = 40,
	.start = 5000,
	.pages = 5000};

static void test_every_column(void **state)
{
	const struct table *t;

	(void)state;
	tree_file("proc/meminfo", "MemTotal:       16384000 kB\nMemFree: 1 kB\n");
	tree_file("etc/passwd", "root:x:0:0:::\nanna:x:1000:1000:::\n");
	tree_file("clock", "100000000000 200000000000 1700000000000000000\n");
	put_stat("", 901, &plain);
	put_text("", 901, "statm", "50000 5000 1200 1 0 1 0\n");
	put_text("", 901, "status", "Name:\tapp\nUid:\t0\t1000\t0\t0\n");
	put("", 901, "cmdline", "/opt/app\0--fast\0\0\0", 18);
	put_link("", 901, "exe", "/opt/lib/app-2.0");
	open_machine();
	t = reading(~0ull);
	assert_int_equal(t->n, 1);
	assert_false(t->partial);
	assert_true(t->key[0] == ((u64)901 << 42 | 5000));
	is(t, 901, PROCESS_PID, 901);
	is(t, 901, PROCESS_PPID, 1);
	is(t, 901, PROCESS_UID, 1000);
	text_is(t, 901, PROCESS_USER, "anna");
	text_is(t, 901, PROCESS_STATE, "S");
	is(t, 901, PROCESS_CPU, 2900000000);
	is(t, 901, PROCESS_USER_CPU, 2500000000);
	is(t, 901, PROCESS_SYSTEM_CPU, 400000000);
	is(t, 901, PROCESS_TIME, 2900000000);
	is(t, 901, PROCESS_THREADS, 3);
	is(t, 901, PROCESS_PRIORITY, 20);
	is(t, 901, PROCESS_NICE, (u64)-5);
	is(t, 901, PROCESS_VIRTUAL, 204800000);
	is(t, 901, PROCESS_RESIDENT, 20480000);
	is(t, 901, PROCESS_SHARED, 1200 * 4096);
	is(t, 901, PROCESS_MEMORY, 1221); /* 20480000 of 16777216000 bytes, millionths */
	is(t, 901, PROCESS_MINOR_FAULTS, 10);
	is(t, 901, PROCESS_MAJOR_FAULTS, 3);
	is(t, 901, PROCESS_STARTED, 50 * NSEC_PER_SEC);
	is(t, 901, PROCESS_PROCESSOR, 1);
	is(t, 901, PROCESS_KERNEL, 0);
	is(t, 901, PROCESS_OWN, 0);
	text_is(t, 901, PROCESS_COMMAND, "app-2.0");
	text_is(t, 901, PROCESS_CMDLINE, "/opt/app --fast");
}

static void test_windows(void **state)
{
	struct made m = plain;
	struct cell cell;
	u32 row;

	(void)state;
	tree_file("t0/clock", "100000000000 200000000000 1700000000000000000\n");
	tree_file("t1/clock", "102000000000 202000000000 1700000002000000000\n");
	put_stat("t0/", 10, &m);
	put_stat("t0/", 11, &m);
	m.user += 100;
	put_stat("t1/", 10, &m);
	m.user = 30;
	m.start = 20100; /* pid 11 again, born a second ago; and 12, which was there but not seen */
	put_stat("t1/", 11, &m);
	m.start = 100;
	put_stat("t1/", 12, &m);
	open_machine();
	reading(~0ull);
	row = row_of(next(), 10);
	frame_cell(&d.frame, row, PROCESS_CPU, &cell);
	assert_int_equal(cell.state, CELL_VALUE);
	assert_true(cell.num > 49.999 && cell.num < 50.001);
	/* the whole life of the new one is in this window, nothing of the one before */
	row = row_of(d.now, 11);
	frame_cell(&d.frame, row, PROCESS_CPU, &cell);
	assert_int_equal(cell.state, CELL_VALUE);
	assert_true(cell.diff == 700000000);
	row = row_of(d.now, 12);
	frame_cell(&d.frame, row, PROCESS_CPU, &cell);
	assert_int_equal(cell.state, CELL_ABSENT);
	assert_int_equal(cell.reason, REASON_FIRST);
	frame_cell(&d.frame, ROW_TOTAL, PROCESS_CPU, &cell);
	assert_true(cell.diff == 1700000000);
}

/* User and system time are split anew by the kernel: one may seem to go back a little. */
static void test_step_back(void **state)
{
	struct made m = plain;
	struct cell cell;
	u32 row;

	(void)state;
	tree_file("t0/clock", "100000000000 200000000000 1700000000000000000\n");
	tree_file("t1/clock", "101000000000 201000000000 1700000001000000000\n");
	put_stat("t0/", 10, &m);
	m.user += 60;
	m.system -= 10;
	put_stat("t1/", 10, &m);
	open_machine();
	reading(~0ull);
	row = row_of(next(), 10);
	frame_cell(&d.frame, row, PROCESS_CPU, &cell);
	assert_true(cell.state == CELL_VALUE && cell.diff == 500000000);
	frame_cell(&d.frame, row, PROCESS_USER_CPU, &cell);
	assert_true(cell.state == CELL_VALUE && cell.diff == 600000000);
	frame_cell(&d.frame, row, PROCESS_SYSTEM_CPU, &cell);
	assert_true(cell.state == CELL_HELD && cell.diff == 0);
}

static void test_names_of_kernel_threads_and_titles(void **state)
{
	struct made m = plain;
	const struct table *t;

	(void)state;
	m.comm = "ksoftirqd/3";
	m.flags |= KTHREAD;
	put_stat("", 3, &m);
	put("", 3, "cmdline", "", 0);
	m.comm = "jbd2/sdz9-8";
	put_stat("", 4, &m);
	m.comm = "quiet";
	m.flags = 4194304;
	put_stat("", 500, &m);
	put("", 500, "cmdline", "", 0);
	m.comm = "app";
	put_stat("", 501, &m);
	put_text("", 501, "cmdline", "/opt/x/app --type=r /*Exp/Default/ --tok=1");
	put_link("", 501, "exe", "errno:EACCES");
	m.comm = "";
	put_stat("", 502, &m);
	put_text("", 502, "cmdline", "/opt/x/worker --type=r /*Exp/Default/ --tok=1");
	open_machine();
	t = reading(~0ull);
	is(t, 3, PROCESS_KERNEL, 1);
	text_is(t, 3, PROCESS_COMMAND, "ksoftirqd/3");
	text_is(t, 3, PROCESS_CMDLINE, "");
	text_is(t, 4, PROCESS_COMMAND, "jbd2/sdz9-8");
	is(t, 3, PROCESS_SHARED, 0);
	is(t, 500, PROCESS_KERNEL, 0);
	text_is(t, 500, PROCESS_COMMAND, "quiet");
	text_is(t, 500, PROCESS_CMDLINE, "");
	text_is(t, 501, PROCESS_COMMAND, "app");
	text_is(t, 501, PROCESS_CMDLINE, "/opt/x/app --type=r /*Exp/Default/ --tok=1");
	text_is(t, 502, PROCESS_COMMAND, "worker");
	/* the name without the line */
	t = reading(column_bit(PROCESS_COMMAND));
	text_is(t, 502, PROCESS_COMMAND, "worker");
	absent(t, 502, PROCESS_CMDLINE, REASON_NOT_ASKED);
}

static void test_comm_of_strange_bytes(void **state)
{
	struct made m = plain;
	const struct table *t;

	(void)state;
	m.comm = "a\n) R (\xff\x1b[2J";
	put_stat("", 10, &m);
	m.comm = "0123456789012345678901234567890123456789012345678901234567890123456789";
	put_stat("", 11, &m);
	open_machine();
	t = reading(~0ull);
	text_is(t, 10, PROCESS_COMMAND, "a\n) R (\xff\x1b[2J");
	text_is(t, 10, PROCESS_STATE, "S");
	text_is(t, 11, PROCESS_COMMAND,
		"0123456789012345678901234567890123456789012345678901234567890123");
}

static void test_exec_and_titles(void **state)
{
	struct made m = plain;
	char line[600];
	u32 scans;

	(void)state;
	m.flags |= NO_EXEC;
	put_stat("", 16, &m);
	put_text("", 16, "cmdline", "sh");
	put_text("", 16, "status", "Uid:\t5\t5\t5\t5\n");
	open_machine();
	text_is(reading(~0ull), 16, PROCESS_CMDLINE, "sh");
	/* exec under the same name shows in the flags */
	m.flags &= ~(u32)NO_EXEC;
	put_stat("", 16, &m);
	put_text("", 16, "cmdline", "sh -c true");
	put_text("", 16, "status", "Uid:\t5\t0\t5\t5\n");
	text_is(reading(~0ull), 16, PROCESS_CMDLINE, "sh -c true");
	is(d.now, 16, PROCESS_UID, 0);
	/* and under another name in that; a long line needs memory of its own */
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	m.comm = "other";
	put_stat("", 16, &m);
	put_text("", 16, "cmdline", line);
	text_is(reading(~0ull), 16, PROCESS_COMMAND, "other");
	text_is(d.now, 16, PROCESS_CMDLINE, line);
	/* a title is written anew by a process that runs */
	m.user++;
	put_stat("", 16, &m);
	put_text("", 16, "cmdline", "serving");
	for (scans = 1; scans < 20; scans++) {
		u32 len;

		table_get_text(reading(~0ull), 0, PROCESS_CMDLINE, &len);
		if (len == strlen("serving"))
			break;
	}
	text_is(d.now, 16, PROCESS_CMDLINE, "serving");
	assert_true(scans <= 16);
}

static void test_shared_follows_the_process(void **state)
{
	struct made m = plain;

	(void)state;
	put_stat("", 10, &m);
	put_text("", 10, "statm", "9 8 7 1 0 1 0\n");
	put_stat("", 11, &m);
	put_link("", 11, "statm", "errno:EACCES");
	put_stat("", 12, &m);
	put_text("", 12, "statm", "9\n");
	open_machine();
	is(reading(~0ull), 10, PROCESS_SHARED, 7 * 4096);
	absent(d.now, 11, PROCESS_SHARED, REASON_PERMISSION);
	absent(d.now, 12, PROCESS_SHARED, REASON_UNSUPPORTED);
	put_text("", 10, "statm", "9 8 6 1 0 1 0\n");
	m.pages--;
	put_stat("", 10, &m);
	is(reading(~0ull), 10, PROCESS_SHARED, 6 * 4096);
}

static void test_reused_pid_in_place(void **state)
{
	struct made m = plain;

	(void)state;
	put_stat("", 10, &m);
	put_text("", 10, "cmdline", "first");
	open_machine();
	text_is(reading(~0ull), 10, PROCESS_CMDLINE, "first");
	m.start = 6000;
	put_stat("", 10, &m);
	put_text("", 10, "cmdline", "second");
	text_is(reading(~0ull), 10, PROCESS_CMDLINE, "second");
	assert_true(d.now->key[0] == ((u64)10 << 42 | 6000));
	assert_int_equal(d.now->n, 1);
}

static void test_p13_files_that_fail(void **state)
{
	const struct table *t;

	(void)state;
	put_stat("t0/", 10, &plain);
	put_link("t0/", 11, "stat", "errno:ENOENT");
	put_link("t0/", 12, "stat", "errno:read:ESRCH");
	put_text("t0/", 13, "stat", "");
	put_text("t0/", 14, "stat", "14 (no start) S 1 2");
	put_text("t0/", 15, "cmdline", "no stat");
	put_stat("t0/", 16, &plain);
	put_link("t0/", 16, "cmdline", "errno:read:ESRCH");
	put_link("t0/", 16, "exe", "errno:ESRCH");
	put_link("t0/", 16, "statm", "errno:read:ESRCH");
	put_link("t0/", 16, "status", "errno:ENOENT");
	put_stat("t0/", 17, &plain);
	put_link("t0/", 17, "cmdline", "errno:EACCES");
	put_stat("t0/", 18, &plain);
	put_link("t1/", 10, "stat", "errno:read:ESRCH");
	put_stat("t1/", 18, &plain);
	open_machine();
	t = reading(~0ull);
	assert_int_equal(t->n, 4);
	assert_false(t->partial);
	text_is(t, 16, PROCESS_COMMAND, "app");
	absent(t, 16, PROCESS_CMDLINE, REASON_UNSUPPORTED);
	absent(t, 16, PROCESS_SHARED, REASON_UNSUPPORTED);
	absent(t, 16, PROCESS_UID, REASON_UNSUPPORTED);
	absent(t, 16, PROCESS_USER, REASON_UNSUPPORTED);
	absent(t, 17, PROCESS_CMDLINE, REASON_PERMISSION);
	is(t, 16, PROCESS_THREADS, 3);
	t = next();
	assert_int_equal(t->n, 1);
	is(t, 18, PROCESS_PID, 18);
}

static u32 findings(char *why, u32 size)
{
	struct findings f = {0};
	u32 n;

	process_source.explain(source, &f);
	n = f.n;
	if (n)
		snprintf(why, size, "%s %s", f.items[0].what, f.items[0].why);
	findings_free(&f);
	return n;
}

static void test_p14_denied(void **state)
{
	char why[400];

	(void)state;
	put_link("", 1, "stat", "errno:EPERM");
	put_stat("", 1000, &plain);
	open_machine();
	reading(~0ull);
	assert_int_equal(d.now->n, 1);
	assert_true(d.now->partial);
	is(d.now, 1000, PROCESS_PID, 1000);
	assert_int_equal(findings(why, sizeof(why)), 1);
	assert_non_null(strstr(why, "other processes hidden"));
}

static void test_p14_not_listed(void **state)
{
	char why[400];

	(void)state;
	tree_file("proc/self/mountinfo",
		"21 26 0:20 / /proc rw,relatime - proc proc rw,hidepid=invisible\n");
	put_stat("", 1000, &plain);
	open_machine();
	reading(~0ull);
	assert_int_equal(d.now->n, 1);
	assert_true(d.now->partial);
	assert_int_equal(findings(why, sizeof(why)), 1);
	assert_non_null(strstr(why, "other processes hidden"));
	assert_non_null(strstr(why, "hidepid=invisible"));
}

static void test_p14_nothing_hidden(void **state)
{
	char why[400];

	(void)state;
	tree_file("proc/self/mountinfo", "21 26 0:20 / /proc rw - proc proc rw,hidepid=2\n");
	put_stat("", 1, &plain);
	open_machine();
	reading(~0ull);
	assert_false(d.now->partial);
	assert_int_equal(findings(why, sizeof(why)), 0);
}

static void test_only_pids_and_in_order(void **state)
{
	static const u32 pids[] = {4194303, 1, 99, 100, 1000, 7, 65536, 12};
	const struct table *t;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		put_stat("", pids[i], &plain);
	tree_file("proc/self/stat", "1 (no) S 1");
	tree_file("proc/12x/stat", "12 (no) S 1");
	put_stat("", 4194304, &plain); /* beyond what the kernel allows and a key has room for */
	open_machine();
	t = reading(~0ull);
	assert_int_equal(t->n, ARRAY_LEN(pids));
	for (u32 i = 1; i < t->n; i++)
		assert_true(t->key[i - 1] < t->key[i]);
	assert_true(has(t, 4194303));
	assert_false(has(t, 4194304));
}

static void test_need_widens(void **state)
{
	const struct table *t;

	(void)state;
	put_stat("", 10, &plain);
	put_text("", 10, "cmdline", "a b");
	put_text("", 10, "statm", "9 8 7 1 0 1 0\n");
	open_machine();
	t = reading(column_bit(PROCESS_PID) | column_bit(PROCESS_CPU));
	is(t, 10, PROCESS_CPU, 2900000000);
	for (u32 c = 0; c < PROCESS_COLUMNS; c++)
		if (c != PROCESS_PID && c != PROCESS_CPU)
			absent(t, 10, c, REASON_NOT_ASKED);
	t = reading(~0ull);
	text_is(t, 10, PROCESS_CMDLINE, "a b");
	is(t, 10, PROCESS_SHARED, 7 * 4096);
	is(t, 10, PROCESS_PROCESSOR, 1);
}

static void test_no_proc(void **state)
{
	struct err err;

	(void)state;
	tree_file("sys/x", "");
	clock_init(&clock_);
	assert_int_equal(root_init(&root, tree_dir, &clock_, &err), 0);
	assert_int_equal(process_source.open(&source, &env), -ENOENT);
	source = NULL;
}

/* More than there are descriptors for: the rest is opened for each scan. */
static void test_twenty_thousand(void **state)
{
	enum { MANY = 20000 };
	char path[64];

	(void)state;
	tree_file("proc/common", "7 (crowd) S 1 1 1 0 -1 0 1 0 0 0 5 6 0 0 20 0 1 0 77 4096 1\n");
	for (u32 pid = 1; pid <= MANY; pid++) {
		snprintf(path, sizeof(path), "proc/%u/stat", pid);
		tree_link(path, "/proc/common");
	}
	open_machine();
	for (u32 i = 0; i < 3; i++) {
		const struct table *t = reading(column_bit(PROCESS_CPU));

		assert_int_equal(t->n, MANY);
		is(t, MANY, PROCESS_CPU, 110000000);
		assert_false(t->partial);
	}
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_every_column),
		TEST(test_windows),
		TEST(test_step_back),
		TEST(test_names_of_kernel_threads_and_titles),
		TEST(test_comm_of_strange_bytes),
		TEST(test_exec_and_titles),
		TEST(test_shared_follows_the_process),
		TEST(test_reused_pid_in_place),
		TEST(test_p13_files_that_fail),
		TEST(test_p14_denied),
		TEST(test_p14_not_listed),
		TEST(test_p14_nothing_hidden),
		TEST(test_only_pids_and_in_order),
		TEST(test_need_widens),
		TEST(test_no_proc),
		TEST(test_twenty_thousand),
	};

	return cmocka_run_group_tests_name("procfs", tests, NULL, NULL);
}
