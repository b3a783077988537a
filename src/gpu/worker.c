#include "gpu/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define STOP_WAIT_NS (20 * NSEC_PER_MSEC)

struct gpu_worker {
	struct gpu_work work;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake, done; /* to the thread; to those who wait for it */
	struct gpu_reading readings[3];

	/* under the lock */
	struct gpu_reading *ready, *taken, *spare; /* filled; the caller's; the thread's own */
	bool fresh, requested, stop, exited, abandoned;
	u64 begun, finished, seq, cpu_ns; /* begun and finished: differ while one is under way */
	struct clock clock;
	int error;
};

static struct timespec at(u64 ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / NSEC_PER_SEC), .tv_nsec = (long)(ns % NSEC_PER_SEC)};
}

static void worker_free(struct gpu_worker *w)
{
	for (u32 i = 0; i < ARRAY_LEN(w->readings); i++)
		gpu_reading_fini(&w->readings[i]);
	pthread_cond_destroy(&w->wake);
	pthread_cond_destroy(&w->done);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* One reading; called and returns with the lock held. */
static void fill_once(struct gpu_worker *w)
{
	struct gpu_reading *r = w->spare;
	struct clock clock = w->clock;
	struct stamp now;
	u64 turn = ++w->begun;
	int ret;

	w->requested = false;
	pthread_mutex_unlock(&w->lock);
	clock_read(&clock, &now);
	gpu_reading_begin(r, &now);
	ret = w->work.fill(w->work.arg, r);
	pthread_mutex_lock(&w->lock);
	w->cpu_ns = clock_thread_cpu_ns();
	w->error = ret;
	if (!ret) {
		r->seq = ++w->seq;
		w->spare = w->ready;
		w->ready = r;
		w->fresh = true;
	}
	w->finished = turn;
	pthread_cond_broadcast(&w->done);
}

static void *worker_main(void *arg)
{
	struct gpu_worker *w = arg;
	bool last;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		if (w->requested)
			fill_once(w);
		else
			pthread_cond_wait(&w->wake, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	/* may hang as a reading may: in this thread, and nobody joins it before */
	if (w->work.free)
		w->work.free(w->work.arg);
	pthread_mutex_lock(&w->lock);
	w->exited = true;
	last = w->abandoned;
	pthread_cond_broadcast(&w->done);
	pthread_mutex_unlock(&w->lock);
	if (last)
		worker_free(w);
	return NULL;
}

int gpu_worker_start(struct gpu_worker **out, const struct gpu_work *work)
{
	struct gpu_worker *w = calloc(1, sizeof(*w));
	pthread_condattr_t attr;
	sigset_t all, old;
	int ret;

	if (!w)
		return -ENOMEM;
	w->work = *work;
	w->clock = *work->clock;
	w->ready = &w->readings[0];
	w->taken = &w->readings[1];
	w->spare = &w->readings[2];
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &attr);
	pthread_cond_init(&w->done, &attr);
	pthread_condattr_destroy(&attr);
	/* signals are the main thread's */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&w->thread, NULL, worker_main, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ret) {
		worker_free(w);
		return -ret;
	}
	*out = w;
	return 0;
}

/* Nothing is under way or asked for; with the lock held. */
static bool idle(const struct gpu_worker *w)
{
	return !w->requested && w->finished == w->begun;
}

void gpu_worker_request(struct gpu_worker *w)
{
	pthread_mutex_lock(&w->lock);
	if (idle(w)) {
		w->requested = true;
		pthread_cond_signal(&w->wake);
	}
	pthread_mutex_unlock(&w->lock);
}

const struct gpu_reading *gpu_worker_take(struct gpu_worker *w)
{
	const struct gpu_reading *newest;

	pthread_mutex_lock(&w->lock);
	if (w->fresh) {
		struct gpu_reading *old = w->taken;

		w->taken = w->ready;
		w->ready = old;
		w->fresh = false;
	}
	newest = w->taken->seq ? w->taken : NULL;
	pthread_mutex_unlock(&w->lock);
	return newest;
}

bool gpu_worker_wait(struct gpu_worker *w, u64 until_ns)
{
	const struct timespec until = at(until_ns);
	bool there, asked;
	u64 turn;

	pthread_mutex_lock(&w->lock);
	/* one that is under way has begun before */
	turn = w->begun + 1;
	asked = w->requested;
	w->requested = true;
	pthread_cond_signal(&w->wake);
	while (w->finished < turn && !w->exited)
		if (pthread_cond_timedwait(&w->done, &w->lock, &until))
			break;
	/* an answer to it would be to a question of long ago: who asks next, asks anew */
	if (w->begun < turn)
		w->requested = asked;
	there = w->finished >= turn && !w->error;
	pthread_mutex_unlock(&w->lock);
	return there;
}

bool gpu_worker_idle(struct gpu_worker *w)
{
	bool is;

	pthread_mutex_lock(&w->lock);
	is = idle(w);
	pthread_mutex_unlock(&w->lock);
	return is;
}

void gpu_worker_clock(struct gpu_worker *w, const struct clock *clock)
{
	pthread_mutex_lock(&w->lock);
	w->clock = *clock;
	pthread_mutex_unlock(&w->lock);
}

int gpu_worker_error(struct gpu_worker *w)
{
	int error;

	pthread_mutex_lock(&w->lock);
	error = w->error;
	pthread_mutex_unlock(&w->lock);
	return error;
}

u64 gpu_worker_cpu_ns(struct gpu_worker *w)
{
	u64 ns;

	pthread_mutex_lock(&w->lock);
	ns = w->cpu_ns;
	pthread_mutex_unlock(&w->lock);
	return ns;
}

void gpu_worker_stop(struct gpu_worker *w)
{
	const struct timespec until = at(clock_mono_ns() + STOP_WAIT_NS);
	pthread_t thread;
	bool exited;

	if (!w)
		return;
	thread = w->thread;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	while (!w->exited)
		if (pthread_cond_timedwait(&w->done, &w->lock, &until))
			break;
	exited = w->exited;
	w->abandoned = !exited;
	pthread_mutex_unlock(&w->lock);
	if (exited) {
		pthread_join(thread, NULL);
		worker_free(w);
	} else {
		pthread_detach(thread);
	}
}
