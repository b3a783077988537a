/* Text from strangers (command names, titles, labels, paths) made safe for a terminal: the one
 * place. The result is valid UTF-8 without C0, DEL, C1 (raw or encoded), bidirectional controls or
 * line separators; whatever was wrong becomes '?' (one per invalid byte or control character). */
#ifndef TARE_BASE_SAFE_H
#define TARE_BASE_SAFE_H

#include "base/types.h"

/* Decode one UTF-8 character of [p, end). Returns its length and *cp, or 1 and *cp = 0xFFFD with
 * *valid = false for an invalid byte. p < end. */
u32 utf8_decode(const char *p, const char *end, u32 *cp, bool *valid);
/* Encode cp; returns the number of bytes written to out (1 to 4). */
u32 utf8_encode(u32 cp, char out[4]);

/* May cp be written to a terminal as it is? */
bool safe_char(u32 cp);
/* Columns that cp takes: 0 (combining, zero width), 1 or 2. cp must be safe. Independent of the
 * process's locale. */
u32 safe_width(u32 cp);

/* Copy src[0..len) into dst (size bytes, always NUL-terminated), cut on a character boundary.
 * Returns the bytes written without the NUL. */
u32 safe_text(char *dst, u32 size, const char *src, size_t len);
/* Is src already what safe_text would make of it? */
bool safe_is(const char *src, size_t len);

#endif
