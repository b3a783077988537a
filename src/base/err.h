/* Error text for a person. Functions return 0 or -errno; where a person must understand what went
 * wrong (options, opens, parsers) they also fill a struct err that names the path or option. */
#ifndef TARE_BASE_ERR_H
#define TARE_BASE_ERR_H

struct err {
	int code;      /* positive errno, 0 for none */
	char msg[240]; /* one line, no newline, safe for a terminal */
};

/* Fill *err (may be NULL) and return -code, so that callers can `return err_set(...)`.
 * The text is made safe for a terminal. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
