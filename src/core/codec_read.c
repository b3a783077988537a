/* Records to tables. Each table of the stream has two tables here: the last reading, and the next
 * that is put together from it and becomes the last one only when its record was right to the end.
 * A record that is corrupt but whole is taken (*used), so that a caller may go on behind it; the
 * changes that build on it are then skipped until the table's next key record. */
#include "core/codec_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stream_column {
	u8 unit, kind;
	s8 known; /* column of the known schema, -1: skipped */
};

struct stream_table {
	const struct schema *schema; /* known, or NULL: its records are skipped */
	struct stream_column columns[MAX_COLUMNS];
	u32 ncolumns;
	u64 absent; /* known columns that the stream does not have */
	bool same;  /* columns as in the known schema: masks are too */
	bool valid; /* tables[last] is a reading */
	u32 last;
	struct table tables[2];
};

struct codec_reader {
	const struct schema *const *schemas;
	struct stream_table *tables;
	u32 n;
	u64 offset; /* in the stream, of the record that is read */
};

int codec_reader_new(struct codec_reader **out, const struct schema *const *schemas)
{
	struct codec_reader *r = calloc(1, sizeof(*r));

	*out = r;
	if (!r)
		return -ENOMEM;
	r->schemas = schemas;
	return 0;
}

static void drop_table(struct stream_table *k)
{
	table_fini(&k->tables[0]);
	table_fini(&k->tables[1]);
	*k = (struct stream_table){0};
}

void codec_reader_free(struct codec_reader *r)
{
	if (!r)
		return;
	for (u32 i = 0; i < r->n; i++)
		drop_table(&r->tables[i]);
	free(r->tables);
	free(r);
}

static const struct schema *find_schema(
	const struct codec_reader *r, const char *name, u32 len, u64 version)
{
	for (u32 i = 0; r->schemas && r->schemas[i]; i++) {
		const struct schema *s = r->schemas[i];

		/* another version: the names may mean something else */
		if (strlen(s->name) == len && !memcmp(s->name, name, len))
			return s->version == version ? s : NULL;
	}
	return NULL;
}

static int find_column(const struct schema *s, const char *name, u32 len)
{
	for (u32 c = 0; s && c < s->ncolumns; c++)
		if (strlen(s->columns[c].name) == len && !memcmp(s->columns[c].name, name, len))
			return (int)c;
	return -1;
}

static void get_column(struct stream_table *k, u32 at, u64 *seen, struct codec_in *in)
{
	struct stream_column *column = &k->columns[at];
	const char *name;
	int known;
	u32 len;

	name = codec_get_text(in, CODEC_NAME_MOST, &len);
	column->unit = codec_get_u8(in);
	column->kind = codec_get_u8(in);
	column->known = -1;
	if (in->bad || !len) {
		in->bad = true;
		return;
	}
	known = find_column(k->schema, name, len);
	if (known < 0 || k->schema->columns[known].unit != column->unit ||
		k->schema->columns[known].kind != column->kind)
		return;
	if (*seen & column_bit((u32)known)) {
		in->bad = true;
		return;
	}
	*seen |= column_bit((u32)known);
	column->known = (s8)known;
}

static int keep_table(struct codec_reader *r, u64 id, struct stream_table *k)
{
	if (id == r->n) {
		struct stream_table *tables = realloc(r->tables, (r->n + 1) * sizeof(*tables));

		if (!tables)
			return -ENOMEM;
		r->tables = tables;
		r->n++;
	} else {
		/* another stream begins here */
		drop_table(&r->tables[id]);
	}
	r->tables[id] = *k;
	return 0;
}

static int read_schema(struct codec_reader *r, struct codec_in *in)
{
	u64 id = codec_get_u64(in), version = codec_get_u64(in), n, seen = 0;
	struct stream_table k = {0};
	const char *name;
	u32 len;

	name = codec_get_text(in, CODEC_NAME_MOST, &len);
	n = codec_get_u64(in);
	if (in->bad || id > r->n || id >= CODEC_TABLES_MOST || n > MAX_COLUMNS)
		return -EBADMSG;
	k.schema = find_schema(r, name, len, version);
	k.ncolumns = (u32)n;
	for (u32 c = 0; c < n && !in->bad; c++)
		get_column(&k, c, &seen, in);
	if (in->bad || in->p != in->end)
		return -EBADMSG;
	if (k.schema) {
		k.same = n == k.schema->ncolumns;
		for (u32 c = 0; c < n; c++)
			k.same &= k.columns[c].known == (s8)c;
		for (u32 c = 0; c < k.schema->ncolumns; c++)
			if (codec_stored(k.schema, c) && !(seen & column_bit(c)))
				k.absent |= column_bit(c);
		for (u32 i = 0; i < ARRAY_LEN(k.tables); i++)
			if (table_init(&k.tables[i], k.schema))
				return -EBADMSG;
	}
	return keep_table(r, id, &k);
}

