#include "sink/frame_text.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/human.h"
#include "base/safe.h"
#include "sink/text_cell.h"

enum { SECTION_COLUMNS = 24, NOTE_SIZE = 160 };

/* What the digest shows of a table. */
struct section {
	const char *table;
	const char *title;
	const char *columns; /* names between blanks; those that the table lacks are left out */
	bool digest;         /* only TOTAL, unless the table was asked for */
	bool total;          /* TOTAL below the rows */
	bool part;           /* of another table: that it is not here is told by that one */
};

static const struct section sections[] = {
	{"cpu", "CPU", "name busy user nice system irq softirq steal guest iowait idle frequency",
		true, true, false},
	{"memory", "Memory",
		"total used available free cache buffers shared used_share swap_total "
		"swap_used major_faults",
		false, false, false},
	{"pressure", "Pressure (share of time in which work waited)", "name some full", false,
		false, false},
	{"disk", "Disks", "name kind read written reads writes busy latency queue", false, true,
		false},
	{"filesystem", "File systems", "mount type size used available used_share", false, false,
		false},
	{"network", "Network",
		"name kind rx tx rx_packets tx_packets rx_errors tx_errors rx_dropped "
		"tx_dropped",
		false, true, false},
	{"energy", "Energy", "name device power energy", false, false, false},
	{"sensor", "Sensors",
		"label temperature fan voltage current power limit_high limit_critical state",
		false, false, true},
	{"battery", "Batteries",
		"name kind status capacity power time_left energy full health cycles", false, false,
		true},
	{"gpu", "GPUs",
		"number name state busy memory_used memory_total memory power power_cap "
		"temperature clock "
		"link slowed health processes",
		false, false, false},
	{"gpu_client", "GPU clients",
		"pid command gpu kind busy gfx compute media copy other memory shared holders",
		false, false, true},
	{"process", "Processes", "pid user state cpu memory resident threads time cmdline", false,
		false, false},
};

struct printer {
	FILE *out;
	const struct frame *frame;
	const struct text_config *config;
	char notes[REASON_COUNT][NOTE_SIZE]; /* where each reason occurs */
};

/* One table while it is printed. */
struct grid {
	const struct frame_table *table;
	const u32 *rows;
	u32 nrows;
	u32 columns[SECTION_COLUMNS];
	u32 widths[SECTION_COLUMNS];
	u32 ncolumns;
	bool total;
};

static void note(struct printer *p, enum reason reason, const struct frame_table *t, u32 column)
{
	char *notes = p->notes[reason];
	char name[80];
	size_t len = strlen(notes);
	const char *at;

	snprintf(name, sizeof(name), "%s.%s", t->schema->name, t->schema->columns[column].name);
	at = strstr(notes, name);
	if (at && (at[strlen(name)] == ',' || !at[strlen(name)]))
		return;
	if (len + strlen(name) + 8 > NOTE_SIZE) {
		if (len && notes[len - 1] != '.')
			strcpy(notes + len, ", ...");
		return;
	}
	sprintf(notes + len, "%s%s", len ? ", " : "", name);
}

/* A kernel thread has no command line: its name in brackets, as ps has it. */
static bool kernel_thread(const struct grid *g, u32 row, u32 column, char *out)
{
	const struct schema *schema = g->table->schema;
	int command = schema_find(schema, "command");
	struct cell cell;

	if (row == ROW_TOTAL || command < 0 || strcmp(schema->columns[column].name, "cmdline") != 0)
		return false;
	frame_cell(g->table, row, column, &cell);
	if (cell.state != CELL_ABSENT && cell.text_len)
		return false;
	frame_cell(g->table, row, (u32)command, &cell);
	*out = '[';
	text_cell(&schema->columns[command], &cell, out + 1);
	out[TEXT_CELL_SIZE - 2] = '\0';
	strcat(out, "]");
	return true;
}

static void format(struct printer *p, const struct grid *g, u32 row, u32 column, char *out)
{
	const struct column *c = &g->table->schema->columns[column];
	struct cell cell;

	if (kernel_thread(g, row, column, out))
		return;
	if (row == ROW_TOTAL && c->unit == UNIT_TEXT) {
		strcpy(out, column == (u32)g->table->schema->label_column ? "all" : "");
		return;
	}
	if (row == ROW_TOTAL && c->total == TOTAL_NONE) {
		*out = '\0';
		return;
	}
	frame_cell(g->table, row, column, &cell);
	text_cell(c, &cell, out);
	if (cell.state == CELL_ABSENT)
		note(p, cell.reason, g->table, column);
}

static u32 grid_row(const struct grid *g, u32 i)
{
	return i < g->nrows ? g->rows[i] : ROW_TOTAL;
}

