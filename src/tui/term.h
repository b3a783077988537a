/* The terminal as a device: its descriptors, modes and size; entering and leaving the full screen on
 * every way in and out, crashes included; output that never waits. */
#ifndef TARE_TUI_TERM_H
#define TARE_TUI_TERM_H

#include <termios.h>

#include "base/err.h"
#include "base/types.h"

enum { TERM_SEQUENCE = 256 };

struct terminal {
	int in_fd, out_fd; /* own descriptions, so that not waiting does not reach the shell */
	bool utf8;         /* the locale's encoding */
	bool mouse;        /* can be asked for and is */
	bool inside;       /* full screen entered */
	struct termios before, ours;
	char enter[TERM_SEQUENCE], leave[TERM_SEQUENCE];
	u32 enter_len, leave_len;
	char *out; /* bytes not yet sent: out[out_at, out_len) */
	u32 out_at, out_len, out_size;
};

/* Set the locale from the environment; true: UTF-8. A locale that is not installed is as "C". */
bool term_locale(void);
/* Look at terminal and type; changes nothing on it yet. err says what is wrong with which TERM. */
int term_open(struct terminal *t, bool mouse, struct err *err);
void term_close(struct terminal *t);
/* Enter the full screen (crash handlers from the first time on), leave it. */
int term_enter(struct terminal *t);
void term_leave(struct terminal *t);
/* Size in cells, 1 to 1000; what the terminal type says where the terminal does not know. */
void term_size(const struct terminal *t, u32 *cols, u32 *rows);
/* Send what is waiting, as much as the terminal takes. 0: all gone; -EAGAIN: some left; -errno. */
int term_flush(struct terminal *t);
static inline bool term_waits(const struct terminal *t)
{
	return t->out_at < t->out_len;
}

#endif
