/* When a CPU's turn at the ring goes on, and when it ends: pure, tested with scripted reads. */
#ifndef TARE_FTRACE_POLICY_H
#define TARE_FTRACE_POLICY_H

#include <errno.h>
#include <sys/types.h>

#include "base/types.h"

enum turn_next {
	TURN_MORE,   /* read another sub-buffer */
	TURN_CAUGHT, /* what is there was read */
	TURN_BUDGET, /* there may be more: come again at once, after the others' turns */
	TURN_FAILED, /* a read failed as none should: t->error; try again in the next turn */
};

struct turn {
	u32 budget;      /* sub-buffers at most */
	u32 half;        /* payload below this: the writer is in that very sub-buffer */
	bool to_the_end; /* flush at stop: nothing is written any more, so only an empty read ends it */
	u32 read;        /* so many */
	int error;       /* -errno */
};

/* After a read(2) that returned n (or -errno), with so many bytes of payload. */
static inline enum turn_next turn_after(struct turn *t, ssize_t n, u32 payload)
{
	switch (n) {
	case -EAGAIN: /* empty */
	case 0:
	case -ENODEV: /* the CPU is offline */
	case -EBUSY:  /* being resized */
	case -ENOMEM:
	case -EINTR:
		return TURN_CAUGHT;
	}
	if (n < 0) {
		t->error = (int)n;
		return TURN_FAILED;
	}
	t->read++;
	/* the very first may be what an earlier read left of its sub-buffer */
	if (payload < t->half && t->read > 1 && !t->to_the_end)
		return TURN_CAUGHT;
	return t->read >= t->budget ? TURN_BUDGET : TURN_MORE;
}

#endif
