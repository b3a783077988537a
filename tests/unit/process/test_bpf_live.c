/* The BPF scanner on the machine that the test runs on: threads in one row, what ends between two scans, exact pages. */
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/scan.h"
#include "process/process.h"
#include "process/scanner.h"

enum { THREADS = 20, PARENT_NAME = 16 };

static struct root root;
static struct clock clock_;
static struct source_env env = {.root = &root, .clock = &clock_};
static void *scanner;

static int open_scanner(void **state)
{
	char why[160] = "";
	struct err err;

	(void)state;
	clock_init(&clock_);
	assert_int_equal(root_init(&root, NULL, &clock_, &err), 0);
	if (bpf_scanner.open(&scanner, &env, why, sizeof(why))) {
		print_message("# no BPF here: %s\n", why);
		scanner = NULL;
	}
	return 0;
}

static int close_scanner(void **state)
{
	(void)state;
	bpf_scanner.close(scanner);
	root_fini(&root);
	return 0;
}

/* One process of the newest scan. */
struct watched {
	u32 pid, rows;
	struct process_record r;
};

static int keep(void *arg, const struct process_record *r)
{
	struct watched *w = arg;

	if (r->value[PROCESS_PID] == w->pid) {
		w->r = *r;
		w->rows++;
	}
	return 0;
}

static struct watched scan(pid_t pid)
{
	struct watched w = {.pid = (u32)pid};

	assert_int_equal(bpf_scanner.scan(scanner, ~0ull, keep, &w), 0);
	return w;
}

struct ends {
	char parent[PARENT_NAME];
	u64 count, cpu_ns;
};

static int add_end(void *arg, const struct exit_record *r)
{
	struct ends *e = arg;

	if (r->parent_len == strlen(e->parent) && !memcmp(r->parent, e->parent, r->parent_len)) {
		e->count += r->count;
		e->cpu_ns += r->cpu_ns;
	}
	return 0;
}

static void ended(struct ends *e)
{
	assert_int_equal(bpf_scanner.ended(scanner, add_end, e), 0);
}

static void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void burn_ms(u64 ms)
{
	struct clock c;
	u64 until = clock_thread_cpu_ns() + ms * NSEC_PER_MSEC;

	clock_init(&c);
	while (clock_thread_cpu_ns() < until)
		;
}

static void *burner(void *arg)
{
	burn_ms(20);
	for (;;)
		pause();
	return arg;
}

