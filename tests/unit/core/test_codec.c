/* The codec: what comes out is what went in, nothing that is cut or corrupt comes out as a table. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/codec_internal.h"
#include "core/delta.h"

enum { NAME, LEVEL, COUNT, SUM, NOTE, COLUMNS };

static u8 sum(const struct frame_table *t, u32 row, double *out)
{
	if (!frame_num(t, row, LEVEL, out))
		return REASON_UNKNOWN;
	return REASON_NONE;
}

#define C(n, u, k)                                                  \
	{                                                           \
		.name = n, .unit = u, .kind = k, .total = TOTAL_SUM \
	}
static const struct column columns[COLUMNS] = {
	[NAME] = C("name", UNIT_TEXT, COLUMN_TEXT),
	[LEVEL] = C("level", UNIT_BYTES, COLUMN_GAUGE),
	[COUNT] = C("count", UNIT_COUNT, COLUMN_COUNTER),
	[SUM] = {.name = "sum", .unit = UNIT_BYTES, .kind = COLUMN_DERIVED, .derive = sum},
	[NOTE] = C("note", UNIT_TEXT, COLUMN_TEXT),
};
#define SCHEMA(n, cols)                                                                \
	{                                                                              \
		.name = n, .version = 1, .ncolumns = ARRAY_LEN(cols), .columns = cols, \
		.label_column = -1, .birth_column = -1, .counted_column = -1           \
	}
static const struct schema schema = SCHEMA("t", columns), other = SCHEMA("other", columns);
static const struct schema *const schemas[] = {&schema, &other, NULL};

static u64 seed;

static u64 rnd(u64 below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static void set_text(struct table *t, u32 row, u32 column)
{
	char text[300];
	u64 len = rnd(4) ? rnd(12) : rnd(sizeof(text));

	for (u64 i = 0; i < len; i++)
		text[i] = (char)rnd(256);
	assert_int_equal(table_set_text(t, row, column, text, len), 0);
}

static void set_number(struct table *t, u32 row, u32 column)
{
	u64 v = rnd(3) ? rnd(1000) : seed;

	table_set(t, row, column, v);
	if (rnd(4) == 0)
		table_state(t, row, column, (enum cell_state)(1 + rnd(3)),
			(enum reason)rnd(REASON_COUNT));
	if (rnd(8) == 0)
		table_absent(t, row, column, (enum reason)rnd(REASON_COUNT));
}

/* A reading in which about half is as in the one before. */
static void make(struct table *t, const struct table *before, u64 ms, u64 seq)
{
	struct stamp at = {ms * NSEC_PER_MSEC, (ms + rnd(5)) * NSEC_PER_MSEC, 77 * ms};
	u64 key = rnd(3);

	table_begin(t, &at, rnd(3) ? ~0ull : rnd(32));
	t->partial = rnd(4) == 0;
	t->missing = rnd(9) ? REASON_NONE : REASON_STALE;
	for (u64 n = rnd(12); n; n--) {
		u32 row = (u32)table_row(t, key);
		int was = before ? table_find(before, key) : -1;

		if (rnd(2))
			t->mono_ns[row] += rnd(1000);
		if (rnd(4) == 0)
			t->boot_ns[row] -= rnd(1000);
		for (u32 c = 0; c < COLUMNS; c++) {
			const char *text;
			u32 len;

			if (c == SUM || rnd(6) == 0)
				continue;
			if (was < 0 || rnd(2)) {
				if (c == NAME || c == NOTE)
					set_text(t, row, c);
				else
					set_number(t, row, c);
				continue;
			}
			text = table_get_text(before, (u32)was, c, &len);
			if (c == NAME || c == NOTE)
				table_set_text(t, row, c, text, len);
			else
				table_set(t, row, c, before->col[c][was]);
			t->cell[c][row] = before->cell[c][was];
		}
		key += 1 + (rnd(5) ? rnd(3) : rnd(1ull << 40));
	}
	table_end(t);
	t->seq = seq;
}

