/* Both live scanners give the same table, while processes do everything that makes it hard: each is read between two
 * readings of the other, and what it says must lie between. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/table.h"
#include "process/columns.h"
#include "process/process.h"
#include "process/rows.h"
#include "process/scanner.h"
#include "process/schema.h"

enum { ROUNDS = 20, CHILDREN = 7 };

static struct root root;
static struct clock clock_;
static struct source_env env = {.root = &root, .clock = &clock_};
static void *procfs, *bpf;
static struct rows rows;
static struct table before, between, after;
static struct table first_before, first_between,
	first_after; /* where counts of ended threads are left out */
static u32 strange;  /* cells of others that differ */
static char *title;  /* the memory that /proc/PID/cmdline of a child shows */
static size_t title_size;

static void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void burn_ms(long ms)
{
	struct timespec t;
	long long until;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	until = t.tv_sec * 1000000000ll + t.tv_nsec + ms * 1000000ll;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_sec * 1000000000ll + t.tv_nsec < until);
}

static void *short_thread(void *arg)
{
	burn_ms(3);
	return arg;
}

/* Threads that come and go: their time is in `signal` only. */
static void threads_exit(void)
{
	for (;;) {
		pthread_t threads[4];

		for (u32 i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, short_thread, NULL);
		for (u32 i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		sleep_ms(20);
	}
}

static void *run_true(void *arg)
{
	burn_ms(5);
	execl("/bin/sleep", "sleep", "0.1", (char *)NULL);
	return arg;
}

/* A thread that is not the first executes: it takes the process over. */
static void exec_by_another(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			pthread_t thread;

			pthread_create(&thread, NULL, run_true, NULL);
			for (;;)
				pause();
		}
		waitpid(pid, NULL, 0);
	}
}

static void *lives_on(void *arg)
{
	for (;;) {
		burn_ms(2);
		sleep_ms(30);
	}
	return arg;
}

static void zombie_leader(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, lives_on, NULL);
	pthread_exit(NULL);
}

static void does_io(void)
{
	char bytes[8192] = {0};
	int null = open("/dev/null", O_WRONLY), zero = open("/dev/zero", O_RDONLY);

	for (;;) {
		for (u32 i = 0; i < 50; i++)
			if (read(zero, bytes, sizeof(bytes)) < 0 || write(null, bytes, 4096) < 0)
				_exit(1);
		sleep_ms(10);
	}
}

static void rewrites_title(void)
{
	for (u32 i = 0;; i++) {
		memset(title, 0, title_size);
		snprintf(title, title_size, "title %u", i);
		burn_ms(15);
		sleep_ms(300);
	}
}

static void short_lived(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		sleep_ms(3);
	}
}

static void faults(void)
{
	for (;;) {
		char *p = malloc(4 << 20);

		for (u32 i = 0; i < 4 << 20; i += 4096)
			p[i] = 1;
		free(p);
		sleep_ms(25);
	}
}

static void (*const load[CHILDREN])(void) = {
	threads_exit, exec_by_another, zombie_leader, does_io, rewrites_title, short_lived, faults};
static pid_t children[CHILDREN];

static int add(void *arg, const struct process_record *r)
{
	return rows_add(arg, r);
}

static void scan(const struct scanner_ops *ops, void *self, struct table *t)
{
	struct stamp at;

	clock_read(&clock_, &at);
	table_begin(t, &at, ~0ull);
	assert_int_equal(rows_begin(&rows, t), 0);
	assert_int_equal(ops->scan(self, ~0ull, add, &rows), 0);
	assert_int_equal(table_end(t), 0);
}

static bool same_text(const struct table *a, u32 i, const struct table *b, u32 j, u32 column)
{
	u32 la, lb;
	const char *x = table_get_text(a, i, column, &la), *y = table_get_text(b, j, column, &lb);

	return la == lb && !memcmp(x, y, la);
}

