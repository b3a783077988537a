/* String builder on the caller's storage; never overruns, always NUL-terminated, remembers when it
 * had to cut. */
#ifndef TARE_BASE_SBUF_H
#define TARE_BASE_SBUF_H

#include "base/types.h"

struct sbuf {
	char *data;
	u32 len;
	u32 size;
	bool cut;
};

void sbuf_init(struct sbuf *sb, char *data, u32 size);
void sbuf_add(struct sbuf *sb, const char *text, size_t len);
void sbuf_str(struct sbuf *sb, const char *text);
void sbuf_char(struct sbuf *sb, char c);
void sbuf_u64(struct sbuf *sb, u64 v);
void sbuf_printf(struct sbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
