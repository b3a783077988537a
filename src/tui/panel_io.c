/* Disks, network, power, file systems: the busiest first. */
#include "tui/panel.h"

#include <string.h>

#include "base/human.h"
#include "base/sbuf.h"

enum { BUSIEST = 8 };

/* The rows that do most, at most n; rows that count for the total before those that do not. */
static u32 busiest(const struct view *v, enum tab tab, enum field counted, enum field a,
	enum field b, u32 *rows, u32 n)
{
	double value[BUSIEST];
	u32 found = 0;

	for (u32 row = 0; row < fields_rows(&v->f, tab); row++) {
		double x = field_or_zero(&v->f, a, row) + field_or_zero(&v->f, b, row);
		u32 at = found;

		if (field_or_zero(&v->f, counted, row) <= 0)
			continue;
		while (at > 0 && value[at - 1] < x)
			at--;
		if (at >= n)
			continue;
		if (found < n)
			found++;
		for (u32 i = found - 1; i > at; i--) {
			value[i] = value[i - 1];
			rows[i] = rows[i - 1];
		}
		value[at] = x;
		rows[at] = row;
	}
	return found;
}

/* "name r 1.2G/s w 88M/s busy 71% 0.42ms" */
static void disk_item(const struct view *v, struct line *l, u32 row, u32 priority)
{
	char text[ITEM_TEXT], number[VALUE_TEXT], name[24];
	struct sbuf sb;
	double value;

	sbuf_init(&sb, text, sizeof(text));
	sbuf_str(&sb, "r ");
	field_text(number, &v->f, FIELD_DISK_read, row, VALUE_RATE);
	sbuf_str(&sb, number);
	sbuf_str(&sb, " w ");
	field_text(number, &v->f, FIELD_DISK_written, row, VALUE_RATE);
	sbuf_str(&sb, number);
	if (field_num(&v->f, FIELD_DISK_busy, row, &value)) {
		human_percent(number, value);
		sbuf_str(&sb, " busy ");
		sbuf_str(&sb, number);
		sbuf_char(&sb, '%');
	}
	if (field_num(&v->f, FIELD_DISK_latency, row, &value)) {
		human_duration(number, value * 1e9);
		sbuf_char(&sb, ' ');
		sbuf_str(&sb, number);
	}
	field_label(name, sizeof(name), &v->f, FIELD_DISK_name, row);
	line_add(l, priority, ROLE_NORMAL, name, text);
}

static void net_item(const struct view *v, struct line *l, u32 row, u32 priority)
{
	char text[ITEM_TEXT], number[VALUE_TEXT], name[24];
	double drop = field_or_zero(&v->f, FIELD_NETWORK_rx_dropped, row) +
		      field_or_zero(&v->f, FIELD_NETWORK_tx_dropped, row);
	double bad = field_or_zero(&v->f, FIELD_NETWORK_rx_errors, row) +
		     field_or_zero(&v->f, FIELD_NETWORK_tx_errors, row);
	struct sbuf sb;

	sbuf_init(&sb, text, sizeof(text));
	sbuf_str(&sb, "rx ");
	field_text(number, &v->f, FIELD_NETWORK_rx, row, VALUE_RATE);
	sbuf_str(&sb, number);
	sbuf_str(&sb, " tx ");
	field_text(number, &v->f, FIELD_NETWORK_tx, row, VALUE_RATE);
	sbuf_str(&sb, number);
	if (drop > 0) {
		human_count(number, drop);
		sbuf_str(&sb, " drop ");
		sbuf_str(&sb, number);
		sbuf_str(&sb, "/s");
	}
	if (bad > 0) {
		human_count(number, bad);
		sbuf_str(&sb, " err ");
		sbuf_str(&sb, number);
		sbuf_str(&sb, "/s");
	}
	field_label(name, sizeof(name), &v->f, FIELD_NETWORK_name, row);
	line_add(l, priority, drop + bad > 0 ? ROLE_WARN : ROLE_NORMAL, name, text);
}

bool table_head(const struct view *v, struct line *l, enum tab tab, const char *title)
{
	const struct frame_table *t = v->f.table[tab];
	char note[VALUE_TEXT];

	line_add(l, 0, ROLE_NORMAL, title, "");
	if (!t) {
		line_add(l, 1, ROLE_DIM, NULL, "absent");
		return false;
	}
	table_note(note, t);
	if (note[0])
		line_add(l, 1, ROLE_DIM, NULL, note);
	if (!t->gap && !t->n)
		line_add(l, 1, ROLE_DIM, NULL, "none");
	return !t->gap;
}

