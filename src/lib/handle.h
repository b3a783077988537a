/* What is behind a struct tare, and the part of it that only this program's own commands use. */
#ifndef TARE_LIB_HANDLE_H
#define TARE_LIB_HANDLE_H

#include "core/engine.h"
#include <tare.h>

enum { HANDLE_OPTIONS = 4, HANDLE_FIELDS = 64, HANDLE_TABLES = 32 };

struct tare {
	struct root root;
	struct clock clock;
	struct engine *engine;
	const struct frame *frame; /* NULL: not refreshed yet */
	/* what the public functions see: the tables that are wanted */
	struct frame seen;
	const struct frame_table *tables[HANDLE_TABLES];
	char hostname[72]; /* raw bytes; "" when it cannot be read */
	char scan[24];
	const char *options[HANDLE_OPTIONS + 1];
	u32 noptions;
	bool prepared; /* what needs two looks at first has had them */
	u64 wanted, opened;
	u32 flags;
	u32 *pids; /* ascending; NULL: all */
	size_t npids;
	/* columns of the table of processes, by the bits of tare_process.have; -1: not there */
	s8 process_columns[HANDLE_FIELDS];
	bool bound;
	/* TARE_KEEP_ENDED: the table of processes before, and which of its rows have ended since */
	struct table before;
	u32 *ended;
	u32 nended, ended_cap;
	struct err err;
};

/* A handle on a machine that is not read yet: dir as for root_init. 0 or -errno with *err. */
int handle_new(struct tare **out, const char *dir, struct err *err);
/* Open the sources named by include (as in struct engine_config), with options for them. */
int handle_start(struct tare *t, const char *const *include, const char *const *options,
	u64 interval_ns, struct err *err);
/* The frame of the newest refresh. */
static inline const struct frame *handle_frame(const struct tare *t)
{
	return t->frame;
}

/* processes.c: look columns up once there is a table of processes. */
void processes_bind(struct tare *t);
/* Keep the newest processes before a refresh, and find who ended after it. 0 or -ENOMEM. */
int processes_keep(struct tare *t);
int processes_compare(struct tare *t);

/* wants.c: tables and columns behind the bits of `want`. names: room for MAX_NAMES, NULL-terminated. */
enum { WANT_NAMES = 32 };
void wants_names(u64 want, const char *names[WANT_NAMES]);
void wants_apply(struct tare *t);
/* After a refresh: what of the frame is wanted. */
void wants_see(struct tare *t);

#endif