static void measure(struct printer *p, struct grid *g)
{
	char text[TEXT_CELL_SIZE + 2];

	for (u32 c = 0; c < g->ncolumns; c++) {
		text_heading(&g->table->schema->columns[g->columns[c]], text, sizeof(text));
		g->widths[c] = text_width(text);
		for (u32 i = 0; i < g->nrows + g->total; i++) {
			u32 width;

			format(p, g, grid_row(g, i), g->columns[c], text);
			width = text_width(text);
			if (width > g->widths[c])
				g->widths[c] = width;
		}
	}
}

/* Cut safe text to a number of terminal columns. */
static void cut(char *text, u32 most)
{
	const char *end = text + strlen(text);
	char *at = text;
	u32 width = 0;

	while (at < end) {
		bool valid = true;
		u32 cp;
		u32 n = utf8_decode(at, end, &cp, &valid);

		width += safe_width(cp);
		if (width > most) {
			*at = '\0';
			return;
		}
		at += n;
	}
}

static void blanks(struct printer *p, u32 n)
{
	fprintf(p->out, "%*s", (int)n, "");
}

/* The text of one cell in its column; `used` is how far the line is. */
static u32 put(struct printer *p, const struct grid *g, u32 c, char *text, u32 used)
{
	bool last = c + 1 == g->ncolumns;
	u32 width, pad;

	if (last && p->config->width > used + 2)
		cut(text, p->config->width - used - 2);
	width = text_width(text);
	pad = g->widths[c] > width ? g->widths[c] - width : 0;
	blanks(p, 2);
	if (text_is_right(&g->table->schema->columns[g->columns[c]])) {
		blanks(p, pad);
		fputs(text, p->out);
	} else {
		fputs(text, p->out);
		blanks(p, last ? 0 : pad);
	}
	return used + 2 + g->widths[c];
}

static void print_grid(struct printer *p, struct grid *g, const char *title)
{
	char text[TEXT_CELL_SIZE + 2];
	u32 used = 0;

	measure(p, g);
	fprintf(p->out, "\n%s\n", title);
	for (u32 c = 0; c < g->ncolumns; c++) {
		text_heading(&g->table->schema->columns[g->columns[c]], text, sizeof(text));
		used = put(p, g, c, text, used);
	}
	fputc('\n', p->out);
	for (u32 i = 0; i < g->nrows + g->total; i++) {
		used = 0;
		for (u32 c = 0; c < g->ncolumns; c++) {
			format(p, g, grid_row(g, i), g->columns[c], text);
			used = put(p, g, c, text, used);
		}
		fputc('\n', p->out);
	}
}

static void choose_columns(struct grid *g, const char *names)
{
	const struct schema *schema = g->table->schema;

	while (names && *names && g->ncolumns < SECTION_COLUMNS) {
		char name[40];
		size_t n = strcspn(names, " ");
		int column;

		snprintf(name, sizeof(name), "%.*s", (int)n, names);
		column = schema_find(schema, name);
		if (column >= 0)
			g->columns[g->ncolumns++] = (u32)column;
		names += n + strspn(names + n, " ");
	}
	for (u32 c = 0; !names && c < schema->ncolumns && g->ncolumns < SECTION_COLUMNS; c++) {
		if (!(schema->columns[c].flags & COLUMN_HIDDEN))
			g->columns[g->ncolumns++] = c;
	}
}

/* Rows that TOTAL counts: the others are parts or doubles of them. */
static u32 only_counted(const struct frame_table *t, u32 *rows, u32 n)
{
	u32 kept = 0;
	u64 counted;

	if (t->schema->counted_column < 0)
		return n;
	for (u32 i = 0; i < n; i++) {
		if (frame_raw(t, rows[i], (u32)t->schema->counted_column, &counted) && counted)
			rows[kept++] = rows[i];
	}
	return kept;
}

static const struct section *find_section(const char *name)
{
	for (u32 i = 0; i < ARRAY_LEN(sections); i++) {
		if (!strcmp(sections[i].table, name))
			return &sections[i];
	}
	return NULL;
}

static int print_table(struct printer *p, const struct frame_table *t, struct selection *selection)
{
	const struct section *s = find_section(t->schema->name);
	struct grid g = {.table = t};
	int n;

	if (!t->now || t->now->missing != REASON_NONE || (!s && !p->config->asked))
		return 0;
	n = select_rows(selection, p->frame, t);
	if (n < 0)
		return n;
	g.rows = selection->rows;
	g.nrows = (u32)n;
	if (!p->config->asked)
		g.nrows = s->digest ? 0 : only_counted(t, selection->rows, g.nrows);
	g.total = s && s->total && (g.nrows > 1 || s->digest) && t->n;
	choose_columns(&g, s ? s->columns : NULL);
	if (g.ncolumns && g.nrows + g.total)
		print_grid(p, &g, s ? s->title : t->schema->title);
	if (selection->left_out)
		fprintf(p->out, "  and %u more\n", selection->left_out);
	if (t->now->partial)
		fputs("  own processes only: others are hidden from this user (tare doctor)\n",
			p->out);
	return 0;
}

