/* The process table: heading, visible rows, the sums that must add up, and the bottom line. */
#include "tui/panel.h"

#include <string.h>

#include "base/human.h"
#include "base/safe.h"
#include "base/sbuf.h"

static bool shown(const struct view *v, u32 column, u32 cols)
{
	return pcolumns[column].least_cols <= cols || column == v->list.sort;
}

static u32 width_of(const struct view *v, u32 column, u32 x, u32 cols)
{
	u32 width = pcolumns[column].width;
	const struct frame_table *t = v->f.table[TAB_PROCESS];

	if (!width)
		return cols > x ? cols - x : 0;
	/* pids are as wide as the largest one needs */
	if (t && t->n &&
		(pcolumns[column].field == FIELD_PROCESS_pid ||
			pcolumns[column].field == FIELD_PROCESS_ppid)) {
		u64 most = t->now->key[t->n - 1] >> 42;

		for (width = 5; most >= 100000; most /= 10)
			width++;
	}
	return width;
}

static bool left_aligned(const struct pcolumn *c)
{
	return c->format == PFORMAT_TEXT || c->format == PFORMAT_COMMAND;
}

void panel_heading(struct view *v, struct grid *g)
{
	u32 x = 0, y = v->layout.heading_y;

	grid_fill(g, 0, y, g->cols, ROLE_HEADER, ' ');
	for (u32 i = 0; i < pcolumn_count && x < g->cols; i++) {
		const struct pcolumn *c = &pcolumns[i];
		u32 width, len, at, end;
		enum role role = i == v->list.sort ? ROLE_SORT : ROLE_HEADER;

		if (!shown(v, i, g->cols))
			continue;
		width = width_of(v, i, x, g->cols);
		len = (u32)strlen(c->title);
		at = left_aligned(c) || len >= width ? x : x + width - len;
		end = grid_str(g, at, y, x + width, role, c->title);
		/* the mark may take the blank between two columns */
		if (i == v->list.sort)
			grid_put(g, end, y, role, v->list.descending ? 0x25bc : 0x25b2);
		x += width + 1;
	}
}

