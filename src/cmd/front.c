#include "cmd/front.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/safe.h"
#include "cmd/cmd.h"

static int done(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_DONE;
	fputs("tare: standard output cannot be written\n", stderr);
	return EXIT_FAILED;
}

static int print_help(const struct subcommand *commands, u32 n)
{
	puts("usage: tare [COMMAND] [OPTION]...\n");
	for (u32 i = 0; i < n; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].help);
	puts("  help       this text; tare COMMAND --help tells a command's options\n"
	     "\nWithout a command: the live view on a terminal, else one snapshot as text.\n"
	     "Manuals: tare(1), tare-tables(7).");
	return done();
}

static int run_alone(const struct subcommand *commands, int argc, char **argv)
{
	static char name[32];
	const struct subcommand *c = &commands[isatty(STDOUT_FILENO) ? 0 : 1];

	snprintf(name, sizeof(name), "%s", c->name);
	argv[0] = name;
	return c->run(argc, argv);
}

static int unknown(const struct subcommand *commands, u32 n, const char *name)
{
	char safe[128];

	safe_text(safe, sizeof(safe), name, strlen(name));
	fprintf(stderr, "tare: %s is not a command; accepted are", safe);
	for (u32 i = 0; i < n; i++)
		fprintf(stderr, " %s,", commands[i].name);
	fputs(" help, --version\n", stderr);
	return EXIT_USAGE;
}

int front_run(const struct subcommand *commands, u32 n, int argc, char **argv)
{
	static char help[] = "--help";
	char *name = argc > 1 ? argv[1] : NULL;

	/* A reader that goes away is seen as EPIPE where the output is written. */
	signal(SIGPIPE, SIG_IGN);
	if (!name)
		return run_alone(commands, argc, argv);
	if (!strcmp(name, "--root")) {
		if (argc < 4)
			return run_alone(commands, argc, argv);
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
		return print_help(commands, n);
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts("tare " TARE_VERSION);
		return done();
	}
	for (u32 i = 0; i < n; i++) {
		if (!strcmp(name, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	return unknown(commands, n, name);
}
