/* Steps that ask schedstat first: a process with one thread whose run time did not move has not run. */
#include "bench/ladder.h"

#include <fcntl.h>
#include <string.h>

#include "base/scan.h"
#include "process/process.h"

enum {
	MANY_THREADS = 1, /* schedstat is of the leader only: it says nothing about the others */
	RAN = 2,          /* in the last pass */
};

int ladder_keep_schedstat(struct ladder *l, const struct ladder_step *step)
{
	int ret = ladder_keep_with_stat(l, step);

	for (u32 i = 0; i < l->n && !ret; i++) {
		struct process_stat stat = {0};
		int len = ladder_pread(l, l->fds[i]);

		l->flags[i] = 0;
		l->runtime[i] = 0;
		if (len <= 0 ||
			process_parse_stat(l->buf, l->buf + len, 1ull << STAT_THREADS, &stat) ||
			stat.value[STAT_THREADS] != 1)
			l->flags[i] = MANY_THREADS;
	}
	return ret;
}

/* 0 as first number is what a kernel without schedstat says: unknown, hence moved. */
static bool moved(struct ladder *l, u32 i)
{
	int len = ladder_pread(l, l->more[i]);
	u64 runtime = 0, before = l->runtime[i];
	bool ok = true;

	if (len <= 0)
		return true;
	scan_u64(l->buf, l->buf + len, &runtime, &ok);
	l->runtime[i] = runtime;
	return !ok || !runtime || runtime != before;
}

int ladder_filter(struct ladder *l, const struct ladder_step *step)
{
	(void)step;
	for (u32 i = 0; i < l->n; i++) {
		if (!(l->flags[i] & MANY_THREADS) && !moved(l, i))
			continue;
		l->count++;
		ladder_pread(l, l->fds[i]);
	}
	return 0;
}

/* One that ran is not asked in the next pass: its stat is read at once. */
int ladder_filter_once(struct ladder *l, const struct ladder_step *step)
{
	(void)step;
	for (u32 i = 0; i < l->n; i++) {
		if (l->flags[i] & RAN) {
			l->flags[i] &= (u8)~RAN;
		} else if (!(l->flags[i] & MANY_THREADS)) {
			if (!moved(l, i))
				continue;
			l->flags[i] |= RAN;
		}
		l->count++;
		ladder_pread(l, l->fds[i]);
	}
	return 0;
}