/* How far a counter of the one may lie outside of what the other said before and after: both are sums over threads
 * that run meanwhile, and times of /proc are whole ticks. */
static u64 slack(u32 column)
{
	switch (column) {
	case PROCESS_CPU:
	case PROCESS_TIME:
		return 20 * NSEC_PER_MSEC;
	case PROCESS_USER_CPU:
	case PROCESS_SYSTEM_CPU: /* each scanner splits what it saw at another moment */
		return 100 * NSEC_PER_MSEC;
	case PROCESS_STARTED:
		return 10 * NSEC_PER_MSEC;
	case PROCESS_VIRTUAL:  /* maps that come and go with a thread or an allocation */
	case PROCESS_RESIDENT: /* parts of the CPUs that the kernel itself leaves out */
	case PROCESS_SHARED:
		return 1 << 20;
	case PROCESS_PSS: /* as its sharers come and go */
		return 1 << 20;
	case PROCESS_VOLUNTARY:
	case PROCESS_INVOLUNTARY:
		return 4;
	case PROCESS_SCHED_WAIT:
		return 20 * NSEC_PER_MSEC;
	case PROCESS_MEMORY:
		return 500;
	default:
		return 0;
	}
}

/* Of several threads, or over the life of ended ones, procfs has no whole sum to begin with. */
static bool only_of_one(u32 column)
{
	return column == PROCESS_SCHED_WAIT || column == PROCESS_VOLUNTARY ||
	       column == PROCESS_INVOLUNTARY;
}

static bool is_text(u32 column)
{
	return process_table_schema.columns[column].kind == COLUMN_TEXT;
}

struct place {
	u32 before, between, after;
};

/* procfs has no sum of what threads counted that ended before it looked: compared is what was added since the first
 * round, in which the one looked between the other's two looks too. */
static bool since_first(const struct place *at, u32 c, u64 *low, u64 *high, u64 *value)
{
	int i = table_find(&first_before, before.key[at->before]);
	int j = table_find(&first_between, before.key[at->before]);
	int k = table_find(&first_after, before.key[at->before]);

	if (i < 0 || j < 0 || k < 0 || cell_state(first_before.cell[c][i]) == CELL_ABSENT ||
		cell_state(first_between.cell[c][j]) == CELL_ABSENT)
		return false;
	*low = *low > first_after.col[c][k] ? *low - first_after.col[c][k] : 0;
	*high -= first_before.col[c][i];
	*value -= first_between.col[c][j];
	return true;
}

/* NULL: the same; else why not. */
static const char *differs(const struct place *at, u32 c)
{
	u8 was = before.cell[c][at->before], is = between.cell[c][at->between],
	   now = after.cell[c][at->after];
	u64 low, high, value;

	if (was != now)
		return NULL; /* it changed its nature meanwhile */
	if (cell_state(is) == CELL_ABSENT || cell_state(was) == CELL_ABSENT)
		return cell_state(is) == cell_state(was) ? NULL : "one has it, one has not";
	if (is_text(c)) {
		if (!same_text(&before, at->before, &after, at->after, c))
			return NULL;
		return same_text(&before, at->before, &between, at->between, c) ? NULL : "text";
	}
	low = before.col[c][at->before];
	high = after.col[c][at->after];
	value = between.col[c][at->between];
	if (only_of_one(c) && !since_first(at, c, &low, &high, &value))
		return NULL;
	if (process_table_schema.columns[c].flags & COLUMN_SIGNED)
		return low != high || low == value ? NULL : "signed value";
	if (low > high) {
		u64 tmp = low;

		low = high;
		high = tmp;
	}
	return value + slack(c) >= low && value <= high + slack(c) ? NULL : "value";
}

static bool lives(const struct place *at)
{
	u32 len;
	const char *state = table_get_text(&before, at->before, PROCESS_STATE, &len);

	return len == 1 && *state != 'X' && *state != 'Z';
}

