/* What a source is: something that fills a table when asked. In one explicit const array
 * (src/lib/sources.c), no constructors. */
#ifndef TARE_CORE_SOURCE_H
#define TARE_CORE_SOURCE_H

#include "base/err.h"
#include "base/root.h"
#include "core/table.h"

struct source;
struct frame;
struct frame_table;

/* What the engine spent on each source, for the `self` source. */
struct source_cost {
	const char *name;
	u64 cpu_ns; /* cumulative thread CPU time in read (slow sources: of their thread) */
	u64 reads;
	u64 errors;   /* failed readings */
	u64 rows;     /* of the newest reading */
	u64 delta_ns; /* cumulative CPU time of its delta */
};

struct source_env {
	const struct root *root;
	const struct clock *clock;
	const struct source_cost *costs; /* ncosts entries that live as long as the engine */
	u32 ncosts;
	const char *const *options; /* "name=value", NULL-terminated; see source_option() */
	struct source_shared *shared;
};

/* What sources of one engine tell each other within a tick, in its thread. All zero at first. */
struct source_shared {
	u64 tick; /* number of the tick under way, from 1 */
	/* src/gpu: what reads GPUs behind its tables; made, set and freed as `processes` */
	void *gpu;
	void (*free_gpu)(void *gpu);
	/* src/process: the scanner behind its tables; the first source that needs it makes it and sets
	   `free_processes`, which the engine calls after the last source is closed */
	void *processes;
	void (*free_processes)(void *processes);
	const u32 *only; /* processes that alone are to be looked at, ascending; NULL: all */
	u32 nonly;
	const char *scan;   /* its name; NULL: none */
	char scan_why[160]; /* why it is not the better one; "": it is, or was asked for */
	int scan_error;     /* and the -errno of that; 0 */
	char refused[192];  /* open gave -ECANCELED: why */
	u64 programs_ns, programs_runs; /* of its programs in the kernel, cumulative */
	/* the cpu source: of all CPUs, cumulative; 0: not read */
	u64 cpu_busy_ns, cpu_interrupts_ns;
	struct stamp cpu_at; /* when that was read */
	u64 forks;           /* processes and threads that were ever made; 0: not read */
};

/* The value of an option, or NULL. */
const char *source_option(const struct source_env *env, const char *name);
/* Is this a library in somebody's program ("guest=yes"), whose rights, limits and heap stay as they are? */
bool source_guest(const struct source_env *env);

/* One thing that a source cannot measure here: what, why, and the command that mends it. */
struct finding {
	const char *source;
	enum reason reason;
	char what[128]; /* "package energy" */
	char why[192];  /* "/sys/…/energy_uj: permission denied" */
	char fix[192];  /* a command, or "" when nothing helps */
};

struct findings {
	struct finding *items; /* heap */
	u32 n, cap;
};

void findings_add(struct findings *f, const char *source, enum reason reason, const char *what,
	const char *why, const char *fix);
void findings_free(struct findings *f);

struct source_ops {
	const struct schema *schema; /* schema->name is the source's name */
	/* Open what can be kept open. -ECANCELED: an option cannot be met, no engine is to be had, the reason is in
	 * the shared `refused`. -ENOENT or -EOPNOTSUPP: not on this machine (not a failure).
	 * env outlives the source. */
	int (*open)(struct source **out, const struct source_env *env);
	/* At the start of each tick, before any table is read: ask threads for what they are to read meanwhile.
	 * Never waits. May be NULL. */
	void (*begin)(struct source *self);
	/* Until `until_ns` (CLOCK_MONOTONIC), wait for a reading of the source's own threads that begins now. true: it
	 * is there. Only outside ticks (snapshot, tests). May be NULL: nothing to wait for. */
	bool (*wait)(struct source *self, u64 until_ns);
	/* Fill `out`: table_begin … table_row … table_end. `need`: columns somebody looks at. Allocates
	 * nothing in the steady state, opens nothing that can be kept open, no rates, no waiting.
	 * A failing item is skipped (cell absent with reason). -errno only if the whole reading failed. -EAGAIN: a
	 * thread of the source has nothing newer than the last reading: the frame repeats it, marked not fresh. */
	int (*read)(struct source *self, struct table *out, u64 need);
	/* After every table's frame is made, when this one's reading is fresh: cells that follow from other
	 * tables' frames may be set. Called in the reverse order of the list. May be NULL. */
	void (*finish)(struct source *self, struct frame_table *mine, const struct frame *frame);
	/* Keys (ascending) of the rows that somebody sees from now on. May be NULL. */
	void (*visible)(struct source *self, const u64 *keys, u32 n);
	/* Has something to do between ticks: a descriptor that is readable then, and what to call; they share
	 * the engine's thread. -1: nothing. Both may be NULL. */
	int (*fd)(struct source *self);
	void (*wake)(struct source *self);
	/* For doctor: what is missing and what mends it. May open and allocate. May be NULL. */
	void (*explain)(struct source *self, struct findings *out);
	void (*close)(struct source *self);
	/* For doctor, when open said that it is not on this machine: the command that would bring it, or
	 * NULL when nothing would. */
	const char *absent_fix;
	/* Names of tables that its columns follow from, NULL-terminated: read along, and not shown, when only this one is
	 * asked for by name. May be NULL. */
	const char *const *with;
	u64 period_ns; /* 0: every tick; else at most this often */
	bool slow;     /* may block: runs on a thread of its own and publishes whole tables */
	bool optional; /* only read when asked for by name (--include), not by default */
};

#endif
