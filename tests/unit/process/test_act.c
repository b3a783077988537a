/* Signals, nice values and CPUs reach the process that was meant, all of its threads, and no other. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/act.h"
#include "process/process.h"

static struct root root;
static struct clock clock_;
static pid_t child;
static struct err said;

static int ready[2];

static void *second(void *arg)
{
	if (write(ready[1], "x", 1) == 1)
		for (;;)
			pause();
	return arg;
}

static int setup(void **state)
{
	struct err err;
	char byte;

	(void)state;
	clock_init(&clock_);
	if (root_init(&root, NULL, &clock_, &err))
		return -1;
	said = (struct err){0};
	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		pthread_t thread;

		pthread_create(&thread, NULL, second, NULL);
		for (;;)
			pause();
	}
	return child < 0 || read(ready[0], &byte, 1) != 1 ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	close(ready[0]);
	close(ready[1]);
	root_fini(&root);
	return 0;
}

static u64 start_ticks(pid_t pid)
{
	char path[40], text[2048];
	struct process_stat st;
	int len;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	len = root_read(&root, path, text, sizeof(text));
	assert_true(len > 0);
	assert_int_equal(process_parse_stat(text, text + len, 1ull << STAT_START_TICKS, &st), 0);
	return st.value[STAT_START_TICKS];
}

static void test_the_one_that_is_meant(void **state)
{
	int status;

	(void)state;
	assert_int_equal(
		act_signal(&root, process_key((u32)child, start_ticks(child)), SIGTERM, &said), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	child = 0;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void test_not_one_that_took_its_pid(void **state)
{
	int status;

	(void)state;
	assert_int_equal(
		act_signal(&root, process_key((u32)child, start_ticks(child) - 1), SIGTERM, &said),
		-ESRCH);
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
}

static void test_not_one_that_ended(void **state)
{
	u64 key = process_key((u32)child, start_ticks(child));

	(void)state;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	child = 0;
	assert_int_equal(act_signal(&root, key, SIGTERM, &said), -ESRCH);
	assert_int_equal(act_signal(&root, 0, SIGTERM, &said), -ESRCH);
}

static void test_not_on_a_recorded_machine(void **state)
{
	(void)state;
	root.moments = 1;
	assert_int_equal(act_signal(&root, process_key((u32)child, 1), SIGTERM, &said), -EROFS);
	assert_int_equal(act_renice(&root, process_key((u32)child, 1), 1, true, &said), -EROFS);
	assert_int_equal(act_set_cpus(&root, process_key((u32)child, 1), "0", &said), -EROFS);
	assert_true(strstr(said.msg, "a recorded machine") != NULL);
	root.moments = 0;
}

static u64 key_of(pid_t pid)
{
	return process_key((u32)pid, start_ticks(pid));
}

/* The other thread of the child. */
static pid_t other_thread(void)
{
	char path[40];
	pid_t tid = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)child);
	for (DIR *d = opendir(path); d; closedir(d), d = NULL)
		for (struct dirent *e; (e = readdir(d));)
			if (atoi(e->d_name) > 0 && atoi(e->d_name) != child)
				tid = atoi(e->d_name);
	assert_true(tid > 0);
	return tid;
}

static void test_renices_every_thread(void **state)
{
	pid_t tid = other_thread();
	int was = getpriority(PRIO_PROCESS, (id_t)child);

	(void)state;
	if (was > 10)
		skip();
	assert_int_equal(act_renice(&root, key_of(child), 1, true, &said), 0);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)child), was + 1);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)tid), was + 1);
	assert_int_equal(act_renice(&root, key_of(child), 15, false, &said), 0);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)child), 15);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)tid), 15);
	assert_string_equal(said.msg, "nice 15");
	/* not beyond the end, and not an error */
	assert_int_equal(act_renice(&root, key_of(child), 40, true, &said), 0);
	assert_string_equal(said.msg, "nice 19");
	if (geteuid() != 0)
		return;
	assert_int_equal(act_renice(&root, key_of(child), -5, false, &said), 0);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)tid), -5);
}

