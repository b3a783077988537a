/* Steps that ask schedstat first: a process with one thread whose run time did not move has not run. */
#include "bench/ladder.h"

#include <errno.h>
#include <stdlib.h>

#include "base/scan.h"
#include "process/process.h"

enum {
	MANY_THREADS = 1, /* schedstat is of the leader only: it says nothing about the others */
	RAN = 2,          /* in the last pass */
};

int ladder_keep_schedstat(struct ladder *l, const struct ladder_step *step)
{
	struct ladder_filter *f = &l->filters[step->arg];
	int ret = ladder_keep_with_stat(l, step);
	const int *stats = ladder_fds(l, "stat");

	if (ret)
		return ret;
	f->runtime = calloc(l->n + 1, sizeof(*f->runtime));
	f->flags = calloc(l->n + 1, 1);
	if (!f->runtime || !f->flags)
		return -ENOMEM;
	for (u32 i = 0; i < l->n; i++) {
		struct process_stat stat = {0};
		int len = ladder_pread(l, stats[i]);

		if (len <= 0 ||
			process_parse_stat(l->buf, l->buf + len, 1ull << STAT_THREADS, &stat) ||
			stat.value[STAT_THREADS] != 1)
			f->flags[i] = MANY_THREADS;
	}
	return 0;
}

/* 0 as first number is what a kernel without schedstat says: unknown, hence moved. */
static bool moved(struct ladder *l, int schedstat, u64 *kept)
{
	int len = ladder_pread(l, schedstat);
	u64 runtime = 0, before = *kept;
	bool ok = true;

	if (len <= 0)
		return true;
	scan_u64(l->buf, l->buf + len, &runtime, &ok);
	*kept = runtime;
	return !ok || !runtime || runtime != before;
}

int ladder_filter(struct ladder *l, const struct ladder_step *step)
{
	const int *stat = ladder_fds(l, "stat"), *schedstat = ladder_fds(l, "schedstat");
	struct ladder_filter *f = &l->filters[step->arg];

	for (u32 i = 0; i < l->n; i++) {
		if (!(f->flags[i] & MANY_THREADS) && !moved(l, schedstat[i], &f->runtime[i]))
			continue;
		l->count++;
		ladder_pread(l, stat[i]);
	}
	return 0;
}

/* One that ran is not asked in the next pass: its stat is read at once. */
int ladder_filter_once(struct ladder *l, const struct ladder_step *step)
{
	const int *stat = ladder_fds(l, "stat"), *schedstat = ladder_fds(l, "schedstat");
	struct ladder_filter *f = &l->filters[step->arg];

	for (u32 i = 0; i < l->n; i++) {
		if (f->flags[i] & RAN) {
			f->flags[i] &= (u8)~RAN;
		} else if (!(f->flags[i] & MANY_THREADS)) {
			if (!moved(l, schedstat[i], &f->runtime[i]))
				continue;
			f->flags[i] |= RAN;
		}
		l->count++;
		ladder_pread(l, stat[i]);
	}
	return 0;
}
