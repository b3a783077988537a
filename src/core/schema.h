/* What a table looks like: its columns, their units and how they behave over time. Headings, JSON
 * keys, filters, the manual's list and later metric names all follow from these const structures. */
#ifndef TARE_CORE_SCHEMA_H
#define TARE_CORE_SCHEMA_H

#include "base/types.h"

enum { MAX_COLUMNS = 64 };

/* Unit of the raw value. What people see follows from unit and kind:
 *              counter (per second of window)     gauge
 *  COUNT       n/s      key _per_second           n        key as named
 *  BYTES       B/s      key _bytes_per_second     bytes    key _bytes
 *  NS          percent  key _percent              seconds  key _seconds
 *  UJ          watts    key _watts                joules   key _joules
 *  HZ          -                                  hertz    key _hertz
 *  BITS        bit/s    key _bits_per_second      bit/s    key _bits_per_second
 *  RATIO       (derived: 1.0 = 100 %; gauge: raw is parts per million)  percent  key _percent
 *  CENTI       (raw is hundredths: load)          n        key as named
 *  MILLIC      -                                  °C       key _celsius
 *  UW          -                                  watts    key _watts
 *  UV          -                                  volts    key _volts
 *  UA          -                                  amperes  key _amperes
 *  ID          (a number that is a name: pid)     n        key as named
 *  TEXT        -                                  string   key as named
 *  BOOL        -                                  0 or 1   key as named
 *  BOOTTIME    (ns since boot at which a thing began; people see the age)  seconds key _age_seconds */
enum unit {
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_NS,
	UNIT_UJ,
	UNIT_HZ,
	UNIT_BITS,
	UNIT_RATIO,
	UNIT_CENTI,
	UNIT_MILLIC,
	UNIT_ID,
	UNIT_TEXT,
	UNIT_BOOL,
	UNIT_BOOTTIME,
	/* the order is the codec's: append only */
	UNIT_UW,
	UNIT_UV,
	UNIT_UA,
};

enum column_kind {
	COLUMN_GAUGE,   /* true at an instant */
	COLUMN_COUNTER, /* cumulative; differenced over a window */
	COLUMN_TEXT,    /* a text_ref into the table's arena */
	COLUMN_DERIVED, /* computed from the row's other cells by derive(); never stored */
};

/* How a counter may go down and still be right. */
enum wrap {
	WRAP_NONE, /* 64 bits: never */
	WRAP_32,   /* may be kept in 32 bits: believed only if the result fits limit_column */
	WRAP_RANGE, /* at `range`; believed only up to half of it (32-bit milliseconds of diskstats) */
	WRAP_COLUMN, /* at the value of the gauge wrap_column of the same row (RAPL range) */
};

/* What the TOTAL row shows in this column. */
enum total {
	TOTAL_NONE,
	TOTAL_SUM,
	TOTAL_MAX,
	TOTAL_MEAN, /* mean over the rows that have a value */
};

enum column_flag {
	COLUMN_HIDDEN = 1 << 0, /* feeds derived columns; not in tables or JSON unless asked for */
	COLUMN_SIGNED =
		1 << 1, /* raw is a s64; a counter may go down, its difference is a s64 too */
	COLUMN_ON_REQUEST = 1 << 3, /* only read when it is asked for by name: too dear otherwise */
	COLUMN_DELTA =
		1 << 2, /* derived or counter whose difference itself is wanted in JSON too, as
	                           key _bytes, _joules, _seconds or plain */
};

struct frame_table;
struct cell;

struct column {
	const char *name; /* identifier: [a-z][a-z0-9_]*, without unit ("rx", "busy", "resident") */
	const char *title; /* heading, at most 8 columns, as in htop where htop has one */
	const char *help;  /* one line, no full stop */
	enum unit unit;
	enum column_kind kind;
	enum wrap wrap;
	enum total total;
	u32 flags;
	u64 hold;        /* counter: a step back of at most this (raw units) is jitter and held */
	u64 range;       /* raw units, for WRAP_RANGE */
	s8 wrap_column;  /* index, for WRAP_COLUMN */
	s8 limit_column; /* WRAP_32: gauge with the largest possible rate in raw units per second;
	                      0 = none (column 0 is never a limit) */
	/* COLUMN_DERIVED: compute from row (a row index or ROW_TOTAL) in base units (ratio 0 to 1, bytes,
	 * watts, seconds). Sets *out and returns 0, or returns a reason (enum reason) for absence. Pure. */
	u8 (*derive)(const struct frame_table *t, u32 row, double *out);
};

struct schema {
	const char *name;  /* "cpu", "process": also the word for --include and expressions */
	const char *title; /* "CPUs" */
	const char *help;  /* one line */
	u32 version;       /* of the columns' meaning; in streams */
	u32 ncolumns;
	const struct column *columns;
	s8 label_column; /* text column that names a row for people, -1: the table has one row */
	s8 birth_column; /* gauge UNIT_BOOTTIME: a row that is new and was born after the last reading
	                      counts from zero; -1: none */
	s8 counted_column; /* gauge UNIT_BOOL: only rows with 1 are summed in TOTAL; -1: all */
	bool sparse;       /* its source writes no column outside `need`: those take no memory */
};

/* Index of the column called name, or -1. */
int schema_find(const struct schema *schema, const char *name);
/* JSON key / metric stem of a column: name plus unit suffix, in out. */
void schema_key(const struct column *column, char *out, u32 size);
/* "%", "B/s", "W", "" … for people. */
const char *schema_unit(const struct column *column);
/* Bit per column. */
static inline u64 column_bit(u32 column)
{
	return 1ull << column;
}
/* Bits of what a source reads unless told otherwise: not what is slow or costly and only of use to who asked. */
u64 schema_usual(const struct schema *schema);

#endif