int panel_column_at(const struct view *v, u32 at)
{
	u32 x = 0;

	for (u32 i = 0; i < pcolumn_count; i++) {
		if (!shown(v, i, v->layout.cols))
			continue;
		x += width_of(v, i, x, v->layout.cols) + 1;
		if (at < x)
			return (int)i;
	}
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
		grid_put(g, x, y, ROLE_KEY, '+');
		x += 2;
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

static void draw_command(
	const struct view *v, struct grid *g, u32 index, u32 x, u32 y, enum role role)
{
	const struct fields *f = &v->f;
	u32 row = v->list.order[index], skip = 0;
	bool kernel = field_or_zero(f, FIELD_PROCESS_kernel, row) > 0;
	struct cell cell;

	if (v->list.tree)
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
	grid_text(g, x, y, g->cols, role, cell.text + skip, cell.text_len - skip);
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
					      : ROLE_DIM;
	if (c->format == PFORMAT_PERCENT && cell->num >= 50)
		return ROLE_STRONG;
	if (c->format == PFORMAT_PERCENT && cell->num <= 0)
		return ROLE_DIM;
	return ROLE_NORMAL;
}

static void draw_cell(const struct view *v, struct grid *g, const struct pcolumn *c, u32 row, u32 x,
	u32 y, u32 width, enum role row_role)
{
	char number[HUMAN_SIZE];
	struct cell cell;
	enum role role;
	u32 len;

	field_cell(&v->f, c->field, row, &cell);
	role = role_of(c, &cell, row_role);
	if (cell.state == CELL_ABSENT) {
		grid_put(g, left_aligned(c) ? x : x + width - 1, y, role, '-');
		return;
	}
	if (c->format == PFORMAT_TEXT) {
		grid_text(g, x, y, x + width, role, cell.text, cell.text_len);
		return;
	}
	len = format_number(c, &cell, number);
	grid_text(g, x + (len < width ? width - len : 0), y, x + width, role, number, len);
}

static void draw_process(const struct view *v, struct grid *g, u32 index, u32 y)
{
	const struct plist *p = &v->list;
	u32 row = p->order[index], x = 0;
	bool selected = p->has_selection && index == p->selected;
	bool tagged = v->tags.n && tags_has(&v->tags, v->f.table[TAB_PROCESS]->now->key[row]);
	enum role role = tagged ? ROLE_TAGGED : ROLE_NORMAL;
	u32 mark = 0;

	if (!tagged && field_or_zero(&v->f, FIELD_PROCESS_own, row) > 0)
		role = ROLE_OWN;
	if (selected) {
		role = ROLE_SELECTED;
		grid_role(g, 0, y, g->cols, ROLE_SELECTED);
	}
	for (u32 i = 0; i < pcolumn_count && x < g->cols; i++) {
		const struct pcolumn *c = &pcolumns[i];
		u32 width;

		if (!shown(v, i, g->cols))
			continue;
		width = width_of(v, i, x, g->cols);
		if (c->format == PFORMAT_COMMAND)
			draw_command(v, g, index, x, y, role);
		else
			draw_cell(v, g, c, row, x, y, width, role);
		mark = mark ? mark : width;
		x += width + 1;
	}
	/* in the blank behind the first column */
	if (tagged)
		grid_put(g, mark < g->cols ? mark : g->cols - 1, y, role, '*');
	/* without colour too it must be seen which row is selected */
	if (selected && g->cols > 1 && v->charset == CHARSET_ASCII)
		grid_put(g, g->cols - 1, y, ROLE_SELECTED, '<');
}

void panel_list(struct view *v, struct grid *g)
{
	const struct layout *l = &v->layout;
	const struct frame_table *t = v->f.table[TAB_PROCESS];
	char note[VALUE_TEXT];

	plist_clamp(&v->list, l->list_h);
	for (u32 i = 0; i < l->list_h && v->list.top + i < v->list.n; i++)
		draw_process(v, g, v->list.top + i, l->list_y + i);
	if (v->list.n)
		return;
	table_note(note, t);
	grid_str(g, 0, l->list_y, g->cols, ROLE_DIM,
		!t                 ? "processes: starting"
		: v->list.filtered ? "no process passes the filter (Esc clears it)"
		: note[0]          ? note
				   : "no processes");
}

static u32 cpu_end(const struct view *v, u32 cols)
{
	u32 x = 0;

	for (u32 i = 0; i < pcolumn_count; i++) {
		if (!shown(v, i, cols))
			continue;
		x += width_of(v, i, x, cols);
		if (pcolumns[i].field == FIELD_PROCESS_cpu)
			return x;
		x++;
	}
	return x;
}

static u32 sum_line(
	const struct view *v, struct grid *g, u32 y, const char *name, bool known, double value)
{
	char number[HUMAN_SIZE];
	u32 end = cpu_end(v, g->cols), len;

	grid_str(g, 0, y, g->cols, ROLE_TITLE, name);
	if (known)
		len = human_percent(number, value);
	else
		len = (u32)strlen(strcpy(number, "-"));
	grid_str(g, end > len ? end - len : 0, y, g->cols, ROLE_STRONG, number);
	return end + 1;
}

/* " = 64×37.2%", and what is taken off. */
static void equation(const struct view *v, const struct sums *s, char out[VALUE_TEXT])
{
	char number[HUMAN_SIZE];
	struct sbuf sb;

	sbuf_init(&sb, out, VALUE_TEXT);
	if (!s->known)
		return;
	human_percent(number, s->busy_share);
	sbuf_str(&sb, "= ");
	sbuf_u64(&sb, s->cpus);
	sbuf_str(&sb, "×");
	sbuf_str(&sb, number);
	sbuf_char(&sb, '%');
	if (!v->without_own)
		return;
	human_percent(number, s->own);
	sbuf_str(&sb, ", without tare's ");
	sbuf_str(&sb, number);
}

static void more_text(const struct view *v, char out[VALUE_TEXT], double *cpu)
{
	const struct plist *p = &v->list;
	u32 end = p->top + v->layout.list_h, seen;
	struct sbuf sb;

	end = end < p->n ? end : p->n;
	seen = end > p->top ? end - p->top : 0;
	sbuf_init(&sb, out, VALUE_TEXT);
	sbuf_str(&sb, "…");
	sbuf_u64(&sb, v->f.table[TAB_PROCESS] ? v->f.table[TAB_PROCESS]->n - seen : 0);
	sbuf_str(&sb, " more");
	*cpu = field_or_zero(&v->f, FIELD_PROCESS_cpu, ROW_TOTAL);
	for (u32 i = p->top; i < end; i++)
		*cpu -= field_or_zero(&v->f, FIELD_PROCESS_cpu, p->order[i]);
	if (*cpu < 0.05 && *cpu > -0.05)
		*cpu = 0;
}

static void filter_text(const struct view *v, char out[ITEM_TEXT])
{
	const struct plist *p = &v->list;
	struct sbuf sb;

	sbuf_init(&sb, out, ITEM_TEXT);
	sbuf_u64(&sb, p->matched);
	sbuf_str(&sb, " of ");
	sbuf_u64(&sb, fields_rows(&v->f, TAB_PROCESS));
	if (p->hide_kernel)
		sbuf_str(&sb, ", no kernel threads");
	if (p->user[0]) {
		sbuf_str(&sb, ", user ");
		sbuf_str(&sb, p->user);
	}
	if (v->filter[0]) {
		sbuf_str(&sb, ", ");
		sbuf_str(&sb, v->filter);
	}
}

/* "= processes 1550 + irq 25.6 + unattributed 33.3" */
static void balance_text(const struct sums *s, char out[ITEM_TEXT])
{
	char number[HUMAN_SIZE];
	struct sbuf sb;

	sbuf_init(&sb, out, ITEM_TEXT);
	if (!s->known || !s->has_processes)
		return;
	human_percent(number, s->processes);
	sbuf_str(&sb, "= processes ");
	sbuf_str(&sb, number);
	human_percent(number, s->irq + s->steal);
	sbuf_str(&sb, s->steal > 0 ? " + irq, steal " : " + irq ");
	sbuf_str(&sb, number);
	human_percent(number, s->unattributed);
	sbuf_str(&sb, " + unattributed ");
	sbuf_str(&sb, number);
}

void panel_sums(struct view *v, struct grid *g)
{
	const struct layout *l = &v->layout;
	char text[VALUE_TEXT], filter[ITEM_TEXT], balance[ITEM_TEXT];
	struct sums s;
	struct line line;
	u32 x, y = l->sums_y;
	double more;

	view_sums(v, &s);
	line_init(&line);
	if (v->list.filtered)
		filter_text(v, filter);
	if (l->sums_h < 4) {
		char number[HUMAN_SIZE] = "-";

		if (s.known)
			human_percent(number, s.busy);
		equation(v, &s, text);
		line_add(&line, 0, ROLE_STRONG, "TOTAL", number);
		line_add(&line, 1, ROLE_DIM, NULL, text);
		balance_text(&s, balance);
		line_add(&line, 3, ROLE_NORMAL, NULL, balance);
		if (v->list.filtered)
			line_add(&line, 2, ROLE_WARN, "shown", filter);
		line_draw(&line, g, 0, y, g->cols);
		return;
	}
	more_text(v, text, &more);
	x = sum_line(v, g, y++, text, v->f.table[TAB_PROCESS] != NULL, more);
	if (v->list.filtered)
		grid_str(g, x + 1, y - 1, g->cols, ROLE_WARN, filter);
	sum_line(v, g, y++, s.steal > 0 ? "irq, steal" : "irq", s.known, s.irq + s.steal);
	sum_line(v, g, y++, "unattributed", s.known && s.has_processes, s.unattributed);
	x = sum_line(v, g, y, "TOTAL", s.known, s.busy);
	equation(v, &s, text);
	grid_str(g, x, y, g->cols, ROLE_DIM, text);
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
	static const char *const hints[] = {
		"Space pause", "( ) interval", "g graph", "u user", "o own weight", "d doctor"};
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
		line_add(&l, i + 1, ROLE_DIM, NULL, hints[i]);
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
	for (u32 n = 0; (i = bar_item(v, n, &x, &width)) != UINT32_MAX; n++) {
		const struct key_entry *e = &key_entries[i];

		if (x + width > g->cols)
			break;
		x = grid_text(g, x, y, g->cols, ROLE_KEY, e->names, strcspn(e->names, " "));
		x = grid_str(g, x, y, g->cols, ROLE_HEADER, e->bar);
	}
	bar_hint(v, g, x + 1, y);
}
