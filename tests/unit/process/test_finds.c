/* Descriptors of devices, found by each scanner on the live kernel: memory's major (/dev/null, /dev/zero) stands in for
 * a GPU's. A child does what makes it hard, step by step, and what is told of it is compared with what it has. */
#include "test.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/process.h"
#include "process/scanner.h"

enum { MAJOR_MEMORY = 1, NULL_MINOR = 3, ZERO_MINOR = 5, MANY = 100, TOLD_MOST = 512 };

static const struct gpu_majors majors = {.major = {MAJOR_MEMORY}, .n = 1};

static struct root root;
static struct clock clock_;
static struct source_env env = {.root = &root, .clock = &clock_};
static const struct scanner_ops *ops;
static void *scanner;

/* What was told of one process: of its own table, and of threads'. */
static struct told {
	u32 pid, calls, n;
	struct {
		u32 tid, fd, minor;
	} found[TOLD_MOST];
	u32 tables[8], ntables;
} told;

static void hear(void *arg, u32 pid, u64 start_ticks, u32 tid, const struct gpu_find *finds, u32 n)
{
	(void)arg;
	if (pid != told.pid)
		return;
	assert_true(start_ticks != 0);
	told.calls++;
	for (u32 i = 0; i < n && told.n < TOLD_MOST; i++) {
		assert_int_equal(finds[i].major, MAJOR_MEMORY);
		told.found[told.n].tid = tid;
		told.found[told.n].fd = finds[i].fd;
		told.found[told.n++].minor = finds[i].minor;
	}
}

static int ignore(void *arg, const struct process_record *r)
{
	(void)arg;
	(void)r;
	return 0;
}

static void look(pid_t pid)
{
	told = (struct told){.pid = (u32)pid};
	ops->look_for(scanner, &majors, hear, NULL);
	assert_int_equal(ops->scan(scanner, 0, ignore, NULL), 0);
}

/* By procfs every fifth scan does not ask whether a process ran: the next one does. */
static void look_after_step(pid_t pid)
{
	look(pid);
	if (!told.calls && ops == &procfs_scanner)
		look(pid);
}

static u32 count(u32 minor, bool of_thread)
{
	u32 n = 0;

	for (u32 i = 0; i < told.n; i++)
		n += told.found[i].minor == minor && (told.found[i].tid != 0) == of_thread;
	return n;
}

static bool has(u32 fd)
{
	for (u32 i = 0; i < told.n; i++)
		if (told.found[i].fd == fd && !told.found[i].tid)
			return true;
	return false;
}

static int open_scanner(const struct scanner_ops *which)
{
	char why[160] = "";
	struct err err;

	ops = which;
	clock_init(&clock_);
	assert_int_equal(root_init(&root, NULL, &clock_, &err), 0);
	if (ops->open(&scanner, &env, why, sizeof(why))) {
		print_message("# SKIP %s: %s\n", ops->name, why);
		scanner = NULL;
	}
	return 0;
}

static int open_procfs(void **state)
{
	(void)state;
	return open_scanner(&procfs_scanner);
}

static int close_scanner(void **state)
{
	(void)state;
	ops->close(scanner);
	root_fini(&root);
	return 0;
}

/* A child that waits for a byte before each step, and answers when it is done. */
struct child {
	pid_t pid;
	int ask, answer;
};

static void step(const struct child *c)
{
	char byte = 0;

	assert_int_equal(write(c->ask, &byte, 1), 1);
	assert_int_equal(read(c->answer, &byte, 1), 1);
}

static struct child start(void (*run)(int ask, int answer))
{
	int ask[2], answer[2];
	struct child c;

	assert_int_equal(pipe(ask), 0);
	assert_int_equal(pipe(answer), 0);
	c.pid = fork();
	assert_true(c.pid >= 0);
	if (!c.pid) {
		/* what the tests' runner left open is not counted */
		for (int fd = 0; fd < 3; fd++)
			dup2(ask[0], fd);
		for (int fd = 3; fd < 1024; fd++)
			if (fd != ask[0] && fd != answer[1])
				close(fd);
		run(ask[0], answer[1]);
		_exit(0);
	}
	close(ask[0]);
	close(answer[1]);
	c.ask = ask[1];
	c.answer = answer[0];
	return c;
}

static void stop(struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	close(c->ask);
	close(c->answer);
}

static void next(int ask, int answer, bool first)
{
	char byte = 0;

	if (!first && write(answer, &byte, 1) != 1)
		_exit(1);
	if (read(ask, &byte, 1) != 1)
		_exit(0);
}

static void opens_and_closes(int ask, int answer)
{
	int fd = -1;

	next(ask, answer, true);
	for (int i = 0; i < MANY; i++)
		fd = open("/dev/null", O_RDONLY);
	next(ask, answer, false);
	fd = open("/dev/zero", O_RDONLY);
	next(ask, answer, false);
	/* far up in the table, and a hole in it */
	dup2(fd, 700);
	next(ask, answer, false);
	close_range(3 + 4, 900, 0);
	next(ask, answer, false);
}

