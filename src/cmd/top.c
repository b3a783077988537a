/* tare top: the live view. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "cmd/cmd.h"
#include "core/cadence.h"
#include "lib/sources.h"
#include "tui/app.h"

enum option_code {
	OPT_INTERVAL = 256,
	OPT_SORT,
	OPT_FILTER,
	OPT_TREE,
	OPT_CHARSET,
	OPT_UTC,
	OPT_MOUSE,
	OPT_NO_MOUSE,
	OPT_COUNT,
	OPT_ROOT,
	OPT_HELP,
};

static const struct option top_options[] = {
	{"interval", required_argument, NULL, OPT_INTERVAL},
	{"sort", required_argument, NULL, OPT_SORT},
	{"filter", required_argument, NULL, OPT_FILTER},
	{"tree", no_argument, NULL, OPT_TREE},
	{"charset", required_argument, NULL, OPT_CHARSET},
	{"utc", no_argument, NULL, OPT_UTC},
	{"mouse", no_argument, NULL, OPT_MOUSE},
	{"no-mouse", no_argument, NULL, OPT_NO_MOUSE},
	{"count", required_argument, NULL, OPT_COUNT},
	{"root", required_argument, NULL, OPT_ROOT},
	{"help", no_argument, NULL, OPT_HELP},
	{0},
};

static const char top_usage[] =
	"usage: tare top [--interval TIME] [--sort COLUMN] [--filter EXPR] [--tree]\n"
	"                [--charset auto|braille|block|ascii] [--utc] [--mouse|--no-mouse]\n";

struct top_arguments {
	struct app_config app;
	const char *root;
	bool help;
};

static int set_charset(struct app_config *app, const char *text, struct err *err)
{
	static const char *const names[] = {[CHARSET_ASCII] = "ascii",
		[CHARSET_BLOCK] = "block",
		[CHARSET_BRAILLE] = "braille"};

	app->charset_auto = strcmp(text, "auto") == 0;
	if (app->charset_auto)
		return 0;
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			app->view.charset = (enum charset)i;
			return 0;
		}
	}
	return err_set(err, EINVAL, "--charset %s: accepted are auto, braille, block, ascii", text);
}

static int set_option(struct top_arguments *a, int code, const char *text, struct err *err)
{
	switch (code) {
	case OPT_INTERVAL:
		return interval_parse(text, &a->app.engine.interval_ns, err);
	case OPT_SORT:
		a->app.view.sort = text;
		return 0;
	case OPT_FILTER:
		a->app.view.filter = text;
		return 0;
	case OPT_TREE:
		a->app.view.tree = true;
		return 0;
	case OPT_CHARSET:
		return set_charset(&a->app, text, err);
	case OPT_UTC:
		a->app.view.utc = true;
		return 0;
	case OPT_MOUSE:
	case OPT_NO_MOUSE:
		a->app.mouse = code == OPT_MOUSE;
		return 0;
	case OPT_COUNT:
		if (scan_whole_u64(text, text + strlen(text), &a->app.count) < 0)
			return err_set(
				err, EINVAL, "--count %s: a number of frames is accepted", text);
		return 0;
	case OPT_ROOT:
		a->root = text;
		return 0;
	default:
		a->help = true;
		return 0;
	}
}

static int parse(struct top_arguments *a, int argc, char **argv, struct err *err)
{
	int code;

	opterr = 0;
	optind = 1;
	while ((code = getopt_long(argc, argv, ":", top_options, NULL)) != -1) {
		if (code == ':')
			return err_set(err, EINVAL, "%s needs a value", argv[optind - 1]);
		if (code == '?')
			return err_set(err, EINVAL, "%s is not an option; see tare top --help",
				argv[optind - 1]);
		if (set_option(a, code, optarg, err) < 0)
			return -EINVAL;
	}
	if (optind < argc)
		return err_set(err, EINVAL, "%s: no argument is accepted", argv[optind]);
	return 0;
}

int cmd_top(int argc, char **argv)
{
	struct top_arguments a = {.app.charset_auto = true, .app.mouse = true};
	static struct root root;
	struct clock clock;
	struct err err = {0};
	int rc;
	bool usage = false;

	a.app.engine.interval_ns = local_interval();
	if (parse(&a, argc, argv, &err) < 0) {
		fprintf(stderr, "tare top: %s\n", err.msg);
		return 2;
	}
	if (a.help) {
		fputs(top_usage, stdout);
		return 0;
	}
	clock_init(&clock);
	rc = root_init(&root, a.root, &clock, &err);
	if (rc == 0) {
		a.app.engine.root = &root;
		a.app.engine.clock = &clock;
		a.app.engine.sources = tare_sources;
		rc = app_run(&a.app, &err);
		usage = rc == -EINVAL;
		root_fini(&root);
	}
	if (rc < 0)
		fprintf(stderr, "tare top: %s\n", err.msg);
	if (usage)
		return 2;
	return rc < 0 ? 1 : 0;
}
