/* Children that come and go, for the accounting of exits: so many a second, each burns CPU, sleeps, and ends.
 * usage: exits --exits A_SECOND [--burn-us US] [--sleep-ms MS] [--seconds S]
 * Without --seconds until SIGTERM or SIGINT. Prints "ready", and when all children are reaped one JSON line: how
 * many there were, in what time, and what the kernel says they used (user and system, from fork to exit). */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/types.h"

struct options {
	u64 exits, burn_us, sleep_ms, seconds; /* seconds 0: until told to stop */
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static u64 now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
}

static struct timespec timespec_of(u64 ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / NSEC_PER_SEC), .tv_nsec = (long)(ns % NSEC_PER_SEC)};
}

static int parse(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{"exits", required_argument, NULL, 'e'},
		{"burn-us", required_argument, NULL, 'b'},
		{"sleep-ms", required_argument, NULL, 'm'},
		{"seconds", required_argument, NULL, 's'},
		{0},
	};
	int c;

	*opt = (struct options){0};
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		u64 value = optarg ? strtoull(optarg, NULL, 10) : 0;

		switch (c) {
		case 'e':
			opt->exits = value;
			break;
		case 'b':
			opt->burn_us = value;
			break;
		case 'm':
			opt->sleep_ms = value;
			break;
		case 's':
			opt->seconds = value;
			break;
		default:
			return -EINVAL;
		}
	}
	return optind < argc || !opt->exits || opt->exits > 100000 ? -EINVAL : 0;
}

/* CPU time of its own, so that it burns as much on a busy machine. */
static void child(const struct options *opt)
{
	u64 end = now_ns(CLOCK_PROCESS_CPUTIME_ID) + opt->burn_us * NSEC_PER_USEC;
	struct timespec nap = timespec_of(opt->sleep_ms * NSEC_PER_MSEC);

	while (opt->burn_us && now_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
		;
	if (opt->sleep_ms)
		nanosleep(&nap, NULL);
	_exit(0);
}

static void reap(u64 *reaped, int flags)
{
	for (;;) {
		pid_t pid = waitpid(-1, NULL, flags);

		if (pid > 0)
			++*reaped;
		else if (!pid || errno != EINTR)
			return;
	}
}

/* On an absolute schedule: one that comes late does not delay the next. */
static int make(const struct options *opt, u64 start, u64 *made, u64 *reaped)
{
	u64 most = opt->seconds ? opt->seconds * opt->exits : UINT64_MAX;

	while (!stop && *made < most) {
		struct timespec at = timespec_of(start + *made * NSEC_PER_SEC / opt->exits);
		pid_t pid;

		if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
			continue;
		pid = fork();
		if (pid < 0)
			return -errno;
		if (!pid)
			child(opt);
		++*made;
		reap(reaped, WNOHANG);
	}
	return 0;
}

static u64 used_ns(const struct timeval *t)
{
	return (u64)t->tv_sec * NSEC_PER_SEC + (u64)t->tv_usec * NSEC_PER_USEC;
}

int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = on_signal};
	struct rusage used = {0};
	struct options opt;
	u64 made = 0, reaped = 0, start;
	int ret;

	if (parse(&opt, argc, argv)) {
		fputs("usage: exits --exits A_SECOND [--burn-us US] [--sleep-ms MS] [--seconds "
		      "S]\n",
			stderr);
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	puts("ready");
	fflush(stdout);
	start = now_ns(CLOCK_MONOTONIC);
	ret = make(&opt, start, &made, &reaped);
	start = now_ns(CLOCK_MONOTONIC) - start;
	reap(&reaped, 0);
	getrusage(RUSAGE_CHILDREN, &used);
	printf("{\"made\": %llu, \"reaped\": %llu, \"seconds\": %.3f, \"user_ns\": %llu, "
	       "\"system_ns\": %llu}\n",
		(unsigned long long)made, (unsigned long long)reaped, (double)start / 1e9,
		(unsigned long long)used_ns(&used.ru_utime),
		(unsigned long long)used_ns(&used.ru_stime));
	if (ret)
		fprintf(stderr, "exits: fork: errno %d\n", -ret);
	return ret != 0;
}
