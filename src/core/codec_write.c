/* Tables to records. The writer keeps the last reading of each table, to say only what changed. */
#include "core/codec_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct written {
	const struct schema *schema;
	struct table last;
	bool whole; /* last is what the stream's reader has */
	u64 key_mono_ns;
};

struct codec_writer {
	struct written *tables;
	u32 n;
};

int codec_writer_new(struct codec_writer **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
}

void codec_writer_free(struct codec_writer *w)
{
	if (!w)
		return;
	for (u32 i = 0; i < w->n; i++)
		table_fini(&w->tables[i].last);
	free(w->tables);
	free(w);
}

static int find_table(struct codec_writer *w, const struct schema *schema, u32 *out)
{
	struct written *tables;
	int ret;

	for (*out = 0; *out < w->n; ++*out)
		if (w->tables[*out].schema == schema)
			return 0;
	if (w->n == CODEC_TABLES_MOST)
		return -E2BIG;
	tables = realloc(w->tables, (w->n + 1) * sizeof(*tables));
	if (!tables)
		return -ENOMEM;
	w->tables = tables;
	tables[w->n] = (struct written){.schema = schema};
	ret = table_init(&tables[w->n].last, schema);
	if (ret)
		return ret;
	w->n++;
	return 1;
}

static void put_schema(struct codec_out *out, u32 id, const struct schema *s)
{
	size_t start = codec_begin(out, CODEC_SCHEMA);

	codec_put_u64(out, id);
	codec_put_u64(out, s->version);
	codec_put_text(out, s->name, (u32)strnlen(s->name, CODEC_NAME_MOST));
	codec_put_u64(out, s->ncolumns);
	for (u32 c = 0; c < s->ncolumns; c++) {
		const struct column *column = &s->columns[c];

		codec_put_text(out, column->name, (u32)strnlen(column->name, CODEC_NAME_MOST));
		codec_put_u8(out, (u8)column->unit);
		codec_put_u8(out, (u8)column->kind);
	}
	codec_end(out, start);
}

/* before: the reading whose times the stamps are told from; NULL: in full. */
static void put_time(struct codec_out *out, const struct table *t, const struct table *before)
{
	codec_put_u8(out, t->partial ? CODEC_PARTIAL : 0);
	codec_put_u8(out, (u8)t->missing);
	codec_put_u64(out, t->need);
	if (!before) {
		codec_put_u64(out, t->at.mono_ns);
		codec_put_u64(out, t->at.boot_ns);
		codec_put_u64(out, t->at.real_ns);
		return;
	}
	codec_put_diff(out, t->at.mono_ns - before->at.mono_ns);
	codec_put_diff(out, t->at.boot_ns - before->at.boot_ns);
	codec_put_diff(out, t->at.real_ns - before->at.real_ns);
}

static u64 mono_offset(const struct table *t, u32 row)
{
	return t->mono_ns[row] - t->at.mono_ns;
}

static u64 boot_offset(const struct table *t, u32 row)
{
	return t->boot_ns[row] - t->at.boot_ns;
}

static void put_stamps(struct codec_out *out, const struct table *t, u32 row)
{
	codec_put_diff(out, mono_offset(t, row));
	codec_put_diff(out, boot_offset(t, row));
}

static void put_cell(struct codec_out *out, const struct table *t, u32 row, u32 c)
{
	const char *text;
	u32 len;

	codec_put_u8(out, t->cell[c][row]);
	if (t->schema->columns[c].kind != COLUMN_TEXT) {
		codec_put_u64(out, t->col[c][row]);
		return;
	}
	text = table_get_text(t, row, c, &len);
	codec_put_text(out, text, len);
}

static void put_row(struct codec_out *out, const struct table *t, u32 row)
{
	put_stamps(out, t, row);
	for (u32 c = 0; c < t->schema->ncolumns; c++)
		if (codec_stored(t->schema, c))
			put_cell(out, t, row, c);
}

static void put_key(struct codec_out *out, u32 id, const struct table *t)
{
	size_t start = codec_begin(out, CODEC_KEY);
	u64 before = 0;

	codec_put_u64(out, id);
	codec_put_u64(out, t->seq);
	put_time(out, t, NULL);
	codec_put_u64(out, t->n);
	for (u32 row = 0; row < t->n; row++) {
		codec_put_u64(out, t->key[row] - before);
		before = t->key[row];
		put_row(out, t, row);
	}
	codec_end(out, start);
}

