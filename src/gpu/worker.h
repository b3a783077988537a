/* A thread that fills readings when it is asked to and hands them over whole, by exchange of pointers. What hangs in a
 * driver's call keeps this thread and nobody else. Private to this room. */
#ifndef TARE_GPU_WORKER_H
#define TARE_GPU_WORKER_H

#include "gpu/reading.h"

struct gpu_worker;

struct gpu_work {
	/* Fill r, which gpu_reading_begin has emptied; may block. 0 or -errno. */
	int (*fill)(void *arg, struct gpu_reading *r);
	/* Called by the thread, as its last: arg is its own. May block. */
	void (*free)(void *arg);
	void *arg;
	const struct clock *clock; /* copied */
};

/* On failure arg stays the caller's. 0 or -errno. */
int gpu_worker_start(struct gpu_worker **out, const struct gpu_work *work);
/* Ask for a reading, if none is asked for or under way. Never waits. */
void gpu_worker_request(struct gpu_worker *w);
/* The newest reading, the same again if there is none newer, NULL before the first. The caller's until the next take
 * or the end. Never waits. */
const struct gpu_reading *gpu_worker_take(struct gpu_worker *w);
/* Ask, and wait for a reading that begins after the call. true: it is there. What has not begun by then is asked for no
 * more: a thread that hangs does not answer it when it comes back. */
bool gpu_worker_wait(struct gpu_worker *w, u64 until_ns);
/* Nothing is under way or asked for. Then the thread touches nothing until it is asked again. */
bool gpu_worker_idle(struct gpu_worker *w);
/* Readings that begin from now on are stamped by this clock, which is copied. */
void gpu_worker_clock(struct gpu_worker *w, const struct clock *clock);
/* Result of the newest reading. */
int gpu_worker_error(struct gpu_worker *w);
/* CPU time of the thread so far. */
u64 gpu_worker_cpu_ns(struct gpu_worker *w);
/* Waits at most 20 ms for the thread to free what is its own and to end; one that hangs is left behind, and frees
 * everything if it ever returns. */
void gpu_worker_stop(struct gpu_worker *w);

#endif
