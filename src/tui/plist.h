/* The process table's list: which rows of the frame are shown, in which order, which is selected.
 * Sorting moves only indices; nothing here draws. */
#ifndef TARE_TUI_PLIST_H
#define TARE_TUI_PLIST_H

#include "core/expr.h"
#include "tui/fields.h"

enum { PLIST_FOLDED = 256, PLIST_DEPTH = 63, PLIST_NEEDLE = 128 };

enum pformat {
	PFORMAT_NUMBER,
	PFORMAT_COUNT,
	PFORMAT_BYTES,
	PFORMAT_PERCENT,
	PFORMAT_TIME,
	PFORMAT_AGE,
	PFORMAT_PRIORITY,
	PFORMAT_TEXT,
	PFORMAT_COMMAND,
};

/* A column of the process table. */
struct pcolumn {
	u8 field; /* enum field */
	u8 format;
	u8 width;       /* 0: what is left (the last one) */
	u16 least_cols; /* shown from this screen width on; 0xffff: only when sorted by it */
	bool ascending; /* the first direction when chosen */
	const char *title, *help;
};

extern const struct pcolumn pcolumns[];
extern const u32 pcolumn_count;
/* Index in pcolumns by process column name or title (any case), or -1. */
int pcolumn_find(const char *name);
/* Index of the one that shows this field. */
u32 pcolumn_of(enum field field);

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
	u64 folded[PLIST_FOLDED];
	u32 nfolded;
	/* what is shown: row indices of the frame's process table */
	u32 *order;
	u32 n;
	u64 *lines; /* tree: bit d: at depth d more siblings follow */
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

/* Stable, ascending by key; spare has room for n. For tests too. */
void sort_items(struct sort_item *items, struct sort_item *spare, u32 n);
/* Keeps the order of numbers: a < b as doubles, key(a) < key(b). */
u64 sort_key_number(double v);

#endif