static void test_threads_are_one_row(void **state)
{
	struct watched before, after;
	u64 ms;
	pid_t pid;

	(void)state;
	if (!scanner)
		skip();
	pid = fork();
	if (!pid) {
		pthread_t thread;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sleep_ms(150);
		for (u32 i = 1; i < THREADS; i++)
			pthread_create(&thread, NULL, burner, NULL);
		burner(NULL);
	}
	sleep_ms(30);
	before = scan(pid);
	sleep_ms(1500);
	after = scan(pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(before.rows, 1);
	assert_int_equal(before.r.value[PROCESS_THREADS], 1);
	assert_int_equal(after.rows, 1);
	assert_int_equal(after.r.value[PROCESS_THREADS], THREADS);
	assert_int_equal(after.r.key, before.r.key);
	ms = (after.r.value[PROCESS_CPU] - before.r.value[PROCESS_CPU]) / NSEC_PER_MSEC;
	if (ms < THREADS * 20 || ms > THREADS * 20 + 40)
		fail_msg("%u threads burnt 20 ms each: %llu ms", THREADS, (unsigned long long)ms);
	assert_int_equal(
		after.r.fresh_ns, after.r.value[PROCESS_CPU] - before.r.value[PROCESS_CPU]);
}

/* Wait until its record has come. */
static void until_ended(struct ends *e, u64 count)
{
	for (u32 i = 0; i < 200 && e->count < count; i++) {
		sleep_ms(10);
		ended(e);
	}
}

/* Children of this name are this test's, once those of the one before are freed. */
static void set_own_name(struct ends *e, const char *name)
{
	struct ends others = {.count = 0};

	sleep_ms(150);
	ended(&others);
	prctl(PR_SET_NAME, name);
	strcpy(e->parent, name);
}

static void test_what_ends_between_two_scans(void **state)
{
	struct ends e = {.count = 0};
	pid_t pid;

	(void)state;
	if (!scanner)
		skip();
	set_own_name(&e, "between-scans");
	scan(1);
	pid = fork();
	if (!pid) {
		burn_ms(30);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	until_ended(&e, 1);
	assert_int_equal(e.count, 1);
	if (e.cpu_ns < 30 * NSEC_PER_MSEC || e.cpu_ns > 45 * NSEC_PER_MSEC)
		fail_msg("burnt 30 ms: %f", (double)e.cpu_ns * 1e-6);
	assert_int_equal(scan(pid).rows, 0);
}

static void test_a_known_one_that_ends(void **state)
{
	struct ends e = {.count = 0};
	struct watched w;
	int go[2];
	pid_t pid;
	char c;

	(void)state;
	if (!scanner)
		skip();
	set_own_name(&e, "known-ends");
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		burn_ms(50);
		if (read(go[0], &c, 1) == 1)
			burn_ms(20);
		_exit(0);
	}
	sleep_ms(300);
	w = scan(pid);
	assert_int_equal(w.rows, 1);
	assert_true(w.r.value[PROCESS_CPU] >= 50 * NSEC_PER_MSEC);
	assert_int_equal(write(go[1], "x", 1), 1);
	waitpid(pid, NULL, 0);
	/* its record may not have come yet: then it is ending, with what was known */
	w = scan(pid);
	if (w.rows) {
		assert_int_equal(w.r.state, 'X');
		assert_int_equal(w.r.fresh_ns, 0);
	}
	until_ended(&e, 1);
	assert_int_equal(e.count, 1);
	/* only what no row has shown */
	if (e.cpu_ns < 20 * NSEC_PER_MSEC || e.cpu_ns > 35 * NSEC_PER_MSEC)
		fail_msg("burnt 20 ms more: %f", (double)e.cpu_ns * 1e-6);
	assert_int_equal(scan(pid).rows, 0);
	close(go[0]);
	close(go[1]);
}

static void test_exec_keeps_the_row(void **state)
{
	struct watched before, after;
	int go[2];
	pid_t pid;
	char c;

	(void)state;
	if (!scanner)
		skip();
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		if (read(go[0], &c, 1) == 1)
			execl("/bin/sleep", "sleep", "9", (char *)NULL);
		_exit(1);
	}
	before = scan(pid);
	assert_int_equal(write(go[1], "x", 1), 1);
	sleep_ms(200);
	after = scan(pid);
	assert_int_equal(before.rows, 1);
	assert_int_equal(after.rows, 1);
	assert_int_equal(after.r.key, before.r.key);
	assert_int_equal(after.r.text[PROCESS_TEXT_CMDLINE].len, 7);
	assert_memory_equal(after.r.text[PROCESS_TEXT_CMDLINE].text, "sleep 9", 7);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(go[0]);
	close(go[1]);
}

static void test_pages_are_exact(void **state)
{
	const size_t size = 100 << 20;
	char *memory, text[4096];
	struct watched w;
	u64 kib = 0, shown;
	int len;

	(void)state;
	if (!scanner)
		skip();
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	memset(memory, 1, size);
	/* with many CPUs only rows that somebody sees are exact */
	w = scan(getpid());
	bpf_scanner.visible(scanner, &w.r.key, 1);
	w = scan(getpid());
	len = root_read(&root, "/proc/self/smaps_rollup", text, sizeof(text));
	munmap(memory, size);
	assert_true(len > 0 && scan_line_u64(text, text + len, "Rss:", &kib));
	shown = w.r.value[PROCESS_RESIDENT] / 1024;
	if (shown > kib + 256 || shown + 256 < kib)
		fail_msg("resident %llu KiB, the kernel says %llu", (unsigned long long)shown,
			(unsigned long long)kib);
	assert_false(w.r.approx & column_bit(PROCESS_RESIDENT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_are_one_row),
		cmocka_unit_test(test_what_ends_between_two_scans),
		cmocka_unit_test(test_a_known_one_that_ends),
		cmocka_unit_test(test_exec_keeps_the_row),
		cmocka_unit_test(test_pages_are_exact),
	};

	return cmocka_run_group_tests(tests, open_scanner, close_scanner);
}