static void expect_cell(const struct table *a, const struct table *b, u32 row, u32 c)
{
	const char *text_a, *text_b;
	u32 len_a, len_b;

	assert_int_equal(a->cell[c][row], b->cell[c][row]);
	if (a->schema->columns[c].kind != COLUMN_TEXT) {
		assert_true(a->col[c][row] == b->col[c][row]);
		return;
	}
	text_a = table_get_text(a, row, c, &len_a);
	text_b = table_get_text(b, row, c, &len_b);
	assert_int_equal(len_a, len_b);
	assert_memory_equal(text_a, text_b, len_a);
}

static void expect_same(const struct table *a, const struct table *b)
{
	assert_ptr_equal(a->schema, b->schema);
	assert_int_equal(a->n, b->n);
	assert_memory_equal(&a->at, &b->at, sizeof(a->at));
	assert_true(a->seq == b->seq);
	assert_true(a->need == b->need);
	assert_int_equal(a->partial, b->partial);
	assert_int_equal(a->missing, b->missing);
	for (u32 row = 0; row < a->n; row++) {
		assert_true(a->key[row] == b->key[row]);
		assert_true(a->mono_ns[row] == b->mono_ns[row]);
		assert_true(a->boot_ns[row] == b->boot_ns[row]);
		for (u32 c = 0; c < a->schema->ncolumns; c++)
			if (c != SUM)
				expect_cell(a, b, row, c);
	}
}

/* readings tables, written one behind the other; marks[i] is where reading i ends. */
static void write_stream(
	struct table *t, u32 readings, u64 step_ms, struct codec_buf *buf, size_t *marks)
{
	struct codec_writer *w;

	assert_int_equal(codec_writer_new(&w), 0);
	for (u32 i = 0; i < readings; i++) {
		assert_int_equal(table_init(&t[i], &schema), 0);
		make(&t[i], i ? &t[i - 1] : NULL, 1000 + step_ms * i, i + 1);
		assert_int_equal(codec_write(w, &t[i], buf), 0);
		marks[i] = buf->len;
		assert_int_equal(codec_write(w, &t[i], buf), 0); /* the same seq */
		assert_int_equal(buf->len, marks[i]);
	}
	codec_writer_free(w);
}

/* Read up to `most` tables. Returns how many; *end is what the last call said. */
static u32 read_stream(
	const u8 *data, size_t len, const struct table *want, u32 most, int *end, size_t *at)
{
	struct codec_reader *r;
	struct err err = {0};
	size_t used;
	u32 n = 0;

	*at = 0;
	assert_int_equal(codec_reader_new(&r, schemas), 0);
	for (;;) {
		const struct table *t;

		*end = codec_read(r, data + *at, len - *at, &used, &t, &err);
		if (*end < 0)
			break;
		*at += used;
		if (*end == 0)
			continue;
		assert_true(n < most);
		expect_same(t, &want[n++]);
	}
	codec_reader_free(r);
	return n;
}

enum { READINGS = 40 };

static struct table t[READINGS];
static struct codec_buf buf;
static size_t marks[READINGS];

static int teardown(void **state)
{
	(void)state;
	for (u32 i = 0; i < READINGS; i++)
		table_fini(&t[i]);
	memset(t, 0, sizeof(t));
	codec_buf_fini(&buf);
	return 0;
}

static void test_round_trip(void **state)
{
	for (u64 s = 1; s <= 200; s++) {
		size_t at;
		int end;

		seed = s * 0x9e3779b97f4a7c15ull;
		write_stream(t, READINGS, 1000 + rnd(4000), &buf, marks);
		assert_int_equal(read_stream(buf.data, buf.len, t, READINGS, &end, &at), READINGS);
		assert_int_equal(end, -EAGAIN);
		assert_int_equal(at, buf.len);
		teardown(state);
	}
}

