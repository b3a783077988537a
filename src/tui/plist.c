#include "tui/plist.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define P(name)   FIELD_PROCESS_##name
#define ONLY_WHEN 0xffff
#define SORT_AWAY UINT64_MAX /* absent values stand last in both directions */

/* htop's order and headings where htop has them. */
const struct pcolumn pcolumns[] = {
	{P(pid), PFORMAT_NUMBER, 7, 0, true, "PID", "process id"},
	{P(ppid), PFORMAT_NUMBER, 7, 150, true, "PPID", "parent's process id"},
	{P(user), PFORMAT_TEXT, 9, 48, true, "USER", "owner"},
	{P(priority), PFORMAT_PRIORITY, 3, 110, true, "PRI", "kernel priority"},
	{P(nice), PFORMAT_NUMBER, 3, 110, true, "NI", "nice value"},
	{P(virtual), PFORMAT_BYTES, 5, 120, false, "VIRT", "address space"},
	{P(resident), PFORMAT_BYTES, 5, 38, false, "RES", "memory in RAM"},
	{P(shared), PFORMAT_BYTES, 5, 120, false, "SHR", "of it shared or file-backed"},
	{P(state), PFORMAT_TEXT, 1, 30, true, "S", "state: R runs, S sleeps, D waits, Z dead"},
	{P(cpu), PFORMAT_PERCENT, 6, 0, false, "CPU%", "CPU time, 100 is one CPU"},
	{P(threads), PFORMAT_COUNT, 4, 70, false, "THR", "threads"},
	{P(memory), PFORMAT_PERCENT, 5, 60, false, "MEM%", "share of the machine's memory"},
	{P(time), PFORMAT_TIME, 8, 56, false, "TIME+", "CPU time since its start"},
	{P(user_cpu), PFORMAT_PERCENT, 6, ONLY_WHEN, false, "USR%", "CPU time in user mode"},
	{P(system_cpu), PFORMAT_PERCENT, 6, ONLY_WHEN, false, "SYS%", "CPU time in the kernel"},
	{P(minor_faults), PFORMAT_COUNT, 6, ONLY_WHEN, false, "MINFLT", "page faults a second"},
	{P(major_faults), PFORMAT_COUNT, 6, ONLY_WHEN, false, "MAJFLT",
		"faults that read the disk"},
	{P(started), PFORMAT_AGE, 6, ONLY_WHEN, true, "AGE", "time since its start"},
	{P(processor), PFORMAT_NUMBER, 3, ONLY_WHEN, true, "CPU", "CPU that it ran on last"},
	{P(cmdline), PFORMAT_COMMAND, 0, 0, true, "COMMAND", "program and arguments"},
};
const u32 pcolumn_count = ARRAY_LEN(pcolumns);

int pcolumn_find(const char *name)
{
	for (u32 i = 0; i < pcolumn_count; i++)
		if (!strcmp(field_name(pcolumns[i].field), name) ||
			!strcasecmp(pcolumns[i].title, name))
			return (int)i;
	return strcmp(name, "command") ? -1 : (int)pcolumn_count - 1;
}

u32 pcolumn_of(enum field field)
{
	for (u32 i = 0; i < pcolumn_count; i++)
		if (pcolumns[i].field == field)
			return i;
	return 0;
}

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

static const char *text_of(const struct frame_table *t, s8 column, u32 row, u32 *len)
{
	*len = 0;
	if (column < 0 || cell_state(t->now->cell[column][row]) == CELL_ABSENT)
		return "";
	return table_get_text(t->now, row, (u32)column, len);
}

