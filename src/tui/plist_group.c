/* Lines that stand for several rows: groups, and folded rows of the tree with all below them. */
#include <string.h>

#include "base/safe.h"
#include "tui/plist_work.h"

#define P(name) FIELD_PROCESS_##name

enum field plist_group_field(enum plist_group group)
{
	static const enum field fields[GROUP_COUNT] = {[GROUP_NONE] = P(cmdline),
		[GROUP_USER] = P(user),
		[GROUP_CGROUP] = P(cgroup),
		[GROUP_CONTAINER] = P(container)};

	return fields[group];
}

const char *plist_group_name(const struct fields *f, enum plist_group group, u32 row, u32 *len)
{
	const struct frame_table *t = f->table[TAB_PROCESS];

	*len = 0;
	return t && row < t->n ? plist_text(t, f->col[plist_group_field(group)], row, len) : "";
}

u64 plist_group_key(const struct fields *f, enum plist_group group, u32 row)
{
	u32 len;
	const char *name = plist_group_name(f, group, row, &len);

	return len ? key_from_name(name, len) : 0;
}

u64 plist_key(const struct plist *p, const struct frame_table *t, u32 index)
{
	return p->group ? p->lines[index] : t->now->key[p->order[index]];
}

/* Where parents stand in a circle, root is also below itself: it is passed over there. */
static u32 but_root(const struct plist *p, u32 row, u32 root)
{
	return row == root ? p->next[row] : row;
}

/* Row behind `row` in the subtree below root, depth first; NO_ROW at its end. */
static u32 next_below(const struct plist *p, u32 row, u32 root)
{
	u32 to = but_root(p, p->child[row], root);

	for (; to == NO_ROW && row != root; row = p->parent[row])
		to = but_root(p, p->next[row], root);
	return to;
}

static bool stands_for_more(const struct plist *p, const struct frame_table *t, u32 index)
{
	if (p->group)
		return true;
	return plist_is_tree(p) && p->nfolded && plist_is_folded(p, t->now->key[p->order[index]]);
}

/* The line's rows, one after the other. */
static u32 next_row(const struct plist *p, u32 row, u32 first)
{
	return p->group ? p->next[row] : next_below(p, row, first);
}

u32 plist_rows(const struct plist *p, const struct frame_table *t, u32 index)
{
	u32 first = p->order[index], n = 0;

	if (!stands_for_more(p, t, index))
		return 1;
	for (u32 row = first; row != NO_ROW; row = next_row(p, row, first))
		n++;
	return n;
}

static void add_cell(struct cell *sum, const struct cell *part)
{
	if (part->state == CELL_ABSENT) {
		if (sum->state == CELL_VALUE)
			sum->state = CELL_APPROX;
		return;
	}
	if (sum->state == CELL_ABSENT)
		sum->state = CELL_APPROX;
	if (part->state != CELL_VALUE)
		sum->state = CELL_APPROX;
	sum->num += part->num;
	sum->raw += part->raw;
	sum->diff += part->diff;
}

static void sum_cells(const struct plist *p, const struct fields *f, u32 first, enum field field,
	struct cell *sum)
{
	field_cell(f, field, first, sum);
	sum->text = "";
	sum->text_len = 0;
	for (u32 row = next_row(p, first, first); row != NO_ROW; row = next_row(p, row, first)) {
		struct cell part;

		field_cell(f, field, row, &part);
		add_cell(sum, &part);
	}
}

void plist_cell(const struct plist *p, const struct fields *f, u32 index,
	const struct pcolumn *column, struct cell *out)
{
	u32 row = p->order[index];
	const struct frame_table *t = f->table[TAB_PROCESS];

	if (!t || !column->additive || !stands_for_more(p, t, index))
		field_cell(f, column->field, row, out);
	else
		sum_cells(p, f, row, column->field, out);
	if (!p->group || !t || column->additive)
		return;
	if (column->field == P(pid))
		*out = (struct cell){
			.state = CELL_VALUE, .num = plist_rows(p, t, index), .text = ""};
	else if (column->format != PFORMAT_COMMAND)
		*out = (struct cell){
			.state = CELL_ABSENT, .reason = REASON_UNSUPPORTED, .text = ""};
}

/* Where the line of this group stands. */
static u64 sort_key(const struct plist *p, const struct fields *f, u32 row)
{
	const struct pcolumn *column = &pcolumns[p->sort];
	struct cell cell;
	u32 len;
	u64 key;

	if (column->additive) {
		sum_cells(p, f, row, column->field, &cell);
		if (cell.state == CELL_ABSENT)
			return SORT_AWAY;
		key = sort_key_number(cell.num);
	} else if (column->field == P(pid)) {
		u32 n = 0;

		for (u32 at = row; at != NO_ROW; at = p->next[at])
			n++;
		key = sort_key_number(n);
	} else {
		const char *name = plist_group_name(f, p->group, row, &len);

		key = plist_text_key(name, len);
	}
	return p->descending ? ~key : key;
}

/* Rows in the order of their group's key; each run of equal keys is a chain behind its first row. */
void plist_group_order(struct plist *p, const struct fields *f, u32 n)
{
	u32 groups = 0;

	for (u32 i = 0; i < n; i++)
		p->items[i].key = plist_group_key(f, p->group, p->items[i].row);
	sort_items(p->items, p->spare, n);
	for (u32 i = 0; i < n; i++) {
		u32 row = p->items[i].row;
		bool first = !i || p->items[i].key != p->items[i - 1].key;

		p->next[row] = NO_ROW;
		if (first)
			p->stack[groups++] = row;
		else
			p->next[p->items[i - 1].row] = row;
	}
	for (u32 i = 0; i < groups; i++)
		p->items[i] = (struct sort_item){sort_key(p, f, p->stack[i]), p->stack[i]};
	sort_items(p->items, p->spare, groups);
	for (u32 i = 0; i < groups; i++) {
		p->order[i] = p->items[i].row;
		p->lines[i] = plist_group_key(f, p->group, p->items[i].row);
	}
	p->n = groups;
}

bool plist_enter(struct plist *p, const struct fields *f)
{
	const char *name;
	u32 len;

	if (!p->group || !p->has_selection || p->selected >= p->n || !f->table[TAB_PROCESS])
		return false;
	name = plist_group_name(f, p->group, p->order[p->selected], &len);
	p->inside = p->group;
	p->inside_key = p->selected_key;
	if (len)
		safe_text(p->inside_name, sizeof(p->inside_name), name, len);
	else
		strcpy(p->inside_name, "(none)");
	p->group = GROUP_NONE;
	p->has_selection = false;
	p->top = 0;
	return true;
}

bool plist_leave(struct plist *p)
{
	if (!p->inside)
		return false;
	p->group = p->inside;
	p->inside = GROUP_NONE;
	p->has_selection = true;
	p->selected = 0;
	p->selected_key = p->inside_key;
	return true;
}

void plist_regroup(struct plist *p)
{
	p->group = p->inside ? p->inside : (u8)((p->group + 1) % GROUP_COUNT);
	p->inside = GROUP_NONE;
	p->has_selection = false;
	p->top = 0;
}
