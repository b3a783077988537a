/* tare record: kernel events into one Perfetto trace, for as long as a command runs, a time, or until Ctrl-C. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/record.h"

enum record_code {
	OPT_BUFFER = 256,
	OPT_CHUNK,
	OPT_CPUS,
	OPT_DURATION,
	OPT_FAIL_ON_LOSS,
	OPT_FILTER,
	OPT_LIST_EVENTS,
	OPT_PERIOD,
};

static const struct args_entry entries[] = {
	{"events", "LIST", "kernel events: groups, names, wildcards, presets (default sched)", 'e',
		false},
	{"output", "FILE", "write there; - is the standard output (default tare-TIME.pftrace)", 'o',
		false},
	{"filter", "TEXT", "only records for which it is true: 'GROUP/EVENT: EXPRESSION'",
		OPT_FILTER, false},
	{"pid", "PID", "only of this process, its threads and what they start", 'p', false},
	{"cpus", "LIST", "only on these CPUs: 0-3,8", OPT_CPUS, false},
	{"duration", "TIME", "end after this: 500ms, 10s, 2m, 1h", OPT_DURATION, false},
	{"buffer-size", "SIZE", "of each CPU in the kernel (default 4M)", OPT_BUFFER, false},
	{"chunk", "SIZE", "bytes of one read, a power of two (default 64K)", OPT_CHUNK, false},
	{"drain-period", "TIME", "look at the buffers at least so often (default 1s)", OPT_PERIOD,
		false},
	{"fail-on-loss", NULL, "exit with 4 when events were lost", OPT_FAIL_ON_LOSS, false},
	{"list-events", NULL, "the events of this kernel, one a line", OPT_LIST_EVENTS, false},
	{"help", NULL, "this text", ARGS_HELP, false},
};

/* "64K" */
static int parse_size(const char *text, u64 *bytes)
{
	static const char units[] = "KMG";
	char *end;
	unsigned long long v = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end & ~32) : NULL;

	if (end == text || *text == '-' || (*end && (!unit || end[1])) || v > UINT32_MAX)
		return -EINVAL;
	*bytes = v << (unit ? 10 * (unit - units + 1) : 0);
	return *bytes ? 0 : -EINVAL;
}

static int set_time(u64 *ns, const char *option, const char *value, struct err *err)
{
	if (scan_duration(value, ns) || !*ns)
		return err_set(err, EINVAL, "%s %s: accepted is a time as 500ms, 10s, 2m or 1h",
			option, value);
	return 0;
}

static int set_chunk(struct record_arguments *a, const char *value, struct err *err)
{
	u64 chunk;

	if (parse_size(value, &chunk) || chunk < 4096 || chunk > 1 << 20 || chunk & (chunk - 1))
		return err_set(
			err, EINVAL, "--chunk %s: accepted is a power of two from 4K to 1M", value);
	a->drain.subbuffer_bytes = (u32)chunk;
	return 0;
}

static int set_buffer(struct record_arguments *a, const char *value, struct err *err)
{
	if (parse_size(value, &a->drain.buffer_bytes) || a->drain.buffer_bytes < 4096)
		return err_set(err, EINVAL,
			"--buffer-size %s: accepted is a size as 512K, 4M or 1G", value);
	return 0;
}

static int set_text(const char **out, const char *option, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "%s: nothing is given", option);
	*out = value;
	return 0;
}

static int add_filter(struct narrow *n, const char *value, struct err *err)
{
	const char *expression;
	char event[256];

	if (!narrow_split(value, event, sizeof(event), &expression))
		return err_set(
			err, EINVAL, "--filter %s: accepted is 'GROUP/EVENT: EXPRESSION'", value);
	if (n->nfilters == NARROW_FILTERS)
		return err_set(err, E2BIG, "--filter: at most %d are accepted", NARROW_FILTERS);
	n->filters[n->nfilters++] = value;
	return 0;
}

static int add_pid(struct narrow *n, const char *value, struct err *err)
{
	char *end;
	unsigned long pid = strtoul(value, &end, 10);

	if (end == value || *end || *value == '-' || !pid || pid > INT32_MAX)
		return err_set(err, EINVAL, "--pid %s: accepted is the number of a process", value);
	if (n->npids == NARROW_PIDS)
		return err_set(err, E2BIG, "--pid: at most %d are accepted", NARROW_PIDS);
	n->pids[n->npids++] = (u32)pid;
	return 0;
}

static int set_cpus(struct narrow *n, const char *value, struct err *err)
{
	char mask[512];

	if (narrow_mask(value, UINT32_MAX, mask, sizeof(mask)))
		return err_set(err, EINVAL, "--cpus %s: accepted is a list as 0-3,8", value);
	n->cpus = value;
	return 0;
}

static int set(void *arg, int code, const char *value, struct err *err)
{
	struct record_arguments *a = arg;

	switch (code) {
	case 'e':
		return set_text(&a->drain.events, "--events", value, err);
	case 'o':
		return set_text(&a->output, "--output", value, err);
	case 'p':
		return add_pid(&a->drain.narrow, value, err);
	case OPT_FILTER:
		return add_filter(&a->drain.narrow, value, err);
	case OPT_CPUS:
		return set_cpus(&a->drain.narrow, value, err);
	case OPT_DURATION:
		return set_time(&a->duration_ns, "--duration", value, err);
	case OPT_PERIOD:
		return set_time(&a->period_ns, "--drain-period", value, err);
	case OPT_BUFFER:
		return set_buffer(a, value, err);
	case OPT_CHUNK:
		return set_chunk(a, value, err);
	case OPT_FAIL_ON_LOSS:
		a->fail_on_loss = true;
		break;
	default:
		a->list = true;
	}
	return 0;
}

static const struct args_table table = {.command = "record",
	.help = "Record kernel events into a Perfetto trace (ui.perfetto.dev) while COMMAND runs: "
		"tare record [OPTION]... [-- COMMAND...]",
	.entries = entries,
	.n = ARRAY_LEN(entries),
	.set = set};

static int list_events(const struct root *root)
{
	struct tracefs fs;
	struct err err;
	char *text;
	size_t len;

	if (tracefs_open(&fs, root, &err)) {
		fprintf(stderr, "tare record: %s\n", err.msg);
		return EXIT_FAILED;
	}
	text = tracefs_available(&fs, &len);
	if (text)
		fwrite(text, 1, len, stdout);
	free(text);
	tracefs_close(&fs);
	return text && !fflush(stdout) ? EXIT_DONE : EXIT_FAILED;
}

int cmd_record(int argc, char **argv)
{
	struct record_arguments a = {.drain = {.events = "sched"}, .period_ns = NSEC_PER_SEC};
	struct root root;
	struct clock clock;
	struct err err;
	int before = 1, ret;

	while (before < argc && strcmp(argv[before], "--") != 0)
		before++;
	a.command = before + 1 < argc ? argv + before + 1 : NULL;
	ret = args_run(&table, before, argv, &a);
	if (ret >= 0)
		return ret;
	if (root_init(&root, NULL, &clock, &err)) {
		fprintf(stderr, "tare record: %s\n", err.msg);
		return EXIT_FAILED;
	}
	ret = a.list ? list_events(&root) : record_run(&a, &root, &clock);
	root_fini(&root);
	return ret;
}
