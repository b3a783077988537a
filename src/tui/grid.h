/* A screen as cells: what the layout draws into, what tests compare as text, what the painter puts
 * on the terminal. Pure data; no terminal here. */
#ifndef TARE_TUI_GRID_H
#define TARE_TUI_GRID_H

#include "base/types.h"

/* Roles, not colours: the painter maps them to what the terminal can do; each also differs without
 * colour by text, position or attribute. */
enum role {
	ROLE_NORMAL,
	ROLE_DIM,      /* units, axes, absent values */
	ROLE_STRONG,   /* headings' values, the busy process */
	ROLE_TITLE,    /* panel names */
	ROLE_HEADER,   /* table heading (reverse) */
	ROLE_SELECTED, /* the selected row (reverse) */
	ROLE_SORT,     /* heading of the sort column */
	ROLE_OK,
	ROLE_WARN,
	ROLE_ALERT,
	ROLE_USER,   /* user time, reads, rx */
	ROLE_SYSTEM, /* system time, writes, tx */
	ROLE_IRQ,
	ROLE_WAIT,
	ROLE_NICE,
	ROLE_GUEST,
	ROLE_CACHE,
	ROLE_SHARED,
	ROLE_KERNEL,
	ROLE_GRAPH,  /* graph bodies */
	ROLE_KEY,    /* key names in the bottom line */
	ROLE_TREE,   /* tree lines */
	ROLE_OWN,    /* tare's own row */
	ROLE_TAGGED, /* a tagged row; it has a mark too */
	ROLE_COUNT,
};

struct gcell {
	u32 cp[3]; /* base character and up to two combining ones; cp[0] 0: right half of a wide one */
	u8 role;  /* enum role */
	u8 width; /* 1 or 2; 0 for the right half */
};

struct grid {
	u32 cols, rows;
	struct gcell *cell; /* rows * cols, row by row */
	u32 room;           /* cells allocated */
};

void grid_init(struct grid *g);
void grid_fini(struct grid *g);
/* Set the size (1 to 1000 each way) and clear to blanks. 0 or -ENOMEM; allocates only to grow. */
int grid_resize(struct grid *g, u32 cols, u32 rows);
void grid_clear(struct grid *g);
/* Draw text (bytes from anywhere: made safe here, wide and combining characters kept aligned), cut at
 * the column `limit` (exclusive) with no half characters. Returns the column after it. Out of range is
 * ignored. */
u32 grid_text(
	struct grid *g, u32 col, u32 row, u32 limit, enum role role, const char *text, size_t len);
u32 grid_str(struct grid *g, u32 col, u32 row, u32 limit, enum role role, const char *text);
void grid_put(struct grid *g, u32 col, u32 row, enum role role, u32 cp);
void grid_fill(struct grid *g, u32 col, u32 row, u32 n, enum role role, u32 cp);
/* Change the role of n cells without changing their text. */
void grid_role(struct grid *g, u32 col, u32 row, u32 n, enum role role);
/* As UTF-8 lines without trailing blanks, heap, NUL-terminated: for tests and captures. */
char *grid_to_text(const struct grid *g);

#endif
