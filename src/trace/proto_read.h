/* Protobuf's wire format, read: bytes that may be anything. */
#ifndef TARE_TRACE_PROTO_READ_H
#define TARE_TRACE_PROTO_READ_H

#include <string.h>

#include "base/types.h"

struct proto_span {
	const u8 *at, *end;
};

struct proto_field {
	u32 number;
	u64 value;              /* a number, or the bits of a double */
	struct proto_span span; /* a text or message; at NULL: it is a number */
};

/* false: the bytes end within it, or it has more than ten. */
static inline bool proto_take_varint(struct proto_span *s, u64 *out)
{
	u64 v = 0;

	for (u32 shift = 0; shift < 70 && s->at < s->end; shift += 7) {
		u8 byte = *s->at++;

		v |= shift < 64 ? (u64)(byte & 0x7f) << shift : 0;
		if (!(byte & 0x80)) {
			*out = v;
			return true;
		}
	}
	return false;
}

static inline bool proto_take_fixed(struct proto_span *s, size_t size, u64 *out)
{
	if ((size_t)(s->end - s->at) < size)
		return false;
	*out = 0;
	memcpy(out, s->at, size);
	s->at += size;
	return true;
}

/* 1: *f is the next field; 0: there is none; -1: what follows is none. */
static inline int proto_next(struct proto_span *s, struct proto_field *f)
{
	u64 tag;

	if (s->at == s->end)
		return 0;
	if (!proto_take_varint(s, &tag) || tag >> 3 == 0 || tag >> 32)
		return -1;
	*f = (struct proto_field){.number = (u32)(tag >> 3)};
	switch (tag & 7) {
	case 0:
		return proto_take_varint(s, &f->value) ? 1 : -1;
	case 1:
		return proto_take_fixed(s, 8, &f->value) ? 1 : -1;
	case 5:
		return proto_take_fixed(s, 4, &f->value) ? 1 : -1;
	case 2:
		if (!proto_take_varint(s, &f->value) || f->value > (u64)(s->end - s->at))
			return -1;
		f->span = (struct proto_span){s->at, s->at + f->value};
		s->at += f->value;
		return 1;
	default:
		return -1;
	}
}

#endif
