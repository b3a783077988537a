/* How an event's records become packets: made once from the kernel's format and Perfetto's message, then followed for
 * every record without looking at either again. Events that Perfetto does not know describe themselves. */
#ifndef TARE_FTRACE_PLAN_H
#define TARE_FTRACE_PLAN_H

#include "ftrace/address.h"
#include "ftrace/format.h"
#include "ftrace/page.h"

enum {
	PLAN_GENERIC =
		65536, /* first field number of events that describe themselves; add the event's number */
	PLAN_FIELDS_MOST = 31, /* of such an event: readers take no more */
};

struct step {
	u8 op;      /* how it is read and written: private to plan.c */
	u8 element; /* bytes of one number */
	u16 number; /* field in the message */
	u32 offset, size;
};

struct plan {
	char *group; /* owned */
	const char *name;
	u32 field;               /* of FtraceEvent */
	bool generic, described; /* its description is in the trace */
	struct step *steps;
	u32 n, located; /* steps; those whose length the record says */
	u32 fixed;      /* bytes that a record has at least */
	u32 pid;        /* offset of common_pid */
	u64 seen,
		bad; /* records that were written; that were too short or pointed outside of themselves */
};

/* The format lives as long as the plan. 0 or -ENOMEM. */
int plan_make(struct plan *p, const char *group, const struct event_format *f);
void plan_free(struct plan *p);

/* Most bytes that plan_write() may need for a record of that size: of each byte seven at most, in each field. */
static inline size_t plan_room(const struct plan *p, u32 size)
{
	return 64 + (size_t)p->n * 24 + (size_t)(1 + p->located) * size * 7;
}

/* The record as an FtraceEvent in a bundle: behind what was written, or `at` when it is bad (and counted so). */
u8 *plan_write(struct plan *p, const struct record *r, u64 stamp, struct addresses *a, u8 *at);

/* A bundle's GenericEventDescriptor for it; `room` bytes: plan_describe_room(). */
u8 *plan_describe(const struct plan *p, const struct event_format *f, u8 *at);
size_t plan_describe_room(const struct plan *p, const struct event_format *f);

#endif
