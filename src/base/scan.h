/* Hand scanners for /proc and /sys text. All work on [p, end), never past it, never on a NUL
 * terminator, and allocate nothing. Each returns the position after what it took. */
#ifndef TARE_BASE_SCAN_H
#define TARE_BASE_SCAN_H

#include <string.h>

#include "base/types.h"

static inline const char *scan_blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

static inline const char *scan_word_end(const char *p, const char *end)
{
	while (p < end && *p != ' ' && *p != '\t' && *p != '\n')
		p++;
	return p;
}

/* Position of the newline that ends this line, or end. */
static inline const char *scan_line_end(const char *p, const char *end)
{
	const char *nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;

	return nl ? nl : end;
}

/* Start of the next line, or end. */
static inline const char *scan_next_line(const char *p, const char *end)
{
	p = scan_line_end(p, end);
	return p < end ? p + 1 : end;
}

static inline bool scan_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Skip blanks, then read an unsigned decimal. *ok is set to false (and never to true) when there is
 * no digit; a number beyond 64 bits saturates. */
static inline const char *scan_u64(const char *p, const char *end, u64 *out, bool *ok)
{
	u64 v = 0;
	bool over = false;

	p = scan_blank(p, end);
	if (p >= end || !scan_is_digit(*p)) {
		*ok = false;
		return p;
	}
	for (; p < end && scan_is_digit(*p); p++) {
		over |= __builtin_mul_overflow(v, 10u, &v);
		over |= __builtin_add_overflow(v, (u64)(*p - '0'), &v);
	}
	*out = over ? UINT64_MAX : v;
	return p;
}

/* As scan_u64 with an optional '-'. Saturates at the ends of the range. */
const char *scan_s64(const char *p, const char *end, s64 *out, bool *ok);
/* A decimal with an optional fraction, times 10^digits, truncated: "1.239" with digits 2 is 123.
 * Saturates. */
const char *scan_fixed(const char *p, const char *end, u32 digits, u64 *out, bool *ok);
/* Skip n blank-separated words. */
const char *scan_skip_words(const char *p, const char *end, u32 n);

/* Does [p, end) start with the literal? */
static inline bool scan_starts(const char *p, const char *end, const char *lit)
{
	size_t n = strlen(lit);

	return (size_t)(end - p) >= n && memcmp(p, lit, n) == 0;
}

/* Whole string as a decimal number, blanks and one newline allowed around it. 0 or -EINVAL. */
int scan_whole_u64(const char *p, const char *end, u64 *out);
int scan_whole_s64(const char *p, const char *end, s64 *out);

/* The number behind a line's first word ("MemTotal:", "usage_usec"): first such line of [p, end). false when
 * there is no such line, or no number on it. */
bool scan_line_u64(const char *p, const char *end, const char *word, u64 *out);

/* Undo the octal escapes (\040 \011 \012 \134) of mountinfo and swaps. In place; returns the new
 * length. */
size_t scan_unescape_octal(char *text, size_t len);

/* CPU list "0-1,4-5,8" : calls fn for each id in order. 0 or -EINVAL; an empty list is 0. Ids of
 * 65536 and more are refused. */
int scan_cpu_list(const char *p, const char *end, void (*fn)(void *arg, u32 cpu), void *arg);

/* Duration with a unit ("100ms", "1s", "1.5m", "1h"; a bare number is seconds) in nanoseconds.
 * 0 or -EINVAL. */
int scan_duration(const char *text, u64 *out_ns);

#endif
