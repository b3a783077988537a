/* The subcommands. Each takes its own name as argv[0] and returns the exit status: 0 done, 1 failed,
 * 2 wrong usage. */
#ifndef TARE_CMD_CMD_H
#define TARE_CMD_CMD_H

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
};

int cmd_top(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_tables(int argc, char **argv);

#endif
