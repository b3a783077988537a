/* The files beside stat on made-up machines: their columns, their failures, sums over threads, and threads as rows. */
#include "made.h"

static const u64 all_columns = (1ull << THREAD_COLUMNS) - 1;

static void one_of_everything(const char *moment, u32 pid, const struct made *m)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{"statm", "50000 5000 1200 1 0 1 0\n"},
		{"status", "Name:\tapp\nUid:\t7\t8\t9\t10\nGid:\t11\t12\t13\t14\nVmSwap:\t      48 "
			   "kB\n"
			   "voluntary_ctxt_switches:\t31\nnonvoluntary_ctxt_switches:\t5\n"},
		{"io", "rchar: 1000\nwchar: 2000\nsyscr: 1\nsyscw: 2\nread_bytes: 4096\n"
		       "write_bytes: 8192\ncancelled_write_bytes: 1\n"},
		{"schedstat", "2900000001 777 12\n"},
		{"cgroup", "0::/system.slice/docker-0123456789abcdef0123456789abcdef"
			   "0123456789abcdef0123456789abcdef.scope\n"},
		{"smaps_rollup", "55-7f ---p 00000000 00:00 0 [rollup]\nRss: 9 kB\nPss: 6 kB\n"},
		{"cmdline", "/opt/app"},
		{"fd/0", ""},
		{"fd/1", ""},
		{"fd/25", ""},
	};
	char path[96];

	snprintf(path, sizeof(path), "%sproc/%u", moment, pid);
	made_stat(path, pid, m);
	for (u32 i = 0; i < ARRAY_LEN(files); i++) {
		snprintf(path, sizeof(path), "%sproc/%u/%s", moment, pid, files[i].name);
		tree_file(path, files[i].text);
	}
	snprintf(path, sizeof(path), "%sproc/%u/exe", moment, pid);
	tree_link(path, "/opt/app (deleted)");
	snprintf(path, sizeof(path), "%sproc/%u/cwd", moment, pid);
	tree_link(path, "/srv/data");
}

static void test_every_file(void **state)
{
	struct made m = made_plain;

	(void)state;
	m.policy = 3;
	one_of_everything("", 9, &m);
	made_open(tree_dir);
	made_scan(all_columns);
	made_is(9, PROCESS_REAL_UID, 7);
	made_is(9, PROCESS_UID, 8);
	made_is(9, PROCESS_GID, 12);
	made_is(9, PROCESS_SWAP, 48 * 1024);
	made_is(9, PROCESS_SHARED, 1200 * 4096);
	made_is(9, PROCESS_VOLUNTARY, 31);
	made_is(9, PROCESS_INVOLUNTARY, 5);
	made_is(9, PROCESS_IO_READ, 1000);
	made_is(9, PROCESS_IO_WRITTEN, 2000);
	made_is(9, PROCESS_DISK_READ, 4096);
	made_is(9, PROCESS_DISK_WRITTEN, 8192);
	made_is(9, PROCESS_SCHED_WAIT, 777);
	made_is(9, PROCESS_PSS, 6 * 1024);
	made_is(9, PROCESS_FILES, 3);
	made_text(9, PROCESS_TEXT_CGROUP,
		"/system.slice/docker-0123456789abcdef0123456789abcdef"
		"0123456789abcdef0123456789abcdef.scope");
	made_text(9, PROCESS_TEXT_CONTAINER, "0123456789ab");
	made_text(9, PROCESS_TEXT_EXE, "/opt/app (deleted)");
	made_text(9, PROCESS_TEXT_CWD, "/srv/data");
	made_text(9, PROCESS_TEXT_COMMAND, "app");
	assert_true(made_row(9)->r.has_policy);
	assert_int_equal(made_row(9)->r.policy, 3);
	assert_int_equal(made_row(9)->r.denied, 0);
}

