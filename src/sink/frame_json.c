/* JSON by jansson. Objects keep the order in which keys are set, so that the same frame gives the
 * same bytes. A failing allocation makes a value NULL, which every jansson call passes on or
 * reports; it is noticed at the end. */
#include "sink/frame_json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/safe.h"

enum { SCHEMA_VERSION = 1, KEY_SIZE = 96 };

/* Control characters stay: JSON escapes them. */
static json_t *text_value(const char *text, size_t len)
{
	const char *end = text + len;
	char *out;
	size_t n = 0;
	json_t *value;

	if (!len)
		return json_string("");
	out = malloc(len * 3);
	if (!out)
		return NULL;
	while (text < end) {
		bool valid = true;
		u32 cp;

		text += utf8_decode(text, end, &cp, &valid);
		n += utf8_encode(valid ? cp : 0xfffd, out + n);
	}
	value = json_stringn(out, n);
	free(out);
	return value;
}

static json_t *seconds_value(u64 ns)
{
	return json_real((double)ns / 1e9);
}

static json_t *time_value(u64 real_ns)
{
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	return json_sprintf("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900, tm.tm_mon + 1,
		tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		(int)(real_ns / NSEC_PER_MSEC % 1000));
}

/* Whole numbers as such: 3 rather than 3.0. */
static json_t *number_value(double num)
{
	if (!isfinite(num))
		return NULL;
	if (num == floor(num) && fabs(num) < 9e15)
		return json_integer((json_int_t)num);
	return json_real(num);
}

static json_t *cell_value(const struct column *column, const struct cell *cell)
{
	bool exact = column->kind == COLUMN_GAUGE && !(column->flags & COLUMN_SIGNED) &&
		     cell->raw && cell->raw <= INT64_MAX;

	if (column->unit == UNIT_TEXT)
		return text_value(cell->text, cell->text_len);
	/* a double has 53 bits */
	if (exact && (column->unit == UNIT_COUNT || column->unit == UNIT_BYTES ||
			     column->unit == UNIT_ID))
		return json_integer((json_int_t)cell->raw);
	return number_value(cell->num);
}

/* Member key of the object called group in parent, which is made at its first use. */
static void set_note(json_t *parent, const char *group, const char *key, const char *note)
{
	json_t *notes = json_object_get(parent, group);

	if (!notes) {
		notes = json_object();
		json_object_set_new(parent, group, notes);
	}
	json_object_set_new(notes, key, json_string(note));
}

/* A null always comes with its reason. */
static void set_null(json_t *parent, const char *key, enum reason reason)
{
	if (reason == REASON_NONE)
		reason = REASON_UNKNOWN;
	json_object_set_new(parent, key, json_null());
	set_note(parent, "reasons", key, reason_token(reason));
}

/* COLUMN_DELTA: a counter's difference over the window too, under a gauge's key. */
static void add_delta(json_t *row, const struct column *column, const struct cell *cell)
{
	struct column gauge = *column;
	double num = (double)cell->diff;
	char key[KEY_SIZE];

	gauge.kind = COLUMN_GAUGE;
	schema_key(&gauge, key, sizeof(key));
	if (column->unit == UNIT_NS)
		num /= 1e9;
	else if (column->unit == UNIT_UJ)
		num /= 1e6;
	if (cell->state == CELL_ABSENT)
		set_null(row, key, cell->reason);
	else
		json_object_set_new(row, key, number_value(num));
}

static void add_cell(json_t *row, const struct frame_table *t, u32 index, u32 column)
{
	const struct column *c = &t->schema->columns[column];
	json_t *value = NULL;
	char key[KEY_SIZE];
	struct cell cell;

	frame_cell(t, index, column, &cell);
	schema_key(c, key, sizeof(key));
	if (cell.state != CELL_ABSENT) {
		value = cell_value(c, &cell);
		if (!value)
			cell.reason = REASON_INVALID;
	}
	if (value)
		json_object_set_new(row, key, value);
	else
		set_null(row, key, cell.reason);
	if (value && cell.state == CELL_HELD)
		set_note(row, "marks", key, "held");
	if (value && cell.state == CELL_APPROX)
		set_note(row, "marks", key, "approximate");
	if ((c->flags & COLUMN_DELTA) && c->kind == COLUMN_COUNTER)
		add_delta(row, c, &cell);
}

/* The values come first, what is to say about them after them. */
static void move_last(json_t *row, const char *group)
{
	json_t *notes = json_incref(json_object_get(row, group));

	if (!notes)
		return;
	json_object_del(row, group);
	json_object_set_new(row, group, notes);
}

static json_t *row_value(const struct frame_table *t, u32 index)
{
	json_t *row = json_object();

	for (u32 c = 0; c < t->schema->ncolumns; c++) {
		const struct column *column = &t->schema->columns[c];

		if (column->flags & COLUMN_HIDDEN)
			continue;
		if (index == ROW_TOTAL && column->total == TOTAL_NONE)
			continue;
		add_cell(row, t, index, c);
	}
	move_last(row, "reasons");
	move_last(row, "marks");
	return row;
}

static json_t *window_value(const struct frame_table *t)
{
	enum reason why = t->gap != REASON_NONE ? t->gap : REASON_FIRST;
	json_t *window = json_object();

	if (t->total_window_ns) {
		json_object_set_new(window, "from_seconds", seconds_value(t->from.mono_ns));
		json_object_set_new(window, "to_seconds", seconds_value(t->to.mono_ns));
		json_object_set_new(window, "seconds", seconds_value(t->total_window_ns));
		return window;
	}
	set_null(window, "from_seconds", why);
	if (t->seq)
		json_object_set_new(window, "to_seconds", seconds_value(t->now->at.mono_ns));
	else
		set_null(window, "to_seconds", why);
	set_null(window, "seconds", why);
	return window;
}