static u64 known_mask(const struct stream_table *k, u64 mask)
{
	u64 out = 0;

	if (k->same)
		return mask;
	for (u32 c = 0; c < k->ncolumns; c++)
		if (mask & column_bit(c) && k->columns[c].known >= 0)
			out |= column_bit((u32)k->columns[c].known);
	return out;
}

static enum reason reason_of(u64 raw)
{
	return raw < REASON_COUNT ? (enum reason)raw : REASON_UNKNOWN;
}

static void get_time(const struct stream_table *k, struct table *t, const struct table *before,
	struct codec_in *in)
{
	u8 flags = codec_get_u8(in), missing = codec_get_u8(in);
	u64 need = codec_get_u64(in);
	struct stamp at;

	if (before) {
		at.mono_ns = before->at.mono_ns + codec_get_diff(in);
		at.boot_ns = before->at.boot_ns + codec_get_diff(in);
		at.real_ns = before->at.real_ns + codec_get_diff(in);
	} else {
		at.mono_ns = codec_get_u64(in);
		at.boot_ns = codec_get_u64(in);
		at.real_ns = codec_get_u64(in);
	}
	table_begin(t, &at, known_mask(k, need));
	t->partial = flags & CODEC_PARTIAL;
	t->missing = reason_of(missing);
}

/* Append a row; keys have to rise. 0, -EBADMSG or -ENOMEM. */
static int append(const struct stream_table *k, struct table *t, u64 key)
{
	int row;

	if (t->n >= CODEC_ROWS_MOST || (t->n && key <= t->key[t->n - 1]))
		return -EBADMSG;
	row = table_row(t, key);
	if (row < 0)
		return row;
	for (u32 c = 0; k->absent && c < t->schema->ncolumns; c++)
		if ((k->absent & column_bit(c)) && table_holds(t, c))
			table_absent(t, (u32)row, c, REASON_UNSUPPORTED);
	return 0;
}

static void get_stamps(struct table *t, u32 row, struct codec_in *in)
{
	t->mono_ns[row] = t->at.mono_ns + codec_get_diff(in);
	t->boot_ns[row] = t->at.boot_ns + codec_get_diff(in);
}

/* A cell of the stream's column c of the last row of t. change: a number is told as a difference. */
static int get_cell(
	const struct stream_table *k, struct table *t, u32 c, bool change, struct codec_in *in)
{
	const struct stream_column *column = &k->columns[c];
	u8 cell = codec_get_u8(in);
	u32 row = t->n - 1, to = (u32)column->known, len = 0;
	const char *text = NULL;
	u64 raw = 0;
	int ret = 0;

	if (column->kind == COLUMN_TEXT)
		text = codec_get_text(in, UINT16_MAX, &len);
	else
		raw = change ? codec_get_diff(in) : codec_get_u64(in);
	if (in->bad)
		return -EBADMSG;
	if (column->known < 0 || !table_holds(t, to))
		return 0;
	if (column->kind == COLUMN_TEXT)
		ret = table_set_text(t, row, to, text, len);
	else
		t->col[to][row] = change ? t->col[to][row] + raw : raw;
	t->cell[to][row] = cell_make(cell_state(cell), reason_of(cell_reason(cell)));
	return ret;
}

static int get_row(const struct stream_table *k, struct table *t, struct codec_in *in)
{
	int ret = 0;

	get_stamps(t, t->n - 1, in);
	for (u32 c = 0; c < k->ncolumns && !ret; c++)
		if (k->columns[c].kind != COLUMN_DERIVED)
			ret = get_cell(k, t, c, false, in);
	return ret;
}

static int copy_row(
	const struct stream_table *k, struct table *t, const struct table *last, u32 was)
{
	int ret = append(k, t, last->key[was]);
	u32 row = t->n - 1;

	if (ret)
		return ret;
	t->mono_ns[row] = t->at.mono_ns + (last->mono_ns[was] - last->at.mono_ns);
	t->boot_ns[row] = t->at.boot_ns + (last->boot_ns[was] - last->at.boot_ns);
	for (u32 c = 0; c < t->schema->ncolumns && !ret; c++) {
		const char *text;
		u32 len;

		if (!codec_stored(t->schema, c) || !table_holds(t, c))
			continue;
		t->col[c][row] = last->col[c][was];
		if (t->schema->columns[c].kind == COLUMN_TEXT) {
			text = table_get_text(last, was, c, &len);
			ret = table_set_text(t, row, c, text, len);
		}
		t->cell[c][row] = last->cell[c][was];
	}
	return ret;
}

static int read_key(const struct stream_table *k, struct table *t, struct codec_in *in)
{
	u64 seq = codec_get_u64(in), n, key = 0;
	int ret = 0;

	get_time(k, t, NULL, in);
	n = codec_get_u64(in);
	if (in->bad || n > CODEC_ROWS_MOST || n > (u64)(in->end - in->p))
		return -EBADMSG;
	for (u64 i = 0; i < n && !ret; i++) {
		key += codec_get_u64(in);
		ret = append(k, t, key);
		if (!ret)
			ret = get_row(k, t, in);
	}
	t->seq = seq;
	return ret;
}