/* A column has its value also when no other is asked for, and costs nothing when it is not. */
static void test_every_column_by_itself(void **state)
{
	static const u8 of[PROCESS_TEXTS] = {PROCESS_CGROUP, PROCESS_CONTAINER, PROCESS_EXE,
		PROCESS_CWD, PROCESS_COMMAND, PROCESS_CMDLINE};
	const u64 by_others = column_bit(PROCESS_ENERGY) | column_bit(PROCESS_USER) |
			      column_bit(PROCESS_REAL_USER) | column_bit(PROCESS_GROUP) |
			      column_bit(PROCESS_STATE) | column_bit(PROCESS_POLICY) |
			      ((column_bit(PROCESS_GPU_MEMORY) << 1) - column_bit(PROCESS_GPU));

	(void)state;
	one_of_everything("", 9, &made_plain);
	tree_file("proc/meminfo", "MemTotal:       16384000 kB\n");
	made_open(tree_dir);
	made_scan(column_bit(PROCESS_PID));
	assert_false(made_row(9)->r.have & column_bit(PROCESS_GID));
	assert_false(made_row(9)->r.have & column_bit(PROCESS_IO_READ));
	for (u32 c = 0; c < PROCESS_COLUMNS; c++) {
		bool have;

		made_scan(column_bit(c));
		have = (made_row(9)->r.have | by_others) >> c & 1;
		for (u32 i = 0; i < PROCESS_TEXTS; i++)
			have |= of[i] == c && made_row(9)->r.text[i].have &&
				made_row(9)->text[i][0];
		if (!have)
			fail_msg("column %u is not filled when it is asked for by itself", c);
	}
	made_scan(column_bit(PROCESS_USER));
	made_is(9, PROCESS_UID, 8);
	made_scan(column_bit(PROCESS_REAL_USER));
	made_is(9, PROCESS_REAL_UID, 7);
	made_scan(column_bit(PROCESS_GROUP));
	made_is(9, PROCESS_GID, 12);
	made_scan(column_bit(PROCESS_POLICY));
	assert_true(made_row(9)->r.has_policy);
	/* the line too is read when only it is new */
	made_scan(column_bit(PROCESS_COMMAND));
	made_scan(column_bit(PROCESS_COMMAND) | column_bit(PROCESS_CMDLINE));
	made_text(9, PROCESS_TEXT_CMDLINE, "/opt/app");
}

struct failing {
	const char *name;
	u64 columns;
	enum process_text text;
	bool has_text;
};

#define BIT(column) (1ull << (column))
#define IO_COLUMNS                                                                 \
	(BIT(PROCESS_IO_READ) | BIT(PROCESS_IO_WRITTEN) | BIT(PROCESS_DISK_READ) | \
		BIT(PROCESS_DISK_WRITTEN))

static const struct failing failing[] = {
	{"statm", BIT(PROCESS_SHARED), 0, false},
	{"status", BIT(PROCESS_GID) | BIT(PROCESS_SWAP) | BIT(PROCESS_VOLUNTARY), 0, false},
	{"io", IO_COLUMNS, 0, false},
	{"schedstat", BIT(PROCESS_SCHED_WAIT), 0, false},
	{"smaps_rollup", BIT(PROCESS_PSS), 0, false},
	{"fd", BIT(PROCESS_FILES), 0, false},
	{"cgroup", BIT(PROCESS_CGROUP), PROCESS_TEXT_CGROUP, true},
	{"exe", BIT(PROCESS_EXE), PROCESS_TEXT_EXE, true},
	{"cwd", BIT(PROCESS_CWD), PROCESS_TEXT_CWD, true},
	{"cmdline", BIT(PROCESS_CMDLINE), PROCESS_TEXT_CMDLINE, true},
};

static void is_absent(u32 pid, const struct failing *f, bool denied)
{
	const struct process_record *r = &made_row(pid)->r;

	if (r->have & f->columns)
		fail_msg("%s of %u: a value of what cannot be read", f->name, pid);
	if (denied != ((r->denied & f->columns) == f->columns))
		fail_msg("%s of %u: %s", f->name, pid, denied ? "not denied" : "denied");
	if (f->has_text)
		assert_false(r->text[f->text].have);
}

/* Dead between any two calls, or not to be looked into: one file of each process fails in each way. */
static void test_files_that_fail(void **state)
{
	static const struct {
		const char *marker;
		bool denied, at_read;
	} ways[] = {
		{"errno:ENOENT", false, false},
		{"errno:ESRCH", false, false},
		{"errno:EACCES", true, false},
		{"errno:EPERM", true, false},
		{"errno:read:ESRCH", false, true},
		{"errno:read:EACCES", true, true},
		{"errno:read:EPERM", true, true},
		{"errno:read:EINVAL", false, true},
	};
	char path[96];
	u32 pid;

	(void)state;
	for (u32 f = 0; f < ARRAY_LEN(failing); f++)
		for (u32 w = 0; w < ARRAY_LEN(ways); w++) {
			bool link = failing[f].columns &
				    (column_bit(PROCESS_EXE) | column_bit(PROCESS_CWD) |
					    column_bit(PROCESS_FILES));

			pid = 100 * (f + 1) + w;
			if (ways[w].at_read && link)
				continue;
			one_of_everything("", pid, &made_plain);
			snprintf(path, sizeof(path), "proc/%u/%s", pid, failing[f].name);
			if (!strcmp(failing[f].name, "fd"))
				assert_int_equal(
					nftw(tree_path(path), tree_remove, 8, FTW_DEPTH), 0);
			else
				assert_int_equal(unlink(tree_path(path)), 0);
			tree_link(path, ways[w].marker);
		}
	made_open(tree_dir);
	for (u32 again = 0; again < 6; again++) {
		made_scan(all_columns);
		for (u32 i = 0; i < made.n; i++) {
			pid = process_key_pid(made.rows[i].r.key);
			is_absent(pid, &failing[pid / 100 - 1], ways[pid % 100].denied);
			made_is(pid, PROCESS_CPU, 2900000000);
		}
		assert_int_equal(made.n, 10 * 8 - 3 * 4);
		assert_false(procfs_scanner.partial(made.scanner));
	}
}

