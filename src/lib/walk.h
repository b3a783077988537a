/* From a row to a structure of the public header: one table of members for each. Private to this room. */
#ifndef TARE_LIB_WALK_H
#define TARE_LIB_WALK_H

#include "lib/handle.h"

enum member_kind {
	MEMBER_NUMBER, /* double, in the column's unit */
	MEMBER_COUNT,  /* uint64_t, the gauge as it is counted */
	MEMBER_TEXT,   /* struct tare_text */
};

/* Stands at the index of its bit in `have`. */
struct member {
	const char *column;
	u16 at; /* in the structure */
	u8 kind;
};

/* Fill the members of `out`, whose size, have and window are its first three. columns: of the members, as
 * schema_find gives them; NULL: they are looked up. */
void walk_fill(const struct frame_table *f, u32 row, const struct member *members,
	const s8 *columns, u32 n, void *out);
/* Does a caller's structure have a size, and what every version has? */
bool walk_has_room(const void *out);
/* Hand `in` to a caller's structure of another version. 0 or -EINVAL. */
int walk_give(void *out, const void *in, size_t size);

#endif
