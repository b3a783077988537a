/* Ended processes by the BPF scanner, on the machine that this runs on: what rows have shown of each and what its
 * record adds are together what its parent is told. */
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/bpf_scanner.h"
#include "process/columns.h"
#include "process/process.h"
#include "process/scanner.h"

enum { SEEN_MOST = 64, ENDED_MOST = 64, THREADS = 20, WAIT_MOST_MS = 3000 };

/* All columns but those that cost a file each. */
static u64 wanted(void)
{
	return ~0ull & ~(column_bit(PROCESS_PSS) | column_bit(PROCESS_CWD) |
			       column_bit(PROCESS_CGROUP) | column_bit(PROCESS_CONTAINER));
}

struct seen {
	struct process_record r;
	char command[64];
};

struct ended {
	struct exit_record r;
	char command[64], parent[64];
};

static struct root root;
static struct clock clock_;
static struct source_env env = {.root = &root, .clock = &clock_};
static void *bpf;
/* of the newest scan, those that are children of this process or their threads */
static struct seen seen[SEEN_MOST];
static u32 nseen;
/* since they were forgotten, those whose parent this process is */
static struct ended ended[ENDED_MOST];
static u32 nended;

static void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static u64 clock_ns(clockid_t id)
{
	struct timespec t;

	assert_int_equal(clock_gettime(id, &t), 0);
	return (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
}

static u64 cpu_of(pid_t pid)
{
	clockid_t id;

	assert_int_equal(clock_getcpuclockid(pid, &id), 0);
	return clock_ns(id);
}

static void burn_ms(u64 ms)
{
	u64 until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * NSEC_PER_MSEC;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

static int keep(void *arg, const struct process_record *r)
{
	const struct process_text_slice *command = &r->text[PROCESS_TEXT_COMMAND];
	struct seen *s = &seen[nseen];

	(void)arg;
	if (r->value[PROCESS_PPID] != (u64)getpid() || nseen == SEEN_MOST)
		return 0;
	nseen++;
	s->r = *r;
	s->command[0] = '\0';
	if (command->have)
		snprintf(s->command, sizeof(s->command), "%.*s", (int)command->len, command->text);
	return 0;
}

static int keep_ended(void *arg, const struct exit_record *r)
{
	struct ended *e = &ended[nended];

	(void)arg;
	if (r->ppid != (u32)getpid() || nended == ENDED_MOST)
		return 0;
	nended++;
	e->r = *r;
	snprintf(e->command, sizeof(e->command), "%.*s", (int)r->command_len, r->command);
	snprintf(e->parent, sizeof(e->parent), "%.*s", (int)r->parent_len, r->parent);
	return 0;
}

static void drain(void)
{
	assert_int_equal(bpf_scanner.ended(bpf, keep_ended, NULL), 0);
}

static void scan(void)
{
	nseen = 0;
	assert_int_equal(bpf_scanner.scan(bpf, wanted(), keep, NULL), 0);
}

/* The only row of this pid; NULL: none. */
static const struct seen *row_of(pid_t pid)
{
	const struct seen *found = NULL;

	for (u32 i = 0; i < nseen; i++)
		if (process_key_pid(seen[i].r.key) == (u32)pid) {
			assert_null(found);
			found = &seen[i];
		}
	return found;
}

static u64 value(const struct seen *s, enum process_column c)
{
	assert_non_null(s);
	assert_true(s->r.have & column_bit(c));
	return s->r.value[c];
}

/* Wait until there is the record of a child that has been waited for. */
static void wait_for_record(void)
{
	u32 before = nended;

	for (u32 ms = 0; ms < WAIT_MOST_MS && nended == before; ms += 10) {
		drain();
		sleep_ms(10);
	}
	assert_int_equal(nended, before + 1);
}

/* A child that waits for a byte each time it says that it is ready. */
struct child {
	pid_t pid;
	int ready, go;
};

static void say_ready(int to, int go)
{
	char byte = 1;

	if (write(to, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		_exit(0);
}

static struct child child_start(void (*run)(int ready, int go))
{
	int ready[2], go[2];
	struct child c;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	c.pid = fork();
	assert_true(c.pid >= 0);
	if (!c.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ready[0]);
		close(go[1]);
		run(ready[1], go[0]);
		_exit(0);
	}
	close(ready[1]);
	close(go[0]);
	c.ready = ready[0];
	c.go = go[1];
	return c;
}

static void child_ready(const struct child *c)
{
	char byte;

	assert_int_equal(read(c->ready, &byte, 1), 1);
	/* until it sleeps */
	sleep_ms(20);
}

static void child_go(const struct child *c)
{
	assert_int_equal(write(c->go, "g", 1), 1);
}

/* Let it end; its CPU time as its parent is told. */
static u64 child_end(struct child *c)
{
	struct rusage usage;

	close(c->go);
	assert_int_equal(wait4(c->pid, NULL, 0, &usage), c->pid);
	close(c->ready);
	return (u64)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (u64)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NSEC_PER_USEC;
}

static int setup(void **state)
{
	char why[160] = "";
	struct err err;

	(void)state;
	clock_init(&clock_);
	assert_int_equal(root_init(&root, NULL, &clock_, &err), 0);
	if (bpf_scanner.open(&bpf, &env, why, sizeof(why))) {
		bpf = NULL;
		print_message("# no BPF here: %s\n", why);
		return 0;
	}
	return 0;
}

/* Before each test: nothing is left of the one before. */
static void begin(void)
{
	if (!bpf)
		skip();
	drain();
	scan();
	nended = 0;
}

static pthread_barrier_t burnt;

static void *burns(void *arg)
{
	burn_ms(5);
	pthread_barrier_wait(&burnt);
	for (;;)
		pause();
	return arg;
}

static void *burns_and_ends(void *arg)
{
	burn_ms(5);
	return arg;
}

static void many_threads(int ready, int go)
{
	pthread_t thread;

	pthread_barrier_init(&burnt, NULL, THREADS);
	for (u32 i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, burns, NULL);
	burn_ms(5);
	pthread_barrier_wait(&burnt);
	say_ready(ready, go);
	for (u32 i = 0; i < 10; i++) {
		pthread_create(&thread, NULL, burns_and_ends, NULL);
		pthread_join(thread, NULL);
	}
	say_ready(ready, go);
}

static void test_threads_are_one_row(void **state)
{
	struct child c;
	u64 before, cpu, split, total;

	(void)state;
	begin();
	c = child_start(many_threads);
	child_ready(&c);
	before = cpu_of(c.pid);
	scan();
	assert_int_equal(value(row_of(c.pid), PROCESS_THREADS), THREADS);
	cpu = value(row_of(c.pid), PROCESS_CPU);
	assert_true(cpu >= THREADS * 5 * NSEC_PER_MSEC);
	assert_in_range(cpu, before, cpu_of(c.pid));
	assert_int_equal(row_of(c.pid)->r.fresh_ns, cpu);
	/* and what has ended of it stays in its sum */
	child_go(&c);
	child_ready(&c);
	scan();
	assert_int_equal(value(row_of(c.pid), PROCESS_THREADS), THREADS);
	assert_true(value(row_of(c.pid), PROCESS_CPU) >= cpu + 50 * NSEC_PER_MSEC);
	assert_int_equal(row_of(c.pid)->r.fresh_ns, value(row_of(c.pid), PROCESS_CPU) - cpu);
	split = value(row_of(c.pid), PROCESS_USER_CPU) + value(row_of(c.pid), PROCESS_SYSTEM_CPU);
	cpu = value(row_of(c.pid), PROCESS_CPU);
	assert_int_equal(split, cpu);
	/* no row for a thread of its own: all children of this process are one */
	assert_int_equal(nseen, 1);
	total = child_end(&c);
	wait_for_record();
	assert_in_range(ended[0].r.cpu_ns + cpu, total - 2000, total + 5 * NSEC_PER_MSEC);
}

static void executes(int ready, int go)
{
	dup2(go, 0);
	dup2(ready, 3);
	burn_ms(10);
	say_ready(3, 0);
	execl("/bin/sh", "sh", "-c", "echo >&3; read x", (char *)NULL);
}

static void test_exec_keeps_the_row(void **state)
{
	struct child c;
	char command[64];
	u64 key, cpu;

	(void)state;
	begin();
	c = child_start(executes);
	child_ready(&c);
	scan();
	assert_non_null(row_of(c.pid));
	key = row_of(c.pid)->r.key;
	cpu = value(row_of(c.pid), PROCESS_CPU);
	snprintf(command, sizeof(command), "%s", row_of(c.pid)->command);
	child_go(&c);
	child_ready(&c);
	scan();
	assert_non_null(row_of(c.pid));
	assert_int_equal(row_of(c.pid)->r.key, key);
	assert_string_not_equal(row_of(c.pid)->command, command);
	snprintf(command, sizeof(command), "%s", row_of(c.pid)->command);
	assert_true(value(row_of(c.pid), PROCESS_CPU) > cpu);
	assert_int_equal(row_of(c.pid)->r.fresh_ns, value(row_of(c.pid), PROCESS_CPU) - cpu);
	child_end(&c);
	wait_for_record();
	assert_string_equal(ended[0].command, command);
}

static void is_short(int ready, int go)
{
	(void)ready;
	(void)go;
	prctl(PR_SET_NAME, "briefly");
	burn_ms(30);
}

static void test_one_that_ends_between_two_scans(void **state)
{
	struct child c;
	u64 total;

	(void)state;
	begin();
	c = child_start(is_short);
	total = child_end(&c);
	assert_true(total >= 30 * NSEC_PER_MSEC);
	wait_for_record();
	scan();
	assert_null(row_of(c.pid));
	assert_string_equal(ended[0].command, "briefly");
	assert_int_equal(ended[0].r.count, 1);
	assert_false(ended[0].r.approx);
	assert_true(ended[0].r.has_io);
	assert_in_range(ended[0].r.cpu_ns, total - 2000, total + 5 * NSEC_PER_MSEC);
	assert_int_equal(ended[0].r.user_ns + ended[0].r.system_ns, ended[0].r.cpu_ns);
	/* and it is counted once */
	drain();
	scan();
	drain();
	assert_int_equal(nended, 1);
}

static void burns_twice(int ready, int go)
{
	burn_ms(40);
	say_ready(ready, go);
	burn_ms(20);
	say_ready(ready, go);
}

static void test_only_what_no_row_has_shown(void **state)
{
	struct child c;
	u64 shown, total;

	(void)state;
	begin();
	c = child_start(burns_twice);
	child_ready(&c);
	scan();
	shown = value(row_of(c.pid), PROCESS_CPU);
	child_go(&c);
	child_ready(&c);
	total = child_end(&c);
	wait_for_record();
	assert_true(ended[0].r.cpu_ns >= 20 * NSEC_PER_MSEC);
	assert_in_range(ended[0].r.cpu_ns + shown, total - 2000, total + 5 * NSEC_PER_MSEC);
}

/* Its parent was told, and the kernel has not freed it yet: it stays with what it had, until its record is there. */
static void test_exiting_for_a_moment(void **state)
{
	struct child c;
	u64 shown, total;
	u32 scans = 0;

	(void)state;
	begin();
	c = child_start(burns_twice);
	child_ready(&c);
	scan();
	shown = value(row_of(c.pid), PROCESS_CPU);
	total = child_end(&c);
	for (; scans < 100; scans++) {
		drain();
		scan();
		if (!row_of(c.pid))
			break;
		assert_int_equal(row_of(c.pid)->r.state, 'X');
		assert_int_equal(value(row_of(c.pid), PROCESS_CPU), shown);
		assert_int_equal(row_of(c.pid)->r.fresh_ns, 0);
		sleep_ms(30);
	}
	assert_true(scans < 100);
	/* only its record ended it */
	assert_int_equal(nended, 1);
	assert_in_range(ended[0].r.cpu_ns + shown, total - 2000, total + 5 * NSEC_PER_MSEC);
}

/* However often it is looked for: the kernel may take long to free it, and then tells of all that it used. */
static void test_exiting_through_many_scans(void **state)
{
	struct child c;
	u64 shown, total;

	(void)state;
	begin();
	c = child_start(burns_twice);
	child_ready(&c);
	scan();
	shown = value(row_of(c.pid), PROCESS_CPU);
	total = child_end(&c);
	for (u32 i = 0; i < 12; i++)
		scan();
	assert_non_null(row_of(c.pid));
	assert_int_equal(row_of(c.pid)->r.state, 'X');
	wait_for_record();
	assert_in_range(ended[0].r.cpu_ns + shown, total - 2000, total + 5 * NSEC_PER_MSEC);
	scan();
	assert_null(row_of(c.pid));
}

/* The ring had no room for some: that is told. */
static void test_lost_records_are_told(void **state)
{
	struct bpf_scanner *s = bpf;
	const struct exit_stats *was;
	struct exit_stats stats;
	struct findings none = {0}, some = {0};
	bool told = false;

	(void)state;
	begin();
	was = s->programs.exits;
	assert_int_equal(was->lost, 0);
	bpf_scanner.explain(bpf, &none);
	stats = *was;
	stats.lost = 3;
	s->programs.exits = &stats;
	bpf_scanner.explain(bpf, &some);
	s->programs.exits = was;
	assert_int_equal(some.n, none.n + 1);
	for (u32 i = 0; i < some.n; i++)
		told |= !strcmp(some.items[i].what, "ended processes") &&
			strstr(some.items[i].why, ": 3 are") != NULL;
	assert_true(told);
	findings_free(&none);
	findings_free(&some);
}

static int teardown(void **state)
{
	(void)state;
	if (bpf)
		bpf_scanner.close(bpf);
	root_fini(&root);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_are_one_row),
		cmocka_unit_test(test_exec_keeps_the_row),
		cmocka_unit_test(test_one_that_ends_between_two_scans),
		cmocka_unit_test(test_only_what_no_row_has_shown),
		cmocka_unit_test(test_exiting_for_a_moment),
		cmocka_unit_test(test_exiting_through_many_scans),
		cmocka_unit_test(test_lost_records_are_told),
	};

	return cmocka_run_group_tests_name("bpf_ended", tests, setup, teardown);
}