static void finds_what_is_open(void **state)
{
	struct child c;

	(void)state;
	if (!scanner)
		skip();
	c = start(opens_and_closes);
	step(&c);
	look_after_step(c.pid);
	assert_int_equal(count(NULL_MINOR, false), MANY);
	assert_int_equal(count(ZERO_MINOR, false), 0);
	step(&c);
	look_after_step(c.pid);
	assert_int_equal(count(NULL_MINOR, false), MANY);
	assert_int_equal(count(ZERO_MINOR, false), 1);
	step(&c);
	look_after_step(c.pid);
	assert_int_equal(count(ZERO_MINOR, false), 2);
	assert_true(has(700));
	/* it stands still: nothing is told */
	for (u32 i = 0; i < 30; i++) {
		look(c.pid);
		if (i > 20)
			assert_int_equal(told.calls, 0);
	}
	stop(&c);
}

static void closes_all(int ask, int answer)
{
	int fd = open("/dev/null", O_RDONLY);

	next(ask, answer, true);
	close(fd);
	next(ask, answer, false);
}

static void tells_of_what_is_gone(void **state)
{
	struct child c;

	(void)state;
	if (!scanner)
		skip();
	c = start(closes_all);
	usleep(50000);
	look(c.pid);
	assert_int_equal(told.n, 1);
	step(&c);
	look_after_step(c.pid);
	assert_int_equal(told.calls, 1);
	assert_int_equal(told.n, 0);
	stop(&c);
}

static int thread_pipe[2];

static void *own_table(void *arg)
{
	char byte;

	(void)arg;
	if (unshare(CLONE_FILES) || open("/dev/zero", O_RDONLY) < 0)
		_exit(1);
	if (write(thread_pipe[1], &byte, 1) == 1)
		pause();
	return NULL;
}

static void *same_table(void *arg)
{
	pause();
	return arg;
}

static void has_threads(int ask, int answer)
{
	pthread_t thread;
	char byte;

	if (open("/dev/null", O_RDONLY) < 0 || pipe(thread_pipe))
		_exit(1);
	pthread_create(&thread, NULL, same_table, NULL);
	pthread_create(&thread, NULL, own_table, NULL);
	if (read(thread_pipe[0], &byte, 1) != 1)
		_exit(1);
	next(ask, answer, true);
	next(ask, answer, false);
}

static void thread_with_its_own_table(void **state)
{
	struct child c;

	(void)state;
	if (!scanner)
		skip();
	c = start(has_threads);
	usleep(200000);
	look(c.pid);
	/* the process's own: null; the thread's copy: null and zero; the other thread shares and is not told of */
	assert_int_equal(count(NULL_MINOR, false), 1);
	assert_int_equal(count(ZERO_MINOR, false), 0);
	assert_int_equal(count(NULL_MINOR, true), 1);
	assert_int_equal(count(ZERO_MINOR, true), 1);
	stop(&c);
}

static void receives(int ask, int answer)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	int pair[2], fd = open("/dev/zero", O_RDONLY);
	char byte = 0;
	struct iovec io = {&byte, 1};
	struct msghdr m = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	pid_t other;

	memset(&control, 0, sizeof(control));
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		_exit(1);
	other = fork();
	if (!other) {
		struct cmsghdr *head = CMSG_FIRSTHDR(&m);

		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &fd, sizeof(int));
		_exit(sendmsg(pair[1], &m, 0) != 1);
	}
	close(fd);
	next(ask, answer, true);
	if (recvmsg(pair[0], &m, 0) != 1)
		_exit(1);
	next(ask, answer, false);
}

static void passed_by_another(void **state)
{
	struct child c;

	(void)state;
	if (!scanner)
		skip();
	c = start(receives);
	usleep(100000);
	look(c.pid);
	assert_int_equal(count(ZERO_MINOR, false), 0);
	step(&c);
	look_after_step(c.pid);
	assert_int_equal(count(ZERO_MINOR, false), 1);
	stop(&c);
}

/* Switched off and on again, everything is told anew. */
static void on_again(void **state)
{
	struct child c;

	(void)state;
	if (!scanner)
		skip();
	c = start(closes_all);
	usleep(50000);
	look(c.pid);
	assert_int_equal(told.n, 1);
	ops->look_for(scanner, NULL, hear, NULL);
	told = (struct told){.pid = (u32)c.pid};
	assert_int_equal(ops->scan(scanner, 0, ignore, NULL), 0);
	assert_int_equal(told.calls, 0);
	look(c.pid);
	assert_int_equal(told.n, 1);
	stop(&c);
}

