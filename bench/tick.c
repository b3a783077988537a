/* What one tick costs: the real engine over the real sources, hot (back to back) or paced (one pass a
 * second), on this machine or on a recorded one that stands still. Prints one line per source and the whole:
 * CPU time, also of the first tick; allocations, and bytes of them; instruction and system call counts come from running it under callgrind and
 * strace (bench/budget.py). With --view it also keeps history and draws the live view. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/alloc.h"
#include "core/cadence.h"
#include "core/engine.h"
#include "lib/sources.h"
#include "process/process.h"
#include "tui/view.h"

struct options {
	char scan[24]; /* as the sources take it; "": their choice */
	const char *options[2];
	const char *root, *columns;
	const char *include[32];
	u32 ticks, warm, cols, rows;
	bool paced, view, json;
};

struct run {
	struct options opt;
	struct root root;
	struct clock clock;
	struct engine *engine;
	struct view *view;
	const struct schema *schemas[64];
	struct grid grid;
	u64 view_cpu_ns;
	u64 first_ns; /* CPU time of the first tick, which opens what is kept */
};

struct allocs {
	u64 count, bytes;
};

static int parse_include(struct options *opt, char *list)
{
	u32 n = 0;

	for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		if (n + 1 == ARRAY_LEN(opt->include))
			return -E2BIG;
		opt->include[n++] = name;
	}
	return 0;
}

static int parse(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{"root", required_argument, NULL, 'r'},
		{"include", required_argument, NULL, 'i'},
		{"ticks", required_argument, NULL, 'n'},
		{"warm", required_argument, NULL, 'w'},
		{"paced", no_argument, NULL, 'p'},
		{"view", no_argument, NULL, 'v'},
		{"json", no_argument, NULL, 'j'},
		{"scan", required_argument, NULL, 's'},
		{"columns", required_argument, NULL, 'c'},
		{0},
	};
	int c;

	*opt = (struct options){.ticks = 100, .warm = 5, .cols = 200, .rows = 50};
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'r':
			opt->root = optarg;
			break;
		case 'i':
			if (parse_include(opt, optarg))
				return -E2BIG;
			break;
		case 'n':
			opt->ticks = (u32)strtoul(optarg, NULL, 10);
			break;
		case 'w':
			opt->warm = (u32)strtoul(optarg, NULL, 10);
			break;
		case 'p':
			opt->paced = true;
			break;
		case 'v':
			opt->view = true;
			break;
		case 'c':
			opt->columns = optarg;
			break;
		case 's':
			if (strcmp(optarg, "auto") && strcmp(optarg, "procfs") &&
				strcmp(optarg, "bpf"))
				return -EINVAL;
			snprintf(opt->scan, sizeof(opt->scan), "scan=%s", optarg);
			opt->options[0] = opt->scan;
			break;
		case 'j':
			opt->json = true;
			break;
		default:
			return -EINVAL;
		}
	}
	return opt->ticks ? 0 : -EINVAL;
}

