/* libtare by its public header, on the live machine: what is chosen is read, what ended is told, errors come back in words,
 * handles stand by themselves. */
#include "entries.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tare.h>
#include <time.h>
#include <unistd.h>

static struct tare *open_with(uint64_t want, uint32_t flags)
{
	const struct tare_options options = {
		.size = sizeof(options), .want = want, .flags = flags, .scan = "procfs"};
	struct tare *t;

	assert_int_equal(tare_open(&t, &options), 0);
	return t;
}

static void refresh(struct tare *t, unsigned int n)
{
	while (n--) {
		assert_int_equal(tare_refresh(t), 0);
		usleep(20000);
	}
}

/* CPU time of this process, in seconds. */
static void spin(double seconds)
{
	const clock_t until = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < until)
		;
}

/* A child that sleeps. */
static pid_t start(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		pause();
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The lines Cap… of this thread. */
static void read_status(char *out, size_t size)
{
	FILE *f = fopen("/proc/thread-self/status", "r");
	char line[256];

	assert_non_null(f);
	*out = '\0';
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "Cap", 3))
			strncat(out, line, size - strlen(out) - 1);
	fclose(f);
}

static void test_errors(void **state)
{
	char text[120] = "";
	struct tare_options o = {
		.size = sizeof(o), .scan = "fast", .error = text, .error_size = sizeof(text)};
	struct tare *t = NULL;

	(void)state;
	assert_int_equal(tare_open(&t, &o), -EINVAL);
	assert_non_null(strstr(text, "procfs"));
	assert_null(t);
	o.scan = NULL;
	o.root = "/nowhere/at/all";
	text[0] = '\0';
	assert_true(tare_open(&t, &o) < 0);
	assert_non_null(strstr(text, "nowhere"));
	o.error_size = 4; /* cut, and terminated */
	assert_true(tare_open(&t, &o) < 0);
	assert_int_equal(strlen(text), 3);
	o.error = NULL;
	assert_true(tare_open(&t, &o) < 0);
	tare_close(NULL);
	o = (struct tare_options){.size = 0};
	assert_int_equal(tare_open(&t, &o), -EINVAL);
	o = (struct tare_options){.size = sizeof(o), .want = 1ull << 63};
	assert_int_equal(tare_open(&t, &o), -EINVAL);
	o = (struct tare_options){.size = sizeof(o), .flags = 1u << 31};
	assert_int_equal(tare_open(&t, &o), -EINVAL);
	t = open_with(TARE_WANT_MEMORY, 0);
	assert_int_equal(tare_want(t, TARE_WANT_CPU), -EINVAL);
	assert_true(strlen(tare_error(t)) > 0);
	tare_close(t);
}

static void test_before_a_refresh(void **state)
{
	struct tare_process p = {.size = sizeof(p)};
	struct tare_memory m = {.size = sizeof(m)};
	struct tare_value v = {.size = sizeof(v)};
	struct tare *t = open_with(0, 0);
	size_t at = 0;

	(void)state;
	assert_int_equal(tare_process_next(t, &at, &p), 0);
	assert_int_equal(tare_process_find(t, (uint32_t)getpid(), &p), -ESRCH);
	assert_int_equal(tare_memory(t, &m), -ENOENT);
	assert_int_equal(tare_table_count(t), 0);
	assert_null(tare_table_name(t, 0));
	assert_int_equal(tare_table_find(t, "cpu"), -ENOENT);
	assert_int_equal(tare_value(t, 0, 0, 0, &v), -ENOENT);
	tare_close(t);
}