/* In the order of the sections, so that the long list of processes comes last; before it what has no
 * section but was asked for. */
static int print_tables(struct printer *p, struct selection *selection)
{
	const struct section *last = &sections[ARRAY_LEN(sections) - 1];
	const struct frame_table *t;
	int rc = 0;

	for (const struct section *s = sections; s < last && rc == 0; s++) {
		t = frame_find(p->frame, s->table);
		if (t)
			rc = print_table(p, t, selection);
	}
	for (u32 i = 0; i < p->frame->ntables && rc == 0; i++) {
		t = p->frame->tables[i];
		if (!find_section(t->schema->name))
			rc = print_table(p, t, selection);
	}
	t = frame_find(p->frame, last->table);
	return t && rc == 0 ? print_table(p, t, selection) : rc;
}

static bool named_cell(
	const struct printer *p, const char *table, const char *column, struct cell *cell)
{
	const struct frame_table *t = frame_find(p->frame, table);
	int index = t ? schema_find(t->schema, column) : -1;

	if (index < 0 || !t->n)
		return false;
	frame_cell(t, 0, (u32)index, cell);
	return cell->state != CELL_ABSENT;
}

static void print_head(struct printer *p, const char *host)
{
	time_t seconds = (time_t)(p->frame->at.real_ns / NSEC_PER_SEC);
	char text[TEXT_CELL_SIZE];
	struct cell cell;
	struct tm tm;

	if (safe_text(text, sizeof(text), host, strlen(host)))
		fprintf(p->out, "%s  ", text);
	gmtime_r(&seconds, &tm);
	fprintf(p->out, "%04d-%02d-%02d %02d:%02d:%02dZ", tm.tm_year + 1900, tm.tm_mon + 1,
		tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (p->frame->window_ns) {
		human_fixed(text, (double)p->frame->window_ns / 1e9, 3);
		fprintf(p->out, "  window %s s", text);
	}
	if (named_cell(p, "system", "uptime", &cell)) {
		human_duration(text, (double)cell.raw);
		fprintf(p->out, "  up %s", text);
	}
	for (u32 i = 0; i < 3; i++) {
		static const char *const loads[] = {"load1", "load5", "load15"};

		if (!named_cell(p, "system", loads[i], &cell))
			continue;
		human_fixed(text, cell.num, 2);
		fprintf(p->out, "%s %s", i ? "" : "  load", text);
	}
	if (named_cell(p, "self", "cpu", &cell)) {
		human_fixed(text, cell.num, 2);
		fprintf(p->out, "  tare itself %s %% of a CPU", text);
	}
	fputc('\n', p->out);
}

static void print_notes(struct printer *p)
{
	bool first = true;

	for (u32 i = 0; i < REASON_COUNT; i++) {
		if (!p->notes[i][0])
			continue;
		fprintf(p->out, "%sn/a  %s: %s\n", first ? "\n" : "",
			i == REASON_NONE ? "unknown" : reason_text((enum reason)i), p->notes[i]);
		first = false;
	}
}

static void note_table(struct printer *p, const char *name, enum reason reason)
{
	const struct section *s = find_section(name);
	char *notes = p->notes[reason];
	size_t len = strlen(notes);

	/* what people would not have seen anyway is not missed */
	if (((s && !s->part) || p->config->asked) && len + strlen(name) + 8 < NOTE_SIZE)
		sprintf(notes + len, "%s%s", len ? ", " : "", name);
}

/* Whole tables that are not there. */
static void note_absent(struct printer *p, const struct engine *engine)
{
	const char *name;
	enum reason reason;

	for (u32 i = 0; engine && engine_absent(engine, i, &name, &reason); i++)
		note_table(p, name, reason);
	for (u32 i = 0; i < p->frame->ntables; i++) {
		const struct frame_table *t = p->frame->tables[i];

		if (t->now && t->now->missing != REASON_NONE)
			note_table(p, t->schema->name, t->now->missing);
		else if (!t->seq)
			note_table(p, t->schema->name, t->gap);
	}
}

int sink_text_frame(FILE *out, const struct frame *frame, const struct engine *engine,
	const char *host, struct selection *selection, const struct text_config *config)
{
	struct printer p = {.out = out, .frame = frame, .config = config};
	int rc = 0;

	errno = 0; /* the first failing write's stays */
	print_head(&p, host);
	rc = print_tables(&p, selection);
	note_absent(&p, engine);
	print_notes(&p);
	if (rc < 0)
		return rc;
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}
