/* What looking for descriptors of a device costs: the same scanner without and with it, in turn, over this machine's
 * processes, each in a process of its own (it would find what the other one keeps open). CPU time of the thread that
 * scans for each pass, one pass a second (paced) and back to back (hot), allocations of either. A device of any major stands in for a GPU: bench/spawn opens /dev/ptmx, whose major is 5.
 * usage: finds [--scan procfs|bpf] [--major 5] [--paced 12] [--hot 30] [--columns LIST] [--json] */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench/alloc.h"
#include "core/cadence.h"
#include "process/process.h"
#include "process/scanner.h"

enum {
	WARM = 2, /* passes that are not timed: the other one had its turn */
	TURN = 3, /* timed passes */
	PASSES_MOST = 1024,
};

struct options {
	const struct scanner_ops *ops;
	const char *columns; /* what the live view shows, unless told otherwise */
	u32 major, paced, hot;
	bool json;
};

/* What one pass saw and cost. */
struct cost {
	int ret;
	u32 processes, tables, finds;
	u64 ns, allocations;
};

/* A scanner in a process of its own, and what its timed passes cost. */
struct side {
	int ask, answer; /* a byte for each pass, and its struct cost */
	u32 processes, tables;
	u32 most; /* descriptors found, of any pass: the first looks at every table */
	u32 n;
	u64 ns[PASSES_MOST], allocations;
};

static u64 columns(const char *list)
{
	char words[512], *save = NULL;
	u64 need = 0;

	snprintf(words, sizeof(words), "%s", list);
	for (char *name = strtok_r(words, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		int column = schema_find(process_source.schema, name);

		if (column >= 0)
			need |= column_bit((u32)column);
	}
	return need;
}

static int parse(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{"scan", required_argument, NULL, 's'},
		{"major", required_argument, NULL, 'm'},
		{"paced", required_argument, NULL, 'p'},
		{"hot", required_argument, NULL, 'h'},
		{"columns", required_argument, NULL, 'c'},
		{"json", no_argument, NULL, 'j'},
		{0},
	};
	int c;

	*opt = (struct options){.ops = &bpf_scanner,
		.major = 5,
		.paced = 12,
		.hot = 30,
		.columns = "pid,user,uid,state,cpu,user_cpu,system_cpu,time,threads,priority,nice,"
			   "resident,virtual,memory,started,kernel,own,command,cmdline"};
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 's' && !strcmp(optarg, "procfs"))
			opt->ops = &procfs_scanner;
		else if (c == 'm')
			opt->major = (u32)strtoul(optarg, NULL, 10);
		else if (c == 'p')
			opt->paced = (u32)strtoul(optarg, NULL, 10);
		else if (c == 'h')
			opt->hot = (u32)strtoul(optarg, NULL, 10);
		else if (c == 'c')
			opt->columns = optarg;
		else if (c == 'j')
			opt->json = true;
		else if (c != 's' || strcmp(optarg, "bpf"))
			return -EINVAL;
	}
	return opt->paced > PASSES_MOST || opt->hot > PASSES_MOST ? -EINVAL : 0;
}

static int take(void *arg, const struct process_record *record)
{
	struct cost *cost = arg;

	(void)record;
	cost->processes++;
	return 0;
}

static void hear(void *arg, u32 pid, u64 start_ticks, u32 tid, const struct gpu_find *finds, u32 n)
{
	struct cost *cost = arg;

	(void)pid;
	(void)start_ticks;
	(void)tid;
	(void)finds;
	cost->tables++;
	cost->finds += n;
}

/* A pass for each byte that comes, until there is none more. */
static int serve(const struct options *opt, const struct source_env *env,
	const struct gpu_majors *majors, int ask, int answer)
{
	struct cost cost;
	void *scanner;
	char why[160] = "", byte;
	u64 need = columns(opt->columns);
	int ret = opt->ops->open(&scanner, env, why, sizeof(why));

	if (ret) {
		fprintf(stderr, "finds: %s: %s\n", opt->ops->name, why);
		return ret;
	}
	if (majors)
		opt->ops->look_for(scanner, majors, hear, &cost);
	while (!ret && read(ask, &byte, 1) == 1) {
		u64 allocations = alloc_count(), before = clock_thread_cpu_ns();

		cost = (struct cost){0};
		ret = cost.ret = opt->ops->scan(scanner, need, take, &cost);
		cost.ns = clock_thread_cpu_ns() - before;
		cost.allocations = alloc_count() - allocations;
		if (write(answer, &cost, sizeof(cost)) != sizeof(cost))
			break;
	}
	opt->ops->close(scanner);
	return ret;
}

