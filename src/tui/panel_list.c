/* The process table: heading, visible rows, and the bottom line. */
#include "tui/panel_columns.h"
#include "tui/panel_gpus.h"

#include <string.h>

#include "base/human.h"
#include "base/safe.h"
#include "base/sbuf.h"

enum { GRAPH_HINT = 2 }; /* where the hints name the key g */

void panel_heading(struct view *v, struct grid *g)
{
	struct place place[PCOLUMN_MOST];
	u32 n = columns_place(v, g->cols, place), y = v->layout.heading_y;

	grid_fill(g, 0, y, g->cols, ROLE_HEADER, ' ');
	for (u32 i = 0; i < n; i++) {
		const struct pcolumn *c = &pcolumns[place[i].column];
		u32 x = place[i].x, width = place[i].width, end;
		const char *title = column_title(v, place[i].column);
		u32 len = (u32)strlen(title);
		enum role role = place[i].column == v->list.sort ? ROLE_SORT : ROLE_HEADER;

		if (!left_aligned(c) && len < width)
			x += width - len;
		end = grid_str(g, x, y, place[i].x + width, role, title);
		/* the mark may take the blank between two columns */
		if (place[i].column == v->list.sort)
			grid_put(g, end, y, role, v->list.descending ? 0x25bc : 0x25b2);
	}
}

int panel_column_at(const struct view *v, u32 at)
{
	struct place place[PCOLUMN_MOST];
	u32 n = columns_place(v, v->layout.cols, place);

	for (u32 i = 0; i < n; i++)
		if (at <= place[i].x + place[i].width)
			return place[i].column;
	return -1;
}

static u32 format_number(const struct pcolumn *c, const struct cell *cell, char out[HUMAN_SIZE])
{
	switch (c->format) {
	case PFORMAT_COUNT:
		return human_count(out, cell->num);
	case PFORMAT_BYTES:
		return human_bytes(out, cell->num);
	case PFORMAT_PERCENT:
		return human_percent(out, cell->num);
	case PFORMAT_TIME:
		return human_cpu_time(out, cell->raw);
	case PFORMAT_WATTS:
		return human_fixed(out, cell->num, cell->num < 99.95 ? 1 : 0);
	case PFORMAT_AGE:
		return human_duration(out, cell->num * 1e9);
	case PFORMAT_PRIORITY:
		if (cell->num <= -100) {
			memcpy(out, "RT", 3);
			return 2;
		}
		return human_fixed(out, cell->num, 0);
	default:
		return human_fixed(out, cell->num, 0);
	}
}

static u32 draw_tree(const struct view *v, struct grid *g, u32 index, u32 x, u32 y, u32 key_row)
{
	const struct plist *p = &v->list;
	u32 depth = p->depth[index];
	u64 lines = p->lines[index];

	for (u32 d = 1; d <= depth && x + 2 < g->cols; d++, x += 2) {
		bool on = lines >> d & 1;

		if (d < depth) {
			if (on)
				grid_put(g, x, y, ROLE_TREE, 0x2502);
			continue;
		}
		grid_put(g, x, y, ROLE_TREE, on ? 0x251c : 0x2514);
		grid_put(g, x + 1, y, ROLE_TREE, 0x2500);
	}
	if (p->nfolded && plist_is_folded(p, v->f.table[TAB_PROCESS]->now->key[key_row])) {
		char number[16] = "+";
		u32 away = plist_rows(p, v->f.table[TAB_PROCESS], index) - 1;

		/* its values are the sums over so many more */
		human_fixed(number + 1, away, 0);
		x = grid_str(g, x, y, g->cols, ROLE_KEY, number) + 1;
	}
	return x;
}

/* Bytes of a path in front of the program's name. */
static u32 path_length(const char *text, u32 len)
{
	u32 n = 0;

	if (!len || text[0] != '/')
		return 0;
	for (u32 i = 0; i < len && text[i] != ' '; i++)
		if (text[i] == '/' && i + 1 < len && text[i + 1] != ' ')
			n = i + 1;
	return n;
}