/* Types of the records of the buffer, from a place on. */
static void expect_types(size_t from, const char *want)
{
	u32 n = 0;

	for (size_t at = from; at < buf.len; n++) {
		assert_true(n < strlen(want));
		assert_int_equal(buf.data[at], CODEC_MAGIC);
		assert_int_equal(buf.data[at + 1], want[n] - '0');
		at += CODEC_HEAD + codec_load32(buf.data + at + 2) + CODEC_TAIL;
	}
	assert_int_equal(n, strlen(want));
}

static void write_at(struct codec_writer *w, struct table *one, u64 ms, u64 seq)
{
	struct stamp at = {.mono_ns = ms * NSEC_PER_MSEC};

	table_begin(one, &at, ~0ull);
	table_row(one, 1);
	table_set(one, 0, LEVEL, 5);
	table_end(one);
	one->seq = seq;
	assert_int_equal(codec_write(w, one, &buf), 0);
}

static void test_key_frames(void **state)
{
	struct codec_writer *w;
	size_t from;

	(void)state;
	table_init(&t[0], &schema);
	table_init(&t[1], &other);
	assert_int_equal(codec_writer_new(&w), 0);
	write_at(w, &t[0], 1000, 0); /* never read */
	assert_int_equal(buf.len, 0);
	write_at(w, &t[0], 1000, 1);
	write_at(w, &t[0], 31000, 2);
	write_at(w, &t[1], 31000, 2);
	write_at(w, &t[0], 60999, 3);
	write_at(w, &t[0], 61000, 4);
	write_at(w, &t[0], 62000, 5);
	write_at(w, &t[1], 90999, 3);
	write_at(w, &t[1], 91000, 4);
	expect_types(0, "1231232332");
	from = buf.len;
	write_at(w, &t[0], 100, 6); /* the clock of another boot */
	write_at(w, &t[0], 1100, 7);
	write_at(w, &t[0], 2100, 3); /* the source began anew */
	expect_types(from, "232");
	codec_writer_free(w);
}

static void test_unchanged_costs_little(void **state)
{
	struct codec_writer *w;
	size_t len;

	(void)state;
	table_init(&t[0], &schema);
	assert_int_equal(codec_writer_new(&w), 0);
	for (u32 i = 0; i < 2; i++) {
		struct stamp at = {.mono_ns = (1 + i) * NSEC_PER_SEC};

		len = buf.len;
		table_begin(&t[0], &at, ~0ull);
		for (u32 key = 0; key < 1000; key++) {
			int row = table_row(&t[0], key);

			table_set_text(&t[0], (u32)row, NAME, "something", 9);
			table_set(&t[0], (u32)row, LEVEL, key);
		}
		table_end(&t[0]);
		assert_int_equal(codec_write(w, &t[0], &buf), 0);
	}
	assert_true(buf.len - len < 64);
	codec_writer_free(w);
}

static void test_cut_at_every_byte(void **state)
{
	enum { N = 12 };

	(void)state;
	seed = 4242;
	write_stream(t, N, 8000, &buf, marks);
	for (size_t len = 0; len <= buf.len; len++) {
		u8 *exact = malloc(len ? len : 1); /* so that a byte too far is seen */
		u32 whole = 0;
		size_t at;
		int end;

		assert_non_null(exact);
		memcpy(exact, buf.data, len);
		while (whole < N && marks[whole] <= len)
			whole++;
		assert_int_equal(read_stream(exact, len, t, N, &end, &at), whole);
		assert_int_equal(end, -EAGAIN);
		free(exact);
	}
}

static void test_every_byte_flipped(void **state)
{
	enum { N = 6 };

	(void)state;
	seed = 99;
	write_stream(t, N, 1000, &buf, marks);
	for (size_t i = 0; i < buf.len; i++)
		for (u32 bit = 0; bit < 8; bit++) {
			u32 intact = 0, n;
			size_t at;
			int end;

			buf.data[i] ^= (u8)(1 << bit);
			while (intact < N && marks[intact] <= i)
				intact++;
			/* read_stream compares each table that comes out */
			n = read_stream(buf.data, buf.len, t, N, &end, &at);
			assert_int_equal(n, intact);
			assert_int_equal(end, -EBADMSG);
			buf.data[i] ^= (u8)(1 << bit);
		}
}