/* What is not wanted is not there; what is wanted is. GPU use and GPU memory are chosen apart. */
static void test_wants(void **state)
{
	struct tare_process p = {.size = sizeof(p)};
	struct tare_memory m = {.size = sizeof(m)};
	struct tare *t = open_with(
		TARE_WANT_PROCESS | TARE_WANT_PROCESS_MEMORY | TARE_WANT_PROCESS_CWD, 0);

	(void)state;
	refresh(t, 2);
	assert_int_equal(tare_process_find(t, (uint32_t)getpid(), &p), 0);
	assert_true(TARE_HAS(p, TARE_PROCESS_RESIDENT) && p.resident_bytes > 100000);
	assert_true(TARE_HAS(p, TARE_PROCESS_CWD) && p.cwd.len && p.cwd.data[0] == '/');
	assert_true(TARE_HAS(p, TARE_PROCESS_PPID) && p.ppid == (uint64_t)getppid());
	assert_false(TARE_HAS(p, TARE_PROCESS_IO_READ));
	assert_false(TARE_HAS(p, TARE_PROCESS_EXE));
	assert_int_equal(tare_memory(t, &m), -ENOENT);
	assert_int_equal(tare_want(t, TARE_WANT_PROCESS), 0);
	refresh(t, 2);
	memset(&p, 0, sizeof(p));
	p.size = sizeof(p);
	assert_int_equal(tare_process_find(t, (uint32_t)getpid(), &p), 0);
	assert_false(TARE_HAS(p, TARE_PROCESS_RESIDENT));
	assert_false(TARE_HAS(p, TARE_PROCESS_CWD));
	tare_close(t);
}

static void test_rates(void **state)
{
	struct tare_process p = {.size = sizeof(p)};
	struct tare_cpu cpu = {.size = sizeof(cpu)};
	struct tare *t = open_with(
		TARE_WANT_CPU | TARE_WANT_PROCESS | TARE_WANT_PROCESS_CPU | TARE_WANT_PROCESS_IO,
		0);
	unsigned int ncpus = 0;
	size_t at = 0;

	(void)state;
	assert_int_equal(tare_refresh(t), 0);
	assert_int_equal(tare_process_find(t, (uint32_t)getpid(), &p), 0);
	assert_false(TARE_HAS(p, TARE_PROCESS_CPU));
	spin(0.25);
	assert_int_equal(tare_refresh(t), 0);
	assert_int_equal(tare_process_find(t, (uint32_t)getpid(), &p), 0);
	assert_true(TARE_HAS(p, TARE_PROCESS_CPU));
	assert_true(p.cpu_percent > 20 && p.cpu_percent < 110);
	assert_true(p.window_ns > 10000000);
	while (tare_cpu_next(t, &at, &cpu) > 0)
		ncpus += TARE_HAS(cpu, TARE_CPU_ONLINE) && cpu.online;
	assert_int_equal(ncpus, sysconf(_SC_NPROCESSORS_ONLN));
	tare_close(t);
}

static void test_some_pids(void **state)
{
	pid_t a = start(), b = start();
	const uint32_t chosen[] = {(uint32_t)b, 0x7fffffff, (uint32_t)a, (uint32_t)a};
	struct tare_process p = {.size = sizeof(p)};
	struct tare *t = open_with(TARE_WANT_PROCESS | TARE_WANT_PROCESS_MEMORY, 0);
	unsigned int n = 0;
	size_t at = 0;

	(void)state;
	assert_int_equal(tare_pids(t, chosen, 4), 0);
	refresh(t, 1);
	while (tare_process_next(t, &at, &p) > 0) {
		assert_true(p.pid == (uint32_t)a || p.pid == (uint32_t)b);
		assert_true(TARE_HAS(p, TARE_PROCESS_RESIDENT));
		n++;
	}
	assert_int_equal(n, 2);
	assert_int_equal(tare_process_find(t, (uint32_t)getpid(), &p), -ESRCH);
	assert_int_equal(tare_pids(t, NULL, 0), 0);
	refresh(t, 1);
	assert_int_equal(tare_process_find(t, (uint32_t)getpid(), &p), 0);
	tare_close(t);
	end(a);
	end(b);
}

