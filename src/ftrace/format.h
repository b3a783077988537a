/* What an event's record looks like, after its `format` file in tracefs (Documentation/trace/events.rst), and what a
 * read of the ring gives, after events/header_page. Text to structure, no I/O. Offsets are taken as the kernel says them:
 * real-time and vendor kernels have more common fields, and gaps. */
#ifndef TARE_FTRACE_FORMAT_H
#define TARE_FTRACE_FORMAT_H

#include "base/err.h"
#include "base/types.h"

enum field_kind {
	FIELD_NUMBER, /* of 1, 2, 4 or 8 bytes */
	FIELD_TEXT, /* char[n]: to the first NUL, or all of it; char[] of size 0: to the record's end */
	FIELD_ARRAY,   /* of numbers, or of bytes */
	FIELD_UNKNOWN, /* a structure, or a number of another size: as bytes */
};

/* Where the field's bytes are. */
enum field_place {
	PLACE_HERE,
	PLACE_REST,     /* from the offset to the record's end */
	PLACE_DATA_LOC, /* u32 at the offset: low half from the record's start, high half the length */
	PLACE_REL_LOC, /* the same, from the end of that u32 */
};

struct event_field {
	const char *name;
	const char *type; /* as the kernel spells it, without the name */
	u32 offset, size;
	u8 kind, place;
	u8 element; /* FIELD_ARRAY, FIELD_NUMBER: bytes of one */
	bool is_signed;
	bool address; /* a pointer: never followed, never written as it is */
};

struct event_format {
	u32 id;
	const char *name;
	struct event_field *fields; /* the common ones first */
	u32 n, ncommon;
	int pid;    /* the field common_pid, or -1 */
	char *text; /* owned: what the names point into */
};

/* text: the file's, len bytes, not terminated. 0; -EINVAL with the line in err; -ENOMEM. */
int format_parse(struct event_format *out, const char *text, size_t len, struct err *err);
void format_free(struct event_format *f);
const struct event_field *format_field(const struct event_format *f, const char *name);

/* Room for data in a sub-buffer, behind its header of PAGE_HEADER bytes; 0: this is no header that page_open() knows. */
u32 format_page_data(const char *text, size_t len);

#endif
