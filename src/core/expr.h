/* The one expression language: filters, triggers, limits.
 *
 *   expr    := or;  or := and { ("or" | "||") and };  and := not { ("and" | "&&") not }
 *   not     := ("not" | "!") not | "(" expr ")" | compare
 *   compare := operand [ ("==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~") operand ] [ "for" DURATION ]
 *   operand := NAME | TABLE "." NAME | NUMBER [suffix K M G T Ki Mi Gi Ti % ms us s m h] | "STRING"
 *
 * NAME is a column of the table that is filtered and compares with what the column shows (percent as
 * 0 to 100, bytes, seconds). TABLE.NAME is the TOTAL of another table (of a table of one row: its row)
 * in base units: a percentage there is a fraction, cpu.busy > 0.95. A literal with % means percent in
 * both. ~ is a POSIX extended regular expression, case-insensitive. A comparison with an absent
 * value is absent, also with != and inside not (three-valued logic; absent at the end is no match). A text
 * column alone is true when not empty, a number when not 0. `for` is true once the comparison has held for
 * that long over frames (only for operands of other tables). Depth at most 64, length at most 4096.
 */
#ifndef TARE_CORE_EXPR_H
#define TARE_CORE_EXPR_H

#include "base/err.h"
#include "core/frame.h"

struct expr;

/* Compile against schema (columns) and, for TABLE.NAME, the other schemas (NULL-terminated list, may be
 * NULL). On failure *err names the place and what is accepted. */
int expr_new(struct expr **out, const char *text, const struct schema *schema,
	const struct schema *const *others, struct err *err);
void expr_free(struct expr *e);
/* Columns of `schema` that it reads (for engine_need). */
u64 expr_need(const struct expr *e);
/* True for this row? frame may be NULL when no TABLE.NAME is used. Allocates nothing. */
bool expr_match(struct expr *e, const struct frame *frame, const struct frame_table *t, u32 row);

#endif
