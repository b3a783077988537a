/* The stream is a row of records; there is no header, so streams can be joined at record borders.
 *
 *   record   0xd7, type u8, length of the payload u32, check u16, payload, CRC-32C u32
 *
 * Fixed-width numbers are little-endian. `check` is the low half of the CRC-32C of the six bytes
 * before it, so that a wrong length is seen before anything is waited for or read; the last CRC
 * covers head and payload. In payloads numbers are varints (7 bits a byte, the lowest first, at most
 * 10 bytes); a *diff* is the zigzag varint of a difference modulo 2^64; a text is its length and
 * bytes.
 *
 *   1 schema   id, version, name, ncolumns, { name, unit u8, kind u8 } …
 *              Gives the table `name` the number `id` (counted up from 0) for the rest of the stream.
 *   2 key      id, seq, time, rows, { row } …
 *              A whole reading. Rows are in ascending order of key.
 *   3 changes  id, seq, seq of the reading that it changes, time, { operation } … to the end of the
 *              payload; rows behind the last operation are left as they are.
 *
 *   time       flags u8 (1: partial), missing u8 (enum reason), need, mono, boot, real
 *              (nanoseconds; in changes diffs from the reading before)
 *   row        key (in a key record the distance from the row before), stamps, { cell } of every
 *              stored column
 *   stamps     mono diff, boot diff: from the times of the reading
 *   cell       state u8 (cell_make()), then a text for text columns, else the raw number (in changes
 *              its diff from the row's former value)
 *   operation  rows that are left as they are << 2 | what is done with the next:
 *              0 changed: mask of columns, { cell } of those
 *              1 changed, also in when it was read: stamps, mask, { cell }
 *              2 gone
 *              3 a new row stands before it: row
 *
 * Stored columns are all but the derived ones; masks and `need` count columns of the stream's
 * schema. A reader that comes in the middle skips changes until the table's next key record. */
#include "core/codec_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void codec_buf_fini(struct codec_buf *buf)
{
	if (!buf)
		return;
	free(buf->data);
	*buf = (struct codec_buf){0};
}

/* Half a byte at a time: the table stays small and is there before anything runs. */
u32 codec_crc(u32 crc, const u8 *data, size_t len)
{
	static const u32 table[16] = {
		0x00000000,
		0x105ec76f,
		0x20bd8ede,
		0x30e349b1,
		0x417b1dbc,
		0x5125dad3,
		0x61c69362,
		0x7198540d,
		0x82f63b78,
		0x92a8fc17,
		0xa24bb5a6,
		0xb21572c9,
		0xc38d26c4,
		0xd3d3e1ab,
		0xe330a81a,
		0xf36e6f75,
	};

	crc = ~crc;
	for (size_t i = 0; i < len; i++) {
		crc ^= data[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

u32 codec_load32(const u8 *p)
{
	return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

static void store32(u8 *p, u32 v)
{
	for (u32 i = 0; i < 4; i++)
		p[i] = (u8)(v >> 8 * i);
}

void codec_put(struct codec_out *out, const void *data, size_t len)
{
	struct codec_buf *buf = out->buf;
	size_t size = buf->size ? buf->size : 4096;
	u8 *grown;

	if (out->code || !len)
		return;
	if (len > buf->size - buf->len) {
		while (size - buf->len < len)
			size *= 2;
		grown = realloc(buf->data, size);
		if (!grown) {
			out->code = -ENOMEM;
			return;
		}
		buf->data = grown;
		buf->size = size;
	}
	memcpy(buf->data + buf->len, data, len);
	buf->len += len;
}

void codec_put_u8(struct codec_out *out, u8 v)
{
	codec_put(out, &v, 1);
}

void codec_put_u64(struct codec_out *out, u64 v)
{
	u8 bytes[10];
	u32 n = 0;

	while (v >= 0x80) {
		bytes[n++] = (u8)(v | 0x80);
		v >>= 7;
	}
	bytes[n++] = (u8)v;
	codec_put(out, bytes, n);
}

void codec_put_diff(struct codec_out *out, u64 v)
{
	codec_put_u64(out, v << 1 ^ (v >> 63 ? ~0ull : 0));
}

void codec_put_text(struct codec_out *out, const char *text, u32 len)
{
	codec_put_u64(out, len);
	codec_put(out, text, len);
}

size_t codec_begin(struct codec_out *out, enum codec_type type)
{
	u8 head[CODEC_HEAD] = {CODEC_MAGIC, (u8)type};
	size_t start = out->buf->len;

	codec_put(out, head, sizeof(head));
	return start;
}

void codec_end(struct codec_out *out, size_t start)
{
	struct codec_buf *buf = out->buf;
	u8 tail[CODEC_TAIL], *head = buf->data + start;
	size_t len;
	u32 check;

	if (out->code)
		return;
	len = buf->len - start - CODEC_HEAD;
	if (len > CODEC_PAYLOAD_MOST) {
		out->code = -E2BIG;
		return;
	}
	store32(head + 2, (u32)len);
	check = codec_crc(0, head, 6);
	head[6] = (u8)check;
	head[7] = (u8)(check >> 8);
	store32(tail, codec_crc(0, head, CODEC_HEAD + len));
	codec_put(out, tail, sizeof(tail));
}

u8 codec_get_u8(struct codec_in *in)
{
	if (in->p < in->end)
		return *in->p++;
	in->bad = true;
	return 0;
}

u64 codec_get_u64(struct codec_in *in)
{
	u64 v = 0;

	for (u32 shift = 0; shift < 70; shift += 7) {
		u8 byte = codec_get_u8(in);

		if (shift == 63 && byte > 1)
			break;
		v |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return in->bad ? 0 : v;
	}
	in->bad = true;
	return 0;
}

u64 codec_get_diff(struct codec_in *in)
{
	u64 v = codec_get_u64(in);

	return v >> 1 ^ (v & 1 ? ~0ull : 0);
}

const char *codec_get_text(struct codec_in *in, u32 most, u32 *len)
{
	u64 n = codec_get_u64(in);
	const char *text = (const char *)in->p;

	*len = 0;
	if (in->bad || n > most || n > (u64)(in->end - in->p)) {
		in->bad = true;
		return NULL;
	}
	in->p += n;
	*len = (u32)n;
	return text;
}