static int read_operation(const struct stream_table *k, struct table *t, const struct table *last,
	u32 *was, struct codec_in *in)
{
	u64 v = codec_get_u64(in), mask;
	enum codec_op op = (enum codec_op)(v & 3);
	int ret = 0;

	if (in->bad || v >> 2 > last->n - *was || (op != CODEC_OP_NEW && v >> 2 == last->n - *was))
		return -EBADMSG;
	for (v >>= 2; v && !ret; v--)
		ret = copy_row(k, t, last, (*was)++);
	if (ret)
		return ret;
	if (op == CODEC_OP_GONE) {
		++*was;
		return 0;
	}
	if (op == CODEC_OP_NEW) {
		ret = append(k, t, codec_get_u64(in));
		return ret ? ret : get_row(k, t, in);
	}
	ret = copy_row(k, t, last, (*was)++);
	if (ret)
		return ret;
	if (op == CODEC_OP_RESTAMPED)
		get_stamps(t, t->n - 1, in);
	mask = codec_get_u64(in);
	for (u32 c = 0; c < MAX_COLUMNS && !ret; c++) {
		if (!(mask & column_bit(c)))
			continue;
		if (c >= k->ncolumns || k->columns[c].kind == COLUMN_DERIVED)
			return -EBADMSG;
		ret = get_cell(k, t, c, true, in);
	}
	return ret;
}

/* 1: the reading that it changes is not here. */
static int read_changes(const struct stream_table *k, struct table *t, const struct table *last,
	struct codec_in *in)
{
	u64 seq = codec_get_u64(in), before = codec_get_u64(in);
	u32 was = 0;
	int ret = 0;

	if (in->bad)
		return -EBADMSG;
	if (!k->valid || last->seq != before)
		return 1;
	get_time(k, t, last, in);
	while (!ret && !in->bad && in->p < in->end)
		ret = read_operation(k, t, last, &was, in);
	while (!ret && was < last->n)
		ret = copy_row(k, t, last, was++);
	t->seq = seq;
	return ret;
}

/* 1: *table is a reading, 0: none, or -errno. */
static int read_reading(
	struct codec_reader *r, u8 type, struct codec_in *in, const struct table **table)
{
	u64 id = codec_get_u64(in);
	struct stream_table *k;
	struct table *next, *last;
	int ret;

	if (in->bad || id >= r->n)
		return -EBADMSG;
	k = &r->tables[id];
	if (!k->schema)
		return 0;
	last = &k->tables[k->last];
	next = &k->tables[!k->last];
	ret = type == CODEC_KEY ? read_key(k, next, in) : read_changes(k, next, last, in);
	if (ret > 0)
		return 0;
	if (!ret && (in->bad || in->p != in->end || !next->seq))
		ret = -EBADMSG;
	if (ret)
		return ret;
	k->valid = true;
	k->last = !k->last;
	*table = next;
	return 1;
}

static int read_payload(
	struct codec_reader *r, u8 type, struct codec_in *in, const struct table **table)
{
	switch (type) {
	case CODEC_SCHEMA:
		return read_schema(r, in);
	case CODEC_KEY:
	case CODEC_CHANGES:
		return read_reading(r, type, in, table);
	default:
		return 0; /* of a later version */
	}
}

static int cut(const struct codec_reader *r, struct err *err)
{
	return err_set(err, EAGAIN, "byte %llu: the record is cut", (unsigned long long)r->offset);
}

static int corrupt(const struct codec_reader *r, struct err *err, const char *what)
{
	return err_set(err, EBADMSG, "byte %llu: corrupt: %s", (unsigned long long)r->offset, what);
}

int codec_read(struct codec_reader *r, const u8 *data, size_t len, size_t *used,
	const struct table **table, struct err *err)
{
	struct codec_in in;
	size_t whole;
	u32 size, crc;
	int ret;

	*used = 0;
	*table = NULL;
	if (len && data[0] != CODEC_MAGIC)
		return corrupt(r, err, "no record begins here");
	if (len < CODEC_HEAD)
		return cut(r, err);
	size = codec_load32(data + 2);
	crc = codec_crc(0, data, 6);
	if (data[6] != (u8)crc || data[7] != (u8)(crc >> 8))
		return corrupt(r, err, "wrong checksum of a record's head");
	if (size > CODEC_PAYLOAD_MOST)
		return corrupt(r, err, "the record is too long");
	whole = CODEC_HEAD + (size_t)size + CODEC_TAIL;
	if (len < whole)
		return cut(r, err);
	in = (struct codec_in){.p = data + CODEC_HEAD, .end = data + CODEC_HEAD + size};
	*used = whole;
	if (codec_load32(in.end) != codec_crc(0, data, CODEC_HEAD + size)) {
		ret = corrupt(r, err, "wrong checksum of a record");
	} else {
		ret = read_payload(r, data[1], &in, table);
		if (ret == -EBADMSG)
			corrupt(r, err, "a record that cannot be");
		else if (ret < 0)
			err_set(err, -ret, "out of memory");
	}
	r->offset += whole;
	return ret;
}