static void opens_another(int ask, int answer)
{
	int fd = open("/dev/null", O_RDONLY), zero;

	next(ask, answer, true);
	zero = open("/dev/zero", O_RDONLY);
	dup2(zero, fd);
	close(zero);
	next(ask, answer, false);
}

/* As many descriptors as before, one of which is of another device: by procfs that is seen a few scans later. */
static void another_of_the_same_number(void **state)
{
	struct child c;
	u32 scans;

	(void)state;
	c = start(opens_another);
	usleep(50000);
	look(c.pid);
	assert_int_equal(count(NULL_MINOR, false), 1);
	step(&c);
	for (scans = 1; scans <= 6; scans++) {
		look(c.pid);
		if (told.calls)
			break;
	}
	assert_in_range(scans, 1, 6);
	assert_int_equal(count(NULL_MINOR, false), 0);
	assert_int_equal(count(ZERO_MINOR, false), 1);
	stop(&c);
}

static void opens_many_more(int ask, int answer)
{
	char byte;

	for (int i = 0; i < 2600; i++)
		if (eventfd(0, EFD_CLOEXEC) < 0)
			_exit(1);
	next(ask, answer, true);
	for (;;) {
		if (write(answer, &byte, 1) != 1 || read(ask, &byte, 1) != 1)
			_exit(0);
		if (eventfd(0, EFD_CLOEXEC) < 0)
			_exit(1);
	}
}

/* A server of 2,600 connections to which one comes in every scan: it is looked at in every tenth. */
static void long_table_waits(void **state)
{
	struct child c;
	u32 calls = 0;

	(void)state;
	c = start(opens_many_more);
	usleep(100000);
	look(c.pid);
	assert_int_equal(told.calls, 1);
	for (u32 i = 0; i < 40; i++) {
		step(&c);
		look(c.pid);
		calls += told.calls;
	}
	assert_in_range(calls, 3, 5);
	stop(&c);
}

/* A table that is as long as before waits a few scans; that of this process changes with what the scanner keeps. */
static void look_until_found(u32 fd)
{
	look(getpid());
	for (u32 i = 0; i < 12 && !has(fd); i++)
		look(getpid());
	assert_true(has(fd));
}

/* Most of its table are the files that the scanner keeps, which are left out; the rest is not. */
static void in_this_process(void **state)
{
	int fd, far;

	(void)state;
	look(getpid());
	assert_int_equal(count(ZERO_MINOR, false), 0);
	fd = open("/dev/zero", O_RDONLY);
	look_until_found((u32)fd);
	assert_int_equal(count(ZERO_MINOR, false), 1);
	/* too far from the others to try every number */
	far = fcntl(fd, F_DUPFD, 15000);
	assert_true(far >= 15000);
	look_until_found((u32)far);
	assert_int_equal(count(ZERO_MINOR, false), 2);
	close(fd);
	close(far);
}

#define EACH(name)                                                                              \
	cmocka_unit_test_setup_teardown(finds_what_is_open, open_##name, close_scanner),        \
		cmocka_unit_test_setup_teardown(                                                \
			tells_of_what_is_gone, open_##name, close_scanner),                     \
		cmocka_unit_test_setup_teardown(                                                \
			thread_with_its_own_table, open_##name, close_scanner),                 \
		cmocka_unit_test_setup_teardown(passed_by_another, open_##name, close_scanner), \
		cmocka_unit_test_setup_teardown(on_again, open_##name, close_scanner)

#ifdef TARE_BPF
static int open_bpf(void **state)
{
	(void)state;
	return open_scanner(&bpf_scanner);
}
#endif

/* A child that was forked has the handle, and a table of its own: that is not its parent's. */
static void in_a_forked_child(void **state)
{
	pid_t child;
	int status, parent_has = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(parent_has >= 0);
	/* until there is nothing more to keep */
	for (u32 i = 0; i < 4; i++)
		look(getpid());
	look_until_found((u32)parent_has);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		bool right;

		close(parent_has);
		assert_true(open("/dev/zero", O_RDONLY | O_CLOEXEC) >= 0);
		/* what it takes for its own has been looked at; all are */
		ops->look_for(scanner, NULL, NULL, NULL);
		look(getppid());
		right = has((u32)parent_has) && !count(ZERO_MINOR, false);
		_exit(right ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(parent_has);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(procfs),
		cmocka_unit_test_setup_teardown(
			another_of_the_same_number, open_procfs, close_scanner),
		cmocka_unit_test_setup_teardown(long_table_waits, open_procfs, close_scanner),
		cmocka_unit_test_setup_teardown(in_this_process, open_procfs, close_scanner),
		cmocka_unit_test_setup_teardown(in_a_forked_child, open_procfs, close_scanner),
#ifdef TARE_BPF
		EACH(bpf),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
