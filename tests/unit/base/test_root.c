/* The rooted file access: moments, links that stay inside, markers for errors. */
#include "test.h"

#include <errno.h>

#include "base/root.h"
#include "tree.h"

static struct root root;
static struct clock clk;
static struct err err;

static void open_root(void)
{
	clock_init(&clk);
	err = (struct err){0};
	if (root_init(&root, tree_dir, &clk, &err))
		fail_msg("%s", err.msg);
}

static void expect_text(const char *path, const char *want)
{
	char out[64];
	int n = root_read(&root, path, out, sizeof(out));

	assert_int_equal(n, strlen(want));
	assert_string_equal(out, want);
}

static void test_moments_and_clock(void **state)
{
	struct stamp at;

	(void)state;
	tree_file("t0/proc/x", "first\n");
	tree_file("t0/clock", "1000 2000 3000\n");
	tree_file("t1/proc/x", "second");
	tree_file("t1/clock", "5000 6000 7000\n");
	tree_file("t3/proc/x", "never");
	open_root();
	assert_false(root_is_live(&root));
	assert_int_equal(root.moments, 2);
	assert_int_equal(root.generation, 0);
	expect_text("/proc/x", "first");
	clock_read(&clk, &at);
	assert_int_equal(at.mono_ns, 1000);
	assert_int_equal(at.boot_ns, 2000);
	assert_int_equal(at.real_ns, 3000);
	assert_int_equal(root_next(&root, &clk, &err), 0);
	assert_int_equal(root.generation, 1);
	expect_text("/proc/x", "second");
	clock_read_row(&clk, &at);
	assert_int_equal(at.mono_ns, 5000);
	assert_int_equal(root_next(&root, &clk, &err), -ENODATA);
	assert_int_equal(root_next(&root, &clk, &err), -ENODATA);
	expect_text("/proc/x", "second");
	root_fini(&root);
}

static void test_one_moment_without_a_number(void **state)
{
	(void)state;
	tree_file("proc/x", "only");
	open_root();
	assert_false(clk.scripted);
	expect_text("/proc/x", "only");
	assert_int_equal(root_next(&root, &clk, &err), -ENODATA);
	root_fini(&root);
}

static void test_bad_clock(void **state)
{
	(void)state;
	tree_file("t0/clock", "soon\n");
	clock_init(&clk);
	assert_int_equal(root_init(&root, tree_dir, &clk, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "t0/clock: expected \"mono_ns boot_ns real_ns\""));
	root_fini(&root);
}

static void test_missing_directory(void **state)
{
	char path[600];

	(void)state;
	snprintf(path, sizeof(path), "%s/nowhere", tree_dir);
	clock_init(&clk);
	assert_int_equal(root_init(&root, path, &clk, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "--root "));
	assert_non_null(strstr(err.msg, "/nowhere: No such file or directory"));
	root_fini(&root);
	tree_file("file", "x");
	snprintf(path, sizeof(path), "%s/file", tree_dir);
	assert_int_equal(root_init(&root, path, &clk, &err), -ENOTDIR);
	root_fini(&root);
}

static void test_links_stay_inside(void **state)
{
	char out[256], target[256];
	int n;

	(void)state;
	tree_file("secret", "outside");
	tree_file("t0/proc/x", "inside");
	tree_link("t0/proc/absolute", "/proc/x");
	tree_link("t0/proc/relative", "../proc/x");
	tree_link("t0/up", "../../../../../../proc/x");
	tree_link("t0/escape", "../secret");
	tree_link("t0/folder", "/proc");
	tree_link("t0/out", "..");
	tree_link("t0/proc/link", "/a/target");
	tree_link("secretlink", "leaked");
	open_root();
	expect_text("/proc/absolute", "inside");
	expect_text("/proc/relative", "inside");
	expect_text("/up", "inside");
	expect_text("/folder/x", "inside");
	expect_text("/../proc/x", "inside");
	assert_int_equal(root_read(&root, "/escape", out, sizeof(out)), -ENOENT);
	assert_int_equal(root_read(&root, "/../secret", out, sizeof(out)), -ENOENT);
	assert_int_equal(root_read(&root, "/out/secret", out, sizeof(out)), -ENOENT);
	n = root_readlink(&root, "/folder/link", target, sizeof(target));
	assert_int_equal(n, 9);
	assert_string_equal(target, "/a/target");
	assert_int_equal(root_readlink(&root, "/../secretlink", target, sizeof(target)), -ENOENT);
	assert_int_equal(root_readlink(&root, "/out/secretlink", target, sizeof(target)), -ENOENT);
	assert_int_equal(root_readlink(&root, "/proc/x", target, sizeof(target)), -EINVAL);
	assert_int_equal(root_readlink(&root, "/proc/link", target, 4), 3);
	assert_string_equal(target, "/a/");
	root_fini(&root);
}

