#include "ftrace/compact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/text.h"

enum column {
	SWITCH_STAMP,
	SWITCH_STATE,
	SWITCH_PID,
	SWITCH_PRIO,
	SWITCH_NAME,
	WAKING_STAMP,
	WAKING_PID,
	WAKING_CPU,
	WAKING_PRIO,
	WAKING_NAME,
	WAKING_FLAGS,
	COLUMNS
};

enum { BUNDLE_COMPACT = 4, COMPACT_NAME = 5, COLUMN_BYTES = COMPACT_MOST * PROTO_VARINT };

/* Fields of CompactSched, in the order of the columns. */
static const u8 field_of[COLUMNS] = {1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12};

static u8 *begin_of(const struct compact *c, u32 column)
{
	return c->column + (size_t)column * COLUMN_BYTES;
}

static void clear(struct compact *c)
{
	c->switched = c->woken = (struct compact_list){0};
	for (u32 i = 0; i < COLUMNS; i++)
		c->end[i] = begin_of(c, i);
	c->nnames = 0;
	/* names of the bundle before are not of this one */
	c->bundle++;
}

int compact_init(struct compact *c)
{
	*c = (struct compact){.column = malloc((size_t)COLUMNS * COLUMN_BYTES),
		.slots = calloc(COMPACT_SLOTS, sizeof(*c->slots)),
		.names = calloc(COMPACT_NAMES, sizeof(*c->names))};
	if (!c->column || !c->slots || !c->names) {
		compact_fini(c);
		return -ENOMEM;
	}
	clear(c);
	return 0;
}

void compact_fini(struct compact *c)
{
	free(c->column);
	free(c->slots);
	free(c->names);
	*c = (struct compact){0};
}

/* Offset of a field of this shape; *fits is false when there is none. */
static u32 place(
	const struct event_format *f, const char *name, u8 kind, u32 size, u32 *most, bool *fits)
{
	const struct event_field *field = format_field(f, name);

	if (!field || field->kind != kind || field->place != PLACE_HERE || field->size != size) {
		*fits = false;
		return 0;
	}
	if (field->offset + size > *most)
		*most = field->offset + size;
	return field->offset;
}

void compact_know_switch(struct compact *c, const struct event_format *f)
{
	const struct event_field *state = format_field(f, "prev_state");
	struct switch_layout *s = &c->switches;
	bool fits = state && (state->size == 4 || state->size == 8);
	u32 most = 0;

	*s = (struct switch_layout){.state_bytes = fits ? (u8)state->size : 8};
	s->prev_state = place(f, "prev_state", FIELD_NUMBER, s->state_bytes, &most, &fits);
	s->next_comm = place(f, "next_comm", FIELD_TEXT, COMPACT_COMM, &most, &fits);
	s->next_pid = place(f, "next_pid", FIELD_NUMBER, 4, &most, &fits);
	s->next_prio = place(f, "next_prio", FIELD_NUMBER, 4, &most, &fits);
	s->size = fits ? most : 0;
}

void compact_know_waking(struct compact *c, const struct event_format *f)
{
	struct waking_layout *w = &c->wakings;
	bool fits = true;
	u32 most = 0;

	*w = (struct waking_layout){0};
	w->comm = place(f, "comm", FIELD_TEXT, COMPACT_COMM, &most, &fits);
	w->pid = place(f, "pid", FIELD_NUMBER, 4, &most, &fits);
	w->prio = place(f, "prio", FIELD_NUMBER, 4, &most, &fits);
	w->target_cpu = place(f, "target_cpu", FIELD_NUMBER, 4, &most, &fits);
	w->size = fits ? most : 0;
}

static inline void add(struct compact *c, u32 column, u64 v)
{
	c->end[column] = proto_varint(c->end[column], v);
}

static inline s32 number(const u8 *at)
{
	return (s32)page_u32(at);
}

/* The name's index; COMPACT_NAMES: there is no room for another one. */
static inline u32 name_index(struct compact *c, const u8 *comm)
{
	u64 a = page_u64(comm), b = page_u64(comm + 8);
	u32 slot = (u32)(((a ^ (b << 23 | b >> 41)) * 0x9e3779b97f4a7c15ull) >> 52);
	struct compact_name *at;

	for (;; slot = (slot + 1) & (COMPACT_SLOTS - 1)) {
		at = &c->slots[slot];
		if (at->bundle != c->bundle)
			break;
		if (at->a == a && at->b == b)
			return at->index;
	}
	if (c->nnames == COMPACT_NAMES)
		return COMPACT_NAMES;
	c->names[c->nnames][0] = a;
	c->names[c->nnames][1] = b;
	*at = (struct compact_name){a, b, c->nnames, c->bundle};
	return c->nnames++;
}

/* Room for one more, which is not before the newest: differences have no sign. */
static inline bool takes(const struct compact_list *l, u64 stamp)
{
	return l->n < COMPACT_MOST && stamp >= l->newest;
}

static inline u64 difference(struct compact_list *l, u64 stamp)
{
	u64 d = stamp - l->newest;

	l->newest = stamp;
	l->n++;
	return d;
}

bool compact_switch(struct compact *c, const struct record *r, u64 stamp)
{
	const struct switch_layout *s = &c->switches;
	u32 name;

	if (!takes(&c->switched, stamp))
		return false;
	name = name_index(c, r->data + s->next_comm);
	if (name == COMPACT_NAMES)
		return false;
	add(c, SWITCH_STAMP, difference(&c->switched, stamp));
	add(c, SWITCH_STATE,
		s->state_bytes == 8 ? page_u64(r->data + s->prev_state)
				    : (u64)(s64)number(r->data + s->prev_state));
	add(c, SWITCH_PID, (u64)(s64)number(r->data + s->next_pid));
	add(c, SWITCH_PRIO, (u64)(s64)number(r->data + s->next_prio));
	add(c, SWITCH_NAME, name);
	return true;
}

bool compact_waking(struct compact *c, const struct record *r, u64 stamp)
{
	const struct waking_layout *w = &c->wakings;
	u32 name;

	if (!takes(&c->woken, stamp))
		return false;
	name = name_index(c, r->data + w->comm);
	if (name == COMPACT_NAMES)
		return false;
	add(c, WAKING_STAMP, difference(&c->woken, stamp));
	add(c, WAKING_PID, (u64)(s64)number(r->data + w->pid));
	add(c, WAKING_CPU, (u64)(s64)number(r->data + w->target_cpu));
	add(c, WAKING_PRIO, (u64)(s64)number(r->data + w->prio));
	add(c, WAKING_NAME, name);
	/* common_flags: behind the number of every event */
	add(c, WAKING_FLAGS, r->data[2]);
	return true;
}

u8 *compact_write(struct compact *c, u8 *at)
{
	u8 *begin;

	if (!c->switched.n && !c->woken.n)
		return at;
	at = proto_open(at, BUNDLE_COMPACT, &begin);
	for (u32 i = 0; i < c->nnames; i++)
		at = trace_text(at, COMPACT_NAME, (const u8 *)c->names[i], COMPACT_COMM);
	for (u32 i = 0; i < COLUMNS; i++)
		if (c->end[i] > begin_of(c, i))
			at = proto_bytes(at, field_of[i], begin_of(c, i),
				(size_t)(c->end[i] - begin_of(c, i)));
	proto_close(begin, at);
	clear(c);
	return at;
}
