/* Tables as bytes: schema, key frame, changed rows between. Recordings, replay, other machines and
 * binary fixtures use it; what is stored are raw samples, so replay goes through the same delta().
 * The format is described at the head of codec.c. Every length is bounded before memory is taken;
 * a stream that is cut or corrupt ends with a clear error and everything before it intact (each
 * record carries its length and a CRC-32C). */
#ifndef TARE_CORE_CODEC_H
#define TARE_CORE_CODEC_H

#include "base/err.h"
#include "core/table.h"

#define CODEC_KEY_FRAME_NS (60 * NSEC_PER_SEC)

/* Where encoded bytes go: a growing buffer of the caller. */
struct codec_buf {
	u8 *data; /* heap */
	size_t len, size;
};
void codec_buf_fini(struct codec_buf *buf);

struct codec_writer;
int codec_writer_new(struct codec_writer **out);
void codec_writer_free(struct codec_writer *w);
/* Append one reading to buf: a schema record before the first of each table, a key frame at first and
 * every CODEC_KEY_FRAME_NS of the table's monotonic time, else only rows that changed, came or went.
 * 0 or -ENOMEM. A table whose seq was already written appends nothing. */
int codec_write(struct codec_writer *w, const struct table *t, struct codec_buf *buf);

struct codec_reader;
/* schemas: known ones (NULL-terminated); columns are matched by name, columns that are not known are
 * skipped, ones that are missing are absent UNSUPPORTED. A table that is not known is skipped. */
int codec_reader_new(struct codec_reader **out, const struct schema *const *schemas);
void codec_reader_free(struct codec_reader *r);
/* Decode the next record of [data, data + len). *used is what it took. Returns 1 when *table is a
 * complete reading (valid until the next call), 0 when the record gave none (schema, unknown table),
 * -EAGAIN when the record is cut (more bytes needed; at the end of a file: truncated), -EBADMSG when it
 * is corrupt (*err says where). */
int codec_read(struct codec_reader *r, const u8 *data, size_t len, size_t *used,
	const struct table **table, struct err *err);

#endif
