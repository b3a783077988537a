/* The procfs scanner on the machine that the test runs on: what stands still, what others change, and processes that
 * come and go under it. */
#include "made.h"

#include "process/look.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/scan.h"

enum { AGAIN_MOST = 5 };

static const u64 all_columns = (1ull << PROCESS_COLUMNS) - 1;
static int to_child[2], from_child[2];
static pid_t child;

static void burn(u64 ns)
{
	struct timespec t;
	u64 from, now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	from = now = (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
	while (now - from < ns) {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		now = (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
	}
}

/* A child that does as each byte says: 'b' burns 1 ms, 'w' writes, 'o' opens. */
static void obey(void)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(to_child[0], &c, 1) == 1) {
		if (c == 'b')
			burn(NSEC_PER_MSEC);
		if (c == 'o' && dup(0) < 0)
			_exit(1);
		if (write(from_child[1], &c, 1) != 1)
			break;
	}
	_exit(0);
}

static int begin(void **state)
{
	if (made_setup(state) || pipe(to_child) || pipe(from_child))
		return -1;
	child = fork();
	if (!child)
		obey();
	if (child < 0)
		return -1;
	made_open(NULL);
	return 0;
}

static int end(void **state)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (u32 i = 0; i < 2; i++) {
		close(to_child[i]);
		close(from_child[i]);
	}
	return made_teardown(state);
}

