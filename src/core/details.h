/* What is known of one thing as lines for a person: a process's details. Read when somebody asks, never on
 * the tick. */
#ifndef TARE_CORE_DETAILS_H
#define TARE_CORE_DETAILS_H

#include "base/types.h"

enum detail_kind {
	DETAIL_SECTION, /* a heading; no text */
	DETAIL_VALUE,
	DETAIL_WARN,   /* near a limit; the text says it too */
	DETAIL_ABSENT, /* the text says why */
	DETAIL_HINT,
};

enum { DETAIL_NAME = 20, DETAIL_TEXT_MOST = 256 << 10 };

struct detail {
	u8 kind;
	char name[DETAIL_NAME];
	char *text; /* heap, safe for a terminal, any length; "" for none */
};

struct details {
	struct detail *items; /* heap */
	u32 n, cap;
	bool failed; /* out of memory: lines are missing */
};

/* What to read beside the usual. */
enum details_flag { DETAILS_ENVIRONMENT = 1 << 0, DETAILS_UTC = 1 << 1 };

/* text is made safe here; beyond DETAIL_TEXT_MOST bytes it is cut, and says so. */
void details_add(
	struct details *d, enum detail_kind kind, const char *name, const char *text, size_t len);
void details_printf(struct details *d, enum detail_kind kind, const char *name, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));
void details_free(struct details *d);

#endif