static u32 skip_columns(const char *text, u32 len, u32 columns)
{
	u32 at = 0, width = 0;

	while (at < len && width < columns) {
		bool valid;
		u32 cp;

		at += utf8_decode(text + at, text + len, &cp, &valid);
		width += valid && safe_char(cp) ? safe_width(cp) : 1;
	}
	return at;
}

static void draw_group(
	const struct view *v, struct grid *g, u32 row, u32 x, u32 y, u32 limit, enum role role)
{
	u32 len, skip;
	const char *name = plist_group_name(&v->f, v->list.group, row, &len);

	if (!len) {
		struct cell cell;

		field_cell(&v->f, plist_group_field(v->list.group), row, &cell);
		grid_str(g, x, y, limit, role == ROLE_NORMAL ? ROLE_DIM : role,
			cell.state == CELL_ABSENT && cell.reason == REASON_NOT_ASKED
				? "known at the next look"
				: "(none)");
		return;
	}
	skip = v->scroll ? skip_columns(name, len, v->scroll) : 0;
	grid_text(g, x, y, limit, role, name + skip, len - skip);
}

static void draw_command(
	const struct view *v, struct grid *g, u32 index, u32 x, u32 y, u32 limit, enum role role)
{
	const struct fields *f = &v->f;
	u32 row = v->list.order[index], skip = 0;
	bool kernel = field_or_zero(f, FIELD_PROCESS_kernel, row) > 0;
	struct cell cell;

	if (v->list.group) {
		draw_group(v, g, row, x, y, limit, role);
		return;
	}
	if (plist_is_tree(&v->list))
		x = draw_tree(v, g, index, x, y, row);
	field_cell(f, FIELD_PROCESS_cmdline, row, &cell);
	if (cell.state == CELL_ABSENT || !cell.text_len)
		field_cell(f, FIELD_PROCESS_command, row, &cell);
	else if (v->names_only)
		skip = path_length(cell.text, cell.text_len);
	if (v->scroll)
		skip += skip_columns(cell.text + skip, cell.text_len - skip, v->scroll);
	if (kernel && role == ROLE_NORMAL)
		role = ROLE_KERNEL;
	grid_text(g, x, y, limit, role, cell.text + skip, cell.text_len - skip);
}

static enum role role_of(const struct pcolumn *c, const struct cell *cell, enum role row_role)
{
	if (row_role != ROLE_NORMAL)
		return row_role;
	if (cell->state == CELL_ABSENT)
		return ROLE_DIM;
	if (c->field == FIELD_PROCESS_state && cell->text_len)
		return cell->text[0] == 'R'   ? ROLE_OK
		       : cell->text[0] == 'D' ? ROLE_ALERT
		       : cell->text[0] == 'Z' ? ROLE_WARN
		       : cell->text[0] == 'X' ? ROLE_WARN
					      : ROLE_DIM;
	if (c->format == PFORMAT_PERCENT && cell->num >= 50)
		return ROLE_STRONG;
	if (c->format == PFORMAT_PERCENT && cell->num <= 0)
		return ROLE_DIM;
	return ROLE_NORMAL;
}

/* The end of a path that does not fit tells more than its beginning. */
static void draw_path(
	struct grid *g, u32 x, u32 y, u32 width, enum role role, const char *text, u32 len)
{
	u32 skip = 0, columns = 0;

	for (u32 at = 0; at < len; columns++)
		at += skip_columns(text + at, len - at, 1);
	if (columns > width && width) {
		skip = skip_columns(text, len, columns - width + 1);
		grid_put(g, x, y, role, 0x2026);
		x++;
		width--;
	}
	grid_text(g, x, y, x + width, role, text + skip, len - skip);
}

/* Numbers of several things: as many as fit, whole, for part of a number is another number. */
static void draw_set(
	struct grid *g, u32 x, u32 y, u32 width, enum role role, const char *text, u32 len)
{
	if (text_columns(text, len) > width) {
		while (len && (text_columns(text, len) >= width || text[len] != ','))
			len--;
		width = len;
		grid_put(g, x + width, y, role, 0x2026);
	}
	grid_text(g, x, y, x + width, role, text, len);
}

