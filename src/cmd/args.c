/* Options of the subcommands, on top of getopt_long. */
#include "cmd/args.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

static const struct args_entry *find_code(const struct args_table *table, int code)
{
	for (u32 i = 0; code && i < table->n; i++) {
		if (table->entries[i].code == code)
			return &table->entries[i];
	}
	return NULL;
}

/* What is accepted, from the word as it was given. */
static int mistake(const struct args_table *table, int code, const char *word, struct err *err)
{
	const struct args_entry *entry = find_code(table, optopt);
	char names[160] = "";

	if (code == ':' && entry)
		return err_set(err, EINVAL, "--%s needs a value: %s", entry->name, entry->argument);
	if (entry && !entry->argument && strchr(word, '='))
		return err_set(err, EINVAL, "--%s accepts no value", entry->name);
	for (u32 i = 0; i < table->n; i++) {
		size_t len = strlen(names);

		if (!table->entries[i].hidden)
			snprintf(names + len, sizeof(names) - len, " --%s", table->entries[i].name);
	}
	return err_set(err, EINVAL, "%.40s is not an option; accepted are%s", word, names);
}

static void build(const struct args_table *table, struct option *longs, char *shorts)
{
	*shorts++ = ':';
	for (u32 i = 0; i < table->n && i < ARGS_MOST; i++) {
		const struct args_entry *e = &table->entries[i];

		longs[i].name = e->name;
		longs[i].has_arg = e->argument ? required_argument : no_argument;
		longs[i].flag = NULL;
		longs[i].val = e->code;
		if (e->code < 256) {
			*shorts++ = (char)e->code;
			if (e->argument)
				*shorts++ = ':';
		}
	}
	*shorts = '\0';
}

static int parse(const struct args_table *table, int argc, char **argv, void *arg, bool *help,
	struct err *err)
{
	struct option longs[ARGS_MOST + 1] = {0};
	char shorts[2 * ARGS_MOST + 2];

	build(table, longs, shorts);
	opterr = 0;
	optind = 0; /* also forgets an earlier parse */
	for (;;) {
		int at = optind ? optind : 1;
		int code = getopt_long(argc, argv, shorts, longs, NULL);

		if (code == -1)
			break;
		if (code == ':' || code == '?')
			return mistake(table, code, argv[at < optind ? optind - 1 : at], err);
		if (code == ARGS_HELP) {
			*help = true;
			return 0;
		}
		if (table->set(arg, code, optarg, err) < 0)
			return -EINVAL;
	}
	if (optind < argc)
		return err_set(
			err, EINVAL, "%s: no argument is accepted, only options", argv[optind]);
	return 0;
}

static void print_help(const struct args_table *table)
{
	printf("usage: tare %s [OPTION]...\n%s\n\n", table->command, table->help);
	for (u32 i = 0; i < table->n; i++) {
		const struct args_entry *e = &table->entries[i];
		char left[64], letter[4] = "   ";

		if (e->hidden)
			continue;
		if (e->code < 256)
			snprintf(letter, sizeof(letter), "-%c,", e->code);
		snprintf(left, sizeof(left), "%s --%s%s%s", letter, e->name, e->argument ? " " : "",
			e->argument ? e->argument : "");
		printf("  %-30s %s\n", left, e->help);
	}
}

int args_run(const struct args_table *table, int argc, char **argv, void *arg)
{
	struct err err = {0};
	bool help = false;

	if (parse(table, argc, argv, arg, &help, &err) < 0) {
		fprintf(stderr, "tare %s: %s\n", table->command, err.msg);
		return EXIT_USAGE;
	}
	if (!help)
		return -1;
	print_help(table);
	return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}
