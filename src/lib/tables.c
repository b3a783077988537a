/* Every table, row and column, by number. */
#include <errno.h>
#include <string.h>

#include "base/safe.h"
#include "core/schema.h"
#include "lib/handle.h"

static const struct frame_table *table_at(const struct tare *t, size_t table)
{
	return table < t->seen.ntables ? t->seen.tables[table] : NULL;
}

size_t tare_table_count(const struct tare *t)
{
	return t->seen.ntables;
}

const char *tare_table_name(const struct tare *t, size_t table)
{
	const struct frame_table *f = table_at(t, table);

	return f ? f->schema->name : NULL;
}

int tare_table_find(const struct tare *t, const char *name)
{
	for (u32 i = 0; i < t->seen.ntables; i++)
		if (!strcmp(t->seen.tables[i]->schema->name, name))
			return (int)i;
	return -ENOENT;
}

size_t tare_row_count(const struct tare *t, size_t table)
{
	const struct frame_table *f = table_at(t, table);

	return f ? f->n : 0;
}

size_t tare_column_count(const struct tare *t, size_t table)
{
	const struct frame_table *f = table_at(t, table);

	return f ? f->schema->ncolumns : 0;
}

int tare_column_find(const struct tare *t, size_t table, const char *name)
{
	const struct frame_table *f = table_at(t, table);
	int column = f ? schema_find(f->schema, name) : -1;

	return column < 0 ? -ENOENT : column;
}

static enum tare_kind kind_of(const struct column *c)
{
	static const enum tare_kind kinds[] = {[COLUMN_GAUGE] = TARE_GAUGE,
		[COLUMN_COUNTER] = TARE_COUNTER,
		[COLUMN_TEXT] = TARE_TEXT,
		[COLUMN_DERIVED] = TARE_DERIVED};

	return kinds[c->kind];
}

/* What the caller's version of a structure has room for; its size stays. 0 or -EINVAL. */
static int give(void *out, const void *in, size_t size)
{
	size_t room = *(const size_t *)out;

	if (room < sizeof(size_t))
		return -EINVAL;
	room = room < size ? room : size;
	memcpy((char *)out + sizeof(size_t), (const char *)in + sizeof(size_t),
		room - sizeof(size_t));
	return 0;
}

int tare_column(const struct tare *t, size_t table, size_t column, struct tare_column *out)
{
	const struct frame_table *f = table_at(t, table);
	const struct column *c;

	if (!f || column >= f->schema->ncolumns)
		return -ENOENT;
	c = &f->schema->columns[column];
	return give(out,
		&(struct tare_column){.kind = kind_of(c),
			.name = c->name,
			.title = c->title,
			.help = c->help,
			.unit = schema_unit(c)},
		sizeof(*out));
}

int tare_value(
	const struct tare *t, size_t table, size_t row, size_t column, struct tare_value *out)
{
	static const enum tare_state states[] = {[CELL_ABSENT] = TARE_ABSENT,
		[CELL_VALUE] = TARE_VALUE,
		[CELL_HELD] = TARE_HELD,
		[CELL_APPROX] = TARE_APPROXIMATE};
	const struct frame_table *f = table_at(t, table);
	u32 at = row == TARE_TOTAL ? ROW_TOTAL : (u32)row;
	struct cell cell;

	if (!f || column >= f->schema->ncolumns || (row != TARE_TOTAL && row >= f->n))
		return -ENOENT;
	frame_cell(f, at, (u32)column, &cell);
	return give(out,
		&(struct tare_value){.state = states[cell.state],
			.reason = cell.state == CELL_ABSENT ? reason_token(cell.reason) : "",
			.number = cell.num,
			.raw = cell.raw,
			.text = cell.text,
			.text_len = cell.text_len,
			.window_ns = frame_window_ns(f, at)},
		sizeof(*out));
}

int tare_partial(const struct tare *t, size_t table)
{
	const struct frame_table *f = table_at(t, table);

	return f && f->now && f->now->partial;
}

size_t tare_safe_text(char *out, size_t size, const char *text, size_t len)
{
	return size ? safe_text(out, size > UINT32_MAX ? UINT32_MAX : (u32)size, text, len) : 0;
}
