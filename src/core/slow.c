/* The thread of a source that may block. The lock is held for exchanges of pointers only, never
 * while the source is called: a reading that hangs keeps its thread and nobody else. Whoever is
 * last (slow_stop, or the thread that was left behind) frees the memory. See slow.h. */
#include "core/slow.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define STOP_WAIT_NS (20 * NSEC_PER_MSEC)

struct slow {
	const struct source_ops *ops;
	const struct source_env *env;
	void (*free_env)(void *);
	void *free_arg;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake, done; /* to the thread; to those who wait for it */

	/* under the lock */
	struct table ready;
	bool fresh, requested, stop, exited, abandoned;
	u64 need, begun, finished;
	u64 busy_since_ns; /* 0: idle */
	int opened;
	struct source_cost cost;
};

static struct timespec deadline(u64 from_now_ns)
{
	u64 at = clock_mono_ns() + from_now_ns;

	return (struct timespec){
		.tv_sec = (time_t)(at / NSEC_PER_SEC), .tv_nsec = (long)(at % NSEC_PER_SEC)};
}

static void slow_free(struct slow *s)
{
	table_fini(&s->ready);
	pthread_cond_destroy(&s->wake);
	pthread_cond_destroy(&s->done);
	pthread_mutex_destroy(&s->lock);
	if (s->free_env)
		s->free_env(s->free_arg);
	free(s);
}

/* One reading; called and returns with the lock held. */
static void read_once(struct slow *s, struct source *source, struct table *reading)
{
	u64 need = s->need;
	int ret;

	s->requested = false;
	s->begun++;
	s->busy_since_ns = clock_mono_ns();
	pthread_mutex_unlock(&s->lock);
	ret = s->ops->read(source, reading, need);
	pthread_mutex_lock(&s->lock);
	s->busy_since_ns = 0;
	s->cost.cpu_ns = clock_thread_cpu_ns();
	s->cost.reads++;
	if (ret) {
		s->cost.errors++;
	} else {
		struct table tmp = s->ready;

		s->cost.rows = reading->n;
		s->ready = *reading;
		*reading = tmp;
		s->fresh = true;
	}
	s->finished = s->begun;
	pthread_cond_broadcast(&s->done);
}

static void *slow_main(void *arg)
{
	struct slow *s = arg;
	struct source *source = NULL;
	struct table reading;
	bool last;
	int ret;

	table_init(&reading, s->ops->schema);
	ret = s->ops->open(&source, s->env);
	pthread_mutex_lock(&s->lock);
	s->opened = ret;
	s->busy_since_ns = 0;
	pthread_cond_broadcast(&s->done);
	while (!s->stop && !ret) {
		if (s->requested)
			read_once(s, source, &reading);
		else
			pthread_cond_wait(&s->wake, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	if (!ret)
		s->ops->close(source);
	table_fini(&reading);
	pthread_mutex_lock(&s->lock);
	s->exited = true;
	last = s->abandoned;
	pthread_cond_broadcast(&s->done);
	pthread_mutex_unlock(&s->lock);
	if (last)
		slow_free(s);
	return NULL;
}

int slow_start(struct slow **out, const struct source_ops *ops, const struct source_env *env,
	void (*free_env)(void *), void *free_arg)
{
	struct slow *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;
	sigset_t all, old;
	int ret;

	if (!s)
		return -ENOMEM;
	s->ops = ops;
	s->env = env;
	s->opened = 1;
	s->cost.name = ops->schema->name;
	s->busy_since_ns = clock_mono_ns();
	table_init(&s->ready, ops->schema);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_cond_init(&s->done, &attr);
	pthread_condattr_destroy(&attr);
	/* signals are the main thread's */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	s->free_env = free_env;
	s->free_arg = free_arg;
	ret = pthread_create(&s->thread, NULL, slow_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ret) {
		s->free_env = NULL; /* a failed start leaves it with the caller */
		slow_free(s);
		return -ret;
	}
	*out = s;
	return 0;
}

void slow_request(struct slow *s, u64 need)
{
	pthread_mutex_lock(&s->lock);
	s->need = need;
	if (s->begun == s->finished) {
		s->requested = true;
		pthread_cond_signal(&s->wake);
	}
	pthread_mutex_unlock(&s->lock);
}

bool slow_take(struct slow *s, struct table *table)
{
	bool taken;

	pthread_mutex_lock(&s->lock);
	taken = s->fresh;
	if (taken) {
		struct table tmp = *table;

		*table = s->ready;
		s->ready = tmp;
		s->fresh = false;
	}
	pthread_mutex_unlock(&s->lock);
	return taken;
}

static pthread_mutex_t *lock_of(const struct slow *s)
{
	return (pthread_mutex_t *)(uintptr_t)&s->lock;
}

u64 slow_busy_ns(const struct slow *s, u64 now_mono_ns)
{
	u64 since;

	pthread_mutex_lock(lock_of(s));
	since = s->busy_since_ns;
	pthread_mutex_unlock(lock_of(s));
	if (!since)
		return 0;
	return now_mono_ns > since ? now_mono_ns - since : 1;
}

int slow_opened(const struct slow *s)
{
	int ret;

	pthread_mutex_lock(lock_of(s));
	ret = s->opened;
	pthread_mutex_unlock(lock_of(s));
	return ret;
}

void slow_cost(const struct slow *s, struct source_cost *cost)
{
	pthread_mutex_lock(lock_of(s));
	*cost = s->cost;
	pthread_mutex_unlock(lock_of(s));
}

bool slow_wait(struct slow *s, u64 timeout_ns)
{
	struct timespec until = deadline(timeout_ns);
	u64 target;
	bool done;

	pthread_mutex_lock(&s->lock);
	target = s->begun + 1;
	if (!s->need)
		s->need = ~0ull;
	s->requested = true;
	pthread_cond_signal(&s->wake);
	while (s->finished < target && s->opened >= 0)
		if (pthread_cond_timedwait(&s->done, &s->lock, &until))
			break;
	done = s->finished >= target;
	pthread_mutex_unlock(&s->lock);
	return done;
}

void slow_stop(struct slow *s)
{
	struct timespec until = deadline(STOP_WAIT_NS);
	bool exited;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->wake);
	while (!s->exited)
		if (pthread_cond_timedwait(&s->done, &s->lock, &until))
			break;
	exited = s->exited;
	s->abandoned = !exited;
	if (!exited)
		pthread_detach(s->thread);
	pthread_mutex_unlock(&s->lock);
	if (!exited)
		return;
	pthread_join(s->thread, NULL);
	slow_free(s);
}