/* Without its stat a process is no row; the view is said to be partial when it is only hidden. */
static void test_stat_that_fails(void **state)
{
	static const char *const gone[] = {
		"errno:ENOENT", "errno:ESRCH", "errno:read:ESRCH", "errno:read:ENOENT"};
	static const char *const hidden[] = {
		"errno:EACCES", "errno:EPERM", "errno:read:EACCES", "errno:read:EPERM"};
	struct findings f = {0};
	char path[64];

	(void)state;
	for (u32 i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "t0/proc/%u/stat", 10 + i);
		tree_link(path, gone[i]);
	}
	made_stat("t0/proc/30", 30, &made_plain);
	made_stat("t1/proc/30", 30, &made_plain);
	for (u32 i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "t1/proc/%u/stat", 20 + i);
		tree_link(path, hidden[i]);
	}
	made_open(tree_dir);
	made_scan(all_columns);
	assert_int_equal(made.n, 1);
	assert_false(procfs_scanner.partial(made.scanner));
	made_next();
	made_scan(all_columns);
	assert_int_equal(made.n, 1);
	assert_true(procfs_scanner.partial(made.scanner));
	procfs_scanner.explain(made.scanner, &f);
	assert_int_equal(f.n, 1);
	assert_non_null(strstr(f.items[0].why, "4 cannot be read"));
	findings_free(&f);
}

static void test_bytes_that_are_cut_off(void **state)
{
	(void)state;
	one_of_everything("", 9, &made_plain);
	tree_file("proc/9/status",
		"Uid:\t7\t8\t9\t10\nVmSwap:\t 48 kB\nvoluntary_ctxt_switches:\t123");
	tree_file("proc/9/io", "rchar: 12x\nwchar\nread_bytes:\nwrite_bytes: 5\n");
	tree_file("proc/9/schedstat", "0 0 0\n");
	tree_file("proc/9/smaps_rollup", "Pss:\n");
	tree_file("proc/9/cgroup", "nothing of the kind\n");
	made_open(tree_dir);
	made_scan(all_columns);
	made_is(9, PROCESS_UID, 8);
	made_is(9, PROCESS_DISK_WRITTEN, 5);
	assert_false(made_row(9)->r.have &
		     (column_bit(PROCESS_VOLUNTARY) | column_bit(PROCESS_GID) |
			     column_bit(PROCESS_DISK_READ) | column_bit(PROCESS_SCHED_WAIT) |
			     column_bit(PROCESS_PSS)));
	made_text(9, PROCESS_TEXT_CGROUP, NULL);
	made_text(9, PROCESS_TEXT_CONTAINER, NULL);
}

static void test_kernel_threads_and_zombies(void **state)
{
	struct made m = made_plain;

	(void)state;
	m.flags = MADE_KTHREAD;
	made_stat("proc/2", 2, &m);
	tree_file("proc/2/status", "Uid:\t0\t0\t0\t0\n");
	m = made_plain;
	m.state = 'Z';
	made_stat("proc/3", 3, &m);
	tree_file("proc/3/status", "Uid:\t0\t0\t0\t0\n");
	made_stat("proc/4", 4, &made_plain);
	tree_file("proc/4/status", "Uid:\t0\t0\t0\t0\n");
	made_open(tree_dir);
	made_scan(all_columns);
	made_is(2, PROCESS_SWAP, 0);
	made_is(2, PROCESS_SHARED, 0);
	made_text(2, PROCESS_TEXT_EXE, NULL);
	made_text(2, PROCESS_TEXT_CMDLINE, "");
	made_is(3, PROCESS_SWAP, 0);
	/* not told: not 0 */
	assert_false(made_row(4)->r.have & column_bit(PROCESS_SWAP));
}

