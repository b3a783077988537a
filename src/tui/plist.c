#include "tui/plist_work.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define P(name) FIELD_PROCESS_##name

void plist_init(struct plist *p)
{
	*p = (struct plist){.sort = pcolumn_of(P(cpu)), .descending = true};
}

void plist_fini(struct plist *p)
{
	expr_free(p->expr);
	free(p->order);
	free(p->lines);
	free(p->depth);
	free(p->items);
	free(p->spare);
	free(p->parent);
	free(p->child);
	free(p->next);
	free(p->stack);
	free(p->mark);
	*p = (struct plist){0};
}

static int reserve(struct plist *p, u32 n)
{
	u32 cap = n + n / 2 + 64;

	if (n <= p->cap)
		return 0;
#define GROW(field)                                                   \
	do {                                                          \
		void *q = realloc(p->field, cap * sizeof(*p->field)); \
		if (!q)                                               \
			return -ENOMEM;                               \
		p->field = q;                                         \
	} while (0)
	GROW(order);
	GROW(lines);
	GROW(depth);
	GROW(items);
	GROW(spare);
	GROW(parent);
	GROW(child);
	GROW(next);
	GROW(stack);
	GROW(mark);
#undef GROW
	p->cap = cap;
	return 0;
}

u64 sort_key_number(double v)
{
	u64 bits;

	v += 0.0; /* -0 is 0 */
	memcpy(&bits, &v, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ull << 63;
}

/* Bottom-up merges; a run that is in order already is not touched. */
void sort_items(struct sort_item *items, struct sort_item *spare, u32 n)
{
	struct sort_item *from = items, *to = spare;

	for (u32 width = 1; width < n; width *= 2) {
		for (u32 lo = 0; lo < n; lo += 2 * width) {
			u32 mid = lo + width < n ? lo + width : n;
			u32 hi = mid + width < n ? mid + width : n;
			u32 a = lo, b = mid, w = lo;

			if (mid == hi || from[mid - 1].key <= from[mid].key) {
				memcpy(to + lo, from + lo, (hi - lo) * sizeof(*to));
				continue;
			}
			while (a < mid && b < hi)
				to[w++] = from[b].key < from[a].key ? from[b++] : from[a++];
			while (a < mid)
				to[w++] = from[a++];
			while (b < hi)
				to[w++] = from[b++];
		}
		struct sort_item *tmp = from;

		from = to;
		to = tmp;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}

const char *plist_text(const struct frame_table *t, s8 column, u32 row, u32 *len)
{
	*len = 0;
	if (column < 0 || cell_state(t->now->cell[column][row]) == CELL_ABSENT)
		return "";
	return table_get_text(t->now, row, (u32)column, len);
}

u64 plist_text_key(const char *text, u32 len)
{
	u64 key = 0;

	for (u32 i = 0; i < 8; i++) {
		u8 c = i < len ? (u8)text[i] : 0;

		if (c >= 'A' && c <= 'Z')
			c = (u8)(c + 32);
		key = key << 8 | c;
	}
	return key;
}

static u64 item_key(
	const struct fields *f, const struct frame_table *t, u32 row, const struct pcolumn *column)
{
	s8 c = f->col[column->field];
	struct cell cell;

	if (column->format == PFORMAT_TEXT || column->format == PFORMAT_COMMAND) {
		u32 len;
		const char *text = plist_text(t, c, row, &len);

		if (!len && column->format == PFORMAT_COMMAND)
			text = plist_text(t, f->col[P(command)], row, &len);
		return plist_text_key(text, len);
	}
	if (c < 0)
		return SORT_AWAY;
	/* a counter's rate, for all rows, every tick: without the detour through the cell */
	if (t->schema->columns[c].kind == COLUMN_COUNTER) {
		if (cell_state(t->cell[c][row]) == CELL_ABSENT || !t->window_ns[row])
			return SORT_AWAY;
		return sort_key_number((double)t->diff[c][row] / (double)t->window_ns[row]);
	}
	frame_cell(t, row, (u32)c, &cell);
	return cell.state == CELL_ABSENT ? SORT_AWAY : sort_key_number(cell.num);
}

static bool contains(const char *text, u32 len, const char *needle)
{
	u32 n = (u32)strlen(needle);
	char small = (char)tolower((u8)needle[0]), large = (char)toupper((u8)needle[0]);

	for (u32 i = 0; i + n <= len; i++)
		if ((text[i] == small || text[i] == large) && !strncasecmp(text + i, needle, n))
			return true;
	return false;
}

/* Case-insensitive: does the process (command, line, pid) contain needle? */
static bool plist_contains(const struct fields *f, u32 row, const char *needle)
{
	const struct frame_table *t = f->table[TAB_PROCESS];
	const char *text;
	double pid;
	u32 len;

	if (!t || row >= t->n)
		return false;
	text = plist_text(t, f->col[P(cmdline)], row, &len);
	if (len && contains(text, len, needle))
		return true;
	text = plist_text(t, f->col[P(command)], row, &len);
	if (contains(text, len, needle))
		return true;
	return needle[0] >= '1' && needle[0] <= '9' && field_num(f, P(pid), row, &pid) &&
	       pid == strtod(needle, NULL);
}

static bool raw_flag(const struct frame_table *t, s8 column, u32 row)
{
	return column >= 0 && cell_state(t->now->cell[column][row]) != CELL_ABSENT &&
	       t->now->col[column][row];
}

static bool passes(struct plist *p, const struct fields *f, const struct frame *frame, u32 row)
{
	const struct frame_table *t = f->table[TAB_PROCESS];

	if (p->hide_kernel && raw_flag(t, f->col[P(kernel)], row))
		return false;
	if (p->user[0]) {
		u32 len;
		const char *text = plist_text(t, f->col[P(user)], row, &len);

		if (len != strlen(p->user) || memcmp(text, p->user, len))
			return false;
	}
	if (p->inside && plist_group_key(f, p->inside, row) != p->inside_key)
		return false;
	if (p->needle[0] && !plist_contains(f, row, p->needle))
		return false;
	return !p->expr || expr_match(p->expr, frame, t, row);
}

static void find_selected(struct plist *p, const struct frame_table *t)
{
	u32 before = p->selected;

	if (!p->has_selection)
		return;
	for (u32 i = 0; i < p->n; i++) {
		if (plist_key(p, t, i) != p->selected_key)
			continue;
		p->selected = i;
		return;
	}
	p->selected = p->n;
	if ((!p->group && table_find(t->now, p->selected_key) >= 0) || !p->n)
		return; /* it lives, but is filtered out or folded away */
	/* it has ended: the one in its place, but nobody asked to follow that one */
	p->lost = p->follow;
	p->follow = false;
	p->selected = before < p->n ? before : p->n - 1;
	p->selected_key = plist_key(p, t, p->selected);
}

int plist_update(struct plist *p, const struct fields *f, const struct frame *frame)
{
	const struct frame_table *t = f->table[TAB_PROCESS];
	const struct pcolumn *column = &pcolumns[p->sort];
	bool tree = plist_is_tree(p);
	u32 n = 0;
	int ret;

	p->matched = 0;
	p->matched_cpu = 0;
	p->filtered = p->needle[0] || p->expr || p->user[0] || p->hide_kernel || p->inside;
	p->n = 0;
	if (!t)
		return 0;
	ret = reserve(p, t->n + 1);
	if (ret)
		return ret;
	for (u32 row = 0; row < t->n; row++) {
		bool pass = !p->filtered || passes(p, f, frame, row);
		u64 key;

		p->mark[row] = pass ? MARK_WANTED : 0;
		if (!pass && !tree)
			continue;
		key = p->group ? 0 : item_key(f, t, row, column);
		if (p->descending && key != SORT_AWAY)
			key = ~key;
		p->items[n++] = (struct sort_item){.key = key, .row = row};
		if (!pass)
			continue;
		p->matched++;
		if (p->filtered)
			p->matched_cpu += field_or_zero(f, P(cpu), row);
	}
	if (p->group) {
		plist_group_order(p, f, n);
		find_selected(p, t);
		return 0;
	}
	sort_items(p->items, p->spare, n);
	if (tree) {
		plist_tree_order(p, f, n);
	} else {
		for (u32 i = 0; i < n; i++)
			p->order[i] = p->items[i].row;
		p->n = n;
	}
	find_selected(p, t);
	return 0;
}

void plist_clamp(struct plist *p, u32 rows)
{
	if (p->follow && p->has_selection && p->selected < p->n && rows) {
		if (p->selected < p->top)
			p->top = p->selected;
		else if (p->selected >= p->top + rows)
			p->top = p->selected - rows + 1;
	}
	if (p->top + rows > p->n)
		p->top = p->n > rows ? p->n - rows : 0;
}

void plist_select(struct plist *p, const struct fields *f, u32 index, u32 rows)
{
	const struct frame_table *t = f->table[TAB_PROCESS];

	if (!t || !p->n)
		return;
	if (index >= p->n)
		index = p->n - 1;
	p->has_selection = true;
	p->selected = index;
	p->selected_key = plist_key(p, t, index);
	if (index < p->top)
		p->top = index;
	else if (rows && index >= p->top + rows)
		p->top = index - rows + 1;
}

void plist_move(struct plist *p, const struct fields *f, s64 step, u32 rows)
{
	s64 to;

	if (!p->has_selection || p->selected >= p->n)
		to = step > 0 ? (s64)p->top + step - 1 : (s64)p->top;
	else
		to = (s64)p->selected + step;
	plist_select(p, f, to < 0 ? 0 : to > (s64)p->n ? p->n : (u32)to, rows);
}

s64 plist_row(const struct plist *p, const struct fields *f)
{
	if (!p->has_selection || p->group || !f->table[TAB_PROCESS])
		return -1;
	return table_find(f->table[TAB_PROCESS]->now, p->selected_key);
}

static bool group_contains(
	const struct plist *p, const struct fields *f, u32 row, const char *needle)
{
	u32 len;
	const char *name = plist_group_name(f, p->group, row, &len);

	return contains(name, len, needle);
}

bool plist_find(
	struct plist *p, const struct fields *f, const char *needle, bool from_next, u32 rows)
{
	u32 start = p->has_selection && p->selected < p->n ? p->selected + from_next : 0;

	for (u32 i = 0; needle[0] && i < p->n; i++) {
		u32 at = (start + i) % p->n;

		if (p->group ? !group_contains(p, f, p->order[at], needle)
			     : !plist_contains(f, p->order[at], needle))
			continue;
		plist_select(p, f, at, rows);
		return true;
	}
	return false;
}
