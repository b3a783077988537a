/* The front door: finds the subcommand and runs it. */
#ifndef TARE_CMD_FRONT_H
#define TARE_CMD_FRONT_H

#include "base/types.h"

struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help; /* one line */
};

/* Runs what argv asks for and returns the exit status. Without a subcommand: the first of the table
 * when standard output is a terminal, else the second. */
int front_run(const struct subcommand *commands, u32 n, int argc, char **argv);

#endif
