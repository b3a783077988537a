/* The source on the machine that the test runs on: a child of known work, totals against a reading by
 * hand, memory and descriptors in the steady state. */
#include "entries.h"
#include "test.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/alloc.h"
#include "core/delta.h"
#include "process/columns.h"
#include "process/process.h"

struct fixture {
	struct root root;
	struct clock clock;
	struct source_env env;
	struct source *source;
	struct delta d;
};

static const char *const by_procfs[] = {"scan=procfs", NULL};

static void begin(struct fixture *f)
{
	struct err err = {0};

	*f = (struct fixture){.env = {.root = &f->root, .clock = &f->clock, .options = by_procfs}};
	clock_init(&f->clock);
	assert_int_equal(root_init(&f->root, NULL, &f->clock, &err), 0);
	assert_int_equal(process_source.open(&f->source, &f->env), 0);
	assert_int_equal(delta_init(&f->d, process_source.schema), 0);
}

static void end(struct fixture *f)
{
	process_source.close(f->source);
	delta_fini(&f->d);
	root_fini(&f->root);
}

static void reading(struct fixture *f)
{
	assert_int_equal(process_source.read(f->source, delta_spare(&f->d), ~0ull), 0);
	assert_int_equal(delta_step(&f->d), 0);
}

static int find(const struct table *t, pid_t pid)
{
	for (u32 i = 0; i < t->n; i++)
		if (t->key[i] >> 42 == (u64)pid)
			return (int)i;
	return -1;
}

static void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A child that waits for a byte, works for so many seconds of CPU time, says so and waits again. */
static pid_t worker(double seconds, int *go, int *ready)
{
	int to[2], from[2];
	pid_t pid;
	char c = 0;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		double until;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(to[0], &c, 1) != 1)
			_exit(1);
		until = cpu_s() + seconds;
		while (cpu_s() < until)
			;
		if (write(from[1], &c, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(to[0]);
	close(from[1]);
	*go = to[1];
	*ready = from[0];
	return pid;
}

static void stop(pid_t pid, int go, int ready)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(go);
	close(ready);
}

/* 0.2 s of work come out as that: within 5 % and the two clock ticks that stat cuts off. */
static void test_work_of_a_child(void **state)
{
	static struct fixture f;
	struct cell cell;
	int go, ready, row;
	pid_t pid = worker(0.2, &go, &ready);
	char c = 0;

	(void)state;
	begin(&f);
	reading(&f);
	assert_true(find(f.d.now, pid) >= 0);
	sleep_ms(60);
	assert_int_equal(write(go, &c, 1), 1);
	assert_int_equal(read(ready, &c, 1), 1);
	reading(&f);
	row = find(f.d.now, pid);
	assert_true(row >= 0);
	frame_cell(&f.d.frame, (u32)row, PROCESS_CPU, &cell);
	assert_int_equal(cell.state, CELL_VALUE);
	if (cell.diff < 180000000 || cell.diff > 220000000)
		fail_msg("0.2 s of work are shown as %.3f s", (double)cell.diff * 1e-9);
	assert_int_equal(f.d.now->col[PROCESS_PPID][row], getpid());
	assert_int_equal(f.d.now->col[PROCESS_UID][row], geteuid());
	stop(pid, go, ready);
	reading(&f);
	assert_int_equal(find(f.d.now, pid), -1);
	end(&f);
}

static void test_itself(void **state)
{
	char name[4096], *base;
	static struct fixture f;
	ssize_t len = readlink("/proc/self/exe", name, sizeof(name) - 1);
	const char *text;
	u32 text_len, own = 0;
	int row;

	(void)state;
	assert_true(len > 0);
	name[len] = '\0';
	base = strrchr(name, '/') + 1;
	begin(&f);
	reading(&f);
	row = find(f.d.now, getpid());
	assert_true(row >= 0);
	text = table_get_text(f.d.now, (u32)row, PROCESS_COMMAND, &text_len);
	assert_int_equal(text_len, strlen(base));
	assert_memory_equal(text, base, text_len);
	text = table_get_text(f.d.now, (u32)row, PROCESS_STATE, &text_len);
	assert_int_equal(text_len, 1);
	assert_int_equal(text[0], 'R');
	assert_true(f.d.now->col[PROCESS_STARTED][row] < f.d.now->at.boot_ns);
	assert_true(f.d.now->col[PROCESS_SHARED][row] <= f.d.now->col[PROCESS_RESIDENT][row]);
	for (u32 i = 0; i < f.d.now->n; i++)
		own += f.d.now->col[PROCESS_OWN][i] == 1;
	assert_int_equal(own, 1);
	assert_int_equal(f.d.now->col[PROCESS_OWN][row], 1);
	end(&f);
}

struct sums {
	u64 n, threads, ticks;
};

/* By another way: readdir and sscanf. */
static void by_hand(struct sums *s)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	assert_non_null(dir);
	*s = (struct sums){0};
	while ((e = readdir(dir))) {
		unsigned long long user, system, threads;
		char path[300], line[2048], *p;
		FILE *file;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		line[fread(line, 1, sizeof(line) - 1, file)] = '\0';
		fclose(file);
		p = strrchr(line, ')');
		if (!p || sscanf(p + 2,
				  "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu %*s %*s "
				  "%*s %*s %llu",
				  &user, &system, &threads) != 3)
			continue;
		s->n++;
		s->threads += threads;
		s->ticks += user + system;
	}
	closedir(dir);
}