/* Only these columns of the processes. 0, or -EINVAL for one that there is not. */
static int need_columns(struct run *r)
{
	char words[512], *save = NULL;
	u64 need = 0;

	snprintf(words, sizeof(words), "%s", r->opt.columns);
	for (char *name = strtok_r(words, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		int column = schema_find(process_source.schema, name);

		if (column < 0)
			return -EINVAL;
		need |= column_bit((u32)column);
	}
	engine_need(r->engine, "process", need);
	return 0;
}

static int open_run(struct run *r, struct err *err)
{
	struct engine_config config = {.root = &r->root,
		.clock = &r->clock,
		.sources = tare_sources,
		.interval_ns = local_interval(),
		.include = r->opt.include[0] ? r->opt.include : NULL,
		.options = r->opt.options,
		.still = r->opt.root != NULL};
	struct view_config look = {.charset = CHARSET_BRAILLE,
		.interval_ns = local_interval(),
		.hostname = "bench",
		.schemas = r->schemas,
		.utc = true};
	int ret;

	for (u32 i = 0; tare_sources[i] && i + 1 < ARRAY_LEN(r->schemas); i++)
		r->schemas[i] = tare_sources[i]->schema;
	clock_init(&r->clock);
	ret = root_init(&r->root, r->opt.root, &r->clock, err);
	if (ret)
		return ret;
	ret = engine_open(&r->engine, &config, err);
	if (!ret && r->opt.columns)
		ret = need_columns(r);
	if (ret || !r->opt.view)
		return ret;
	grid_init(&r->grid);
	ret = view_new(&r->view, &look, err);
	return ret ? ret : grid_resize(&r->grid, r->opt.cols, r->opt.rows);
}

/* Not inlined and not static: callgrind collects inside it only. */
int bench_tick(struct run *r);

__attribute__((noinline)) int bench_tick(struct run *r)
{
	const struct frame *frame;
	u64 before;
	int ret;

	if (r->clock.scripted) {
		struct stamp at = r->clock.at;

		at.mono_ns += NSEC_PER_SEC;
		at.boot_ns += NSEC_PER_SEC;
		at.real_ns += NSEC_PER_SEC;
		clock_script(&r->clock, &at);
	}
	ret = engine_tick(r->engine, &frame);
	if (ret || !r->view)
		return ret;
	before = clock_thread_cpu_ns();
	view_frame(r->view, frame, r->engine);
	grid_clear(&r->grid);
	view_draw(r->view, &r->grid);
	/* as the live view does: what nobody looks at is not read */
	for (u32 i = 0; tare_sources[i]; i++)
		engine_need(r->engine, tare_sources[i]->schema->name,
			view_need(r->view, tare_sources[i]->schema->name));
	r->view_cpu_ns += clock_thread_cpu_ns() - before;
	return 0;
}

static int ticks(struct run *r, u32 n)
{
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (u32 i = 0; i < n; i++) {
		u64 before = r->first_ns ? 0 : clock_thread_cpu_ns();
		int ret = bench_tick(r);

		if (ret)
			return ret;
		if (!r->first_ns)
			r->first_ns = clock_thread_cpu_ns() - before;
		if (!r->opt.paced)
			continue;
		next.tv_sec++;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	return 0;
}

/* rows negative: not a source. */
static void line(const struct run *r, const char *name, double value, const char *unit, double rows)
{
	if (r->opt.json)
		printf("%s\"%s\": %.2f", strcmp(name, "tick") ? ", " : "{", name, value);
	else if (rows < 0)
		printf("%-12s %10.1f %s\n", name, value, unit);
	else
		printf("%-12s %10.1f %s %8.0f rows\n", name, value, unit, rows);
}

static void report(const struct run *r, const struct source_cost *before, u64 cpu_ns,
	const struct allocs *allocs)
{
	double n = r->opt.ticks;
	u32 count;
	const struct source_cost *costs = engine_costs(r->engine, &count);

	line(r, "tick", (double)cpu_ns / n / 1e3, "us", -1);
	for (u32 i = 0; i < count; i++)
		line(r, costs[i].name,
			(double)(costs[i].cpu_ns + costs[i].delta_ns - before[i].cpu_ns -
				 before[i].delta_ns) /
				n / 1e3,
			"us", (double)costs[i].rows);
	if (r->view)
		line(r, "view", (double)r->view_cpu_ns / n / 1e3, "us", -1);
	line(r, "first", (double)r->first_ns / 1e3, "us", -1);
	line(r, "allocations", (double)allocs->count / n, "a tick", -1);
	line(r, "bytes", (double)allocs->bytes / n, "a tick", -1);
	if (r->opt.json)
		puts("}");
}

int main(int argc, char **argv)
{
	struct source_cost before[64] = {0};
	const struct source_cost *costs;
	struct run r = {0};
	struct err err = {0};
	struct allocs allocs;
	u64 cpu_ns;
	u32 count;
	int ret;

	if (parse(&r.opt, argc, argv)) {
		fputs("usage: tick [--root DIR] [--include LIST] [--ticks N] [--warm N] [--paced] "
		      "[--view] [--json]\n",
			stderr);
		return 2;
	}
	ret = open_run(&r, &err);
	if (!ret)
		ret = ticks(&r, r.opt.warm ? r.opt.warm : 1);
	if (ret) {
		fprintf(stderr, "tick: %s\n", err.code ? err.msg : strerror(-ret));
		return 1;
	}
	engine_wait_slow(r.engine, NSEC_PER_SEC);
	costs = engine_costs(r.engine, &count);
	memcpy(before, costs, count * sizeof(*costs));
	r.view_cpu_ns = 0;
	allocs = (struct allocs){alloc_count(), alloc_bytes()};
	cpu_ns = clock_thread_cpu_ns();
	ret = ticks(&r, r.opt.ticks);
	cpu_ns = clock_thread_cpu_ns() - cpu_ns;
	allocs = (struct allocs){alloc_count() - allocs.count, alloc_bytes() - allocs.bytes};
	if (ret) {
		fprintf(stderr, "tick: %s\n", strerror(-ret));
		return 1;
	}
	report(&r, before, cpu_ns, &allocs);
	engine_close(r.engine);
	view_free(r.view);
	grid_fini(&r.grid);
	root_fini(&r.root);
	return 0;
}