static void draw_cell(const struct view *v, struct grid *g, const struct pcolumn *c, u32 index,
	u32 x, u32 y, u32 width, enum role row_role)
{
	char number[HUMAN_SIZE + 1];
	struct cell cell;
	enum role role;
	u32 len;

	plist_cell(&v->list, &v->f, index, c, &cell);
	role = role_of(c, &cell, row_role);
	if (cell.state == CELL_ABSENT) {
		grid_put(g, left_aligned(c) ? x : x + width - 1, y, role, '-');
		return;
	}
	if (c->field == FIELD_PROCESS_gpu) {
		draw_set(g, x, y, width, role, cell.text, cell.text_len);
		return;
	}
	if (c->format == PFORMAT_TEXT) {
		grid_text(g, x, y, x + width, role, cell.text, cell.text_len);
		return;
	}
	if (c->format == PFORMAT_PATH) {
		draw_path(g, x, y, width, role, cell.text, cell.text_len);
		return;
	}
	len = format_number(c, &cell, number);
	if (cell.state == CELL_APPROX && len < width) {
		memmove(number + 1, number, len++);
		number[0] = '~';
	}
	grid_text(g, x + (len < width ? width - len : 0), y, x + width, role, number, len);
}

static void draw_process(const struct view *v, struct grid *g, u32 index, u32 y)
{
	const struct plist *p = &v->list;
	struct place place[PCOLUMN_MOST];
	u32 row = p->order[index], n = columns_place(v, g->cols, place);
	bool selected = p->has_selection && index == p->selected;
	bool tagged = v->tags.n && !p->group &&
		      tags_has(&v->tags, v->f.table[TAB_PROCESS]->now->key[row]);
	enum role role = tagged ? ROLE_TAGGED : ROLE_NORMAL;
	u32 mark = n ? place[0].width : 0;

	if (!tagged && !p->group && field_or_zero(&v->f, FIELD_PROCESS_own, row) > 0)
		role = ROLE_OWN;
	if (selected) {
		role = ROLE_SELECTED;
		grid_role(g, 0, y, g->cols, ROLE_SELECTED);
	}
	for (u32 i = 0; i < n; i++) {
		const struct pcolumn *c = &pcolumns[place[i].column];
		u32 x = place[i].x, limit = x + place[i].width;

		if (c->format == PFORMAT_COMMAND)
			draw_command(v, g, index, x, y, limit, role);
		else
			draw_cell(v, g, c, index, x, y, place[i].width, role);
	}
	/* in the blank behind the first column */
	if (tagged)
		grid_put(g, mark < g->cols ? mark : g->cols - 1, y, role, '*');
	/* without colour too it must be seen which row is selected */
	if (selected && g->cols > 1 && v->charset == CHARSET_ASCII)
		grid_put(g, g->cols - 1, y, ROLE_SELECTED, '<');
}

/* Why there is no line. */
static const char *empty_text(const struct view *v, char note[VALUE_TEXT])
{
	const struct frame_table *t = v->f.table[TAB_PROCESS];

	if (!t)
		return v->list.threads ? "threads: starting" : "processes: starting";
	if (v->list.filtered && t->n)
		return v->list.threads ? "no thread passes the filter (Esc clears it)"
				       : "no process passes the filter (Esc clears it)";
	table_note(note, t);
	if (note[0])
		return note;
	return v->list.threads ? "no threads yet" : "no processes";
}

void panel_list(struct view *v, struct grid *g)
{
	const struct layout *l = &v->layout;
	const struct frame_table *t = v->f.table[TAB_PROCESS];
	char note[VALUE_TEXT];

	plist_clamp(&v->list, l->list_h);
	for (u32 i = 0; i < l->list_h && v->list.top + i < v->list.n; i++) {
		draw_process(v, g, v->list.top + i, l->list_y + i);
		if (!v->list.group && !v->list.threads && v->nseen < SEEN_MOST)
			v->seen[v->nseen++] = t->now->key[v->list.order[v->list.top + i]];
	}
	if (!v->list.n)
		grid_str(g, 0, l->list_y, g->cols, ROLE_DIM, empty_text(v, note));
}

