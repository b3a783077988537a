/* NVML's thread with the stand-in library, whose calls hang when they are told to: who asks never waits longer than it
 * said, and is told when an answer is old. */
#include "entries.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/nvml_thread.h"
#include "unit/base/tree.h"

#define ONE    "0000:01:00.0"
#define DEVICE "device " ONE " Fake A100\nset memory_v2 85899345920 42949672960\n"
#define WORKS  DEVICE "set utilization 37 11\n"
#define HANGS  DEVICE "hang utilization 30000\nset utilization 37 11\n"

static const u64 soon = 20 * NSEC_PER_SEC, tick = 20 * NSEC_PER_MSEC, bound = 5 * NSEC_PER_SEC;

static const char *library;
static struct root root;
static struct clock clock_;
static struct nvml_thread *thread;

static void script(const char *text)
{
	tree_file("script", text);
}

/* Once: threads that were left behind still look where they were told to. */
static int setup_all(void **state)
{
	char path[sizeof(tree_dir) + 16];
	struct err err;

	(void)state;
	tree_setup(NULL);
	tree_file("sys/bus/pci/devices/" ONE "/vendor", "0x10de\n");
	tree_file("sys/bus/pci/devices/" ONE "/class", "0x030200\n");
	tree_file("sys/bus/pci/devices/" ONE "/uevent", "DRIVER=nvidia\nPCI_SLOT_NAME=" ONE "\n");
	snprintf(path, sizeof(path), "%s/script", tree_dir);
	setenv("FAKE_NVML", path, 1);
	clock_init(&clock_);
	assert_int_equal(root_init(&root, tree_dir, &clock_, &err), 0);
	/* the moment is given, time goes on */
	clock_.scripted = false;
	return 0;
}

static int teardown_all(void **state)
{
	(void)state;
	root_fini(&root);
	tree_teardown(NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nvml_thread_stop(thread);
	thread = NULL;
	return 0;
}

static void start(const char *path)
{
	assert_int_equal(nvml_thread_start(&thread, path, &root, &clock_), 0);
}

static const struct gpu_reading *ask(u64 wait_ns, bool *late)
{
	return nvml_thread_read(thread, &clock_, NULL, 0, wait_ns, late);
}

/* How long that took. */
static u64 hurried(bool *late)
{
	u64 before = clock_mono_ns();

	ask(tick, late);
	return clock_mono_ns() - before;
}

static void first_reading(void **state)
{
	const struct gpu_reading *r;
	char why[160];
	bool late;

	(void)state;
	script(WORKS);
	start(library);
	assert_int_equal(nvml_thread_error(thread, why, sizeof(why)), -EAGAIN);
	r = ask(soon, &late);
	assert_non_null(r);
	assert_false(late);
	assert_int_equal(r->ndevices, 1);
	assert_int_equal(nvml_thread_error(thread, why, sizeof(why)), 0);
	assert_string_equal(why, "");
}

/* A call that never comes back costs the wait and no more; its last answer grows late; and it comes back. */
static void hangs(void **state)
{
	char why[160];
	bool late;

	(void)state;
	script(WORKS);
	start(library);
	assert_non_null(ask(soon, &late));
	script(HANGS);
	for (u32 i = 0; i < 10; i++)
		assert_true(hurried(&late) < bound);
	assert_true(late);
	assert_int_equal(nvml_thread_error(thread, why, sizeof(why)), -EAGAIN);
	script(WORKS);
	/* the first answer may be to the question that hung */
	ask(soon, &late);
	assert_non_null(ask(soon, &late));
	assert_false(late);
	assert_int_equal(nvml_thread_error(thread, why, sizeof(why)), 0);
}

static void hangs_from_the_start(void **state)
{
	char why[160];
	bool late;

	(void)state;
	script(HANGS);
	start(library);
	assert_null(ask(tick, &late));
	assert_false(late);
	assert_int_equal(nvml_thread_error(thread, why, sizeof(why)), -EAGAIN);
	script(WORKS);
	ask(soon, &late);
	assert_non_null(ask(soon, &late));
}

/* It is left behind, and frees what it has when it comes back. The last test: the stand-in is for one thread. */
static void stopped_while_it_hangs(void **state)
{
	u32 before = entries("/proc/self/task");
	u64 began;
	bool late;

	(void)state;
	script(HANGS);
	start(library);
	assert_null(ask(tick, &late));
	began = clock_mono_ns();
	nvml_thread_stop(thread);
	thread = NULL;
	assert_true(clock_mono_ns() - began < bound);
	assert_true(entries("/proc/self/task") > before);
	script(WORKS);
	for (u32 i = 0; i < 2000 && entries("/proc/self/task") > before; i++)
		usleep(10000);
	assert_int_equal(entries("/proc/self/task"), before);
}

static void no_library(void **state)
{
	char why[160];
	bool late;

	(void)state;
	script(WORKS);
	start("/nonexistent/libnvidia-ml.so.1");
	assert_null(ask(soon, &late));
	assert_int_equal(nvml_thread_error(thread, why, sizeof(why)), -ENOENT);
	assert_non_null(strstr(why, "libnvidia-ml"));
}

static void driver_fails(void **state)
{
	char why[160];
	bool late;

	(void)state;
	script("init 18\n" DEVICE);
	start(library);
	ask(soon, &late);
	assert_true(nvml_thread_error(thread, why, sizeof(why)) < 0);
	assert_non_null(strstr(why, "mismatch"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(first_reading, teardown),
		cmocka_unit_test_teardown(hangs, teardown),
		cmocka_unit_test_teardown(hangs_from_the_start, teardown),
		cmocka_unit_test_teardown(no_library, teardown),
		cmocka_unit_test_teardown(driver_fails, teardown),
		cmocka_unit_test_teardown(stopped_while_it_hangs, teardown),
	};

	if (argc < 2) {
		fputs("usage: test_nvml_thread LIBRARY\n", stderr);
		return 2;
	}
	library = argv[1];
	return cmocka_run_group_tests(tests, setup_all, teardown_all);
}