static void put_task(const char *moment, u32 pid, u32 tid, const struct made *m, u32 count)
{
	char dir[64], path[96], text[200];

	snprintf(dir, sizeof(dir), "%sproc/%u/task/%u", moment, pid, tid);
	made_stat(dir, tid, m);
	snprintf(path, sizeof(path), "%s/status", dir);
	snprintf(text, sizeof(text),
		"voluntary_ctxt_switches:\t%u\nnonvoluntary_ctxt_switches:\t%u\n", count,
		count * 2);
	tree_file(path, text);
	snprintf(path, sizeof(path), "%s/schedstat", dir);
	snprintf(text, sizeof(text), "1 %u 1\n", count * 1000);
	tree_file(path, text);
	snprintf(path, sizeof(path), "%s/io", dir);
	snprintf(text, sizeof(text), "rchar: %u\n", count * 10);
	tree_file(path, text);
}

static void counts_are(u32 pid, u64 count)
{
	made_is(pid, PROCESS_VOLUNTARY, count);
	made_is(pid, PROCESS_INVOLUNTARY, count * 2);
	made_is(pid, PROCESS_SCHED_WAIT, count * 1000);
}

/* Threads that end, and one whose number is used again, take nothing away. */
static void test_sums_over_threads(void **state)
{
	struct made m = made_plain;
	const char *const moments[] = {"t0/", "t1/", "t2/", "t3/"};

	(void)state;
	m.threads = 3;
	for (u32 i = 0; i < 4; i++) {
		made_clock(moments[i], 100 + i);
		if (i == 3)
			m.threads = 1;
		one_of_everything(moments[i], 50, &m);
		put_task(moments[i], 50, 50, &m, 100 + i);
	}
	put_task("t0/", 50, 51, &m, 20);
	put_task("t0/", 50, 60, &m, 3);
	put_task("t1/", 50, 51, &m, 21);
	put_task("t1/", 50, 61, &m, 4);
	put_task("t2/", 50, 51, &m, 2); /* another one */
	put_task("t2/", 50, 61, &m, 4);
	made_open(tree_dir);
	made_scan(all_columns);
	counts_are(50, 100 + 20 + 3);
	made_next();
	made_scan(all_columns);
	counts_are(50, 101 + 21 + 4 + 3);
	made_next();
	made_scan(all_columns);
	counts_are(50, 102 + 21 + 2 + 4 + 3);
	made_next();
	made_scan(all_columns);
	counts_are(50, 103 + 21 + 2 + 4 + 3);
}

static void test_threads_are_rows(void **state)
{
	struct made m = made_plain;

	(void)state;
	tree_file("proc/meminfo", "MemTotal:       16384000 kB\n");
	m.threads = 2;
	one_of_everything("", 50, &m);
	m.user = 9;
	m.comm = "first";
	put_task("", 50, 50, &m, 5);
	m.user = 11;
	m.start = 7000;
	m.comm = "second (2)";
	put_task("", 50, 70, &m, 6);
	tree_file("proc/50/task/71/stat", "71 (cut) R 1 1");
	tree_link("proc/50/task/72", "errno:ENOENT");
	made_open(tree_dir);
	made_scan(column_bit(PROCESS_COMMAND));
	made_threads(all_columns);
	assert_int_equal(made.n, 2);
	assert_true(made_row(70)->r.key == process_key(70, 7000));
	made_is(70, PROCESS_PID, 70);
	made_is(70, PROCESS_OF_THREAD, 50);
	made_is(50, PROCESS_OF_THREAD, 50);
	made_is(70, PROCESS_THREADS, 1);
	made_is(70, PROCESS_PPID, 1);
	made_is(70, PROCESS_CPU, 510000000);
	made_is(50, PROCESS_CPU, 490000000);
	made_is(70, PROCESS_RESIDENT, 5000 * 4096);
	made_is(70, PROCESS_VIRTUAL, 204800000);
	made_is(70, PROCESS_UID, 8);
	made_is(70, PROCESS_GID, 12);
	made_is(70, PROCESS_IO_READ, 60);
	assert_false(made_row(70)->r.have & column_bit(PROCESS_IO_WRITTEN));
	counts_are(70, 6);
	counts_are(50, 5);
	made_text(70, PROCESS_TEXT_COMMAND, "second (2)");
	made_text(70, PROCESS_TEXT_CMDLINE, "/opt/app");
	made_is(70, PROCESS_STARTED, 70 * NSEC_PER_SEC);
}

