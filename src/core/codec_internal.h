/* Shared by the files of the codec, its tests and its fuzz target only. */
#ifndef TARE_CORE_CODEC_INTERNAL_H
#define TARE_CORE_CODEC_INTERNAL_H

#include "core/codec.h"

enum {
	CODEC_MAGIC = 0xd7,
	CODEC_HEAD = 8, /* bytes before the payload */
	CODEC_TAIL = 4, /* and behind it */
	CODEC_NAME_MOST = 63,
	CODEC_TABLES_MOST = 256,
	CODEC_ROWS_MOST = 1 << 22,
	CODEC_PAYLOAD_MOST = 1 << 28,
};

enum codec_type { CODEC_SCHEMA = 1, CODEC_KEY = 2, CODEC_CHANGES = 3 };

enum codec_op { CODEC_OP_CHANGED, CODEC_OP_RESTAMPED, CODEC_OP_GONE, CODEC_OP_NEW };

enum { CODEC_PARTIAL = 1 };

/* Writing. After one failure for lack of memory everything else is left out; `code` tells. */
struct codec_out {
	struct codec_buf *buf;
	int code;
};

void codec_put(struct codec_out *out, const void *data, size_t len);
void codec_put_u8(struct codec_out *out, u8 v);
void codec_put_u64(struct codec_out *out, u64 v);  /* varint */
void codec_put_diff(struct codec_out *out, u64 v); /* zigzag varint of a difference modulo 2^64 */
void codec_put_text(struct codec_out *out, const char *text, u32 len);
/* A record around what is put between begin and end. */
size_t codec_begin(struct codec_out *out, enum codec_type type);
void codec_end(struct codec_out *out, size_t start);

/* Reading inside one payload. Past the end or a number that is no varint: `bad`, and zeros. */
struct codec_in {
	const u8 *p, *end;
	bool bad;
};

u8 codec_get_u8(struct codec_in *in);
u64 codec_get_u64(struct codec_in *in);
u64 codec_get_diff(struct codec_in *in);
/* Bytes inside the payload; NULL and bad when they are longer than `most` or than what is left. */
const char *codec_get_text(struct codec_in *in, u32 most, u32 *len);

u32 codec_crc(u32 crc, const u8 *data, size_t len);
u32 codec_load32(const u8 *p);

static inline bool codec_stored(const struct schema *s, u32 column)
{
	return s->columns[column].kind != COLUMN_DERIVED;
}

#endif
