/* The sums below the process list, which must add up to the machine's busy time. */
#include <string.h>

#include "base/human.h"
#include "base/sbuf.h"
#include "tui/panel_columns.h"

enum { EXITED_GROUPS = 4 };

static u32 cpu_end(const struct view *v, u32 cols)
{
	struct place place[PCOLUMN_MOST];
	u32 n = columns_place(v, cols, place);

	for (u32 i = 0; i < n; i++)
		if (pcolumns[place[i].column].field == FIELD_PROCESS_cpu)
			return place[i].x + place[i].width;
	return 0;
}

static u32 sum_line(
	const struct view *v, struct grid *g, u32 y, const char *name, bool known, double value)
{
	char number[HUMAN_SIZE];
	u32 end = cpu_end(v, g->cols), len, title;

	title = grid_str(g, 0, y, g->cols, ROLE_TITLE, name);
	if (known)
		len = human_percent(number, value);
	else
		len = (u32)strlen(strcpy(number, "-"));
	if (end < title + 1 + len)
		end = title + 1 + len; /* the column is not there, or too far left */
	grid_str(g, end - len, y, g->cols, ROLE_STRONG, number);
	return end + 1;
}

/* Under the columns of GPUs: their sums, or of it what the lines on the screen do not show. */
static void gpu_sums(const struct view *v, struct grid *g, u32 y, u32 from, bool more)
{
	static const u32 fields[] = {FIELD_PROCESS_gpu_busy, FIELD_PROCESS_gpu_memory};
	const struct plist *p = &v->list;
	struct place place[PCOLUMN_MOST];
	u32 n = columns_place(v, g->cols, place);

	for (u32 i = 0; i < n * ARRAY_LEN(fields); i++) {
		const struct place *at = &place[i / ARRAY_LEN(fields)];
		const struct pcolumn *c = &pcolumns[at->column];
		char number[HUMAN_SIZE];
		double sum;
		u32 len;

		if (c->field != fields[i % ARRAY_LEN(fields)] || at->x < from ||
			!field_num(&v->f, (enum field)c->field, ROW_TOTAL, &sum))
			continue;
		for (u32 k = p->top; more && k < p->n && k < p->top + v->layout.list_h; k++) {
			struct cell cell;

			plist_cell(p, &v->f, k, c, &cell);
			sum -= cell.num;
		}
		sum = sum < 0.05 ? 0 : sum;
		len = c->format == PFORMAT_BYTES ? human_bytes(number, sum)
						 : human_percent(number, sum);
		grid_str(g, at->x + (len < at->width ? at->width - len : 0), y, g->cols,
			more ? ROLE_NORMAL : ROLE_STRONG, number);
	}
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

/* Lines that the screen has no room for, and what they add to the CPU's sum. */
static void more_text(const struct view *v, char out[VALUE_TEXT], double *cpu)
{
	const struct plist *p = &v->list;
	const struct frame_table *t = v->f.table[TAB_PROCESS];
	const struct pcolumn *column = &pcolumns[pcolumn_of(FIELD_PROCESS_cpu)];
	u32 end = p->top + v->layout.list_h, lines = 0, rows = 0;
	struct sbuf sb;

	end = end < p->n ? end : p->n;
	*cpu = field_or_zero(&v->f, FIELD_PROCESS_cpu, ROW_TOTAL);
	for (u32 i = p->top; t && i < end; i++) {
		struct cell cell;

		plist_cell(p, &v->f, i, column, &cell);
		*cpu -= cell.num;
		rows += plist_rows(p, t, i);
		lines++;
	}
	sbuf_init(&sb, out, VALUE_TEXT);
	sbuf_str(&sb, "…");
	sbuf_u64(&sb, !t ? 0 : p->group ? p->n - lines : t->n > rows ? t->n - rows : 0);
	sbuf_str(&sb, p->group ? " more groups" : p->threads ? " more threads" : " more");
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
	if (p->inside) {
		static const char *const kinds[GROUP_COUNT] = {[GROUP_USER] = ", user ",
			[GROUP_CGROUP] = ", cgroup ",
			[GROUP_CONTAINER] = ", container "};

		sbuf_str(&sb, kinds[p->inside]);
		sbuf_str(&sb, p->inside_name);
	}
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

/* "= proc 1550 + exited 71.4 + irq 25.6 + unattributed 33.3" */
static void balance_text(const struct sums *s, char out[ITEM_TEXT])
{
	char number[HUMAN_SIZE];
	struct sbuf sb;

	sbuf_init(&sb, out, ITEM_TEXT);
	if (!s->known || !s->has_processes)
		return;
	human_percent(number, s->processes);
	sbuf_str(&sb, s->has_exited ? "= proc " : "= processes ");
	sbuf_str(&sb, number);
	if (s->has_exited) {
		human_percent(number, s->exited);
		sbuf_str(&sb, " + exited ");
		sbuf_str(&sb, number);
	}
	human_percent(number, s->irq + s->steal);
	sbuf_str(&sb, s->steal > 0 ? " + irq, steal " : " + irq ");
	sbuf_str(&sb, number);
	human_percent(number, s->unattributed);
	sbuf_str(&sb, " + unattributed ");
	sbuf_str(&sb, number);
}

/* "cc1 ← make  1841/s  71.4%" */
static void exited_group(const struct view *v, struct line *l, u32 row, u32 priority)
{
	char text[ITEM_TEXT], name[24], number[HUMAN_SIZE];
	struct sbuf sb;
	double value;

	sbuf_init(&sb, text, sizeof(text));
	field_label(name, sizeof(name), &v->f, FIELD_EXITED_name, row);
	sbuf_str(&sb, name[0] ? name : "?");
	field_label(name, sizeof(name), &v->f, FIELD_EXITED_parent, row);
	if (name[0]) {
		sbuf_str(&sb, " ← ");
		sbuf_str(&sb, name);
	}
	if (field_num(&v->f, FIELD_EXITED_exits, row, &value)) {
		human_count(number, value);
		sbuf_str(&sb, "  ");
		sbuf_str(&sb, number);
		sbuf_str(&sb, "/s");
	}
	if (field_num(&v->f, FIELD_EXITED_cpu, row, &value)) {
		human_percent(number, value);
		sbuf_str(&sb, "  ");
		sbuf_str(&sb, number);
		sbuf_char(&sb, '%');
	}
	line_add(l, priority, priority ? ROLE_DIM : ROLE_NORMAL, NULL, text);
}

/* Those that took the most CPU time first. */
static void exited_groups(const struct view *v, struct line *l)
{
	u32 best[EXITED_GROUPS], n = 0;
	double most[EXITED_GROUPS];

	for (u32 row = 0; row < fields_rows(&v->f, TAB_EXITED); row++) {
		double exits = field_or_zero(&v->f, FIELD_EXITED_exits, row);
		/* of those without CPU time, the most frequent */
		double weight = field_or_zero(&v->f, FIELD_EXITED_cpu, row) + exits * 1e-6;
		u32 at = n;

		if (weight <= 0)
			continue;
		while (at && most[at - 1] < weight)
			at--;
		if (at == EXITED_GROUPS)
			continue;
		n += n < EXITED_GROUPS;
		for (u32 i = n - 1; i > at; i--) {
			best[i] = best[i - 1];
			most[i] = most[i - 1];
		}
		best[at] = row;
		most[at] = weight;
	}
	for (u32 i = 0; i < n; i++)
		exited_group(v, l, best[i], i);
}

static void exited_line(const struct view *v, struct grid *g, u32 y, const struct sums *s)
{
	char text[VALUE_TEXT], number[HUMAN_SIZE];
	struct line line;
	struct sbuf sb;
	u32 x;

	sbuf_init(&sb, text, sizeof(text));
	sbuf_str(&sb, "exited");
	if (s->has_exited) {
		human_count(number, s->exits);
		sbuf_char(&sb, ' ');
		sbuf_str(&sb, number);
		sbuf_str(&sb, "/s");
	}
	x = sum_line(v, g, y, text, s->has_exited, s->exited);
	line_init(&line);
	exited_groups(v, &line);
	line_draw(&line, g, x + 1, y, g->cols);
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
	else
		gpu_sums(v, g, y - 1, x, true);
	if (v->f.table[TAB_EXITED])
		exited_line(v, g, y++, &s);
	sum_line(v, g, y++, s.steal > 0 ? "irq, steal" : "irq", s.known, s.irq + s.steal);
	sum_line(v, g, y++, "unattributed", s.known && s.has_processes, s.unattributed);
	x = sum_line(v, g, y, "TOTAL", s.known, s.busy);
	equation(v, &s, text);
	x = grid_str(g, x, y, g->cols, ROLE_DIM, text);
	gpu_sums(v, g, y, x, false);
}
