/* tare tables: every table and column with unit, kind and meaning, from the schemas themselves. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "lib/sources.h"

static const struct args_entry entries[] = {
	{"help", NULL, "this text", ARGS_HELP, false},
};

static int set(void *arg, int code, const char *value, struct err *err)
{
	(void)arg;
	(void)code;
	(void)value;
	(void)err;
	return 0;
}

static const char *kind_name(enum column_kind kind)
{
	static const char *const names[] = {
		[COLUMN_GAUGE] = "gauge",
		[COLUMN_COUNTER] = "counter",
		[COLUMN_TEXT] = "text",
		[COLUMN_DERIVED] = "derived",
	};

	return names[kind];
}

static void print_schema(const struct schema *schema, bool first)
{
	char key[96];

	printf("%s%s  %s: %s\n", first ? "" : "\n", schema->name, schema->title, schema->help);
	for (u32 i = 0; i < schema->ncolumns; i++) {
		const struct column *c = &schema->columns[i];
		const char *unit = schema_unit(c);

		if (c->flags & COLUMN_HIDDEN)
			continue;
		schema_key(c, key, sizeof(key));
		printf("  %-19s %-32s %-6s %-8s %s%s\n", c->name, key, *unit ? unit : "-",
			kind_name(c->kind), c->help ? c->help : "",
			c->flags & COLUMN_ON_REQUEST ? "; only on request" : "");
	}
}

int cmd_tables(int argc, char **argv)
{
	static const struct args_table table = {"tables",
		"Every table and column: name, JSON key, unit, kind, meaning.", entries,
		ARRAY_LEN(entries), set};
	int rc = args_run(&table, argc, argv, NULL);

	if (rc >= 0)
		return rc;
	for (u32 i = 0; tare_sources[i]; i++)
		print_schema(tare_sources[i]->schema, i == 0);
	if ((fflush(stdout) || ferror(stdout)) && errno != EPIPE) {
		fprintf(stderr, "tare tables: standard output: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}
