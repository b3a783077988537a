/* Kept files: opened once, whole, again at the next moment and after an error. */
#include "test.h"

#include <errno.h>

#include "base/kfile.h"
#include "tree.h"

static struct root root;
static struct clock clk;
static struct err err;
static struct kbuf buf;
static struct kfile file;

static void start(const char *path)
{
	clock_init(&clk);
	if (root_init(&root, tree_dir, &clk, &err))
		fail_msg("%s", err.msg);
	kbuf_init(&buf);
	assert_int_equal(kfile_init(&file, path), 0);
}

static void stop(void)
{
	kfile_fini(&file);
	kfile_fini(&file);
	kfile_fini(NULL);
	kbuf_fini(&buf);
	root_fini(&root);
}

static char *pattern(size_t len)
{
	char *data = malloc(len + 1);

	assert_non_null(data);
	for (size_t i = 0; i < len; i++)
		data[i] = (char)('a' + (i * 7 + i / 251) % 26);
	return data;
}

static void expect_file(const char *data, size_t len)
{
	assert_int_equal(kfile_read(&file, &root, &buf), 0);
	assert_int_equal(buf.len, len);
	assert_memory_equal(buf.data, data, len);
	assert_int_equal(buf.data[len], '\0');
	assert_ptr_equal(kbuf_end(&buf), buf.data + len);
}

static void test_stays_open_and_rereads(void **state)
{
	int fd;

	(void)state;
	tree_file("t0/proc/x", "one");
	start("/proc/x");
	assert_int_equal(file.fd, -1);
	expect_file("one", 3);
	fd = file.fd;
	assert_true(fd >= 0);
	tree_file("t0/proc/x", "three");
	expect_file("three", 5);
	tree_file("t0/proc/x", "");
	expect_file("", 0);
	assert_int_equal(file.fd, fd);
	stop();
}

static void test_next_moment(void **state)
{
	(void)state;
	tree_file("t0/proc/x", "0");
	tree_file("t1/proc/x", "1");
	tree_file("t2/proc/y", "gone");
	start("/proc/x");
	expect_file("0", 1);
	assert_int_equal(root_next(&root, &clk, &err), 0);
	expect_file("1", 1);
	assert_int_equal(root_next(&root, &clk, &err), 0);
	assert_int_equal(kfile_read(&file, &root, &buf), -ENOENT);
	tree_file("t2/proc/x", "2");
	expect_file("2", 1);
	stop();
}

static void test_sizes(void **state)
{
	static const size_t sizes[] = {0, 1, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193,
		16382, 16383, 16384, 65535, 65536, 65537, 200000, 1048576};

	(void)state;
	tree_file("t0/proc/x", "");
	start("/proc/x");
	for (u32 round = 0; round < 2; round++)
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			char *data = pattern(sizes[i]);

			file.long_records = round;
			tree_bytes("t0/proc/x", data, sizes[i]);
			expect_file(data, sizes[i]);
			free(data);
		}
	stop();
}

static void test_grows_from_nothing_at_once(void **state)
{
	char *data = pattern(300000);

	(void)state;
	tree_bytes("t0/proc/x", data, 300000);
	start("/proc/x");
	expect_file(data, 300000);
	free(data);
	stop();
}

static void test_reserve(void **state)
{
	char *data;

	(void)state;
	kbuf_init(&buf);
	assert_int_equal(kbuf_reserve(&buf, 100), 0);
	assert_true(buf.size > 100);
	data = buf.data;
	assert_int_equal(kbuf_reserve(&buf, 100), 0);
	assert_ptr_equal(buf.data, data);
	assert_int_equal(kbuf_reserve(&buf, 100000), 0);
	assert_true(buf.size > 100000);
	assert_int_equal(kbuf_reserve(&buf, UINT32_MAX), -ENOMEM);
	kbuf_fini(&buf);
}

static void test_read_error_then_right_again(void **state)
{
	(void)state;
	tree_link("t0/proc/x", "errno:read:EINVAL");
	start("/proc/x");
	assert_int_equal(kfile_read(&file, &root, &buf), -EINVAL);
	assert_int_equal(kfile_read(&file, &root, &buf), -EINVAL);
	assert_int_equal(unlink(tree_path("t0/proc/x")), 0);
	tree_file("t0/proc/x", "fine");
	expect_file("fine", 4);
	stop();
}

static void test_failing_descriptor_is_dropped(void **state)
{
	(void)state;
	/* a folder opens and cannot be read: as a device that went away */
	assert_int_equal(mkdir(tree_path("t0/x"), 0700), 0);
	start("/x");
	assert_int_equal(kfile_read(&file, &root, &buf), -EISDIR);
	assert_int_equal(file.fd, -1);
	assert_int_equal(rmdir(tree_path("t0/x")), 0);
	tree_file("t0/x", "back");
	expect_file("back", 4);
	stop();
}

static void test_open_errors(void **state)
{
	(void)state;
	tree_link("t0/proc/x", "errno:EACCES");
	start("/proc/x");
	assert_int_equal(kfile_read(&file, &root, &buf), -EACCES);
	assert_int_equal(file.fd, -1);
	stop();
}

static void test_numbers(void **state)
{
	u64 v;
	s64 s;

	(void)state;
	tree_file("t0/sys/n", "42\n");
	start("/sys/n");
	assert_int_equal(kfile_read_u64(&file, &root, &v), 0);
	assert_int_equal(v, 42);
	tree_file("t0/sys/n", "-7\n");
	assert_int_equal(kfile_read_u64(&file, &root, &v), -EINVAL);
	assert_int_equal(kfile_read_s64(&file, &root, &s), 0);
	assert_int_equal(s, -7);
	tree_file("t0/sys/n", "");
	assert_int_equal(kfile_read_s64(&file, &root, &s), -EINVAL);
	stop();
}

#define T(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_stays_open_and_rereads),
		T(test_next_moment),
		T(test_sizes),
		T(test_grows_from_nothing_at_once),
		T(test_reserve),
		T(test_read_error_then_right_again),
		T(test_failing_descriptor_is_dropped),
		T(test_open_errors),
		T(test_numbers),
	};

	return cmocka_run_group_tests_name("kfile", tests, NULL, NULL);
}