/* The machine does not stand still: what was read must lie between two readings by hand. */
static void test_totals_by_hand(void **state)
{
	struct sums before, after;
	u64 threads = 0, ns = 0;
	static struct fixture f;
	bool fits = false;

	(void)state;
	begin(&f);
	for (u32 i = 0; i < 20 && !fits; i++) {
		const struct table *t;

		by_hand(&before);
		reading(&f);
		by_hand(&after);
		t = f.d.now;
		threads = ns = 0;
		for (u32 row = 0; row < t->n; row++) {
			threads += t->col[PROCESS_THREADS][row];
			/* the whole is more exact than ticks are */
			ns += t->col[PROCESS_USER_CPU][row] + t->col[PROCESS_SYSTEM_CPU][row];
		}
		/* processes that come or go between make the three incomparable: again */
		if (before.n != after.n || before.threads != after.threads || t->n != before.n) {
			sleep_ms(20);
			continue;
		}
		fits = true;
		assert_int_equal(threads, before.threads);
		assert_true(ns / 10000000 >= before.ticks && ns / 10000000 <= after.ticks);
	}
	end(&f);
	if (!fits) {
		print_message("processes come and go too fast here to compare\n");
		skip();
	}
}

static void test_steady_state(void **state)
{
	static struct fixture f;
	u64 allocs = 0;
	u32 files;

	(void)state;
	begin(&f);
	for (u32 i = 0; i < 4; i++) {
		reading(&f);
		sleep_ms(55);
	}
	/* others may start processes meanwhile, for which there must be room: until it stands still */
	for (u32 again = 0; again < 50; again++) {
		allocs = alloc_count();
		for (u32 i = 0; i < 20; i++)
			reading(&f);
		allocs = alloc_count() - allocs;
		if (!allocs)
			break;
	}
	assert_int_equal(allocs, 0);
	/* what comes and goes leaves neither memory nor descriptors behind */
	reading(&f);
	files = entries("/proc/self/fd");
	for (u32 round = 0; round < 10; round++) {
		pid_t pids[8];

		for (u32 i = 0; i < ARRAY_LEN(pids); i++) {
			pids[i] = fork();
			assert_true(pids[i] >= 0);
			if (!pids[i])
				for (;;)
					pause();
		}
		reading(&f);
		for (u32 i = 0; i < ARRAY_LEN(pids); i++) {
			assert_true(find(f.d.now, pids[i]) >= 0);
			kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
		}
		reading(&f);
	}
	assert_true(entries("/proc/self/fd") <= files + 16);
	files = entries("/proc/self/fd");
	end(&f);
	assert_true(entries("/proc/self/fd") < files);
}

/* In a child: the hard limit cannot be raised again by everybody. */
static int with_limit(rlim_t limit, void (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct rlimit r = {limit, limit};

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setrlimit(RLIMIT_NOFILE, &r))
			_exit(2);
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void require(bool what, int code)
{
	if (!what)
		_exit(code);
}

static void few_descriptors(void)
{
	static struct fixture f;

	begin(&f);
	for (u32 i = 0; i < 3; i++) {
		reading(&f);
		require(find(f.d.now, getpid()) >= 0 && find(f.d.now, 1) >= 0, 3);
		require(!f.d.now->partial, 4);
	}
	end(&f);
}

static void no_descriptors_left(void)
{
	static struct fixture f;
	pid_t pid;

	begin(&f);
	reading(&f);
	while (dup(0) >= 0)
		;
	require(errno == EMFILE, 3);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	for (u32 i = 0; i < 3; i++) {
		reading(&f);
		require(find(f.d.now, pid) >= 0, 4);
		require(!f.d.now->partial, 5);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	end(&f);
}

static void test_descriptor_limits(void **state)
{
	(void)state;
	assert_int_equal(with_limit(64, few_descriptors), 0);
	assert_int_equal(with_limit(220, no_descriptors_left), 0);
}

static void test_the_limit_is_raised(void **state)
{
	struct rlimit limit;
	static struct fixture f;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	begin(&f);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(limit.rlim_cur == limit.rlim_max);
	end(&f);
}

/* Another user's process cannot be looked into, its numbers can. */
static void other_user(void)
{
	static struct fixture f;
	int row;

	require(!setgid(65534) && !setuid(65534), 3);
	begin(&f);
	reading(&f);
	row = find(f.d.now, 1);
	require(row >= 0 && cell_state(f.d.now->cell[PROCESS_CPU][row]) == CELL_VALUE, 4);
	require(f.d.now->col[PROCESS_UID][row] == 0, 5);
	row = find(f.d.now, getpid());
	/* this process gave its rights up and is root's no more, though root owns its files */
	require(row >= 0 && f.d.now->col[PROCESS_UID][row] == 65534, 6);
	end(&f);
}

static void test_without_rights(void **state)
{
	(void)state;
	if (geteuid()) {
		print_message("only root can become another user\n");
		skip();
	}
	assert_int_equal(with_limit(1024, other_user), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_of_a_child),
		cmocka_unit_test(test_itself),
		cmocka_unit_test(test_totals_by_hand),
		cmocka_unit_test(test_steady_state),
		cmocka_unit_test(test_descriptor_limits),
		cmocka_unit_test(test_the_limit_is_raised),
		cmocka_unit_test(test_without_rights),
	};

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