/* A value may leave and come back between two readings; what is wrong stays wrong: in three rounds. */
static bool persists(u64 pid, u32 column)
{
	static struct {
		u64 pid;
		u32 column, rounds;
	} seen[512];
	u32 i = 0;

	while (i < ARRAY_LEN(seen) - 1 && seen[i].rounds &&
		(seen[i].pid != pid || seen[i].column != column))
		i++;
	seen[i].pid = pid;
	seen[i].column = column;
	return ++seen[i].rounds >= 3;
}

static void print_texts(const struct place *at, u32 c)
{
	const struct table *tables[] = {&before, &between, &after};
	const u32 row[] = {at->before, at->between, at->after};

	for (u32 i = 0; i < ARRAY_LEN(tables); i++) {
		u32 len;
		const char *text = table_get_text(tables[i], row[i], c, &len);

		print_error("\"%.*s\" ", (int)len, text);
	}
}

/* Did it wake or sleep between the two readings of procfs? */
static bool switched(const struct place *at)
{
	return before.col[PROCESS_VOLUNTARY][at->before] !=
		       after.col[PROCESS_VOLUNTARY][at->after] ||
	       before.col[PROCESS_INVOLUNTARY][at->before] !=
		       after.col[PROCESS_INVOLUNTARY][at->after] ||
	       before.col[PROCESS_CPU][at->before] != after.col[PROCESS_CPU][at->after];
}

/* Is it this test's load? Of whatever else runs here nobody knows what it does. */
static bool is_load(u32 row)
{
	for (u32 i = 0; i < CHILDREN; i++)
		if (before.col[PROCESS_PID][row] == (u64)children[i] ||
			before.col[PROCESS_PPID][row] == (u64)children[i])
			return true;
	return false;
}

/* A process that sleeps now may run then; what it was doing is compared where both readings of procfs agree. */
static u32 compare(const struct place *at, u32 *compared)
{
	bool churns = before.col[PROCESS_PID][at->before] == (u64)children[0];
	bool own = before.col[PROCESS_PID][at->before] == (u64)getpid();
	u32 wrong = 0;

	for (u32 c = 0; c < PROCESS_COLUMNS; c++) {
		const char *why;

		/* threads of the kernel are renamed, and every process runs on other CPUs, as it goes */
		if (c == PROCESS_PROCESSOR || c == PROCESS_OWN || c == PROCESS_ENERGY)
			continue;
		if (c == PROCESS_STATE && switched(at))
			continue;
		/* whose threads live for 3 ms: none of them is there when it is looked at again */
		if (churns && (only_of_one(c) || c == PROCESS_THREADS || c == PROCESS_VIRTUAL))
			continue;
		if (before.col[PROCESS_KERNEL][at->before] == 1 && c == PROCESS_COMMAND)
			continue;
		if (own && c == PROCESS_FILES) /* the walk over the tasks is a descriptor */
			continue;
		why = differs(at, c);
		(*compared)++;
		if (!why)
			continue;
		if (!persists(before.col[PROCESS_PID][at->before], c))
			continue;
		if (is_load(at->before))
			wrong++;
		else
			strange++;
		if (is_text(c))
			print_texts(at, c);
		print_texts(at, PROCESS_CMDLINE);
		print_error("pid %llu, own %llu, column %s: %s (%llu, %llu, %llu)\n",
			(unsigned long long)before.col[PROCESS_PID][at->before],
			(unsigned long long)getpid(), process_table_schema.columns[c].name, why,
			(unsigned long long)before.col[c][at->before],
			(unsigned long long)between.col[c][at->between],
			(unsigned long long)after.col[c][at->after]);
	}
	return wrong;
}