static bool has_total(const struct schema *schema)
{
	for (u32 c = 0; c < schema->ncolumns; c++) {
		if (schema->columns[c].total != TOTAL_NONE &&
			!(schema->columns[c].flags & COLUMN_HIDDEN))
			return true;
	}
	return false;
}

static json_t *table_value(
	const struct frame *frame, const struct frame_table *t, struct selection *selection)
{
	int n = select_rows(selection, frame, t);
	json_t *table, *rows;

	if (n < 0)
		return NULL;
	table = json_object();
	rows = json_array();
	json_object_set_new(table, "window", window_value(t));
	json_object_set_new(table, "fresh", json_boolean(t->fresh));
	json_object_set_new(table, "partial", json_boolean(t->now && t->now->partial));
	if (t->seq && !t->fresh)
		json_object_set_new(table, "age_seconds", seconds_value(t->age_ns));
	if (t->stale)
		json_object_set_new(table, "stale", json_true());
	if (t->gap != REASON_NONE)
		json_object_set_new(table, "gap", json_string(reason_token(t->gap)));
	for (int i = 0; i < n; i++)
		json_array_append_new(rows, row_value(t, selection->rows[i]));
	json_object_set_new(table, "rows", rows);
	if (t->seq && has_total(t->schema))
		json_object_set_new(table, "total", row_value(t, ROW_TOTAL));
	return table;
}

static void add_absent(json_t *absent, const char *name, enum reason reason)
{
	json_t *item = json_object();

	json_object_set_new(item, "table", json_string(name));
	json_object_set_new(item, "reason", json_string(reason_token(reason)));
	json_array_append_new(absent, item);
}

/* Is the whole table missing, because its first reading failed? */
static bool is_missing(const struct frame_table *t)
{
	return t->now && t->now->missing != REASON_NONE;
}

static json_t *absent_value(const struct frame *frame, const struct engine *engine)
{
	json_t *absent = json_array();
	const char *name;
	enum reason reason;

	for (u32 i = 0; engine && engine_absent(engine, i, &name, &reason); i++)
		add_absent(absent, name, reason);
	for (u32 i = 0; i < frame->ntables; i++) {
		const struct frame_table *t = frame->tables[i];

		if (is_missing(t))
			add_absent(absent, t->schema->name, t->now->missing);
	}
	return absent;
}

static void add_host(json_t *root, const char *host)
{
	if (*host)
		json_object_set_new(root, "host", text_value(host, strlen(host)));
	else
		set_null(root, "host", REASON_UNKNOWN);
}

/* One line; takes root. */
static int write_line(FILE *out, json_t *root)
{
	char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
	int rc = 0;

	json_decref(root);
	if (!text)
		return -ENOMEM;
	errno = 0;
	if (fputs(text, out) < 0 || fputc('\n', out) < 0 || fflush(out) != 0)
		rc = errno ? -errno : -EIO;
	free(text);
	return rc;
}

int sink_json_frame(FILE *out, const struct frame *frame, const struct engine *engine,
	const char *host, struct selection *selection)
{
	json_t *root = json_object();
	json_t *tables = json_object();
	int bad = 0;

	json_object_set_new(root, "schema_version", json_integer(SCHEMA_VERSION));
	json_object_set_new(root, "tare", json_string(TARE_VERSION));
	add_host(root, host);
	json_object_set_new(root, "time", time_value(frame->at.real_ns));
	json_object_set_new(root, "interval_seconds", seconds_value(frame->interval_ns));
	if (frame->window_ns)
		json_object_set_new(root, "window_seconds", seconds_value(frame->window_ns));
	else
		set_null(root, "window_seconds", REASON_FIRST);
	for (u32 i = 0; i < frame->ntables; i++) {
		const struct frame_table *t = frame->tables[i];

		if (!is_missing(t))
			bad |= json_object_set_new(
				tables, t->schema->name, table_value(frame, t, selection));
	}
	bad |= json_object_set_new(root, "tables", tables);
	bad |= json_object_set_new(root, "absent", absent_value(frame, engine));
	if (!bad)
		return write_line(out, root);
	json_decref(root);
	return -ENOMEM;
}

static json_t *findings_value(const struct findings *findings, const char *source)
{
	json_t *list = json_array();

	for (u32 i = 0; i < findings->n; i++) {
		const struct finding *f = &findings->items[i];
		json_t *item;

		if (strcmp(f->source, source) != 0)
			continue;
		item = json_object();
		json_object_set_new(item, "reason", json_string(reason_token(f->reason)));
		json_object_set_new(item, "what", text_value(f->what, strlen(f->what)));
		json_object_set_new(item, "why", text_value(f->why, strlen(f->why)));
		json_object_set_new(item, "fix", text_value(f->fix, strlen(f->fix)));
		json_array_append_new(list, item);
	}
	return list;
}

int sink_json_findings(FILE *out, const struct findings *findings,
	const struct source_ops *const *sources, const char *scan)
{
	json_t *root = json_object();
	json_t *list = json_array();

	json_object_set_new(root, "schema_version", json_integer(SCHEMA_VERSION));
	json_object_set_new(root, "tare", json_string(TARE_VERSION));
	if (scan)
		json_object_set_new(root, "scan", json_string(scan));
	for (; *sources; sources++) {
		const char *name = (*sources)->schema->name;
		json_t *found = findings_value(findings, name);
		json_t *item = json_object();

		json_object_set_new(item, "source", json_string(name));
		json_object_set_new(item, "ok", json_boolean(json_array_size(found) == 0));
		json_object_set_new(item, "findings", found);
		json_array_append_new(list, item);
	}
	json_object_set_new(root, "sources", list);
	return write_line(out, root);
}
