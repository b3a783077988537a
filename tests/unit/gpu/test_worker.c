/* The thread that fills readings: never waited for but where it is asked to, left behind when it hangs, and what is its
 * own it frees itself. */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "gpu/worker.h"

enum { MOST = 64, SECONDS = 20 };

/* A question is a number; an answer is a device with that key. */
static struct {
	struct clock clock;
	atomic_uint question, fills, frees;
	atomic_int result;
	atomic_bool hold, hold_free;
	sem_t inside, go; /* held: one is posted, the other waited for */
	u32 answered[MOST];
	pthread_t filled_by, freed_by;
} it;

static void hold_here(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += SECONDS;
	sem_post(&it.inside);
	sem_timedwait(&it.go, &until);
}

static int fill(void *arg, struct gpu_reading *r)
{
	unsigned int question = atomic_load(&it.question), n = atomic_fetch_add(&it.fills, 1);

	(void)arg;
	it.answered[n % MOST] = question;
	it.filled_by = pthread_self();
	if (atomic_load(&it.hold))
		hold_here();
	assert_non_null(gpu_reading_device(r, question));
	return atomic_load(&it.result);
}

static void freed(void *arg)
{
	(void)arg;
	it.freed_by = pthread_self();
	if (atomic_load(&it.hold_free))
		hold_here();
	atomic_fetch_add(&it.frees, 1);
}

static struct gpu_worker *start(void)
{
	const struct gpu_work work = {.fill = fill, .free = freed, .clock = &it.clock};
	struct gpu_worker *w;

	clock_init(&it.clock);
	it.question = it.fills = it.frees = 0;
	it.result = 0;
	it.hold = it.hold_free = false;
	sem_init(&it.inside, 0, 0);
	sem_init(&it.go, 0, 0);
	assert_int_equal(gpu_worker_start(&w, &work), 0);
	return w;
}

static u64 soon(void)
{
	return clock_mono_ns() + SECONDS * NSEC_PER_SEC;
}

static void until_freed(void)
{
	for (u64 end = soon(); !it.frees && clock_mono_ns() < end;)
		usleep(1000);
	assert_int_equal(it.frees, 1);
}

static void until_idle(struct gpu_worker *w)
{
	for (u64 end = soon(); !gpu_worker_idle(w) && clock_mono_ns() < end;)
		usleep(1000);
	assert_true(gpu_worker_idle(w));
}

/* A reading under way that does not come back until let_go. */
static void hang(struct gpu_worker *w)
{
	it.hold = true;
	gpu_worker_request(w);
	sem_wait(&it.inside);
	it.hold = false;
}

static void let_go(void)
{
	sem_post(&it.go);
}

static const struct gpu_reading *answer(struct gpu_worker *w, u32 question)
{
	it.question = question;
	assert_true(gpu_worker_wait(w, soon()));
	return gpu_worker_take(w);
}

static void hands_over_whole_readings(void **state)
{
	struct gpu_worker *w = start();
	const struct gpu_reading *r;

	(void)state;
	assert_null(gpu_worker_take(w));
	r = answer(w, 1);
	assert_non_null(r);
	assert_int_equal(r->seq, 1);
	assert_int_equal(r->devices[0].key, 1);
	/* nothing newer: the same again */
	assert_ptr_equal(gpu_worker_take(w), r);
	for (u32 n = 2; n < 20; n++) {
		r = answer(w, n);
		assert_int_equal(r->seq, n);
		assert_int_equal(r->ndevices, 1);
		assert_int_equal(r->devices[0].key, n);
	}
	gpu_worker_stop(w);
	until_freed();
}

static void a_failure_leaves_the_last_reading(void **state)
{
	struct gpu_worker *w = start();

	(void)state;
	answer(w, 1);
	it.result = -EIO;
	assert_false(gpu_worker_wait(w, soon()));
	assert_int_equal(gpu_worker_error(w), -EIO);
	assert_int_equal(gpu_worker_take(w)->seq, 1);
	gpu_worker_stop(w);
	until_freed();
}

static void nobody_waits_for_one_that_hangs(void **state)
{
	struct gpu_worker *w = start();
	u64 began = clock_mono_ns();

	(void)state;
	hang(w);
	assert_null(gpu_worker_take(w));
	assert_false(gpu_worker_wait(w, clock_mono_ns() + 10 * NSEC_PER_MSEC));
	gpu_worker_stop(w);
	assert_true(clock_mono_ns() - began < SECONDS / 2 * NSEC_PER_SEC);
	assert_int_equal(it.frees, 0);
	/* it frees what it has when it comes back */
	let_go();
	until_freed();
	assert_int_equal(it.fills, 1);
}

