/* The expression language: any text compiles or names a place; what compiles can be evaluated. */
#include "fuzz.h"

#include <string.h>

#include "base/safe.h"
#include "core/delta.h"
#include "core/expr.h"
#include "core/expr_regex.h"

enum { PID, USER, CPU, RESIDENT, TIME, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PID] = {.name = "pid", .unit = UNIT_ID, .kind = COLUMN_GAUGE},
	[USER] = {.name = "user", .unit = UNIT_TEXT, .kind = COLUMN_TEXT},
	[CPU] = {.name = "cpu", .unit = UNIT_NS, .kind = COLUMN_COUNTER, .total = TOTAL_SUM},
	[RESIDENT] = {.name = "resident",
		.unit = UNIT_BYTES,
		.kind = COLUMN_GAUGE,
		.total = TOTAL_SUM},
	[TIME] = {.name = "time", .unit = UNIT_NS, .kind = COLUMN_GAUGE, .total = TOTAL_MAX},
};
static const struct schema schema = {.name = "process",
	.ncolumns = COLUMNS,
	.columns = columns,
	.label_column = USER,
	.birth_column = -1,
	.counted_column = -1};
static const struct schema *const schemas[] = {&schema, NULL};

static struct delta d;
static const struct frame_table *const tables[] = {&d.frame};
static struct frame frame = {.ntables = 1, .tables = tables};

static void read_once(u64 seconds)
{
	struct stamp at = {.mono_ns = seconds * NSEC_PER_SEC, .boot_ns = seconds * NSEC_PER_SEC};
	struct table *t = delta_spare(&d);

	table_begin(t, &at, ~0ull);
	for (u32 i = 0; i < 3; i++) {
		MUST(table_row(t, i) >= 0);
		table_set(t, i, PID, 100 + i);
		MUST(!table_set_text(t, i, USER, "r\xc3\xb6\xff t", i * 3));
		if (i)
			table_set(t, i, CPU, seconds * i * 12345678);
		table_set(t, i, RESIDENT, 1ull << (20 + i));
	}
	table_end(t);
	MUST(!delta_step(&d));
	frame.at = at;
	frame.seq++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static u64 seconds;
	struct err err = {0};
	struct regex *re;
	struct expr *e;
	const char *why;
	char *text;
	int ret;

	if (!seconds) {
		MUST(!delta_init(&d, &schema));
		read_once(++seconds);
		read_once(++seconds);
	}
	text = malloc(size + 1);
	MUST(text);
	memcpy(text, data, size);
	text[size] = '\0';
	ret = expr_new(&e, text, &schema, schemas, &err);
	if (ret) {
		MUST(!e && !strncmp(err.msg, "column ", 7));
		MUST(safe_is(err.msg, strlen(err.msg)));
	} else {
		for (u32 row = 0; row < 3; row++)
			MUST(expr_match(e, &frame, &d.frame, row) ==
				expr_match(e, &frame, &d.frame, row));
		expr_match(e, NULL, &d.frame, 0);
		expr_free(e);
	}
	if (size < 512 && !regex_new(&re, text, size, &why)) {
		regex_match(re, text, size);
		regex_match(re, "root", 4);
		regex_free(re);
	}
	free(text);
	return 0;
}
