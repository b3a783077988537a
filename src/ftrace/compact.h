/* Switches and wakings of one bundle as columns: FtraceEventBundle.CompactSched. A stamp is the difference to the one
 * before it of the same list, a name an index. Private to this room. */
#ifndef TARE_FTRACE_COMPACT_H
#define TARE_FTRACE_COMPACT_H

#include "ftrace/format.h"
#include "ftrace/page.h"
#include "trace/proto.h"

enum {
	COMPACT_MOST = 4096, /* of each list in one bundle */
	COMPACT_NAMES = 1024,
	COMPACT_SLOTS = 4096,
	COMPACT_COMM = 16,
	SWITCH_COLUMNS = 5,
	WAKING_COLUMNS = 6,
	COMPACT_ROOM = COMPACT_MOST * (SWITCH_COLUMNS + WAKING_COLUMNS) * PROTO_VARINT +
		       COMPACT_NAMES * (PROTO_HEAD + 3 * COMPACT_COMM) + 256,
};

/* Where the fields are. */
struct switch_layout {
	u32 prev_state, next_comm, next_pid, next_prio, size;
	u8 state_bytes;
};

struct waking_layout {
	u32 comm, pid, prio, target_cpu, size;
};

struct compact_list {
	u32 n;
	u64 newest;
};

struct compact {
	struct switch_layout switches; /* size 0: this kernel's event has another shape */
	struct waking_layout wakings;
	struct compact_list switched, woken;
	u8 *column; /* all of them, COMPACT_MOST * PROTO_VARINT bytes each */
	u8 *end[SWITCH_COLUMNS + WAKING_COLUMNS];
	struct compact_name {
		u64 a, b;
		u32 index, bundle;
	} * slots;
	u64 (*names)[2];
	u32 nnames, bundle;
};

int compact_init(struct compact *c); /* 0 or -ENOMEM */
void compact_fini(struct compact *c);
/* Is this an event that can be written so? */
void compact_know_switch(struct compact *c, const struct event_format *f);
void compact_know_waking(struct compact *c, const struct event_format *f);

/* Add a record of size switches.size (wakings.size) or more. false: the bundle has to end first. */
bool compact_switch(struct compact *c, const struct record *r, u64 stamp);
bool compact_waking(struct compact *c, const struct record *r, u64 stamp);
/* The columns as a field of the bundle, COMPACT_ROOM bytes at most; and begin anew. */
u8 *compact_write(struct compact *c, u8 *at);

#endif
