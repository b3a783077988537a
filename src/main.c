/* tare: finds the subcommand and runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/safe.h"
#include "base/types.h"
#include "cmd/cmd.h"

struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct subcommand subcommands[] = {
	{"top", cmd_top, "live view of the machine and its processes"},
	{"snapshot", cmd_snapshot, "measure once, or in a stream, as text or JSON"},
	{"doctor", cmd_doctor, "what can be measured here, what cannot, and what mends it"},
	{"tables", cmd_tables, "every table and column with its unit and meaning"},
};

static int done(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_DONE;
	fputs("tare: standard output cannot be written\n", stderr);
	return EXIT_FAILED;
}

static int print_help(void)
{
	puts("usage: tare [COMMAND] [OPTION]...\n");
	for (u32 i = 0; i < ARRAY_LEN(subcommands); i++)
		printf("  %-10s %s\n", subcommands[i].name, subcommands[i].help);
	puts("  help       this text; tare COMMAND --help tells a command's options\n"
	     "\nWithout a command: the live view on a terminal, else one snapshot as text.\n"
	     "Manuals: tare(1), tare-tables(7).");
	return done();
}

static int run_alone(int argc, char **argv)
{
	static char top[] = "top", snapshot[] = "snapshot";

	argv[0] = isatty(STDOUT_FILENO) ? top : snapshot;
	return argv[0] == top ? cmd_top(argc, argv) : cmd_snapshot(argc, argv);
}

static int unknown(const char *name)
{
	char safe[128];

	safe_text(safe, sizeof(safe), name, strlen(name));
	fprintf(stderr, "tare: %s is not a command; accepted are", safe);
	for (u32 i = 0; i < ARRAY_LEN(subcommands); i++)
		fprintf(stderr, " %s,", subcommands[i].name);
	fputs(" help, --version\n", stderr);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	static char help[] = "--help";
	char *name = argc > 1 ? argv[1] : NULL;

	/* A reader that goes away is seen as EPIPE where the output is written. */
	signal(SIGPIPE, SIG_IGN);
	if (!name)
		return run_alone(argc, argv);
	if (!strcmp(name, "--root")) {
		if (argc < 4)
			return run_alone(argc, argv);
		/* the command first, as if --root came after it */
		name = argv[3];
		argv[3] = argv[2];
		argv[2] = argv[1];
		argv[1] = name;
	}
	if (!strcmp(name, "help") && argc > 2) {
		name = argv[2];
		argv[1] = name;
		argv[2] = help;
	} else if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h")) {
		return print_help();
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts("tare " TARE_VERSION);
		return done();
	}
	for (u32 i = 0; i < ARRAY_LEN(subcommands); i++) {
		if (!strcmp(name, subcommands[i].name))
			return subcommands[i].run(argc - 1, argv + 1);
	}
	return unknown(name);
}
