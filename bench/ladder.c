/* What each choice in scanning /proc buys, step by step on this machine: CPU time of this thread for each
 * process, system calls, and the ratio to a step before. *Paced* is one pass a second, with the caches
 * as other programs left them; *hot* is back to back. Steps take turns, a few passes each, so that a machine
 * that is busier for a while makes none of them look worse than another. Figures and what follows from them: bench/README.md. */
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

enum {
	WARM = 2, /* passes that are not timed: a filter forgets what ran while others had their turn */
	TURN = 3, /* timed passes */
};

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
		ladder_filter_once, "schedstat", "stat lines read", 1},
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
	{'i', "BPF iterator", "stat kept", NULL, ladder_bpf, NULL, NULL, 0},
	{'j', "descriptors listed", "stat by kept /proc", NULL, ladder_fd_list, NULL, "descriptors",
		0},
	{'j', "listed, readlink of each", "descriptors listed", NULL, ladder_fd_readlink, NULL,
		"paths below /dev", 0},
	{'j', "listed, fstatat of each", "descriptors listed", NULL, ladder_fd_fstatat, NULL,
		"of the major", LADDER_MAJOR},
	{'j', "listed, statx of nothing of each", "listed, fstatat of each", NULL, ladder_fd_statx,
		NULL, "of the major", LADDER_MAJOR},
	{'j', "BPF iterator, every table", "BPF iterator", NULL, ladder_bpf, NULL, "of the major",
		LADDER_MAJOR},
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

	*opt = (struct options){.paced = 9, .hot = 21};
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

static void wait_second(struct timespec *next)
{
	next->tv_sec++;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

static int turn(struct ladder *l, const struct ladder_step *step, u32 rounds, bool paced,
	struct ladder_timing *out)
{
	struct timespec next;
	int ret = 0;

	for (u32 i = 0; i < WARM && !ret; i++)
		ret = step->pass(l, step);
	clock_gettime(CLOCK_MONOTONIC, &next);
	l->calls = l->count = l->refused = 0;
	for (u32 i = 0; i < rounds && !ret; i++) {
		u64 before;

		if (paced)
			wait_second(&next);
		before = clock_thread_cpu_ns();
		ret = step->pass(l, step);
		out->ns[out->rounds++] = clock_thread_cpu_ns() - before;
	}
	out->calls += l->calls;
	out->count += l->count;
	out->refused += l->refused;
	return ret;
}

static void climb(struct ladder *l, struct ladder_result *results, u32 rounds, bool paced)
{
	for (u32 done = 0; done < rounds; done += TURN) {
		u32 n = rounds - done < TURN ? rounds - done : TURN;

		for (u32 i = 0; i < ladder_nsteps; i++) {
			struct ladder_result *r = &results[i];

			if (r->chosen && !r->err)
				r->err = turn(
					l, &ladder_steps[i], n, paced, paced ? &r->paced : &r->hot);
		}
	}
}

static void prepare(struct ladder *l, struct ladder_result *results, const char *only)
{
	for (u32 i = 0; i < ladder_nsteps; i++) {
		const struct ladder_step *step = &ladder_steps[i];

		results[i].chosen = !only || strchr(only, step->group);
		if (results[i].chosen && step->prepare)
			results[i].err = step->prepare(l, step);
	}
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
			"ROUNDS up to %d, 0: not run; GROUPS are letters a to j\n",
			LADDER_MOST_ROUNDS);
		return 2;
	}
	ret = ladder_open(&l);
	if (ret) {
		fprintf(stderr, "ladder: /proc: %s\n", strerror(-ret));
		return 1;
	}
	prepare(&l, results, opt.only);
	climb(&l, results, opt.paced, true);
	climb(&l, results, opt.hot, false);
	if (opt.json)
		ladder_print_json(&l, results);
	else
		ladder_print_table(&l, results);
	ladder_close(&l);
	return 0;
}
