/* As many processes as a machine may have, made up: in memory, where there is a file system for that. */
#include "made.h"

#include <time.h>

enum { MANY = 100000, SCANS = 3, SCAN_MOST_S = 30 };

static u32 seen;
static u64 before;

static int count(void *arg, const struct process_record *r)
{
	(void)arg;
	assert_true(r->key > before);
	assert_int_equal(r->value[PROCESS_CPU], 110000000);
	before = r->key;
	seen++;
	return 0;
}

static int setup(void **state)
{
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 1);
	return made_setup(state);
}

static void test_a_hundred_thousand(void **state)
{
	struct timespec from, to;
	char path[64], common[600];

	(void)state;
	tree_file("proc/common", "7 (crowd) S 1 1 1 0 -1 0 1 0 0 0 5 6 0 0 20 0 1 0 77 4096 1\n");
	snprintf(common, sizeof(common), "%s/proc/common", tree_dir);
	for (u32 pid = 1; pid <= MANY; pid++) {
		snprintf(path, sizeof(path), "proc/%u/stat", pid);
		/* a file has not room for so many names everywhere */
		if (link(common, tree_path(path)))
			tree_link(path, "/proc/common");
	}
	made_open(tree_dir);
	for (u32 i = 0; i < SCANS; i++) {
		seen = 0;
		before = 0;
		clock_gettime(CLOCK_MONOTONIC, &from);
		assert_int_equal(
			procfs_scanner.scan(made.scanner, column_bit(PROCESS_CPU), count, NULL), 0);
		clock_gettime(CLOCK_MONOTONIC, &to);
		assert_int_equal(seen, MANY);
		assert_true(to.tv_sec - from.tv_sec < SCAN_MOST_S);
		assert_false(procfs_scanner.partial(made.scanner));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_hundred_thousand, setup, made_teardown),
	};

	return cmocka_run_group_tests_name("procfs_crowd", tests, NULL, NULL);
}