/* What is asked behind a reading that hangs is not answered when nobody waits for it any more. */
static void a_question_behind_it_is_withdrawn(void **state)
{
	struct gpu_worker *w = start();
	const struct gpu_reading *r;

	(void)state;
	it.question = 1;
	hang(w);
	it.question = 2;
	assert_false(gpu_worker_wait(w, clock_mono_ns() + 10 * NSEC_PER_MSEC));
	gpu_worker_request(w);
	let_go();
	until_idle(w);
	assert_int_equal(it.fills, 1);
	assert_int_equal(gpu_worker_take(w)->devices[0].key, 1);
	r = answer(w, 3);
	assert_int_equal(r->devices[0].key, 3);
	assert_int_equal(r->seq, 2);
	assert_int_equal(it.fills, 2);
	assert_int_equal(it.answered[0], 1);
	assert_int_equal(it.answered[1], 3);
	gpu_worker_stop(w);
	until_freed();
}

/* Who waits in vain withdraws what it asked itself, not what was asked before. */
static void what_others_asked_stays(void **state)
{
	struct gpu_worker *w = start();

	(void)state;
	for (u32 n = 1; n <= 50; n++) {
		it.question = n;
		gpu_worker_request(w);
		gpu_worker_wait(w, 0);
		until_idle(w);
		assert_int_equal(gpu_worker_take(w)->devices[0].key, n);
	}
	gpu_worker_stop(w);
	until_freed();
}

static void frees_in_its_own_thread(void **state)
{
	struct gpu_worker *w = start();

	(void)state;
	answer(w, 1);
	gpu_worker_stop(w);
	until_freed();
	assert_true(pthread_equal(it.freed_by, it.filled_by));
	assert_false(pthread_equal(it.freed_by, pthread_self()));
	/* and without a reading, too */
	w = start();
	gpu_worker_stop(w);
	until_freed();
	assert_false(pthread_equal(it.freed_by, pthread_self()));
}

/* A driver may hang in its last call as in any other. */
static void nobody_waits_for_a_free_that_hangs(void **state)
{
	struct gpu_worker *w = start();
	u64 began;

	(void)state;
	answer(w, 1);
	it.hold_free = true;
	began = clock_mono_ns();
	gpu_worker_stop(w);
	assert_true(clock_mono_ns() - began < SECONDS / 2 * NSEC_PER_SEC);
	assert_int_equal(it.frees, 0);
	sem_wait(&it.inside);
	let_go();
	until_freed();
}

/* Asked is not idle, whether it has begun or not. */
static void idle_is_nothing_asked_and_nothing_under_way(void **state)
{
	struct gpu_worker *w = start();

	(void)state;
	assert_true(gpu_worker_idle(w));
	for (u32 n = 1; n <= 200; n++) {
		it.hold = true;
		gpu_worker_request(w);
		assert_false(gpu_worker_idle(w));
		sem_wait(&it.inside);
		assert_false(gpu_worker_idle(w));
		let_go();
		until_idle(w);
		assert_int_equal(it.fills, n);
	}
	gpu_worker_stop(w);
	it.hold = false;
	until_freed();
}

/* Asked and withdrawn at every moment of a reading: each answer is newer than the one before. */
static void many_questions_in_vain(void **state)
{
	struct gpu_worker *w = start();
	u64 seq = 0, key = 0;

	(void)state;
	for (u32 n = 1; n <= 2000; n++) {
		const struct gpu_reading *r;

		it.question = n;
		gpu_worker_wait(w, n % 3 ? clock_mono_ns() + n % 50 * 1000 : 0);
		r = gpu_worker_take(w);
		if (!r)
			continue;
		assert_true(r->seq >= seq && r->devices[0].key >= key);
		assert_int_equal(r->ndevices, 1);
		seq = r->seq;
		key = r->devices[0].key;
	}
	until_idle(w);
	assert_int_equal(answer(w, 3000)->devices[0].key, 3000);
	assert_true(gpu_worker_idle(w));
	assert_int_equal(gpu_worker_take(w)->seq, it.fills);
	gpu_worker_stop(w);
	until_freed();
}

/* A recorded machine goes on while a reading may be about to begin. */
static void stamps_by_the_clock_of_the_moment(void **state)
{
	struct gpu_worker *w = start();
	struct stamp at = {NSEC_PER_SEC, 2 * NSEC_PER_SEC, 3 * NSEC_PER_SEC};

	(void)state;
	for (u32 n = 1; n <= 20; n++) {
		struct clock clock;

		at.mono_ns += NSEC_PER_SEC;
		clock_script(&clock, &at);
		gpu_worker_request(w);
		gpu_worker_clock(w, &clock);
		assert_int_equal(answer(w, n)->at.mono_ns, at.mono_ns);
	}
	gpu_worker_stop(w);
	until_freed();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hands_over_whole_readings),
		cmocka_unit_test(a_failure_leaves_the_last_reading),
		cmocka_unit_test(nobody_waits_for_one_that_hangs),
		cmocka_unit_test(a_question_behind_it_is_withdrawn),
		cmocka_unit_test(what_others_asked_stays),
		cmocka_unit_test(frees_in_its_own_thread),
		cmocka_unit_test(nobody_waits_for_a_free_that_hangs),
		cmocka_unit_test(idle_is_nothing_asked_and_nothing_under_way),
		cmocka_unit_test(many_questions_in_vain),
		cmocka_unit_test(stamps_by_the_clock_of_the_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
