/* The handle on a live machine: a thread reads behind all tables, which wait for one reading and share it. The device is
 * that of the stand-in for NVML, whose calls hang when they are told to. */
#include "entries.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "unit/base/tree.h"

#define DEVICE "device 0000:01:00.0 Fake A100\nset memory_v2 85899345920 42949672960\n"
#define WORKS  DEVICE "set utilization 37 11\n"
#define HANGS  DEVICE "hang utilization 30000\nset utilization 37 11\n"

static const u64 soon = 20 * NSEC_PER_SEC, bound = 5 * NSEC_PER_SEC;

static char library[512];
static struct root root;
static struct clock clock_;
static struct source_shared shared;
static const char *const options[] = {library, NULL};
static struct source_env env = {
	.root = &root, .clock = &clock_, .shared = &shared, .options = options};
static struct gpu *gpu;

static void script(const char *text)
{
	tree_file("script", text);
}

static int setup(void **state)
{
	char path[sizeof(tree_dir) + 16];
	struct err err;

	tree_setup(state);
	snprintf(path, sizeof(path), "%s/script", tree_dir);
	setenv("FAKE_NVML", path, 1);
	script(WORKS);
	shared = (struct source_shared){.tick = 1};
	clock_init(&clock_);
	assert_int_equal(root_init(&root, NULL, &clock_, &err), 0);
	assert_int_equal(gpu_get(&gpu, &env), 0);
	return 0;
}

static int teardown(void **state)
{
	if (shared.gpu)
		shared.free_gpu(shared.gpu);
	root_fini(&root);
	return tree_teardown(state);
}

/* The next tick's reading. */
static const struct gpu_reading *tick(u64 wait_ns, bool *came)
{
	shared.tick++;
	gpu_begin(gpu, &env);
	*came = gpu_wait(gpu, &env, clock_mono_ns() + wait_ns);
	return gpu_newest(gpu, &env);
}

static void tables_share_a_reading(void **state)
{
	const struct gpu_reading *r;
	bool came;
	u64 seq;

	(void)state;
	assert_null(gpu_newest(gpu, &env));
	r = tick(soon, &came);
	assert_true(came);
	assert_non_null(r);
	assert_int_equal(r->ndevices, 1);
	seq = r->seq;
	/* another table's turn in the same tick */
	gpu_begin(gpu, &env);
	assert_true(gpu_wait(gpu, &env, clock_mono_ns() + soon));
	assert_ptr_equal(gpu_newest(gpu, &env), r);
	assert_int_equal(r->seq, seq);
	r = tick(soon, &came);
	assert_true(came);
	assert_true(r->seq > seq);
}

static void scanners_words_reach_the_thread(void **state)
{
	const struct gpu_reading *r;
	bool came;

	(void)state;
	r = tick(soon, &came);
	assert_false(r->own_only);
	gpu_hidden(gpu, true);
	r = tick(soon, &came);
	assert_true(came);
	assert_true(r->own_only);
}

/* A tick that does not wait takes what is there, and asks for the next one's. */
static void a_tick_never_waits(void **state)
{
	const struct gpu_reading *r;
	bool came;
	u64 seq, began;

	(void)state;
	seq = tick(soon, &came)->seq;
	began = clock_mono_ns();
	for (u32 i = 0; i < 1000; i++) {
		shared.tick++;
		gpu_begin(gpu, &env);
		r = gpu_newest(gpu, &env);
		if (r->seq > seq)
			break;
		usleep(1000);
	}
	assert_true(r->seq > seq);
	assert_true(clock_mono_ns() - began < bound);
}

/* The reading does without a driver that hangs, and says so; what it has of it is old. The last test: the stand-in is
 * for one thread. */
static void a_driver_that_hangs(void **state)
{
	const struct gpu_reading *r;
	struct findings found = {0};
	u32 before;
	bool came;
	u64 began;

	(void)state;
	r = tick(soon, &came);
	assert_true(r->devices[0].have & column_bit(GPU_BUSY_NOW));
	script(HANGS);
	for (u32 i = 0; i < 6; i++) {
		r = tick(soon, &came);
		assert_true(came);
	}
	assert_int_equal(r->ndevices, 1);
	assert_false(r->devices[0].have & column_bit(GPU_BUSY_NOW));
	assert_int_equal(r->devices[0].reason[GPU_BUSY_NOW], REASON_STALE);
	gpu_explain(gpu, &found);
	assert_true(found.n > 0);
	assert_int_equal(found.items[found.n - 1].reason, REASON_STALE);
	findings_free(&found);
	before = entries("/proc/self/task");
	began = clock_mono_ns();
	shared.free_gpu(shared.gpu);
	shared.gpu = NULL;
	assert_true(clock_mono_ns() - began < bound);
	script(WORKS);
	for (u32 i = 0; i < 2000 && entries("/proc/self/task") > before - 2; i++)
		usleep(10000);
	assert_int_equal(entries("/proc/self/task"), before - 2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tables_share_a_reading, setup, teardown),
		cmocka_unit_test_setup_teardown(scanners_words_reach_the_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(a_tick_never_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(a_driver_that_hangs, setup, teardown),
	};

	if (argc != 2) {
		fprintf(stderr, "test_gpu_thread: expected the stand-in library\n");
		return 2;
	}
	snprintf(library, sizeof(library), "nvml=%s", argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
