/* tare top: the live view. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/machine.h"
#include "cmd/toprc.h"
#include "core/cadence.h"
#include "lib/sources.h"
#include "process/act.h"
#include "process/details.h"
#include "tui/app.h"
#include "tui/pcolumn.h"

enum { TABLES_MOST = 64 };

enum top_code {
	OPT_TREE = 256,
	OPT_COLUMNS,
	OPT_CHARSET,
	OPT_UTC,
	OPT_MOUSE,
	OPT_NO_MOUSE,
	OPT_COUNT,
	OPT_ROOT,
	OPT_SCAN,
};

static const struct args_entry entries[] = {
	{"interval", "TIME", "time between two looks (default 1s, 100ms to 1h)", 'i', false},
	{"columns", "LIST", "process columns in this order, commas between", OPT_COLUMNS, false},
	{"sort", "COLUMN", "order of the processes (default cpu)", 's', false},
	{"filter", "EXPR", "only processes for which EXPR is true", 'f', false},
	{"tree", NULL, "processes as a tree", OPT_TREE, false},
	{"charset", "SET", "auto, braille, block or ascii", OPT_CHARSET, false},
	{"utc", NULL, "show the time as UTC", OPT_UTC, false},
	{"mouse", NULL, "use the mouse (the default)", OPT_MOUSE, false},
	{"no-mouse", NULL, "leave the mouse to the terminal", OPT_NO_MOUSE, false},
	{"count", "N", "end after N frames", OPT_COUNT, false},
	{"scan", "HOW", "look at processes by: auto, procfs or bpf", OPT_SCAN, false},
	{"root", "DIR", "read a recorded machine", OPT_ROOT, true},
	{"help", NULL, "this text", ARGS_HELP, false},
};

struct top_arguments {
	struct app_config app;
	const char *root;
	struct source_choice choice;
	char notice[sizeof(((struct err *)0)->msg)];
};

static int set_charset(struct app_config *app, const char *text, struct err *err)
{
	app->charset_auto = strcmp(text, "auto") == 0;
	if (app->charset_auto)
		return 0;
	for (u32 i = 0; charset_word(i); i++) {
		if (strcmp(text, charset_word(i)) == 0) {
			app->view.charset = (enum charset)i;
			return 0;
		}
	}
	return err_set(err, EINVAL, "--charset %s: accepted are auto, braille, block, ascii", text);
}

/* The view compiles it for itself; here the message names the option. */
static int check_filter(const char *text, struct err *err)
{
	struct expr *filter = NULL;
	int rc = filter_compile(&filter, text, err);

	expr_free(filter);
	return rc;
}

static int columns_check(const char *text, struct err *err)
{
	struct columns columns;
	struct err why = {0};

	columns_init(&columns);
	if (columns_set(&columns, text, &why))
		return err_set(err, EINVAL, "--columns: %s; see tare tables", why.msg);
	return 0;
}

/* What was kept comes first, so that options go over it. */
static void use_kept(struct top_arguments *a, struct toprc *kept)
{
	struct err err = {0};

	if (toprc_load(kept, &err) < 0) {
		memcpy(a->notice, err.msg, sizeof(a->notice));
		a->app.view.notice = a->notice;
	}
	a->app.view.settings = &kept->kept;
	a->app.charset_auto = kept->kept.charset_auto;
	a->app.view.charset = kept->kept.charset;
	a->app.keep = toprc_keep;
	a->app.keep_arg = kept;
}

static int set_option(void *arg, int code, const char *text, struct err *err)
{
	struct top_arguments *a = arg;

	switch (code) {
	case 'i':
		return interval_parse(text, &a->app.engine.interval_ns, err);
	case OPT_COLUMNS:
		a->app.view.columns = text;
		return columns_check(text, err);
	case 's':
		a->app.view.sort = text;
		return 0;
	case 'f':
		a->app.view.filter = text;
		return check_filter(text, err);
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
	case OPT_SCAN:
		return scan_parse(&a->choice, text, err);
	case OPT_COUNT:
		if (scan_whole_u64(text, text + strlen(text), &a->app.count) < 0)
			return err_set(
				err, EINVAL, "--count %s: a number of frames is accepted", text);
		return 0;
	default:
		a->root = text;
		return 0;
	}
}

/* Threads are read when they are shown, which may be at any time. */
static const char *const *live_tables(void)
{
	static const char *names[TABLES_MOST];
	u32 n = 0;

	for (u32 i = 0; tare_sources[i] && n + 1 < TABLES_MOST; i++)
		if (!tare_sources[i]->optional || !strcmp(tare_sources[i]->schema->name, "thread"))
			names[n++] = tare_sources[i]->schema->name;
	return names;
}

static int open_engine(
	void *arg, struct engine **out, const struct engine_config *engine, struct err *err)
{
	struct tare *tare = arg;
	int rc = handle_start(tare, engine->include, engine->options, engine->interval_ns, err);

	*out = tare->engine;
	return rc;
}

int cmd_top(int argc, char **argv)
{
	static const struct args_table table = {"top",
		"Live view of the machine and its processes.", entries, ARRAY_LEN(entries),
		set_option};
	static const struct process_ops ops = {
		act_signal, act_renice, act_set_cpus, act_cpus, process_details};
	struct top_arguments a = {
		.app.charset_auto = true, .app.mouse = true, .app.processes = &ops};
	static struct toprc kept;
	struct tare *tare = NULL;
	struct err err = {0};
	int rc;
	bool usage = false;

	a.app.engine.interval_ns = local_interval();
	use_kept(&a, &kept);
	rc = args_run(&table, argc, argv, &a);
	if (rc >= 0)
		return rc;
	rc = handle_new(&tare, a.root, &err);
	if (rc == 0) {
		a.app.engine.root = &tare->root;
		a.app.engine.clock = &tare->clock;
		a.app.engine.sources = tare_sources;
		a.app.engine.options = a.choice.options;
		a.app.engine.include = live_tables();
		a.app.open = open_engine;
		a.app.open_arg = tare;
		rc = app_run(&a.app, &err);
		usage = rc == -EINVAL;
		tare_close(tare);
	}
	if (rc < 0)
		fprintf(stderr, "tare top: %s\n", err.msg);
	if (usage)
		return 2;
	return rc < 0 ? 1 : 0;
}
