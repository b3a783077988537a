/* tare snapshot: measure over a window and print it, once or in a stream.
 *
 * On the live machine the baseline is read at once and the second reading at an absolute time after
 * it, so that the window is as long as asked. A recorded machine is read moment by moment. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/scan.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/machine.h"
#include "core/cadence.h"
#include "lib/sources.h"
#include "sink/frame_json.h"
#include "sink/frame_text.h"

enum {
	INCLUDE_MOST = 32,
	TOP_TEXT = 20,
};

enum snapshot_code {
	OPT_COUNT = 256,
	OPT_JSON,
	OPT_NVML,
	OPT_ROOT,
	OPT_SCAN,
	OPT_TOP,
	OPT_WINDOW,
	OPT_WITH,
};

struct snapshot {
	const char *root;
	u64 window_ns, interval_ns;
	u64 count; /* 0: as long as it goes on */
	u64 top;
	bool have_window, have_interval, have_count, have_top, have_include, json;
	u64 printed;
	const char *sort, *filter;
	u64 with; /* columns of processes that are only read on request */
	struct source_choice choice;
	const char *include[INCLUDE_MOST + 1];
	char words[512]; /* what include points into */
	struct machine machine;
	struct selection selection;
};

static volatile sig_atomic_t stopped;

static const struct args_entry entries[] = {
	{"window", "TIME", "the first window (default 1s or a shorter --interval; at least 50ms)",
		OPT_WINDOW, false},
	{"interval", "TIME", "a stream: one snapshot each TIME, until interrupted", 'i', false},
	{"count", "N", "end the stream after N snapshots", OPT_COUNT, false},
	{"include", "LIST", "only these tables, e.g. cpu,memory (all: tare tables)", 'I', false},
	{"with", "LIST", "columns that are only read on request, e.g. pss,cwd", OPT_WITH, false},
	{"sort", "COLUMN[:asc]", "order of the processes (default cpu)", 's', false},
	{"top", "N", "at most N processes (default 20 as text, 0: all)", OPT_TOP, false},
	{"filter", "EXPR", "only processes for which EXPR is true", 'f', false},
	{"scan", "HOW", "look at processes by: auto, procfs or bpf", OPT_SCAN, false},
	{"json", NULL, "one JSON object a line instead of text", OPT_JSON, false},
	{"nvml", "FILE", "load this library for NVIDIA's GPUs", OPT_NVML, true},
	{"root", "DIR", "read a recorded machine", OPT_ROOT, true},
	{"help", NULL, "this text", ARGS_HELP, false},
};

static int parse_number(const char *name, const char *text, u64 least, u64 *out, struct err *err)
{
	if (scan_whole_u64(text, text + strlen(text), out) < 0 || *out < least ||
		*out == UINT64_MAX)
		return err_set(err, EINVAL, "--%s %s: accepted are whole numbers from %u", name,
			text, (unsigned int)least);
	return 0;
}

static int parse_window(const char *text, u64 *out, struct err *err)
{
	if (scan_duration(text, out) < 0 || *out < WINDOW_LEAST_NS || *out > INTERVAL_MOST_NS)
		return err_set(err, EINVAL,
			"--window %s: accepted are 50ms to 1h, with ms, s, m or h", text);
	return 0;
}

static bool known_table(const char *name)
{
	for (u32 i = 0; tare_sources[i]; i++) {
		if (!strcmp(tare_sources[i]->schema->name, name))
			return true;
	}
	return false;
}

static int unknown_table(const char *name, struct err *err)
{
	char names[180] = "";

	for (u32 i = 0; tare_sources[i]; i++) {
		size_t len = strlen(names);

		snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
			tare_sources[i]->schema->name);
	}
	return err_set(err, EINVAL, "--include %.24s: accepted are %s", name, names);
}