u32 bar_item(const struct view *v, u32 index, u32 *x, u32 *width)
{
	u32 at = 0, n = 0;

	(void)v;
	for (u32 i = 0; i < key_entry_count; i++) {
		const struct key_entry *e = &key_entries[i];
		u32 w;

		if (!e->bar)
			continue;
		w = (u32)(strcspn(e->names, " ") + strlen(e->bar)) + 1;
		if (n++ == index) {
			*x = at;
			*width = w;
			return i;
		}
		at += w;
	}
	return UINT32_MAX;
}

static void prompt(const struct view *v, struct grid *g, u32 y, const char *title)
{
	u32 x;

	grid_fill(g, 0, y, g->cols, ROLE_NORMAL, ' ');
	/* a long question leaves room for the answer */
	x = grid_str(g, 0, y, g->cols > 16 ? g->cols - 8 : g->cols, ROLE_KEY, title);
	x = grid_str(g, x, y, g->cols, ROLE_STRONG, v->entry);
	grid_put(g, x, y, ROLE_SELECTED, '_');
	if (v->entry_error[0])
		grid_str(g, x + 2, y, g->cols, ROLE_WARN, v->entry_error);
}

static void confirm(const struct view *v, struct grid *g, u32 y)
{
	grid_fill(g, 0, y, g->cols, ROLE_NORMAL, ' ');
	grid_str(g, 0, y, g->cols, ROLE_ALERT, v->question);
}

/* Other keys worth knowing, as many as there is room for. */
static void bar_hint(const struct view *v, struct grid *g, u32 x, u32 y)
{
	static const char *const hints[] = {"Space pause", "( ) interval", "g graph", "u user",
		"o own weight", "d doctor", "C columns", "H threads", "G groups"};
	static const char gpus[] = "g GPUs";
	char tagged[ITEM_TEXT];
	struct line l;
	struct sbuf sb;

	line_init(&l);
	if (v->paused)
		line_add(&l, 0, ROLE_WARN, NULL, "Space goes on");
	if (v->tags.n) {
		sbuf_init(&sb, tagged, sizeof(tagged));
		sbuf_u64(&sb, v->tags.n);
		sbuf_str(&sb, " tagged");
		line_add(&l, 0, ROLE_TAGGED, NULL, tagged);
	}
	for (u32 i = v->paused; i < ARRAY_LEN(hints); i++)
		line_add(&l, i + 1, ROLE_DIM, NULL,
			i == GRAPH_HINT && gpus_here(v) ? gpus : hints[i]);
	if (x + 14 < g->cols)
		line_draw(&l, g, x, y, g->cols);
}

void panel_bar(struct view *v, struct grid *g)
{
	u32 y = g->rows - 1, x, width, i;

	if (v->mode == MODE_FIND) {
		prompt(v, g, y, "Find: ");
		return;
	}
	if (v->mode == MODE_FILTER) {
		prompt(v, g, y, "Filter: ");
		return;
	}
	if (v->mode == MODE_NICE || v->mode == MODE_CPUS) {
		prompt(v, g, y, v->question);
		return;
	}
	if (v->mode == MODE_CONFIRM) {
		confirm(v, g, y);
		return;
	}
	if (v->message[0] && (!v->frame || v->live->at.mono_ns < v->message_until_ns)) {
		grid_fill(g, 0, y, g->cols, ROLE_NORMAL, ' ');
		grid_str(g, 0, y, g->cols, ROLE_WARN, v->message);
		return;
	}
	if (!v->layout.bar_h)
		return;
	if (v->mode == MODE_NORMAL && gpus_only(v)) {
		panel_gpu_bar(v, g, y);
		return;
	}
	for (u32 n = 0; (i = bar_item(v, n, &x, &width)) != UINT32_MAX; n++) {
		const struct key_entry *e = &key_entries[i];

		if (x + width > g->cols)
			break;
		x = grid_text(g, x, y, g->cols, ROLE_KEY, e->names, strcspn(e->names, " "));
		x = grid_str(g, x, y, g->cols, ROLE_HEADER, e->bar);
	}
	bar_hint(v, g, x + 1, y);
}