/* What an ordinary user is told; tried in a process that has given its rights away. */
static int as_nobody(int (*fn)(void))
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(77);
		_exit(fn());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int refusals(void)
{
	u64 key = key_of(child), self = key_of(getpid());

	if (act_signal(&root, key, SIGTERM, &said) != -EPERM ||
		!strstr(said.msg, "permission denied: it belongs to another user"))
		return 1;
	if (act_renice(&root, key, 1, true, &said) >= 0 || !strstr(said.msg, "another user"))
		return 2;
	if (act_set_cpus(&root, key, "0", &said) != -EPERM || !strstr(said.msg, "another user"))
		return 3;
	if (act_renice(&root, self, 3, false, &said))
		return 4;
	if (act_renice(&root, self, -1, true, &said) != -EACCES ||
		!strstr(said.msg, "only root may lower nice values"))
		return 5;
	return 0;
}

static void test_says_why_not(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(as_nobody(refusals), 0);
}

static void test_binds_every_thread(void **state)
{
	pid_t tid = other_thread();
	char text[ACT_CPUS_TEXT], one[16];
	cpu_set_t set, of_child;
	u32 first = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(child, sizeof(set), &set), 0);
	while (!CPU_ISSET(first, &set))
		first++;
	snprintf(one, sizeof(one), "%u", first);
	assert_int_equal(act_set_cpus(&root, key_of(child), one, &said), 0);
	assert_int_equal(sched_getaffinity(tid, sizeof(of_child), &of_child), 0);
	assert_int_equal(CPU_COUNT(&of_child), 1);
	assert_true(CPU_ISSET(first, &of_child));
	assert_int_equal(act_cpus(&root, key_of(child), text, &said), 0);
	assert_string_equal(text, one);
}

static void test_lists_of_cpus(void **state)
{
	u64 key = key_of(child);
	char text[ACT_CPUS_TEXT];

	(void)state;
	assert_int_equal(act_set_cpus(&root, key, "7777", &said), -ENODEV);
	assert_string_equal(said.msg, "no such CPU: 7777");
	assert_int_equal(act_set_cpus(&root, key, "0,20000", &said), -ENODEV);
	assert_string_equal(said.msg, "no such CPU: 20000");
	assert_int_equal(act_set_cpus(&root, key, "0-", &said), -EINVAL);
	assert_true(strstr(said.msg, "not a list of CPUs") != NULL);
	assert_int_equal(act_set_cpus(&root, key, "", &said), -EINVAL);
	/* nothing was changed by any of these */
	assert_int_equal(act_cpus(&root, key, text, &said), 0);
	assert_int_equal(act_set_cpus(&root, key, text, &said), 0);
}

static void test_wrong_start_is_another_process(void **state)
{
	u64 key = process_key((u32)child, start_ticks(child) - 1);
	int was = getpriority(PRIO_PROCESS, (id_t)child);
	char text[ACT_CPUS_TEXT];

	(void)state;
	assert_int_equal(act_renice(&root, key, 1, true, &said), -ESRCH);
	assert_string_equal(said.msg, "ended meanwhile");
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)child), was);
	assert_int_equal(act_set_cpus(&root, key, "0", &said), -ESRCH);
	assert_int_equal(act_cpus(&root, key, text, &said), -ESRCH);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	key = process_key((u32)child, 1);
	child = 0;
	assert_int_equal(act_renice(&root, key, 1, true, &said), -ESRCH);
	assert_int_equal(act_set_cpus(&root, key, "0", &said), -ESRCH);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_the_one_that_is_meant),
		T(test_not_one_that_took_its_pid),
		T(test_not_one_that_ended),
		T(test_renices_every_thread),
		T(test_says_why_not),
		T(test_binds_every_thread),
		T(test_lists_of_cpus),
		T(test_wrong_start_is_another_process),
		T(test_not_on_a_recorded_machine),
	};

	return cmocka_run_group_tests_name("act", tests, NULL, NULL);
}