static int pass(struct side *side, bool timed)
{
	struct cost cost;

	if (write(side->ask, "", 1) != 1 || read(side->answer, &cost, sizeof(cost)) != sizeof(cost))
		return -EPIPE;
	side->processes = cost.processes;
	side->tables = cost.tables;
	side->most = cost.finds > side->most ? cost.finds : side->most;
	if (timed) {
		side->ns[side->n++] = cost.ns;
		side->allocations += cost.allocations;
	}
	return cost.ret;
}

static void until_next(struct timespec *next)
{
	next->tv_sec++;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

/* n timed passes of each side, a few at a time in turn. */
static int run(struct side sides[2], u32 n, bool paced)
{
	struct timespec next;

	for (u32 i = 0; i < 2; i++)
		sides[i].n = 0;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (u32 done = 0; done < n; done += TURN) {
		for (u32 i = 0; i < 2; i++) {
			for (u32 k = 0; k < WARM + TURN; k++) {
				int ret = pass(&sides[i], k >= WARM && done + k - WARM < n);

				if (ret)
					return ret;
				if (paced)
					until_next(&next);
			}
		}
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static double median_ms(struct side *side)
{
	qsort(side->ns, side->n, sizeof(side->ns[0]), compare);
	return (double)side->ns[side->n / 2] / 1e6;
}

static double mean_ms(const struct side *side)
{
	u64 sum = 0;

	for (u32 i = 0; i < side->n; i++)
		sum += side->ns[i];
	return (double)sum / side->n / 1e6;
}

static void report(const struct options *opt, struct side sides[2], const char *kind)
{
	double without = median_ms(&sides[0]), with = median_ms(&sides[1]);

	if (opt->json)
		printf("%s\"%s\": {\"without_ms\": %.4f, \"with_ms\": %.4f, \"ratio\": %.3f}", ", ",
			kind, without, with, with / without);
	else
		printf("%-6s without %7.3f ms (mean %7.3f)   with %7.3f ms (mean %7.3f)   "
		       "%+7.3f ms  x %.2f\n",
			kind, without, mean_ms(&sides[0]), with, mean_ms(&sides[1]), with - without,
			with / without);
}

static int start_side(struct side *side, const struct options *opt, const struct source_env *env,
	const struct gpu_majors *majors)
{
	int ask[2], answer[2];
	pid_t pid;

	if (pipe2(ask, O_CLOEXEC) || pipe2(answer, O_CLOEXEC) || (pid = fork()) < 0)
		return -errno;
	if (!pid) {
		close(ask[1]);
		close(answer[0]);
		exit(serve(opt, env, majors, ask[0], answer[1]) ? 1 : 0);
	}
	close(ask[0]);
	close(answer[1]);
	side->ask = ask[1];
	side->answer = answer[0];
	return 0;
}

static int measure(const struct options *opt, struct side sides[2])
{
	int ret = run(sides, TURN, false); /* opens what is kept */

	sides[0].allocations = sides[1].allocations = 0;
	if (!ret && opt->paced)
		ret = run(sides, opt->paced, true);
	if (ret)
		return ret;
	if (opt->json)
		printf("{\"scan\": \"%s\", \"processes\": %u, \"tables\": %u, \"finds\": %u",
			opt->ops->name, sides[1].processes, sides[1].tables, sides[1].most);
	else
		printf("%s: %u processes, %u tables looked at again, %u descriptors found\n",
			opt->ops->name, sides[1].processes, sides[1].tables, sides[1].most);
	if (opt->paced)
		report(opt, sides, "paced");
	if (opt->hot) {
		ret = run(sides, opt->hot, false);
		if (ret)
			return ret;
		report(opt, sides, "hot");
	}
	printf(opt->json ? ", \"allocations\": [%llu, %llu]}\n"
			 : "allocations of all passes: %llu without, %llu with\n",
		(unsigned long long)sides[0].allocations, (unsigned long long)sides[1].allocations);
	return 0;
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int main(int argc, char **argv)
{
	static struct side sides[2];
	struct gpu_majors majors = {.n = 1};
	struct root root;
	struct clock clock;
	struct source_env env = {.root = &root, .clock = &clock};
	struct options opt;
	struct err err;
	int ret;

	if (parse(&opt, argc, argv)) {
		fputs("usage: finds [--scan procfs|bpf] [--major N] [--paced N] [--hot N] "
		      "[--columns LIST] [--json]\n",
			stderr);
		return 2;
	}
	majors.major[0] = opt.major;
	raise_limit();
	signal(SIGPIPE, SIG_IGN);
	clock_init(&clock);
	ret = root_init(&root, NULL, &clock, &err);
	if (ret) {
		fprintf(stderr, "finds: %s\n", err.msg);
		return 1;
	}
	ret = start_side(&sides[0], &opt, &env, NULL);
	if (!ret)
		ret = start_side(&sides[1], &opt, &env, &majors);
	if (!ret)
		ret = measure(&opt, sides);
	root_fini(&root);
	return ret ? 1 : 0;
}