static u32 compare_all(u32 *compared)
{
	u32 wrong = 0;

	for (u32 i = 0; i < before.n; i++) {
		int j = table_find(&between, before.key[i]), k = table_find(&after, before.key[i]);
		struct place at = {i, (u32)j, (u32)k};

		if (k < 0 || !lives(&at))
			continue; /* it ended meanwhile */
		if (j < 0) {
			if (persists(before.col[PROCESS_PID][i], PROCESS_COLUMNS)) {
				print_error("pid %llu is missing\n",
					(unsigned long long)before.col[PROCESS_PID][i]);
				wrong++;
			}
			continue;
		}
		wrong += compare(&at, compared);
	}
	return wrong;
}

static int open_both(void **state)
{
	char why[160] = "";
	struct err err;

	(void)state;
	clock_init(&clock_);
	assert_int_equal(root_init(&root, NULL, &clock_, &err), 0);
	rows_init(&rows, &root);
	assert_int_equal(table_init(&before, &process_table_schema), 0);
	assert_int_equal(table_init(&between, &process_table_schema), 0);
	assert_int_equal(table_init(&after, &process_table_schema), 0);
	assert_int_equal(table_init(&first_before, &process_table_schema), 0);
	assert_int_equal(table_init(&first_between, &process_table_schema), 0);
	assert_int_equal(table_init(&first_after, &process_table_schema), 0);
	assert_int_equal(procfs_scanner.open(&procfs, &env, why, sizeof(why)), 0);
#ifdef TARE_BPF
	if (bpf_scanner.open(&bpf, &env, why, sizeof(why)))
		bpf = NULL;
#else
	snprintf(why, sizeof(why), "built without BPF");
#endif
	if (!bpf)
		print_message("# no BPF here: %s\n", why);
	for (u32 i = 0; bpf && i < CHILDREN; i++) {
		children[i] = fork();
		if (!children[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			load[i]();
			_exit(0);
		}
	}
	return 0;
}

static int close_both(void **state)
{
	(void)state;
	for (u32 i = 0; i < CHILDREN; i++)
		if (children[i]) {
			kill(children[i], SIGKILL);
			waitpid(children[i], NULL, 0);
		}
	procfs_scanner.close(procfs);
#ifdef TARE_BPF
	if (bpf)
		bpf_scanner.close(bpf);
#endif
	table_fini(&before);
	table_fini(&between);
	table_fini(&after);
	table_fini(&first_before);
	table_fini(&first_between);
	table_fini(&first_after);
	rows_fini(&rows);
	root_fini(&root);
	return 0;
}

#ifdef TARE_BPF
static void test_the_same_table_under_load(void **state)
{
	u32 wrong = 0, compared = 0;

	(void)state;
	if (!bpf)
		skip();
	for (u32 round = 0; round < ROUNDS; round++) {
		scan(&procfs_scanner, procfs, &before);
		scan(&bpf_scanner, bpf, &between);
		scan(&procfs_scanner, procfs, &after);
		/* everything is on the screen, so that nothing is older than this round */
		procfs_scanner.visible(procfs, after.key, after.n);
		bpf_scanner.visible(bpf, after.key, after.n);
		if (round > 1)
			wrong += compare_all(&compared);
		if (round == 1) {
			assert_int_equal(table_copy(&first_before, &before), 0);
			assert_int_equal(table_copy(&first_between, &between), 0);
			assert_int_equal(table_copy(&first_after, &after), 0);
		}
		sleep_ms(40);
	}
	print_message("# %u cells compared\n", compared);
	assert_true(compared > 1000);
	assert_int_equal(wrong, 0);
	assert_true(strange < compared / 1000);
}
#endif

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#ifdef TARE_BPF
		cmocka_unit_test(test_the_same_table_under_load),
#endif
		{0},
	};

	title = argv[0];
	title_size = strlen(argv[argc - 1]) + (size_t)(argv[argc - 1] - argv[0]);
#ifndef TARE_BPF
	return 77;
#endif
	return _cmocka_run_group_tests(
		"scanners", tests, ARRAY_LEN(tests) - 1, open_both, close_both);
}