static void test_error_markers(void **state)
{
	char out[64];
	int read_error;
	u64 v;

	(void)state;
	tree_link("t0/proc/denied", "errno:EACCES");
	tree_link("t0/proc/bad", "errno:read:EINVAL");
	tree_link("t0/proc/what", "errno:ENOSUCHNAME");
	tree_link("t0/linked", "/proc");
	open_root();
	assert_int_equal(root_open(&root, "/proc/denied", O_RDONLY), -EACCES);
	assert_int_equal(root_open(&root, "/linked/denied", O_RDONLY), -EACCES);
	assert_int_equal(root_read(&root, "/proc/denied", out, sizeof(out)), -EACCES);
	assert_int_equal(root_readlink(&root, "/proc/denied", out, sizeof(out)), -EACCES);
	assert_int_equal(root_open(&root, "/proc/bad", O_RDONLY), -EREMOTEIO);
	assert_int_equal(root_open_marked(&root, "/proc/bad", O_RDONLY, &read_error), -EREMOTEIO);
	assert_int_equal(read_error, EINVAL);
	assert_int_equal(root_read(&root, "/proc/bad", out, sizeof(out)), -EINVAL);
	assert_int_equal(root_read_u64(&root, "/proc/bad", &v), -EINVAL);
	assert_int_equal(root_open(&root, "/proc/what", O_RDONLY), -ENOENT);
	assert_int_equal(root_open(&root, "/proc/none", O_RDONLY), -ENOENT);
	assert_true(root_exists(&root, "/proc/denied"));
	assert_true(root_exists(&root, "/proc/bad"));
	assert_false(root_exists(&root, "/proc/none"));
	root_fini(&root);
}

static void test_small_files(void **state)
{
	char out[5];
	s64 s;
	u64 v;

	(void)state;
	tree_file("t0/sys/n", "42\n");
	tree_file("t0/sys/minus", "-1\n");
	tree_file("t0/sys/empty", "");
	tree_file("t0/sys/long", "123456789");
	tree_file("t0/sys/lines", "a\n\n");
	open_root();
	assert_int_equal(root_read_u64(&root, "/sys/n", &v), 0);
	assert_int_equal(v, 42);
	assert_int_equal(root_read_s64(&root, "/sys/minus", &s), 0);
	assert_int_equal(s, -1);
	assert_int_equal(root_read_u64(&root, "/sys/minus", &v), -EINVAL);
	assert_int_equal(root_read_u64(&root, "/sys/empty", &v), -EINVAL);
	assert_int_equal(root_read(&root, "/sys/empty", out, sizeof(out)), 0);
	assert_string_equal(out, "");
	assert_int_equal(root_read(&root, "/sys/long", out, sizeof(out)), 4);
	assert_string_equal(out, "1234");
	expect_text("/sys/lines", "a\n");
	assert_int_equal(root_read(&root, "/sys", out, sizeof(out)), -EISDIR);
	root_fini(&root);
}

struct names {
	char all[128];
	u32 n, stop;
};

static int add_name(void *arg, const char *name)
{
	struct names *names = arg;

	strcat(names->all, name);
	strcat(names->all, " ");
	return ++names->n == names->stop ? 9 : 0;
}

static void test_list(void **state)
{
	struct names names = {0}, two = {.stop = 2};

	(void)state;
	tree_file("t0/sys/cpu/cpu10/x", "");
	tree_file("t0/sys/cpu/cpu2/x", "");
	tree_file("t0/sys/cpu/cpu0/x", "");
	open_root();
	assert_int_equal(root_list(&root, "/sys/cpu", add_name, &names), 0);
	assert_string_equal(names.all, "cpu0 cpu2 cpu10 ");
	assert_int_equal(root_list(&root, "/sys/cpu", add_name, &two), 9);
	assert_string_equal(two.all, "cpu0 cpu2 ");
	assert_int_equal(root_list(&root, "/sys/none", add_name, &two), -ENOENT);
	names = (struct names){0};
	assert_int_equal(root_list(&root, "/", add_name, &names), 0);
	assert_string_equal(names.all, "sys ");
	root_fini(&root);
}

static void test_live(void **state)
{
	char out[64];

	(void)state;
	clock_init(&clk);
	assert_int_equal(root_init(&root, NULL, &clk, &err), 0);
	assert_true(root_is_live(&root));
	assert_int_equal(root_next(&root, &clk, &err), -EINVAL);
	assert_true(root_read(&root, "/proc/self/comm", out, sizeof(out)) > 0);
	assert_true(root_readlink(&root, "/proc/self", out, sizeof(out)) > 0);
	root_fini(&root);
	root_fini(&root);
	root_fini(NULL);
}

#define T(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_moments_and_clock),
		T(test_one_moment_without_a_number),
		T(test_bad_clock),
		T(test_missing_directory),
		T(test_links_stay_inside),
		T(test_error_markers),
		T(test_small_files),
		T(test_list),
		T(test_live),
	};

	return cmocka_run_group_tests_name("root", tests, NULL, NULL);
}
