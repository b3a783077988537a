/* What each choice in scanning /proc buys, step by step on this machine: CPU time of this thread for each
 * process, system calls, and the ratio to the step before. *Paced* is one pass a second, with the caches
 * as other programs left them; *hot* is back to back. Figures and what follows from them: bench/README.md. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench/ladder.h"

struct options {
	u32 paced, hot; /* rounds */
	const char *only;
	bool json;
};

static int bpf_pass(struct ladder *l, const struct ladder_step *step)
{
	(void)step;
	return ladder_bpf(l);
}

/* The first pass of each step is not timed, so what it must make once is not part of the figure. */
const struct ladder_step ladder_steps[] = {
	{'a', "readdir", NULL, NULL, ladder_readdir, NULL, NULL, 0},
	{'a', "getdents64, 1 KiB", "readdir", NULL, ladder_getdents, NULL, "entries a call", 1024},
	{'a', "getdents64, 32 KiB", "getdents64, 1 KiB", NULL, ladder_getdents, NULL,
		"entries a call", 32 * 1024},
	{'a', "getdents64, 128 KiB", "getdents64, 32 KiB", NULL, ladder_getdents, NULL,
		"entries a call", LADDER_BUF},
	{'b', "stat by /proc/PID/stat", NULL, NULL, ladder_by_path, "stat", NULL, 0},
	{'b', "stat by kept /proc", "stat by /proc/PID/stat", NULL, ladder_by_proc, "stat", NULL,
		0},
	{'b', "stat by kept /proc/PID", "stat by kept /proc", ladder_keep_dirs, ladder_by_dir,
		"stat", NULL, 0},
	{'c', "stat kept", "stat by kept /proc", ladder_keep_file, ladder_kept, "stat", NULL, 0},
	{'d', "statm kept", "stat kept", ladder_keep_file, ladder_kept, "statm", NULL, 0},
	{'d', "status kept", "stat kept", ladder_keep_file, ladder_kept, "status", NULL, 0},
	{'d', "stat and statm kept", "stat kept", ladder_keep_with_stat, ladder_kept_both, "statm",
		NULL, 0},
	{'d', "stat and status kept", "stat kept", ladder_keep_with_stat, ladder_kept_both,
		"status", NULL, 0},
	{'e', "stat kept, every task/TID/stat", "stat kept", ladder_keep_file, ladder_tasks, "stat",
		"threads", 0},
	{'f', "schedstat kept", "stat kept", ladder_keep_file, ladder_kept, "schedstat", NULL, 0},
	{'f', "schedstat, stat if moved", "stat kept", ladder_keep_schedstat, ladder_filter,
		"schedstat", "stat lines read", 0},
	{'f', "same, movers not asked again", "schedstat, stat if moved", ladder_keep_schedstat,
		ladder_filter_once, "schedstat", "stat lines read", 0},
	{'g', "io", "stat by kept /proc", NULL, ladder_by_proc, "io", NULL, 0},
	{'g', "io kept", "io", ladder_keep_file, ladder_kept, "io", NULL, 0},
	{'g', "cgroup", "stat by kept /proc", NULL, ladder_by_proc, "cgroup", NULL, 0},
	{'g', "cgroup kept", "cgroup", ladder_keep_file, ladder_kept, "cgroup", NULL, 0},
	{'g', "cmdline", "stat by kept /proc", NULL, ladder_by_proc, "cmdline", NULL, 0},
	{'g', "status", "stat by kept /proc", NULL, ladder_by_proc, "status", NULL, 0},
	{'g', "readlink exe", "stat by kept /proc", NULL, ladder_readlink, "exe", NULL, 0},
	{'g', "fstatat fd", "stat by kept /proc", NULL, ladder_fstatat, "fd", NULL, 0},
	{'h', "parse the whole line", NULL, ladder_load_lines, ladder_parse_line, NULL, "numbers",
		0},
	{'h', "parse fields 4 to 39", "parse the whole line", ladder_load_lines,
		ladder_parse_fields, NULL, "numbers", 0},
	{'h', "parse 6 fields, stop at 24", "parse fields 4 to 39", ladder_load_lines,
		ladder_parse_wanted, NULL, "numbers", 0},
	{'i', "BPF iterator", "stat kept", NULL, bpf_pass, NULL, NULL, 0},
};
const u32 ladder_nsteps = ARRAY_LEN(ladder_steps);