/* Memory, files, command line and state are a live thread's, the time is the process's. */
static void test_first_thread_has_ended(void **state)
{
	struct made m = made_plain;

	(void)state;
	m.threads = 3;
	m.pages = 0;
	m.state = 'Z';
	made_stat("proc/80", 80, &m);
	tree_file("proc/80/cmdline", "");
	tree_file("proc/80/io", "rchar: 77\n");
	tree_link("proc/80/exe", "errno:ENOENT");
	put_task("", 80, 80, &m, 5);
	tree_link("proc/80/task/81", "errno:ENOENT"); /* ends just now */
	m.pages = 600;
	m.state = 'R';
	m.user = 1;
	put_task("", 80, 90, &m, 7);
	tree_file("proc/80/task/90/cmdline", "/opt/left over");
	tree_file("proc/80/task/90/statm", "9 600 4 1 0 1 0\n");
	tree_file("proc/80/task/90/fd/7", "");
	tree_file("proc/80/task/90/cgroup", "0::/left\n");
	tree_link("proc/80/task/90/exe", "/opt/left");
	made_open(tree_dir);
	made_scan(all_columns);
	assert_int_equal(made_row(80)->r.state, 'R');
	made_is(80, PROCESS_PID, 80);
	made_is(80, PROCESS_THREADS, 3);
	made_is(80, PROCESS_RESIDENT, 600 * 4096);
	made_is(80, PROCESS_SHARED, 4 * 4096);
	made_is(80, PROCESS_CPU, 2900000000);
	made_is(80, PROCESS_FILES, 1);
	made_is(80, PROCESS_IO_READ, 77);
	made_text(80, PROCESS_TEXT_CMDLINE, "/opt/left over");
	made_text(80, PROCESS_TEXT_EXE, "/opt/left");
	made_text(80, PROCESS_TEXT_CGROUP, "/left");
}

/* What others change, or a running process rewrites: at once where somebody sees it, else soon. */
static void test_what_changes_is_seen(void **state)
{
	struct made m = made_plain;
	const u64 keys[] = {process_key(4, 1), process_key(9, 5000), process_key(12, 5000)};
	u32 scans;

	(void)state;
	one_of_everything("", 9, &m);
	one_of_everything("", 11, &m);
	made_open(tree_dir);
	made_scan(all_columns);
	procfs_scanner.visible(made.scanner, keys, ARRAY_LEN(keys));
	for (u32 pid = 9; pid <= 11; pid += 2) {
		char path[64];

		snprintf(path, sizeof(path), "proc/%u/cgroup", pid);
		tree_file(path, "0::/moved\n");
		snprintf(path, sizeof(path), "proc/%u/statm", pid);
		tree_file(path, "50000 5000 7 1 0 1 0\n");
		snprintf(path, sizeof(path), "proc/%u/io", pid);
		tree_file(path, "rchar: 1001\n");
	}
	made_scan(all_columns);
	made_text(9, PROCESS_TEXT_CGROUP, "/moved");
	made_text(9, PROCESS_TEXT_CONTAINER, NULL);
	made_is(9, PROCESS_SHARED, 7 * 4096);
	/* its own doing: without a schedstat to ask nobody knows whether it ran */
	made_is(9, PROCESS_IO_READ, 1001);
	made_is(11, PROCESS_IO_READ, 1001);
	for (scans = 1; scans < 5 && strcmp(made_row(11)->text[PROCESS_TEXT_CGROUP], "/moved");
		scans++)
		made_scan(all_columns);
	made_text(11, PROCESS_TEXT_CGROUP, "/moved");
	made_is(11, PROCESS_SHARED, 7 * 4096);
	/* a title */
	m.user++;
	made_stat("proc/9", 9, &m);
	tree_file("proc/9/cmdline", "app: serving 3");
	made_scan(all_columns);
	made_text(9, PROCESS_TEXT_CMDLINE, "app: serving 3");
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, made_setup, made_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_every_file),
		TEST(test_every_column_by_itself),
		TEST(test_files_that_fail),
		TEST(test_stat_that_fails),
		TEST(test_bytes_that_are_cut_off),
		TEST(test_kernel_threads_and_zombies),
		TEST(test_sums_over_threads),
		TEST(test_threads_are_rows),
		TEST(test_first_thread_has_ended),
		TEST(test_what_changes_is_seen),
	};

	return cmocka_run_group_tests_name("procfs_files", tests, NULL, NULL);
}
