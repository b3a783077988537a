/* Options from const tables: parsing and --help text follow from the same entries. */
#ifndef TARE_CMD_ARGS_H
#define TARE_CMD_ARGS_H

#include "base/err.h"
#include "base/types.h"

enum { ARGS_MOST = 24, ARGS_HELP = 'h' };

struct args_entry {
	const char *name;     /* without the dashes */
	const char *argument; /* what the value is called; NULL: takes none */
	const char *help;
	int code; /* a short option's letter, or 256 and more */
	bool hidden;
};

struct args_table {
	const char *command; /* "snapshot" */
	const char *help;    /* one line: what the command does */
	const struct args_entry *entries;
	u32 n;
	/* An option with its value (NULL when it takes none). 0, or -EINVAL with *err. */
	int (*set)(void *arg, int code, const char *value, struct err *err);
};

/* Parse argv[1..], then deal with --help and mistakes: -1 to go on, else the exit status. */
int args_run(const struct args_table *table, int argc, char **argv, void *arg);

#endif
