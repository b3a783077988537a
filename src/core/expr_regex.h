/* POSIX extended regular expressions for the expression language: is there a match anywhere? Case
 * does not matter. Our own because the C library's allocates at every match and takes exponential
 * memory for some patterns; this one takes time linear in the text and memory fixed at compilation.
 * Not supported and said so: collating elements, backslash with a letter or digit. */
#ifndef TARE_CORE_EXPR_REGEX_H
#define TARE_CORE_EXPR_REGEX_H

#include "base/types.h"

struct regex;

/* Compile [text, text + len). On failure returns -EINVAL or -ENOMEM; *why is a constant text. */
int regex_new(struct regex **out, const char *text, size_t len, const char **why);
void regex_free(struct regex *re);
/* Does it match somewhere in the text? Bytes that are not UTF-8 are one character each. Allocates
 * nothing. */
bool regex_match(struct regex *re, const char *text, size_t len);

#endif