static void disk_line(struct view *v, struct grid *g, u32 x, u32 y, u32 limit, u32 from, u32 count)
{
	u32 rows[BUSIEST];
	u32 n = busiest(v, TAB_DISK, FIELD_DISK_counted, FIELD_DISK_read, FIELD_DISK_written, rows,
		BUSIEST);
	struct line l;

	line_init(&l);
	if (from)
		line_add(&l, 0, ROLE_NORMAL, "    ", "");
	else if (!table_head(v, &l, TAB_DISK, "DISK"))
		n = 0;
	for (u32 i = from; i < n && i < from + count; i++)
		disk_item(v, &l, rows[i], 2 + i - from);
	if (!from || n > from)
		line_draw(&l, g, x, y, limit);
}

static void net_line(struct view *v, struct grid *g, u32 x, u32 y, u32 limit, u32 from, u32 count)
{
	u32 rows[BUSIEST];
	u32 n = busiest(v, TAB_NETWORK, FIELD_NETWORK_counted, FIELD_NETWORK_rx, FIELD_NETWORK_tx,
		rows, BUSIEST);
	struct line l;

	line_init(&l);
	if (from)
		line_add(&l, 0, ROLE_NORMAL, "   ", "");
	else if (!table_head(v, &l, TAB_NETWORK, "NET"))
		n = 0;
	for (u32 i = from; i < n && i < from + count; i++)
		net_item(v, &l, rows[i], 2 + i - from);
	if (!from || n > from)
		line_draw(&l, g, x, y, limit);
}

void panel_io(struct view *v, struct grid *g)
{
	u32 y = v->layout.io_y, half = g->cols / 2;

	if (g->cols < 100) {
		disk_line(v, g, 0, y, g->cols, 0, 3);
		if (v->layout.io_h > 1)
			net_line(v, g, 0, y + 1, g->cols, 0, 3);
		return;
	}
	for (u32 i = 0; i < v->layout.io_h; i++) {
		disk_line(v, g, 0, y + i, half - 1, i, 1);
		net_line(v, g, half + 1, y + i, g->cols, i, 1);
	}
}

static void file_system(struct view *v, struct grid *g, u32 row, u32 x, u32 y, u32 width)
{
	char text[VALUE_TEXT], name[48];
	struct bar_part part = {
		field_or_zero(&v->f, FIELD_FILESYSTEM_used_share, row) / 100, '|', ROLE_USER};
	u32 at, bar = width > 60 ? 20 : 10;

	field_label(name, sizeof(name), &v->f, FIELD_FILESYSTEM_mount, row);
	at = grid_str(g, x, y, x + width > bar + 22 ? x + width - bar - 22 : x, ROLE_NORMAL, name);
	(void)at;
	at = x + width - bar - 21;
	if (width < 40)
		return;
	bar_draw(g, at, y, bar, &part, 1);
	field_text(text, &v->f, FIELD_FILESYSTEM_used_share, row, VALUE_PERCENT);
	at = grid_str(
		g, at + bar + 1, y, x + width, part.share > 0.9 ? ROLE_ALERT : ROLE_STRONG, text);
	field_text(text, &v->f, FIELD_FILESYSTEM_size, row, VALUE_BYTES);
	at = grid_str(g, at, y, x + width, ROLE_DIM, " of ");
	grid_str(g, at, y, x + width, ROLE_NORMAL, text);
}

void panel_files(struct view *v, struct grid *g)
{
	u32 n = fields_rows(&v->f, TAB_FILESYSTEM), columns = g->cols >= 100 ? 2 : 1;
	u32 width = g->cols / columns, shown = 0;
	struct line l;

	if (!n || v->f.table[TAB_FILESYSTEM]->stale) {
		line_init(&l);
		table_head(v, &l, TAB_FILESYSTEM, "FS");
		line_draw(&l, g, 0, v->layout.files_y, g->cols);
		if (!n)
			return;
	}
	for (u32 row = 0; row < n && shown < v->layout.files_h * columns; row++, shown++) {
		u32 x = shown % columns * width, y = v->layout.files_y + shown / columns;

		x = grid_str(g, x, y, g->cols, ROLE_TITLE, shown ? "   " : "FS ");
		file_system(v, g, row, x, y, width - 4);
	}
}
