/* A protobuf walker for tests, not a mirror of what writes: a field of a message by its number, the nth of its kind. */
#ifndef TARE_TESTS_FTRACE_WALK_H
#define TARE_TESTS_FTRACE_WALK_H

#include <string.h>

#include "base/types.h"

struct walk {
	const u8 *at, *end;
};

static inline bool walk_varint(struct walk *w, u64 *v)
{
	*v = 0;
	for (u32 shift = 0; w->at < w->end && shift < 70; shift += 7) {
		*v |= shift < 64 ? (u64)(*w->at & 0x7f) << shift : 0;
		if (!(*w->at++ & 0x80))
			return true;
	}
	return false;
}

/* The next field: its number, and its value or its bytes. */
static inline bool walk_next(struct walk *w, u32 *number, u64 *value, struct walk *bytes)
{
	u64 tag;

	if (w->at >= w->end || !walk_varint(w, &tag))
		return false;
	*number = (u32)(tag >> 3);
	*bytes = (struct walk){NULL, NULL};
	if ((tag & 7) == 0)
		return walk_varint(w, value);
	if ((tag & 7) == 1) {
		memcpy(value, w->at, 8);
		w->at += 8;
		return w->at <= w->end;
	}
	if ((tag & 7) != 2 || !walk_varint(w, value) || *value > (u64)(w->end - w->at))
		return false;
	*bytes = (struct walk){w->at, w->at + *value};
	w->at += *value;
	return true;
}

/* The nth field of that number. false: there are fewer. */
static inline bool walk_find(struct walk w, u32 number, u32 nth, u64 *value, struct walk *bytes)
{
	u32 is;

	*value = 0;
	*bytes = (struct walk){NULL, NULL};
	while (walk_next(&w, &is, value, bytes))
		if (is == number && nth-- == 0)
			return true;
	return false;
}

static inline bool walk_message(struct walk w, u32 number, u32 nth, struct walk *message)
{
	u64 value;

	return walk_find(w, number, nth, &value, message) && message->at;
}

static inline u64 walk_value(struct walk w, u32 number, u32 nth, u64 otherwise)
{
	struct walk bytes;
	u64 value;

	return walk_find(w, number, nth, &value, &bytes) ? value : otherwise;
}

static inline bool walk_is(struct walk w, u32 number, u32 nth, const char *text)
{
	struct walk m;

	return walk_message(w, number, nth, &m) && (size_t)(m.end - m.at) == strlen(text) &&
	       !memcmp(m.at, text, strlen(text));
}

#endif
