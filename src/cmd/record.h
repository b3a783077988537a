/* A recording from start to end. */
#ifndef TARE_CMD_RECORD_H
#define TARE_CMD_RECORD_H

#include "ftrace/drain.h"

enum { EXIT_LOST = 4 }; /* --fail-on-loss */

struct record_arguments {
	struct drain_options drain;
	const char *output; /* NULL: a name with the time; "-": the standard output */
	char **command;     /* NULL: until a signal, or duration_ns */
	u64 duration_ns;    /* 0: without end */
	u64 period_ns;
	bool fail_on_loss, list;
};

/* The exit status: the command's if there is one. */
int record_run(
	const struct record_arguments *a, const struct root *root, const struct clock *clock);

#endif