static int parse(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{"paced", required_argument, NULL, 'p'},
		{"hot", required_argument, NULL, 'n'},
		{"only", required_argument, NULL, 'o'},
		{"json", no_argument, NULL, 'j'},
		{0},
	};
	int c;

	*opt = (struct options){.paced = 8, .hot = 20};
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'p':
			opt->paced = (u32)strtoul(optarg, NULL, 10);
			break;
		case 'n':
			opt->hot = (u32)strtoul(optarg, NULL, 10);
			break;
		case 'o':
			opt->only = optarg;
			break;
		case 'j':
			opt->json = true;
			break;
		default:
			return -EINVAL;
		}
	}
	if (optind < argc || (!opt->paced && !opt->hot))
		return -EINVAL;
	return opt->paced > LADDER_MOST_ROUNDS || opt->hot > LADDER_MOST_ROUNDS ? -E2BIG : 0;
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int time_passes(struct ladder *l, const struct ladder_step *step, u32 rounds, bool paced,
	struct ladder_timing *out)
{
	static u64 ns[LADDER_MOST_ROUNDS];
	struct timespec next;
	int ret = rounds ? step->pass(l, step) : 0;

	*out = (struct ladder_timing){0};
	if (ret || !rounds)
		return ret;
	l->calls = l->count = l->refused = 0;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (u32 i = 0; i < rounds; i++) {
		if (paced) {
			next.tv_sec++;
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		}
		ns[i] = clock_thread_cpu_ns();
		ret = step->pass(l, step);
		ns[i] = clock_thread_cpu_ns() - ns[i];
		if (ret)
			return ret;
	}
	qsort(ns, rounds, sizeof(*ns), by_value);
	*out = (struct ladder_timing){.rounds = rounds,
		.cpu_ns = (ns[(rounds - 1) / 2] + ns[rounds / 2]) / 2,
		.calls = (double)l->calls / rounds,
		.count = (double)l->count / rounds,
		.refused = (double)l->refused / rounds};
	return 0;
}

static void climb(struct ladder *l, const struct options *opt, const struct ladder_step *step,
	struct ladder_result *out)
{
	out->err = ladder_list(l);
	out->processes = l->n;
	if (!out->err && step->prepare)
		out->err = step->prepare(l, step);
	if (!out->err)
		out->err = time_passes(l, step, opt->paced, true, &out->paced);
	if (!out->err)
		out->err = time_passes(l, step, opt->hot, false, &out->hot);
}

int main(int argc, char **argv)
{
	static struct ladder l;
	static struct ladder_result results[ARRAY_LEN(ladder_steps)];
	struct options opt;
	int ret;

	if (parse(&opt, argc, argv)) {
		fprintf(stderr,
			"usage: ladder [--paced ROUNDS] [--hot ROUNDS] [--only GROUPS] [--json]\n"
			"ROUNDS up to %d, 0: not run; GROUPS are letters a to i\n",
			LADDER_MOST_ROUNDS);
		return 2;
	}
	ret = ladder_open(&l);
	if (ret) {
		fprintf(stderr, "ladder: /proc: %s\n", strerror(-ret));
		return 1;
	}
	for (u32 i = 0; i < ladder_nsteps; i++)
		if (!opt.only || strchr(opt.only, ladder_steps[i].group))
			climb(&l, &opt, &ladder_steps[i], &results[i]);
	ladder_close(&l);
	if (opt.json)
		ladder_print_json(results);
	else
		ladder_print_table(results);
	return 0;
}