static bool same_cell(const struct table *a, u32 row_a, const struct table *b, u32 row_b, u32 c)
{
	const char *text_a, *text_b;
	u32 len_a, len_b;

	if (a->cell[c][row_a] != b->cell[c][row_b])
		return false;
	if (a->schema->columns[c].kind != COLUMN_TEXT)
		return a->col[c][row_a] == b->col[c][row_b];
	text_a = table_get_text(a, row_a, c, &len_a);
	text_b = table_get_text(b, row_b, c, &len_b);
	return len_a == len_b && !memcmp(text_a, text_b, len_a);
}

static void put_changed_cell(struct codec_out *out, const struct table *t, u32 row,
	const struct table *last, u32 was, u32 c)
{
	if (t->schema->columns[c].kind == COLUMN_TEXT) {
		put_cell(out, t, row, c);
		return;
	}
	codec_put_u8(out, t->cell[c][row]);
	codec_put_diff(out, t->col[c][row] - last->col[c][was]);
}

struct changes {
	struct codec_out *out;
	const struct table *t, *last;
	u64 kept; /* rows left as they are since the last operation */
};

static void operation(struct changes *ch, enum codec_op op)
{
	codec_put_u64(ch->out, ch->kept << 2 | (u64)op);
	ch->kept = 0;
}

static void both(struct changes *ch, u32 row, u32 was)
{
	const struct table *t = ch->t, *last = ch->last;
	bool stamps = mono_offset(t, row) != mono_offset(last, was) ||
		      boot_offset(t, row) != boot_offset(last, was);
	u64 mask = 0;

	for (u32 c = 0; c < t->schema->ncolumns; c++)
		if (codec_stored(t->schema, c) && !same_cell(t, row, last, was, c))
			mask |= column_bit(c);
	if (!mask && !stamps) {
		ch->kept++;
		return;
	}
	operation(ch, stamps ? CODEC_OP_RESTAMPED : CODEC_OP_CHANGED);
	if (stamps)
		put_stamps(ch->out, t, row);
	codec_put_u64(ch->out, mask);
	for (u32 c = 0; c < t->schema->ncolumns; c++)
		if (mask & column_bit(c))
			put_changed_cell(ch->out, t, row, last, was, c);
}

/* A merge-join, as delta does. */
static void walk(struct changes *ch)
{
	const struct table *t = ch->t, *last = ch->last;
	u32 was = 0;

	for (u32 row = 0; row < t->n; row++) {
		for (; was < last->n && last->key[was] < t->key[row]; was++)
			operation(ch, CODEC_OP_GONE);
		if (was < last->n && last->key[was] == t->key[row]) {
			both(ch, row, was++);
			continue;
		}
		operation(ch, CODEC_OP_NEW);
		codec_put_u64(ch->out, t->key[row]);
		put_row(ch->out, t, row);
	}
	for (; was < last->n; was++)
		operation(ch, CODEC_OP_GONE);
}

static void put_changes(
	struct codec_out *out, u32 id, const struct table *t, const struct table *last)
{
	size_t start = codec_begin(out, CODEC_CHANGES);
	struct changes ch = {.out = out, .t = t, .last = last};

	codec_put_u64(out, id);
	codec_put_u64(out, t->seq);
	codec_put_u64(out, last->seq);
	put_time(out, t, last);
	walk(&ch);
	codec_end(out, start);
}

int codec_write(struct codec_writer *w, const struct table *t, struct codec_buf *buf)
{
	struct codec_out out = {.buf = buf};
	size_t len = buf->len;
	struct written *k;
	bool key;
	u32 id;
	int found;

	if (!t->seq)
		return 0;
	found = find_table(w, t->schema, &id);
	if (found < 0)
		return found;
	k = &w->tables[id];
	if (k->whole && k->last.seq == t->seq)
		return 0;
	if (found)
		put_schema(&out, id, t->schema);
	key = !k->whole || t->seq < k->last.seq || t->at.mono_ns < k->key_mono_ns ||
	      t->at.mono_ns - k->key_mono_ns >= CODEC_KEY_FRAME_NS;
	if (key)
		put_key(&out, id, t);
	else
		put_changes(&out, id, t, &k->last);
	if (!out.code)
		out.code = table_copy(&k->last, t);
	if (out.code) {
		buf->len = len;
		k->whole = false;
		if (found) {
			/* its schema was not written either */
			table_fini(&k->last);
			w->n--;
		}
		return out.code;
	}
	k->whole = true;
	if (key)
		k->key_mono_ns = t->at.mono_ns;
	return 0;
}