static int parse_include(struct snapshot *s, const char *text, struct err *err)
{
	char *save = NULL;
	u32 n = 0;

	if (snprintf(s->words, sizeof(s->words), "%s", text) >= (int)sizeof(s->words))
		return unknown_table(text, err);
	for (char *name = strtok_r(s->words, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (!known_table(name) || n == INCLUDE_MOST)
			return unknown_table(name, err);
		s->include[n++] = name;
	}
	if (!n)
		return unknown_table(text, err);
	s->include[n] = NULL;
	s->have_include = true;
	return 0;
}

/* Names of the columns that are only read on request, and their bits. */
static u64 on_request(const struct schema *schema, char *names, size_t size)
{
	u64 all = 0;

	names[0] = '\0';
	for (u32 c = 0; schema && c < schema->ncolumns; c++) {
		size_t len = strlen(names);

		if (!(schema->columns[c].flags & COLUMN_ON_REQUEST))
			continue;
		all |= column_bit(c);
		snprintf(names + len, size - len, "%s%s", len ? ", " : "", schema->columns[c].name);
	}
	return all;
}

static int parse_with(struct snapshot *s, const char *text, struct err *err)
{
	const struct schema *schema = process_schema();
	char words[128], accepted[128], *save = NULL;
	u64 all = on_request(schema, accepted, sizeof(accepted));

	snprintf(words, sizeof(words), "%s", text);
	for (char *name = strtok_r(words, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		int column = schema ? schema_find(schema, name) : -1;

		if (column < 0 || !(all & column_bit((u32)column)))
			return err_set(
				err, EINVAL, "--with %.40s: accepted are %s", name, accepted);
		s->with |= column_bit((u32)column);
	}
	return s->with ? 0 : err_set(err, EINVAL, "--with: accepted are %s", accepted);
}

static int set(void *arg, int code, const char *value, struct err *err)
{
	struct snapshot *s = arg;

	switch (code) {
	case OPT_WINDOW:
		s->have_window = true;
		return parse_window(value, &s->window_ns, err);
	case 'i':
		s->have_interval = true;
		return interval_parse(value, &s->interval_ns, err);
	case OPT_COUNT:
		s->have_count = true;
		return parse_number("count", value, 1, &s->count, err);
	case 'I':
		return parse_include(s, value, err);
	case 's':
		s->sort = value;
		return 0;
	case OPT_TOP:
		s->have_top = true;
		return parse_number("top", value, 0, &s->top, err);
	case 'f':
		s->filter = value;
		return 0;
	case OPT_SCAN:
		return scan_parse(&s->choice, value, err);
	case OPT_NVML:
		return nvml_choose(&s->choice, value, err);
	case OPT_WITH:
		return parse_with(s, value, err);
	case OPT_JSON:
		s->json = true;
		return 0;
	default:
		s->root = value;
		return 0;
	}
}

static int bad_sort(const char *text, const struct schema *schema, struct err *err)
{
	char names[200] = "";

	for (u32 i = 0; i < schema->ncolumns; i++) {
		size_t len = strlen(names);

		if (schema->columns[i].flags & COLUMN_HIDDEN)
			continue;
		snprintf(names + len, sizeof(names) - len, " %s", schema->columns[i].name);
	}
	return err_set(err, EINVAL, "--sort %.20s: accepted are%s", text, names);
}

static int set_sort(struct snapshot *s, const struct schema *schema, struct err *err)
{
	const char *text = s->sort ? s->sort : "cpu";
	const char *colon = strchr(text, ':');
	char name[40];

	s->selection.sort_column = -1;
	if (!schema)
		return s->sort ? err_set(err, EINVAL, "--sort: there is no process table") : 0;
	snprintf(name, sizeof(name), "%.*s", (int)(colon ? colon - text : 39), text);
	s->selection.sort_column = schema_find(schema, name);
	s->selection.ascending = colon && !strcmp(colon, ":asc");
	if (s->selection.sort_column < 0 ||
		(colon && !s->selection.ascending && strcmp(colon, ":desc") != 0))
		return bad_sort(text, schema, err);
	if (s->json && !s->sort)
		s->selection.sort_column = -1; /* all of them, in the order of their keys */
	return 0;
}

/* What can only be judged once all options are known. */
static int settle(struct snapshot *s, struct err *err)
{
	const struct schema *schema = process_schema();

	if (set_sort(s, schema, err) < 0)
		return -EINVAL;
	s->selection.top = s->have_top ? s->top : s->json ? 0 : TOP_TEXT;
	if (s->json && s->have_top && !s->sort && schema)
		s->selection.sort_column = schema_find(schema, "cpu");
	if (!s->have_count)
		s->count = s->have_interval ? 0 : 1;
	if (!s->have_interval)
		s->interval_ns = s->window_ns;
	else if (!s->have_window)
		s->window_ns = min_u64(s->window_ns, s->interval_ns);
	return s->filter ? filter_compile(&s->selection.filter, s->filter, err) : 0;
}

static void sleep_until(u64 at_ns)
{
	const struct timespec t = {(time_t)(at_ns / NSEC_PER_SEC), (long)(at_ns % NSEC_PER_SEC)};

	while (!stopped && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static u32 terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

static int print(struct snapshot *s, const struct frame *frame)
{
	bool again = s->printed++ > 0;
	const struct text_config config = {s->have_include, terminal_width()};

	if (s->json)
		return sink_json_frame(
			stdout, frame, s->machine.engine, s->machine.hostname, &s->selection);
	if (again)
		fputc('\n', stdout);
	return sink_text_frame(
		stdout, frame, s->machine.engine, s->machine.hostname, &s->selection, &config);
}

/* Baseline, then a frame each time it is due. The n-th is due a window after the baseline and n
 * intervals from there, whatever the printing took. */
static int run_live(struct snapshot *s)
{
	struct tare *t = s->machine.tare;
	u64 due_ns = clock_mono_ns();
	int rc = tare_refresh(t);

	due_ns = max_u64(due_ns, handle_frame(t) ? handle_frame(t)->at.mono_ns : 0) + s->window_ns;
	for (u64 n = 0; rc == 0 && (!s->count || n < s->count); n++) {
		sleep_until(due_ns);
		if (stopped)
			break;
		rc = tare_refresh(t);
		if (rc == 0)
			rc = print(s, handle_frame(t));
		due_ns += s->interval_ns;
		while (due_ns <= clock_mono_ns())
			due_ns += s->interval_ns;
	}
	return rc;
}

/* One printed frame is from the first two moments; a machine recorded only once has no window. */
static int run_recorded(struct snapshot *s)
{
	struct tare *t = s->machine.tare;
	int rc = tare_refresh(t);

	while (rc == 0 && (!s->count || s->printed < s->count) && !stopped) {
		rc = tare_refresh(t);
		if (rc == 0)
			rc = print(s, handle_frame(t));
	}
	if (rc == -ENODATA)
		rc = s->printed ? 0 : print(s, handle_frame(t));
	return rc;
}

static void on_signal(int number)
{
	stopped = number;
}

static int run(struct snapshot *s, struct err *err)
{
	const struct sigaction stop = {.sa_handler = on_signal};
	char names[128];
	int rc = machine_open(&s->machine, s->root, s->have_include ? s->include : NULL, &s->choice,
		s->interval_ns, err);

	if (rc < 0)
		return rc;
	if (s->with)
		engine_need(s->machine.engine, "process",
			~on_request(process_schema(), names, sizeof(names)) | s->with);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	rc = root_is_live(s->machine.root) ? run_live(s) : run_recorded(s);
	if (rc < 0)
		err_set(err, -rc, "%s", strerror(-rc));
	machine_close(&s->machine);
	return rc;
}

int cmd_snapshot(int argc, char **argv)
{
	static const struct args_table table = {"snapshot",
		"Measures over a window and prints it: once, or in a stream.", entries,
		ARRAY_LEN(entries), set};
	static struct snapshot s = {.window_ns = NSEC_PER_SEC};
	struct err err = {0};
	int rc = args_run(&table, argc, argv, &s);

	if (rc >= 0)
		return rc;
	if (settle(&s, &err) < 0) {
		fprintf(stderr, "tare snapshot: %s\n", err.msg);
		return EXIT_USAGE;
	}
	rc = run(&s, &err);
	select_fini(&s.selection);
	/* stopped before there was anything to show: as the signal would have it */
	if (rc == 0 && stopped && !s.printed) {
		signal(stopped, SIG_DFL);
		raise(stopped);
	}
	if (rc == 0 || rc == -EPIPE)
		return EXIT_DONE;
	fprintf(stderr, "tare snapshot: %s\n", err.msg);
	return EXIT_FAILED;
}