/* 0: it is not listed; 1: it lives; 2: it has ended. */
static int listed(const struct tare *t, pid_t pid)
{
	struct tare_process p = {.size = sizeof(p)};

	for (size_t at = 0; tare_process_next(t, &at, &p) > 0;)
		if (p.pid == (uint32_t)pid)
			return 1 + (p.ended != 0);
	return 0;
}

static void test_ended(void **state)
{
	static const uint32_t flags[] = {0, TARE_KEEP_ENDED};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct tare *t = open_with(TARE_WANT_PROCESS | TARE_WANT_PROCESS_CPU, flags[i]);
		pid_t pid = start();

		refresh(t, 2);
		assert_int_equal(listed(t, pid), 1);
		end(pid);
		refresh(t, 1);
		assert_int_equal(listed(t, pid), flags[i] ? 2 : 0);
		refresh(t, 1);
		assert_int_equal(listed(t, pid), 0);
		tare_close(t);
	}
}

/* What was not chosen when it was refreshed lives on, whoever is chosen later. */
static void test_not_chosen_is_not_ended(void **state)
{
	struct tare *t = open_with(TARE_WANT_PROCESS, TARE_KEEP_ENDED);
	pid_t a = start(), b = start();
	const uint32_t one = (uint32_t)a;

	(void)state;
	refresh(t, 1);
	assert_int_equal(listed(t, b), 1);
	assert_int_equal(tare_pids(t, &one, 1), 0);
	end(a);
	refresh(t, 1);
	assert_int_equal(listed(t, a), 2);
	assert_int_equal(tare_pids(t, NULL, 0), 0);
	assert_int_equal(listed(t, a), 2);
	assert_int_equal(listed(t, b), 0);
	refresh(t, 1);
	assert_int_equal(listed(t, b), 1);
	tare_close(t);
	end(b);
}

static void test_last_state(void **state)
{
	struct tare_process p = {.size = sizeof(p)};
	struct tare *t = open_with(
		TARE_WANT_PROCESS | TARE_WANT_PROCESS_CPU | TARE_WANT_PROCESS_MEMORY,
		TARE_KEEP_ENDED);
	pid_t pid = start();
	size_t at = 0;

	(void)state;
	refresh(t, 2);
	end(pid);
	refresh(t, 1);
	while (tare_process_next(t, &at, &p) > 0 && !(p.ended && p.pid == (uint32_t)pid))
		;
	assert_int_equal(p.pid, pid);
	assert_true(p.ended);
	assert_int_equal(p.ppid, getpid());
	assert_true(p.resident_bytes > 0);
	assert_true(TARE_HAS(p, TARE_PROCESS_TIME));
	assert_memory_equal(p.command.data, "test_lib", 8);
	assert_false(TARE_HAS(p, TARE_PROCESS_CPU));
	assert_int_equal(tare_process_find(t, (uint32_t)pid, &p), -ESRCH);
	tare_close(t);
}

/* A caller built with an older header has a shorter structure: nothing behind it is written. */
static void test_older_structure(void **state)
{
	struct {
		struct tare_process p;
		char guard[64];
	} room;
	const size_t old = offsetof(struct tare_process, gpu_percent);
	struct tare *t = open_with(TARE_WANT_PROCESS | TARE_WANT_PROCESS_CMDLINE, 0);
	size_t at = 0;

	(void)state;
	refresh(t, 1);
	memset(&room, 0x5a, sizeof(room));
	room.p.size = old;
	assert_int_equal(tare_process_find(t, (uint32_t)getpid(), &room.p), 0);
	assert_int_equal(room.p.size, old);
	assert_int_equal(room.p.pid, getpid());
	for (size_t i = old; i < sizeof(room); i++)
		assert_int_equal(((const unsigned char *)&room)[i], 0x5a);
	room.p.size = 4;
	assert_int_equal(tare_process_find(t, (uint32_t)getpid(), &room.p), -EINVAL);
	assert_int_equal(tare_process_next(t, &at, &room.p), -EINVAL);
	assert_int_equal(at, 0);
	assert_int_equal(tare_process_find(t, 0, &room.p), -EINVAL);
	/* also behind the last row */
	at = 1u << 30;
	assert_int_equal(tare_cpu_next(t, &at, &(struct tare_cpu){.size = 0}), -EINVAL);
	tare_close(t);
}