/* Done, and asleep again. */
static void tell(char c)
{
	char path[64], line[512], *p;
	u32 asleep = 0;

	assert_int_equal(write(to_child[1], &c, 1), 1);
	assert_int_equal(read(from_child[0], &c, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	for (u32 i = 0; i < 1000; i++) {
		FILE *f = fopen(path, "re");

		assert_non_null(f);
		line[fread(line, 1, sizeof(line) - 1, f)] = '\0';
		fclose(f);
		p = strrchr(line, ')');
		/* it says so before its run is accounted for, which on a busy machine may be some time */
		nanosleep(&(struct timespec){.tv_nsec = NSEC_PER_MSEC / 2}, NULL);
		if (p && p[2] == 'S' && ++asleep == 8)
			return;
		sched_yield();
	}
}

static u32 read_file(const char *name, char *text, u32 size)
{
	char path[64];
	FILE *f;
	u32 len;

	snprintf(path, sizeof(path), "/proc/%d/%s", child, name);
	f = fopen(path, "re");
	assert_non_null(f);
	len = (u32)fread(text, 1, size, f);
	fclose(f);
	return len;
}

static void see(u64 key)
{
	procfs_scanner.visible(made.scanner, &key, key ? 1 : 0);
}

static bool counts_runs(void)
{
	char text[128];
	u64 sched[3];
	u32 len = read_file("schedstat", text, sizeof(text));

	return !process_parse_schedstat(text, text + len, sched);
}

static void test_every_column_by_itself(void **state)
{
	static const u8 of[PROCESS_TEXTS] = {PROCESS_CGROUP, PROCESS_CONTAINER, PROCESS_EXE,
		PROCESS_CWD, PROCESS_COMMAND, PROCESS_CMDLINE};
	const u64 by_others = column_bit(PROCESS_ENERGY) | column_bit(PROCESS_USER) |
			      column_bit(PROCESS_REAL_USER) | column_bit(PROCESS_GROUP) |
			      column_bit(PROCESS_STATE) | column_bit(PROCESS_POLICY) |
			      ((column_bit(PROCESS_GPU_MEMORY) << 1) - column_bit(PROCESS_GPU)) |
			      column_bit(PROCESS_CONTAINER);
	const u32 own = (u32)getpid();

	(void)state;
	for (u32 c = 0; c < PROCESS_COLUMNS; c++) {
		const struct made_row *row;
		bool have;

		made_scan(column_bit(c));
		row = made_row(own);
		have = (row->r.have | by_others) >> c & 1;
		for (u32 i = 0; i < PROCESS_TEXTS; i++)
			have |= of[i] == c && row->r.text[i].have && row->text[i][0];
		if (c == PROCESS_SCHED_WAIT && !counts_runs())
			continue;
		if (!have)
			fail_msg("column %u is not filled", c);
	}
}

/* Bytes that it reads and writes without using a tick of CPU time, and its time in ns: in the next scan, whether
 * anybody sees it or not. */
static void test_what_is_its_own_is_of_now(void **state)
{
	char text[1024];
	u64 bytes, sched[3];
	u32 len;

	(void)state;
	for (u32 i = 0; i < 60; i++) {
		if (i % 3 != 2 && i % 7 != 3)
			tell(i % 4 ? 'w' : 'b');
		if (i == 40)
			see(made_row((u32)child)->r.key);
		made_scan(all_columns & ~column_bit(PROCESS_PSS));
		len = read_file("io", text, sizeof(text));
		assert_true(scan_line_u64(text, text + len, "wchar:", &bytes));
		made_is((u32)child, PROCESS_IO_WRITTEN, bytes);
		len = read_file("status", text, sizeof(text));
		if (!scan_line_u64(text, text + len, "voluntary_ctxt_switches:", &bytes))
			continue;
		made_is((u32)child, PROCESS_VOLUNTARY, bytes);
	}
	if (!counts_runs())
		skip();
	for (u32 i = 0; i < 3; i++)
		made_scan(all_columns); /* it is seen: asked in each */
	len = read_file("schedstat", text, sizeof(text));
	assert_int_equal(process_parse_schedstat(text, text + len, sched), 0);
	made_is((u32)child, PROCESS_CPU, sched[0]);
	made_is((u32)child, PROCESS_SCHED_WAIT, sched[1]);
}

/* One that runs in every window, though for less than a tick, is not asked each time: but it is looked at. */
static void test_files_of_what_runs(void **state)
{
	u32 late = 0;
	u64 files;

	(void)state;
	tell('w');
	if (!counts_runs())
		skip();
	for (u32 i = 0; i < 12; i++)
		made_scan(all_columns);
	files = made_row((u32)child)->r.value[PROCESS_FILES];
	for (u32 i = 1; i <= 40; i++) {
		tell('o');
		made_scan(column_bit(PROCESS_FILES));
		late += made_row((u32)child)->r.value[PROCESS_FILES] != files + i;
	}
	/* the kernel may not account for a run of some microseconds that follows another at once */
	if (late > 2)
		fail_msg("%u of 40 were late", late);
	for (u32 i = 0; i < LOOK_EVERY; i++)
		made_scan(column_bit(PROCESS_FILES));
	made_is((u32)child, PROCESS_FILES, files + 40);
}

/* Never a step back, and what is handed over as new adds up to what is shown. */
static void test_time_only_grows(void **state)
{
	u64 cpu, before, handed = 0;

	(void)state;
	made_scan(all_columns);
	before = made_row((u32)child)->r.value[PROCESS_CPU];
	assert_int_equal(made_row((u32)child)->r.fresh_ns, 0);
	for (u32 i = 0; i < 60; i++) {
		u64 was = before + handed;

		for (u32 n = 0; n < i % 5; n++)
			tell('b');
		made_scan(column_bit(PROCESS_CPU));
		cpu = made_row((u32)child)->r.value[PROCESS_CPU];
		handed += made_row((u32)child)->r.fresh_ns;
		assert_true(cpu >= was);
		assert_int_equal(cpu, before + handed);
	}
	/* 120 ms, cut off to ticks at both ends at most */
	assert_true(handed >= 100 * NSEC_PER_MSEC);
}

static void test_others_change_it(void **state)
{
	u64 key;
	u32 scans;

	(void)state;
	for (u32 i = 0; i < 12; i++)
		made_scan(all_columns);
	key = made_row((u32)child)->r.key;
	assert_int_equal(setpriority(PRIO_PROCESS, (id_t)child, 7), 0);
	for (scans = 1; scans <= AGAIN_MOST; scans++) {
		made_scan(all_columns);
		if (made_row((u32)child)->r.value[PROCESS_NICE] == 7)
			break;
	}
	assert_true(scans <= AGAIN_MOST);
	see(key);
	for (u32 i = 8; i < 16; i++) {
		assert_int_equal(setpriority(PRIO_PROCESS, (id_t)child, (int)i), 0);
		made_scan(all_columns);
		made_is((u32)child, PROCESS_NICE, i);
	}
}

/* Ends a process in each of its moments while it is looked at. */
static void storm(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			burn(200 * NSEC_PER_USEC);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static struct {
	u64 key, cpu;
} * before;

static void test_in_a_storm(void **state)
{
	pid_t pids[3];
	u32 nbefore = 0, gone = 0;

	(void)state;
	for (u32 i = 0; i < ARRAY_LEN(pids); i++) {
		pids[i] = fork();
		if (!pids[i])
			storm();
	}
	procfs_scanner.ended(made.scanner, made_keep_exit, NULL);
	for (u32 i = 0; i < 60; i++) {
		u32 b = 0, kept = 0;

		made_scan(all_columns);
		assert_non_null(made_find(1));
		assert_non_null(made_find((u32)getpid()));
		for (u32 n = 0; n < made.n; n++) {
			const struct process_record *r = &made.rows[n].r;

			assert_true(!n || r->key > made.rows[n - 1].r.key);
			while (b < nbefore && before[b].key < r->key)
				b++;
			if (b < nbefore && before[b].key == r->key) {
				assert_true(r->value[PROCESS_CPU] >= before[b].cpu);
				kept++;
			}
		}
		gone += nbefore - kept;
		nbefore = made.n;
		before = realloc(before, nbefore * sizeof(*before));
		assert_non_null(before);
		for (u32 n = 0; n < made.n; n++) {
			before[n].key = made.rows[n].r.key;
			before[n].cpu = made.rows[n].r.value[PROCESS_CPU];
		}
		made_ended();
		if (i % 8 == 0)
			made_threads((1ull << THREAD_COLUMNS) - 1);
	}
	for (u32 i = 0; i < ARRAY_LEN(pids); i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	free(before);
	before = NULL;
	assert_true(gone > 0);
	assert_false(procfs_scanner.partial(made.scanner));
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_every_column_by_itself),
		TEST(test_what_is_its_own_is_of_now),
		TEST(test_files_of_what_runs),
		TEST(test_time_only_grows),
		TEST(test_others_change_it),
		TEST(test_in_a_storm),
	};

	return cmocka_run_group_tests_name("procfs_live", tests, NULL, NULL);
}
