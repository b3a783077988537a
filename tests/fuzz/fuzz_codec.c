/* The codec's reader. An even first byte: the rest is a stream as it is. An odd one: the rest is a
 * row of { type, length u16, payload } that get their right checksums here, since no mutation finds
 * those by chance. What comes out is a table that holds together, and goes through the writer and
 * back unchanged. */
#include "fuzz.h"

#include <string.h>

#include "core/codec_internal.h"
#include "core/delta.h"

enum { NAME, LEVEL, COUNT, SUM, NOTE, COLUMNS };

static u8 sum(const struct frame_table *t, u32 row, double *out)
{
	return frame_num(t, row, LEVEL, out) ? REASON_NONE : REASON_UNKNOWN;
}

static const struct column columns[COLUMNS] = {
	[NAME] = {.name = "name", .unit = UNIT_TEXT, .kind = COLUMN_TEXT},
	[LEVEL] = {.name = "level", .unit = UNIT_BYTES, .kind = COLUMN_GAUGE, .total = TOTAL_SUM},
	[COUNT] = {.name = "count", .unit = UNIT_COUNT, .kind = COLUMN_COUNTER, .total = TOTAL_SUM},
	[SUM] = {.name = "sum", .unit = UNIT_BYTES, .kind = COLUMN_DERIVED, .derive = sum},
	[NOTE] = {.name = "note", .unit = UNIT_TEXT, .kind = COLUMN_TEXT},
};
static const struct schema schema = {.name = "t",
	.version = 1,
	.ncolumns = COLUMNS,
	.columns = columns,
	.label_column = NAME,
	.birth_column = -1,
	.counted_column = -1};
static const struct schema *const schemas[] = {&schema, NULL};

static void same(const struct table *a, const struct table *b)
{
	MUST(a->n == b->n && a->seq == b->seq && a->need == b->need);
	MUST(!memcmp(&a->at, &b->at, sizeof(a->at)));
	for (u32 row = 0; row < a->n; row++) {
		MUST(a->key[row] == b->key[row] && (!row || a->key[row - 1] < a->key[row]));
		MUST(a->mono_ns[row] == b->mono_ns[row] && a->boot_ns[row] == b->boot_ns[row]);
		for (u32 c = 0; c < COLUMNS; c++) {
			const char *x, *y;
			u32 n, m;

			if (!codec_stored(a->schema, c))
				continue;
			MUST(a->cell[c][row] == b->cell[c][row]);
			if (columns[c].kind != COLUMN_TEXT) {
				MUST(a->col[c][row] == b->col[c][row]);
				continue;
			}
			x = table_get_text(a, row, c, &n);
			y = table_get_text(b, row, c, &m);
			MUST(n == m && !memcmp(x, y, n));
		}
	}
}

struct round {
	struct codec_writer *writer;
	struct codec_reader *reader;
	struct codec_buf buf;
	u64 seq;
};

static void write_and_read(struct round *r, const struct table *t)
{
	const struct table *back = NULL;
	size_t at = 0, used;
	struct err err;

	r->buf.len = 0;
	MUST(!codec_write(r->writer, t, &r->buf));
	MUST(r->buf.len || t->seq == r->seq); /* said before */
	r->seq = t->seq;
	while (at < r->buf.len) {
		MUST(codec_read(r->reader, r->buf.data + at, r->buf.len - at, &used, &back, &err) >=
			0);
		at += used;
	}
	if (back)
		same(t, back);
}

static void read_all(const u8 *data, size_t len)
{
	struct round r = {0};
	struct codec_reader *reader;
	struct delta d;

	MUST(!codec_reader_new(&reader, schemas) && !codec_reader_new(&r.reader, schemas));
	MUST(!codec_writer_new(&r.writer) && !delta_init(&d, &schema));
	for (;;) {
		const struct table *t;
		struct err err = {0};
		size_t used;
		int ret = codec_read(reader, data, len, &used, &t, &err);

		MUST(used <= len && (ret >= 0 || err.code == -ret) && (ret <= 0 || t));
		if (!used)
			break;
		data += used;
		len -= used;
		if (ret <= 0)
			continue;
		write_and_read(&r, t);
		MUST(!table_copy(delta_spare(&d), t));
		MUST(!delta_step(&d));
	}
	delta_fini(&d);
	codec_writer_free(r.writer);
	codec_reader_free(r.reader);
	codec_reader_free(reader);
	codec_buf_fini(&r.buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct codec_buf buf = {0};
	struct codec_out out = {.buf = &buf};

	if (!size)
		return 0;
	if (!(data[0] & 1)) {
		read_all(data + 1, size - 1);
		return 0;
	}
	data++;
	size--;
	while (size >= 3) {
		size_t len = (size_t)data[1] | (size_t)data[2] << 8, start;

		len = len < size - 3 ? len : size - 3;
		start = codec_begin(&out, (enum codec_type)data[0]);
		codec_put(&out, data + 3, len);
		codec_end(&out, start);
		data += 3 + len;
		size -= 3 + len;
	}
	MUST(!out.code);
	if (buf.len)
		read_all(buf.data, buf.len);
	codec_buf_fini(&buf);
	return 0;
}