static void test_goes_on_behind_a_corrupt_record(void **state)
{
	struct codec_reader *r;
	struct err err = {0};
	u32 tables = 0, bad = 0;
	size_t used;

	(void)state;
	seed = 7;
	write_stream(t, READINGS, 5000, &buf, marks); /* a key frame every 12 */
	buf.data[marks[2] + CODEC_HEAD + 3] ^= 1;
	assert_int_equal(codec_reader_new(&r, schemas), 0);
	for (size_t at = 0; at < buf.len; at += used) {
		const struct table *got;
		int ret = codec_read(r, buf.data + at, buf.len - at, &used, &got, &err);

		assert_true(used > 0);
		bad += ret == -EBADMSG;
		if (ret < 0)
			assert_non_null(strstr(err.msg, "corrupt"));
		if (ret <= 0)
			continue;
		/* nothing is built on the reading that is lost, until the next key frame */
		expect_same(got, &t[tables < 3 ? tables : tables + 9]);
		tables++;
	}
	assert_int_equal(bad, 1);
	assert_int_equal(tables, READINGS - 9);
	codec_reader_free(r);
}

static void test_columns_by_name(void **state)
{
	static const struct column fewer[] = {
		C("added", UNIT_COUNT, COLUMN_GAUGE), C("note", UNIT_TEXT, COLUMN_TEXT),
		C("count", UNIT_COUNT, COLUMN_COUNTER),
		C("name", UNIT_COUNT, COLUMN_GAUGE), /* was text */
	};
	static const struct schema mine = SCHEMA("t", fewer);
	static const struct schema *const list[] = {&mine, NULL};
	const struct table *got;
	struct codec_reader *r;
	struct err err;
	u32 tables = 0;
	size_t used;

	(void)state;
	seed = 11;
	write_stream(t, 20, 1000, &buf, marks);
	assert_int_equal(codec_reader_new(&r, list), 0);
	for (size_t at = 0; at < buf.len; at += used) {
		const struct table *want = &t[tables];

		if (codec_read(r, buf.data + at, buf.len - at, &used, &got, &err) <= 0)
			continue;
		assert_ptr_equal(got->schema, &mine);
		assert_int_equal(got->n, want->n);
		assert_int_equal(got->need & 15,
			(want->need >> NOTE & 1) << 1 | (want->need >> COUNT & 1) << 2);
		for (u32 row = 0; row < got->n; row++) {
			const char *a, *b;
			u32 len_a, len_b;

			a = table_get_text(got, row, 1, &len_a);
			b = table_get_text(want, row, NOTE, &len_b);
			assert_int_equal(len_a, len_b);
			assert_memory_equal(a, b, len_a);
			assert_true(got->col[2][row] == want->col[COUNT][row]);
			assert_int_equal(got->cell[2][row], want->cell[COUNT][row]);
			assert_int_equal(
				got->cell[0][row], cell_make(CELL_ABSENT, REASON_UNSUPPORTED));
			assert_int_equal(
				got->cell[3][row], cell_make(CELL_ABSENT, REASON_UNSUPPORTED));
		}
		tables++;
	}
	assert_int_equal(tables, 20);
	codec_reader_free(r);
}

static void test_unknown_tables_are_skipped(void **state)
{
	static const struct schema later = {
		.name = "t", .version = 2, .ncolumns = COLUMNS, .columns = columns};
	static const struct schema *const lists[][2] = {
		{&other, NULL}, {&later, NULL}, {NULL, NULL}};

	(void)state;
	seed = 3;
	write_stream(t, 5, 1000, &buf, marks);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		const struct table *got;
		struct codec_reader *r;
		struct err err;
		size_t used;

		assert_int_equal(codec_reader_new(&r, lists[i]), 0);
		for (size_t at = 0; at < buf.len; at += used) {
			assert_int_equal(
				codec_read(r, buf.data + at, buf.len - at, &used, &got, &err), 0);
			assert_null(got);
		}
		codec_reader_free(r);
	}
}

