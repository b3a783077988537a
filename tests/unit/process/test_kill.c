/* Signals reach the process that was meant, and no other. */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/kill.h"
#include "process/process.h"

static struct root root;
static struct clock clock_;
static pid_t child;

static int setup(void **state)
{
	struct err err;

	(void)state;
	clock_init(&clock_);
	if (root_init(&root, NULL, &clock_, &err))
		return -1;
	child = fork();
	if (!child) {
		for (;;)
			pause();
	}
	return child < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
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
		process_signal(&root, process_key((u32)child, start_ticks(child)), SIGTERM), 0);
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
		process_signal(&root, process_key((u32)child, start_ticks(child) - 1), SIGTERM),
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
	assert_int_equal(process_signal(&root, key, SIGTERM), -ESRCH);
	assert_int_equal(process_signal(&root, 0, SIGTERM), -ESRCH);
}

static void test_not_on_a_recorded_machine(void **state)
{
	(void)state;
	root.moments = 1;
	assert_int_equal(process_signal(&root, process_key((u32)child, 1), SIGTERM), -EROFS);
	root.moments = 0;
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_the_one_that_is_meant),
		T(test_not_one_that_took_its_pid),
		T(test_not_one_that_ended),
		T(test_not_on_a_recorded_machine),
	};

	return cmocka_run_group_tests_name("kill", tests, NULL, NULL);
}