static void test_on_request(void **state)
{
	static char room[1 << 16];
	struct tare *t = open_with(TARE_WANT_PROCESS, 0);
	pid_t gone = start();
	long n;

	(void)state;
	n = tare_process_environment(t, (uint32_t)getpid(), room, sizeof(room));
	assert_true(n > 0);
	assert_non_null(memmem(room, (size_t)n, "LC_ALL=", 7));
	assert_int_equal(tare_process_environment(t, (uint32_t)getpid(), room, 3), 3);
	assert_int_equal(tare_process_root(t, (uint32_t)getpid(), room, sizeof(room)), 1);
	assert_int_equal(room[0], '/');
	room[1] = 'x';
	assert_int_equal(tare_process_root(t, (uint32_t)getpid(), room, 1), 1);
	assert_int_equal(room[1], 'x');
	assert_int_equal(tare_process_root(t, (uint32_t)getpid(), room, 0), -EINVAL);
	end(gone);
	assert_int_equal(tare_process_root(t, (uint32_t)gone, room, sizeof(room)), -ESRCH);
	assert_int_equal(tare_process_environment(t, (uint32_t)gone, room, sizeof(room)), -ESRCH);
	tare_close(t);
}

static void test_every_value(void **state)
{
	struct tare *t = open_with(0, 0);
	unsigned int values = 0, absent = 0;
	int table;

	(void)state;
	refresh(t, 2);
	for (size_t at = 0; at < tare_table_count(t); at++) {
		assert_non_null(tare_table_name(t, at));
		assert_int_equal(tare_table_find(t, tare_table_name(t, at)), at);
		for (size_t row = 0; row < tare_row_count(t, at); row++)
			for (size_t c = 0; c < tare_column_count(t, at); c++) {
				struct tare_value v = {.size = sizeof(v)};

				assert_int_equal(tare_value(t, at, row, c, &v), 0);
				assert_int_equal(v.state == TARE_ABSENT, v.reason[0] != '\0');
				values++;
				absent += v.state == TARE_ABSENT;
			}
	}
	assert_true(values > 100 && absent < values);
	table = tare_table_find(t, "memory");
	assert_true(table >= 0);
	{
		int column = tare_column_find(t, (size_t)table, "total");
		struct tare_column c = {.size = sizeof(c)};
		struct tare_memory m = {.size = sizeof(m)};
		struct tare_value v = {.size = sizeof(v)};

		assert_true(column >= 0);
		assert_int_equal(tare_column(t, (size_t)table, (size_t)column, &c), 0);
		assert_int_equal(c.kind, TARE_GAUGE);
		assert_string_equal(c.unit, "B");
		assert_int_equal(tare_value(t, (size_t)table, 0, (size_t)column, &v), 0);
		assert_int_equal(tare_memory(t, &m), 0);
		assert_int_equal(v.raw, m.total_bytes);
		assert_int_equal(tare_value(t, (size_t)table, 1, (size_t)column, &v), -ENOENT);
		assert_int_equal(tare_column_find(t, (size_t)table, "no such"), -ENOENT);
	}
	tare_close(t);
}

/* What is not wanted any more is neither read nor there; when it is again, its window reaches back. */
/* Threads are of processes: who wants those alone has them still, and no table of processes. */
static void test_threads_alone(void **state)
{
	struct tare *t = open_with(TARE_WANT_THREAD, 0);

	(void)state;
	refresh(t, 2);
	assert_int_equal(tare_table_count(t), 1);
	assert_string_equal(tare_table_name(t, 0), "thread");
	assert_true(tare_row_count(t, 0) > 1);
	tare_close(t);
}