static void test_joined_streams_and_a_start_in_the_middle(void **state)
{
	struct codec_buf twice = {0};
	struct codec_out out = {.buf = &twice};
	const struct table *got;
	struct codec_reader *r;
	struct err err;
	size_t used, schema_len;
	u32 tables = 0;

	(void)state;
	seed = 5;
	write_stream(t, 10, 1000, &buf, marks);
	schema_len = CODEC_HEAD + codec_load32(buf.data + 2) + CODEC_TAIL;
	/* schema, then from reading 3 on without the key frame: nothing to build on; then all */
	codec_put(&out, buf.data, schema_len);
	codec_put(&out, buf.data + marks[2], marks[9] - marks[2]);
	codec_put(&out, buf.data, buf.len);
	assert_int_equal(out.code, 0);
	assert_int_equal(codec_reader_new(&r, schemas), 0);
	for (size_t at = 0; at < twice.len; at += used) {
		int ret = codec_read(r, twice.data + at, twice.len - at, &used, &got, &err);

		assert_true(ret >= 0);
		if (ret)
			expect_same(got, &t[tables++]);
	}
	assert_int_equal(tables, 10);
	codec_reader_free(r);
	codec_buf_fini(&twice);
}

/* Payloads with a right checksum that cannot be: refused, without a big allocation. */
static void test_impossible_payloads(void **state)
{
	static const struct {
		u8 type, len;
		u8 payload[40];
	} bad[] = {
		{CODEC_KEY, 1, {9}},                      /* no such table */
		{CODEC_KEY, 2, {0, 1}},                   /* cut */
		{CODEC_SCHEMA, 6, {5, 1, 1, 'x', 0, 0}},  /* id out of turn */
		{CODEC_SCHEMA, 6, {1, 1, 1, 't', 65, 0}}, /* too many columns */
		{CODEC_SCHEMA, 4, {1, 1, 0x80, 0x80}},    /* a varint without end */
		{CODEC_SCHEMA, 13, {1, 1, 1, 't', 2, 4, 'n', 'a', 'm', 'e', 10, 2, 0}},
		{CODEC_SCHEMA, 7, {1, 1, 1, 't', 0, 0, 0}}, /* more than it should be */
		{CODEC_KEY, 13, {0, 1, 0, 0, 0, 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 15}}, /* rows */
		{CODEC_KEY, 9, {0, 0, 0, 0, 0, 1, 1, 1, 0}},                           /* seq 0 */
		{CODEC_KEY, 31, {0, 2, 0, 0, 0, 1, 1, 1, 2, 1, [20] = 0}}, /* one key twice */
		{CODEC_KEY, 10, {0, 2, 0, 0, 0, 1, 1, 1, 0, 0}},           /* a byte too many */
		{CODEC_CHANGES, 21,
			{0, 2, 1, [9] = 1 << 2 | 3, 1, [20] = 0}}, /* a key that is there */
		{CODEC_CHANGES, 11,
			{0, 2, 1, 0, 0, 0, 0, 0, 0, 4 << 2 | 2, 0}}, /* rows that are not */
		{CODEC_CHANGES, 11,
			{0, 2, 1, 0, 0, 0, 0, 0, 0, 0 << 2 | 0, 8}}, /* derived column */
	};
	struct codec_writer *w;

	(void)state;
	table_init(&t[0], &schema);
	assert_int_equal(codec_writer_new(&w), 0);
	write_at(w, &t[0], 1000, 1);
	codec_writer_free(w);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		size_t len = buf.len, at;
		struct codec_out out = {.buf = &buf};
		size_t start = codec_begin(&out, (enum codec_type)bad[i].type);
		int end;

		codec_put(&out, bad[i].payload, bad[i].len);
		codec_end(&out, start);
		assert_int_equal(read_stream(buf.data, buf.len, t, 1, &end, &at), 1);
		if (end != -EBADMSG)
			fail_msg("payload %zu was taken", i);
		buf.len = len;
	}
}

