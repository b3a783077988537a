/* The list as a tree of parents and children. */
#include "tui/plist_work.h"

#define P(name) FIELD_PROCESS_##name

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
	return lo < t->n && t->key[lo] >> 42 == pid ? lo : NO_ROW;
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

	if (p->nfolded || !t || !plist_is_tree(p)) {
		p->nfolded = 0;
		return;
	}
	for (u32 row = 0; row < t->n && row < p->cap; row++)
		if (p->child[row] != NO_ROW)
			plist_fold(p, t->now->key[row], true);
}

/* Parents of all rows; then children as lists, in the order of items (pushed back to front). */
static void tree_links(struct plist *p, const struct fields *f, u32 n)
{
	const struct frame_table *t = f->table[TAB_PROCESS];
	s8 ppid = f->col[P(ppid)];

	for (u32 row = 0; row < t->n; row++) {
		p->child[row] = p->next[row] = p->parent[row] = NO_ROW;
		if (ppid >= 0 && cell_state(t->now->cell[ppid][row]) != CELL_ABSENT)
			p->parent[row] = row_of_pid(t->now, t->now->col[ppid][row]);
		if (p->parent[row] == row)
			p->parent[row] = NO_ROW;
	}
	for (u32 i = n; i-- > 0;) {
		u32 row = p->items[i].row, up = p->parent[row];

		if (up == NO_ROW)
			continue;
		p->next[row] = p->child[up];
		p->child[up] = row;
	}
}

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
		for (u32 c = p->child[row]; c != NO_ROW; c = p->next[c]) {
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

void plist_tree_order(struct plist *p, const struct fields *f, u32 n)
{
	const struct frame_table *t = f->table[TAB_PROCESS];

	tree_links(p, f, n);
	p->n = 0;
	/* every row that passed is wanted, and all above it */
	for (u32 i = 0; i < n; i++) {
		u32 row = p->items[i].row;

		if (!(p->mark[row] & MARK_WANTED))
			continue;
		for (u32 up = p->parent[row]; up != NO_ROW && !(p->mark[up] & MARK_WANTED);
			up = p->parent[up])
			p->mark[up] |= MARK_WANTED;
	}
	for (u32 i = 0; i < n; i++) {
		u32 row = p->items[i].row;

		if (p->mark[row] == MARK_WANTED && p->parent[row] == NO_ROW)
			tree_walk(p, t, row, p->cap);
	}
	if (p->nfolded)
		return;
	/* parents in a circle: nobody is above them */
	for (u32 i = 0; i < n; i++)
		if (p->mark[p->items[i].row] == MARK_WANTED)
			tree_walk(p, t, p->items[i].row, p->cap);
}
