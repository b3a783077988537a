/* The process table's list: which rows of the frame are shown, in which order, which is selected.
 * Sorting moves only indices; nothing here draws. */
#ifndef TARE_TUI_PLIST_H
#define TARE_TUI_PLIST_H

#include "core/expr.h"
#include "tui/fields.h"
#include "tui/pcolumn.h"

enum { PLIST_FOLDED = 256, PLIST_DEPTH = 63, PLIST_NEEDLE = 128 };

/* What the rows are put together by. */
enum plist_group { GROUP_NONE, GROUP_USER, GROUP_CGROUP, GROUP_CONTAINER, GROUP_COUNT };

struct sort_item {
	u64 key;
	u32 row;
};

struct plist {
	/* what the user wants */
	u32 sort; /* index in pcolumns */
	bool descending, tree, follow, hide_kernel;
	char needle[PLIST_NEEDLE]; /* plain filter, "" none */
	struct expr *expr;         /* expression filter or NULL */
	char user[40];             /* "" all */
	bool threads;              /* rows are threads: no tree */
	u8 group;                  /* enum plist_group: a line is a group, without tree */
	u8 inside;                 /* enum plist_group: only the rows of the group inside_key */
	u64 inside_key;
	char inside_name[40];
	u64 folded[PLIST_FOLDED];
	u32 nfolded;
	/* what is shown: row indices of the frame's process table */
	u32 *order;
	u32 n;
	u64 *lines; /* tree: bit d: at depth d more siblings follow; groups: key of the group */
	u8 *depth;
	u32 matched; /* rows that pass the filter, shown or folded away */
	double matched_cpu;
	bool filtered;
	/* selection: a process, not a position */
	bool has_selection;
	u64 selected_key;
	u32 selected; /* index in order; n when it is not shown */
	u32 top;      /* first index on the screen */
	bool lost;    /* the one that was followed has ended; whoever tells it resets this */
	/* work space */
	struct sort_item *items, *spare;
	u32 *parent, *child, *next, *stack;
	u8 *mark;
	u32 cap;
};

void plist_init(struct plist *p);
void plist_fini(struct plist *p);
/* Make order, lines, depth and selection anew from the bound frame. Allocates only when the table
 * grew. 0 or -ENOMEM. */
int plist_update(struct plist *p, const struct fields *f, const struct frame *frame);
/* Selection: by index in order, by steps; keeps it on the screen of `rows` rows. */
void plist_select(struct plist *p, const struct fields *f, u32 index, u32 rows);
void plist_move(struct plist *p, const struct fields *f, s64 step, u32 rows);
void plist_clamp(struct plist *p, u32 rows);
/* Row of the selected process in the table, or -1. */
s64 plist_row(const struct plist *p, const struct fields *f);
/* Select the next process that contains needle, from after the selection on. */
bool plist_find(
	struct plist *p, const struct fields *f, const char *needle, bool from_next, u32 rows);
bool plist_is_folded(const struct plist *p, u64 key);
void plist_fold(struct plist *p, u64 key, bool fold);
/* Fold every process that has children, or unfold all. */
void plist_fold_all(struct plist *p, const struct fields *f);
static inline bool plist_is_tree(const struct plist *p)
{
	return p->tree && !p->threads && !p->group;
}
/* Key of the line at this index of order: of its row, or of its group. */
u64 plist_key(const struct plist *p, const struct frame_table *t, u32 index);
/* Rows that the line at this index stands for: 1, or a group's, or a folded one's with all below. */
u32 plist_rows(const struct plist *p, const struct frame_table *t, u32 index);
/* What the line shows in this column: for a group, or a folded row of the tree, the sum over its rows
 * when the column is additive. A sum with an absent or approximate part is approximate; without any
 * part it is absent. */
void plist_cell(const struct plist *p, const struct fields *f, u32 index,
	const struct pcolumn *column, struct cell *out);
/* Name of the group that this row belongs to: raw bytes from strangers, not terminated; "" when it is
 * in none. */
const char *plist_group_name(const struct fields *f, enum plist_group group, u32 row, u32 *len);
/* Field that a group is made by. */
enum field plist_group_field(enum plist_group group);
/* Show only the rows of the selected group; plist_leave shows the groups again. False: none is
 * selected, or none entered. */
bool plist_enter(struct plist *p, const struct fields *f);
bool plist_leave(struct plist *p);
/* The next way to group. */
void plist_regroup(struct plist *p);

/* Stable, ascending by key; spare has room for n. For tests too. */
void sort_items(struct sort_item *items, struct sort_item *spare, u32 n);
/* Keeps the order of numbers: a < b as doubles, key(a) < key(b). */
u64 sort_key_number(double v);

#endif