static void test_checksum_is_crc32c(void **state)
{
	(void)state;
	assert_int_equal(codec_crc(0, (const u8 *)"123456789", 9), 0xe3069283u);
	assert_int_equal(codec_crc(0, (const u8 *)"", 0), 0);
}

static void test_numbers(void **state)
{
	static const u64 v[] = {
		0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, 1ull << 63, UINT64_MAX};
	struct codec_out out = {.buf = &buf};
	struct codec_in in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		codec_put_u64(&out, v[i]);
		codec_put_diff(&out, v[i]);
	}
	in = (struct codec_in){.p = buf.data, .end = buf.data + buf.len};
	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		assert_true(codec_get_u64(&in) == v[i]);
		assert_true(codec_get_diff(&in) == v[i]);
	}
	assert_false(in.bad);
	assert_ptr_equal(in.p, in.end);
	codec_get_u64(&in);
	assert_true(in.bad);
	/* ten bytes that do not fit 64 bits */
	in = (struct codec_in){.p = (const u8 *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"};
	in.end = in.p + 10;
	codec_get_u64(&in);
	assert_true(in.bad);
}

static void expect_same_frames(const struct frame_table *a, const struct frame_table *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->gap, b->gap);
	assert_true(a->total_window_ns == b->total_window_ns);
	for (u32 i = 0; i <= a->n; i++) {
		u32 row = i == a->n ? ROW_TOTAL : i;

		assert_true(frame_window_ns(a, row) == frame_window_ns(b, row));
		for (u32 c = 0; c < COLUMNS; c++) {
			struct cell x, y;

			frame_cell(a, row, c, &x);
			frame_cell(b, row, c, &y);
			assert_int_equal(x.state, y.state);
			assert_int_equal(x.reason, y.reason);
			assert_true(x.diff == y.diff);
			assert_true(x.num <= y.num && x.num >= y.num);
			/* the raw of a text is its place in the arena */
			if (c != NAME && c != NOTE)
				assert_true(x.raw == y.raw);
			assert_int_equal(x.text_len, y.text_len);
			assert_memory_equal(x.text, y.text, x.text_len);
		}
	}
}

static void test_replay_gives_the_same_frames(void **state)
{
	static struct delta live, replay;
	struct codec_reader *r;
	struct err err;
	size_t at = 0, used;

	(void)state;
	seed = 12345;
	write_stream(t, READINGS, 3000, &buf, marks);
	assert_int_equal(delta_init(&live, &schema), 0);
	assert_int_equal(delta_init(&replay, &schema), 0);
	assert_int_equal(codec_reader_new(&r, schemas), 0);
	for (u32 i = 0; i < READINGS; i++) {
		const struct table *got = NULL;

		while (!got) {
			assert_true(
				codec_read(r, buf.data + at, buf.len - at, &used, &got, &err) >= 0);
			at += used;
		}
		assert_int_equal(table_copy(delta_spare(&live), &t[i]), 0);
		assert_int_equal(table_copy(delta_spare(&replay), got), 0);
		assert_int_equal(delta_step(&live), 0);
		assert_int_equal(delta_step(&replay), 0);
		expect_same_frames(&live.frame, &replay.frame);
	}
	codec_reader_free(r);
	delta_fini(&live);
	delta_fini(&replay);
}

#define T(f) cmocka_unit_test_teardown(f, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_checksum_is_crc32c),
		T(test_numbers),
		T(test_round_trip),
		T(test_key_frames),
		T(test_unchanged_costs_little),
		T(test_cut_at_every_byte),
		T(test_every_byte_flipped),
		T(test_goes_on_behind_a_corrupt_record),
		T(test_columns_by_name),
		T(test_unknown_tables_are_skipped),
		T(test_joined_streams_and_a_start_in_the_middle),
		T(test_impossible_payloads),
		T(test_replay_gives_the_same_frames),
	};

	return cmocka_run_group_tests_name("codec", tests, NULL, NULL);
}
