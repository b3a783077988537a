/* Protobuf's wire format, written: https://protobuf.dev/programming-guides/encoding/. Nothing here looks for room: who
 * writes has made sure of it (PROTO_NUMBER a number, PROTO_HEAD and the bytes a text or message). */
#ifndef TARE_TRACE_PROTO_H
#define TARE_TRACE_PROTO_H

#include <string.h>

#include "base/types.h"

enum {
	PROTO_VARINT = 10, /* most bytes of a number */
	PROTO_TAG = 3,     /* of a field's number below 1 << 18 */
	PROTO_NUMBER = PROTO_TAG + PROTO_VARINT,
	PROTO_LENGTH = 4, /* of a message whose length is filled in later */
	PROTO_HEAD = PROTO_TAG + 5,
};

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2 };

static inline u8 *proto_varint(u8 *at, u64 v)
{
	while (v >= 0x80) {
		*at++ = (u8)(v | 0x80);
		v >>= 7;
	}
	*at++ = (u8)v;
	return at;
}

static inline u8 *proto_tag(u8 *at, u32 field, u32 wire)
{
	return proto_varint(at, (u64)field << 3 | wire);
}

static inline u8 *proto_u64(u8 *at, u32 field, u64 v)
{
	return proto_varint(proto_tag(at, field, WIRE_VARINT), v);
}

/* Also of int32 and enums: a negative number is ten bytes long. */
static inline u8 *proto_s64(u8 *at, u32 field, s64 v)
{
	return proto_u64(at, field, (u64)v);
}

static inline u8 *proto_double(u8 *at, u32 field, double v)
{
	at = proto_tag(at, field, WIRE_64);
	memcpy(at, &v, sizeof(v));
	return at + sizeof(v);
}

static inline u8 *proto_bytes(u8 *at, u32 field, const void *bytes, size_t len)
{
	at = proto_varint(proto_tag(at, field, WIRE_BYTES), len);
	memcpy(at, bytes, len);
	return at + len;
}

/* A message whose length is not known yet: *begin is where its bytes begin, for proto_close(). */
static inline u8 *proto_open(u8 *at, u32 field, u8 **begin)
{
	at = proto_tag(at, field, WIRE_BYTES) + PROTO_LENGTH;
	*begin = at;
	return at;
}

/* Its length in four bytes, however small: at most 256 MiB. */
static inline void proto_close(u8 *begin, const u8 *at)
{
	u32 len = (u32)(at - begin);

	begin[-4] = (u8)(len | 0x80);
	begin[-3] = (u8)(len >> 7 | 0x80);
	begin[-2] = (u8)(len >> 14 | 0x80);
	begin[-1] = (u8)(len >> 21 & 0x7f);
}

#endif