/* The first eight bytes, capitals as small letters: enough to order names in a list. */
static u64 text_key(const char *text, u32 len)
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
		const char *text = text_of(t, c, row, &len);

		if (!len && column->format == PFORMAT_COMMAND)
			text = text_of(t, f->col[P(command)], row, &len);
		return text_key(text, len);
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
	text = text_of(t, f->col[P(cmdline)], row, &len);
	if (len && contains(text, len, needle))
		return true;
	text = text_of(t, f->col[P(command)], row, &len);
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
		const char *text = text_of(t, f->col[P(user)], row, &len);

		if (len != strlen(p->user) || memcmp(text, p->user, len))
			return false;
	}
	if (p->needle[0] && !plist_contains(f, row, p->needle))
		return false;
	return !p->expr || expr_match(p->expr, frame, t, row);
}

/* Row of the process with this pid: keys begin with it. */
static u32 row_of_pid(const struct table *t, u64 pid)
{
	u64 key = pid << 42;
	u32 lo = 0, hi = t->n;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (t->key[mid] < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n && t->key[lo] >> 42 == pid ? lo : UINT32_MAX;
}

bool plist_is_folded(const struct plist *p, u64 key)
{
	for (u32 i = 0; i < p->nfolded; i++)
		if (p->folded[i] == key)
			return true;
	return false;
}

void plist_fold(struct plist *p, u64 key, bool fold)
{
	if (fold) {
		if (!plist_is_folded(p, key) && p->nfolded < PLIST_FOLDED)
			p->folded[p->nfolded++] = key;
		return;
	}
	for (u32 i = 0; i < p->nfolded; i++)
		if (p->folded[i] == key)
			p->folded[i] = p->folded[--p->nfolded];
}

void plist_fold_all(struct plist *p, const struct fields *f)
{
	const struct frame_table *t = f->table[TAB_PROCESS];

	if (p->nfolded || !t || !p->tree) {
		p->nfolded = 0;
		return;
	}
	for (u32 row = 0; row < t->n && row < p->cap; row++)
		if (p->child[row] != UINT32_MAX)
			plist_fold(p, t->now->key[row], true);
}

/* Parents of all rows; then children as lists, in the order of items (pushed back to front). */
static void tree_links(struct plist *p, const struct fields *f, u32 n)
{
	const struct frame_table *t = f->table[TAB_PROCESS];
	s8 ppid = f->col[P(ppid)];

	for (u32 row = 0; row < t->n; row++) {
		p->child[row] = p->next[row] = p->parent[row] = UINT32_MAX;
		if (ppid >= 0 && cell_state(t->now->cell[ppid][row]) != CELL_ABSENT)
			p->parent[row] = row_of_pid(t->now, t->now->col[ppid][row]);
		if (p->parent[row] == row)
			p->parent[row] = UINT32_MAX;
	}
	for (u32 i = n; i-- > 0;) {
		u32 row = p->items[i].row, up = p->parent[row];

		if (up == UINT32_MAX)
			continue;
		p->next[row] = p->child[up];
		p->child[up] = row;
	}
}

enum { MARK_WANTED = 1, MARK_DONE = 2 };

/* One root and all below it. The waiting rows share the arrays with the ones that are done: a row
 * waits at the far end, so neither overtakes the other. */
static void tree_walk(struct plist *p, const struct frame_table *t, u32 root, u32 room)
{
	u32 wait = room;

	p->mark[root] |= MARK_DONE;
	p->stack[--wait] = root;
	p->depth[wait] = 0;
	p->lines[wait] = 0;
	while (wait < room) {
		u32 row = p->stack[wait], depth = p->depth[wait], first = wait + 1;
		u64 lines = p->lines[wait++];

		p->order[p->n] = row;
		p->depth[p->n] = (u8)depth;
		p->lines[p->n++] = lines;
		if (p->nfolded && plist_is_folded(p, t->now->key[row]))
			continue;
		if (depth < PLIST_DEPTH)
			depth++;
		for (u32 c = p->child[row]; c != UINT32_MAX; c = p->next[c]) {
			if (p->mark[c] != MARK_WANTED)
				continue;
			p->mark[c] |= MARK_DONE;
			p->stack[--wait] = c;
			p->depth[wait] = (u8)depth;
			p->lines[wait] = lines | 1ull << depth;
		}
		if (wait == first)
			continue;
		/* taken from the near end: turn them round; below the last one no line goes on */
		for (u32 a = wait, b = first - 1; a < b; a++, b--) {
			u32 tmp = p->stack[a];

			p->stack[a] = p->stack[b];
			p->stack[b] = tmp;
		}
		p->lines[first - 1] &= ~(1ull << depth);
	}
}

static void tree_order(struct plist *p, const struct fields *f, u32 n)
{
	const struct frame_table *t = f->table[TAB_PROCESS];

	tree_links(p, f, n);
	p->n = 0;
	/* every row that passed is wanted, and all above it */
	for (u32 i = 0; i < n; i++) {
		u32 row = p->items[i].row;

		if (!(p->mark[row] & MARK_WANTED))
			continue;
		for (u32 up = p->parent[row]; up != UINT32_MAX && !(p->mark[up] & MARK_WANTED);
			up = p->parent[up])
			p->mark[up] |= MARK_WANTED;
	}
	for (u32 i = 0; i < n; i++) {
		u32 row = p->items[i].row;

		if (p->mark[row] == MARK_WANTED && p->parent[row] == UINT32_MAX)
			tree_walk(p, t, row, p->cap);
	}
	if (p->nfolded)
		return;
	/* parents in a circle: nobody is above them */
	for (u32 i = 0; i < n; i++)
		if (p->mark[p->items[i].row] == MARK_WANTED)
			tree_walk(p, t, p->items[i].row, p->cap);
}

static void find_selected(struct plist *p, const struct frame_table *t)
{
	u32 before = p->selected;

	if (!p->has_selection)
		return;
	for (u32 i = 0; i < p->n; i++) {
		if (t->now->key[p->order[i]] != p->selected_key)
			continue;
		p->selected = i;
		return;
	}
	p->selected = p->n;
	if (table_find(t->now, p->selected_key) >= 0 || !p->n)
		return; /* it lives, but is filtered out or folded away */
	/* it has ended: the one in its place, but nobody asked to follow that one */
	p->lost = p->follow;
	p->follow = false;
	p->selected = before < p->n ? before : p->n - 1;
	p->selected_key = t->now->key[p->order[p->selected]];
}

int plist_update(struct plist *p, const struct fields *f, const struct frame *frame)
{
	const struct frame_table *t = f->table[TAB_PROCESS];
	const struct pcolumn *column = &pcolumns[p->sort];
	u32 n = 0;
	int ret;

	p->matched = 0;
	p->matched_cpu = 0;
	p->filtered = p->needle[0] || p->expr || p->user[0] || p->hide_kernel;
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
		if (!pass && !p->tree)
			continue;
		key = item_key(f, t, row, column);
		if (p->descending && key != SORT_AWAY)
			key = ~key;
		p->items[n++] = (struct sort_item){.key = key, .row = row};
		if (!pass)
			continue;
		p->matched++;
		if (p->filtered)
			p->matched_cpu += field_or_zero(f, P(cpu), row);
	}
	sort_items(p->items, p->spare, n);
	if (p->tree) {
		tree_order(p, f, n);
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
	p->selected_key = t->now->key[p->order[index]];
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
	if (!p->has_selection || !f->table[TAB_PROCESS])
		return -1;
	return table_find(f->table[TAB_PROCESS]->now, p->selected_key);
}

bool plist_find(
	struct plist *p, const struct fields *f, const char *needle, bool from_next, u32 rows)
{
	u32 start = p->has_selection && p->selected < p->n ? p->selected + from_next : 0;

	for (u32 i = 0; needle[0] && i < p->n; i++) {
		u32 at = (start + i) % p->n;

		if (!plist_contains(f, p->order[at], needle))
			continue;
		plist_select(p, f, at, rows);
		return true;
	}
	return false;
}