static void test_rest(void **state)
{
	struct tare *t = open_with(TARE_WANT_CPU | TARE_WANT_MEMORY, 0);
	struct tare_memory m = {.size = sizeof(m)};
	struct tare_cpu cpu = {.size = sizeof(cpu)};
	size_t at = 0;

	(void)state;
	refresh(t, 2);
	assert_int_equal(tare_cpu_next(t, &at, &cpu), 1);
	assert_int_equal(tare_want(t, TARE_WANT_MEMORY), 0);
	usleep(200000);
	refresh(t, 1);
	at = 0;
	assert_int_equal(tare_cpu_next(t, &at, &cpu), 0);
	assert_int_equal(tare_table_find(t, "cpu"), -ENOENT);
	assert_int_equal(tare_memory(t, &m), 0);
	assert_int_equal(tare_want(t, TARE_WANT_MEMORY | TARE_WANT_CPU), 0);
	refresh(t, 1);
	at = 0;
	assert_int_equal(tare_cpu_next(t, &at, &cpu), 1);
	assert_true(cpu.window_ns > 200000000);
	tare_close(t);
}

/* Who only looks does not lose anything: limits stay, and capabilities do. */
static void test_guest(void **state)
{
	struct rlimit before, after;
	char caps[2][4096];
	struct tare *t;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);
	read_status(caps[0], sizeof(caps[0]));
	assert_int_equal(tare_open(&t, NULL), 0);
	refresh(t, 2);
	getrlimit(RLIMIT_NOFILE, &after);
	read_status(caps[1], sizeof(caps[1]));
	assert_memory_equal(&before, &after, sizeof(before));
	assert_string_equal(caps[0], caps[1]);
	tare_close(t);
}

static void *work(void *result)
{
	struct tare *t = open_with(0, TARE_KEEP_ENDED);
	struct tare_process p = {.size = sizeof(p)};
	unsigned int *found = result;

	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(tare_refresh(t), 0);
		*found += tare_process_find(t, (uint32_t)getpid(), &p) == 0;
	}
	tare_close(t);
	return NULL;
}

static void test_two_threads(void **state)
{
	unsigned int found[2] = {0};
	pthread_t threads[2];

	(void)state;
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, &found[i]), 0);
	for (unsigned int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(found[0], 5);
	assert_int_equal(found[1], 5);
}

static void test_nothing_is_left(void **state)
{
	unsigned int fds = entries("/proc/self/fd"), threads = entries("/proc/self/task");

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct tare *t = open_with(0, TARE_KEEP_ENDED);

		refresh(t, 2);
		tare_close(t);
	}
	assert_int_equal(entries("/proc/self/fd"), fds);
	assert_int_equal(entries("/proc/self/task"), threads);
}

static void test_safe_text(void **state)
{
	char out[8];

	(void)state;
	assert_int_equal(tare_safe_text(out, 0, "a", 1), 0);
	assert_int_equal(tare_safe_text(out, sizeof(out), "ab", 2), 2);
	assert_string_equal(out, "ab");
	tare_safe_text(out, sizeof(out), "\033[2Jxxxxxxxxxx", 14);
	assert_null(strchr(out, '\033'));
	assert_true(strlen(out) < sizeof(out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_before_a_refresh),
		cmocka_unit_test(test_wants),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_some_pids),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_not_chosen_is_not_ended),
		cmocka_unit_test(test_last_state),
		cmocka_unit_test(test_older_structure),
		cmocka_unit_test(test_on_request),
		cmocka_unit_test(test_every_value),
		cmocka_unit_test(test_threads_alone),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_guest),
		cmocka_unit_test(test_two_threads),
		cmocka_unit_test(test_nothing_is_left),
		cmocka_unit_test(test_safe_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
