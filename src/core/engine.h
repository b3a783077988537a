/* The tick: reads every source, makes one frame, on an absolute schedule, in one thread. Slow
 * sources run on threads of their own (core/slow.h) and are never waited for. */
#ifndef TARE_CORE_ENGINE_H
#define TARE_CORE_ENGINE_H

#include "core/delta.h"
#include "core/source.h"

struct engine;

struct engine_config {
	struct root *root;
	struct clock *clock;
	const struct source_ops *const *sources; /* NULL-terminated list; must outlive the engine */
	u64 interval_ns;
	/* Names to read, NULL-terminated; NULL: all that are not optional. "self" is always cheap and
	 * may be left out. Unknown names are the caller's business. */
	const char *const *include;
	const char *const *options; /* for the sources: "name=value", NULL-terminated; or NULL */
	bool still; /* recorded root: stay at its moment (benchmarks); the caller scripts the clock */
};

/* Opens the sources. A source that is not on this machine is left out with its reason kept for
 * engine_absent(). Fails only for lack of memory or descriptors. */
int engine_open(struct engine **out, const struct engine_config *config, struct err *err);
/* Never waits for a slow source that hangs: its thread is left behind (detached, its memory is its own). */
void engine_close(struct engine *e);

/* Columns wanted of one table (default: all that are not COLUMN_HIDDEN plus what derived ones need:
 * ~0). */
void engine_need(struct engine *e, const char *table, u64 need);
/* A resting table is not read: it keeps its rows, and the next window reaches back to its last reading. */
void engine_rest(struct engine *e, const char *table, bool rest);

/* Read everything now and make the frame. Valid until the next tick. Does not wait. On a recorded
 * root it also goes on to the next moment (except the first time): -ENODATA after the last.
 * 0 or -errno. */
int engine_tick(struct engine *e, const struct frame **out);
/* The newest frame again. NULL before the first tick. */
const struct frame *engine_frame(const struct engine *e);

/* What the sources have told each other. */
const struct source_shared *engine_shared(const struct engine *e);
/* Look at these processes alone (pids, ascending, the caller's until the next call), where a scanner can; NULL: at all. */
void engine_only(struct engine *e, const u32 *pids, u32 n);
/* The rows of this table that somebody sees, keys ascending: sources keep them fresher than others. */
void engine_visible(struct engine *e, const char *table, const u64 *keys, u32 n);

/* Absolute schedule: a timerfd (CLOCK_MONOTONIC), and the sources' own descriptors behind the same one. engine_start arms it: first expiry FIRST_WINDOW_NS
 * after the first tick (the baseline, taken at once), then on multiples of the interval. Poll the
 * descriptor for reading, then engine_expired() consumes it and returns how many ticks were due
 * (0: spurious); more than 1 means missed ticks, counted in the frame. */
int engine_start(struct engine *e);
int engine_fd(const struct engine *e);
u64 engine_expired(struct engine *e);
int engine_set_interval(struct engine *e, u64 interval_ns);

/* For recorded roots, snapshot and tests: wait until every slow source has published a reading begun
 * after now, or the time is over. true: all have. */
bool engine_wait_slow(struct engine *e, u64 timeout_ns);

/* Sources left out: index from 0; false after the last. */
bool engine_absent(const struct engine *e, u32 index, const char **name, enum reason *reason);
/* doctor: every source's findings, also of those that did not open. */
void engine_explain(struct engine *e, struct findings *out);
/* Costs, one per source that is read. */
const struct source_cost *engine_costs(const struct engine *e, u32 *n);

#endif
