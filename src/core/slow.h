/* A source that may block (statfs on a dead mount, vendor libraries) runs on its own thread and
 * publishes whole tables by exchange of pointers. The tick only ever takes what is there. */
#ifndef TARE_CORE_SLOW_H
#define TARE_CORE_SLOW_H

#include "core/source.h"

struct slow;

/* Starts the thread, which opens the source itself. env is copied by reference and must outlive the
 * thread: pass heap data that the thread owns through `free_env` (called by whoever is last; may be
 * NULL). */
int slow_start(struct slow **out, const struct source_ops *ops, const struct source_env *env,
	void (*free_env)(void *), void *free_arg);
/* Ask for a reading if none is under way; never waits. */
void slow_request(struct slow *s, u64 need);
/* Exchange *table with the newest published reading, if there is one newer than the last taken.
 * true: taken. Never waits. */
bool slow_take(struct slow *s, struct table *table);
/* How long the reading under way has been going (0: none). */
u64 slow_busy_ns(const struct slow *s, u64 now_mono_ns);
/* Result of open: 1 still opening, 0 open, -errno failed. */
int slow_opened(const struct slow *s);
/* CPU time of the thread, cumulative; readings done; failures. */
void slow_cost(const struct slow *s, struct source_cost *cost);
/* Wait until a reading that began after the call has been published, or until the time is over (recorded roots, snapshot
 * and tests only). */
bool slow_wait(struct slow *s, u64 timeout_ns);
/* Stop: an idle thread is joined, one that hangs in a call is left behind and frees its own memory
 * if it ever returns. Never waits longer than 20 ms. */
void slow_stop(struct slow *s);

#endif
