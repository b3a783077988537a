/* One reading of one source: rows under keys, columns fixed by a schema, raw values, a state for
 * every cell, text in the table's own arena. A table is self-contained: it can be handed to another
 * thread, stored or compared without its source. */
#ifndef TARE_CORE_TABLE_H
#define TARE_CORE_TABLE_H

#include "base/clock.h"
#include "base/types.h"
#include "core/schema.h"

enum cell_state {
	CELL_ABSENT, /* with an enum reason */
	CELL_VALUE,
	CELL_HELD, /* a counter stepped back and is held at its largest; or an old gauge */
	CELL_APPROX,
};

/* Why a cell is absent (or held, stale). The order is the codec's: append only. */
enum reason {
	REASON_NONE,
	REASON_FIRST,       /* no earlier sample to compare with */
	REASON_SHORT,       /* window under 50 ms */
	REASON_RESET,       /* the counter went down: re-created or overflowed unseen */
	REASON_SUSPEND,     /* the machine slept in this window */
	REASON_PERMISSION,  /* needs more rights */
	REASON_UNSUPPORTED, /* this kernel or device has no such value */
	REASON_ERROR,       /* reading failed */
	REASON_INVALID,     /* what was read cannot be right */
	REASON_OFFLINE,     /* the device is switched off or unplugged */
	REASON_STARTING,    /* a slow source has not answered yet */
	REASON_STALE,       /* older than it should be */
	REASON_NOT_ASKED,   /* nobody looks at this column */
	REASON_UNKNOWN,     /* the kernel says that it does not know (speed -1) */
	REASON_NO_LIMIT,    /* unlimited: there is no number */
	REASON_ASLEEP,      /* the device sleeps and was left asleep */
	REASON_LOST,        /* the device fell off its bus */
	REASON_NO_CLIENT,   /* it has no such device open */
	REASON_COUNT,
};

/* State and reason in one byte. */
static inline u8 cell_make(enum cell_state state, enum reason reason)
{
	return (u8)((u32)state | (u32)reason << 2);
}
static inline enum cell_state cell_state(u8 cell)
{
	return (enum cell_state)(cell & 3);
}
static inline enum reason cell_reason(u8 cell)
{
	return (enum reason)(cell >> 2);
}
/* One or two words for a person ("needs root", "first sample"); and a token for JSON
 * ("permission", "first"). */
const char *reason_text(enum reason reason);
const char *reason_token(enum reason reason);
/* The reason that an -errno of open or read stands for. */
enum reason reason_from_errno(int code);

/* Text in the arena: offset << 16 | length. Offset 0, length 0: empty. */
typedef u64 text_ref;

struct table {
	const struct schema *schema;
	u32 n, cap;            /* rows, room */
	u64 *key;              /* ascending, unique */
	u64 *col[MAX_COLUMNS]; /* raw values; NULL for derived columns */
	u8 *cell[MAX_COLUMNS]; /* cell_make(); NULL for derived columns */
	/* Sparse schemas: columns outside need share one array of NOT_ASKED; their own are kept here. */
	struct {
		u64 *col;
		u8 *cell;
		u32 cap;
	} own[MAX_COLUMNS], blank;
	bool placed;            /* col and cell are those of this reading */
	u64 *mono_ns, *boot_ns; /* when each row was read */
	char *text;
	u32 text_len, text_size;
	struct stamp at;     /* when the reading began */
	u64 seq;             /* advances only with a new reading; 0: never read */
	u64 need;            /* columns that this reading filled; others are absent NOT_ASKED */
	bool partial;        /* rows may be missing (hidepid, a limit): births are not assumed */
	enum reason missing; /* whole table absent: why */
};

int table_init(struct table *t, const struct schema *schema);
void table_fini(struct table *t);
/* Start a new reading: no rows, no text. Keeps the memory. */
void table_begin(struct table *t, const struct stamp *at, u64 need);
/* Room for n rows: growing by and by leaves holes in the heap. After table_begin. 0 or -ENOMEM. */
int table_reserve(struct table *t, u32 n);
/* Append a row; every cell absent (NOT_ASKED for columns outside need, else UNSUPPORTED), stamps from
 * t->at. A sparse schema's source writes to no column outside need. Keys may come in any order if table_end is called. Returns the row or -ENOMEM. Allocates only when the
 * table grows. */
int table_row(struct table *t, u64 key);
/* End the reading: sorts rows by key if they are not in order (of equal keys the first stays),
 * advances seq. */
int table_end(struct table *t);

static inline void table_set(struct table *t, u32 row, u32 column, u64 raw)
{
	t->col[column][row] = raw;
	t->cell[column][row] = CELL_VALUE;
}
static inline void table_absent(struct table *t, u32 row, u32 column, enum reason reason)
{
	t->col[column][row] = 0;
	t->cell[column][row] = cell_make(CELL_ABSENT, reason);
}
static inline void table_state(
	struct table *t, u32 row, u32 column, enum cell_state state, enum reason reason)
{
	t->cell[column][row] = cell_make(state, reason);
}
static inline bool table_needs(const struct table *t, u32 column)
{
	return (t->need & column_bit(column)) != 0;
}
/* May this column be written? Not those outside need of a sparse schema. */
static inline bool table_holds(const struct table *t, u32 column)
{
	return !t->schema->sparse || table_needs(t, column);
}
/* Store text (raw bytes, at most 65535) and set a TEXT column to it. */
int table_set_text(struct table *t, u32 row, u32 column, const char *text, size_t len);
/* Store text once and use the reference in many rows: table_set(t, row, col, ref). */
int table_text(struct table *t, const char *text, size_t len, text_ref *out);
/* Bytes and length of a TEXT cell; raw, not NUL-terminated, valid until the table's next begin. */
const char *table_get_text(const struct table *t, u32 row, u32 column, u32 *len);
/* Row with this key, or -1 (binary search). */
int table_find(const struct table *t, u64 key);
/* Deep copy into dst (same schema; keeps dst's memory). 0 or -ENOMEM. */
int table_copy(struct table *dst, const struct table *src);

/* Key of a row that is known by name: FNV-1a of the bytes. */
u64 key_from_name(const char *name, size_t len);

#endif
