/* The thread that fills readings: never waited for but where it is asked to, left behind when it hangs. */
#include "test.h"

#include <errno.h>

#include <stdatomic.h>
#include <unistd.h>

#include "gpu/worker.h"

static struct clock clock_;
static atomic_uint fills, frees, hang_ms;
static atomic_int result;

static int fill(void *arg, struct gpu_reading *r)
{
	unsigned int n = atomic_fetch_add(&fills, 1) + 1;

	(void)arg;
	usleep(atomic_load(&hang_ms) * 1000);
	assert_non_null(gpu_reading_device(r, n));
	return atomic_load(&result);
}

static void freed(void *arg)
{
	(void)arg;
	atomic_fetch_add(&frees, 1);
}

static struct gpu_worker *start(void)
{
	const struct gpu_work work = {.fill = fill, .free = freed, .clock = &clock_};
	struct gpu_worker *w;

	clock_init(&clock_);
	fills = frees = hang_ms = 0;
	result = 0;
	assert_int_equal(gpu_worker_start(&w, &work), 0);
	return w;
}

static void hands_over_whole_readings(void **state)
{
	struct gpu_worker *w = start();
	const struct gpu_reading *r;

	(void)state;
	assert_null(gpu_worker_take(w));
	assert_true(gpu_worker_wait(w, clock_mono_ns() + NSEC_PER_SEC));
	r = gpu_worker_take(w);
	assert_non_null(r);
	assert_int_equal(r->seq, 1);
	assert_int_equal(r->devices[0].key, 1);
	/* nothing newer: the same again */
	assert_ptr_equal(gpu_worker_take(w), r);
	for (u64 n = 2; n < 20; n++) {
		assert_true(gpu_worker_wait(w, clock_mono_ns() + NSEC_PER_SEC));
		r = gpu_worker_take(w);
		assert_int_equal(r->seq, n);
		assert_int_equal(r->ndevices, 1);
	}
	gpu_worker_stop(w);
	assert_int_equal(frees, 1);
}

static void a_failure_leaves_the_last_reading(void **state)
{
	struct gpu_worker *w = start();

	(void)state;
	assert_true(gpu_worker_wait(w, clock_mono_ns() + NSEC_PER_SEC));
	result = -EIO;
	assert_false(gpu_worker_wait(w, clock_mono_ns() + NSEC_PER_SEC));
	assert_int_equal(gpu_worker_error(w), -EIO);
	assert_int_equal(gpu_worker_take(w)->seq, 1);
	gpu_worker_stop(w);
}

static void nobody_waits_for_one_that_hangs(void **state)
{
	struct gpu_worker *w = start();
	u64 began = clock_mono_ns();

	(void)state;
	hang_ms = 600;
	gpu_worker_request(w);
	assert_null(gpu_worker_take(w));
	assert_false(gpu_worker_wait(w, clock_mono_ns() + 50 * NSEC_PER_MSEC));
	assert_true(gpu_worker_busy_ns(w, clock_mono_ns()) > 0);
	gpu_worker_stop(w);
	assert_true(clock_mono_ns() - began < 400 * NSEC_PER_MSEC);
	assert_int_equal(frees, 0);
	/* it frees what it has when it comes back */
	for (u32 i = 0; i < 200 && !frees; i++)
		usleep(10000);
	assert_int_equal(frees, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hands_over_whole_readings),
		cmocka_unit_test(a_failure_leaves_the_last_reading),
		cmocka_unit_test(nobody_waits_for_one_that_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
