#include "process/bpf_strays.h"

#include <errno.h>
#include <stdlib.h>

#include "process/bpf_scanner.h"

enum {
	LOOK_SCANS = 64, /* between two looks, which cost a listing of /proc */
	LOOK_FIRST = 2,
};

/* What started less than this before the walk may have come behind it. */
#define AGE_LEAST_NS (200 * NSEC_PER_MSEC)

static bool is_old(struct bpf_scanner *s, u32 pid, u64 now_ns)
{
	struct process_stat st = {0};
	char line[1024];
	int len = piddir_read(&s->dir, pid, "stat", line, sizeof(line));

	if (len < 0 || process_parse_stat(line, line + len, 1ull << STAT_START_TICKS, &st) ||
		!(st.have >> STAT_START_TICKS & 1))
		return false;
	return times_u64(st.value[STAT_START_TICKS], s->facts.tick_ns) + AGE_LEAST_NS < now_ns;
}

static int add(struct strays *st, u32 pid)
{
	if (st->n == st->cap) {
		u32 cap = st->cap ? st->cap * 2 : 8;
		u32 *grown = realloc(st->pids, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		st->pids = grown;
		st->cap = cap;
	}
	st->pids[st->n++] = pid;
	return 0;
}

/* Both lists are ascending. */
static int look(struct strays *st, struct bpf_scanner *s)
{
	u64 now_ns = s->pass.chunks[0].at.boot_ns;
	int ret = piddir_list(&s->dir);
	u32 i = 0;

	st->n = 0;
	for (u32 k = 0; k < s->dir.n && !ret; k++) {
		u32 pid = s->dir.pids[k];

		while (i < s->pass.nprocesses && s->pass.processes[i].tgid < pid)
			i++;
		if ((i == s->pass.nprocesses || s->pass.processes[i].tgid != pid) &&
			is_old(s, pid, now_ns))
			ret = add(st, pid);
	}
	return ret;
}

int strays_scan(struct strays *st, struct bpf_scanner *s, u64 need, process_fn *fn, void *arg)
{
	int ret = 0;

	if (st->scans < LOOK_FIRST || st->scans % LOOK_SCANS == 0)
		ret = look(st, s);
	st->scans++;
	if (ret || !st->n)
		return ret;
	if (!st->open) {
		ret = procfs_open(&st->fs, s->env);
		if (ret)
			return ret;
		st->open = true;
	}
	st->fs.only = st->pids;
	st->fs.nonly = st->n;
	return procfs_scan(&st->fs, need, fn, arg);
}

void strays_close(struct strays *st)
{
	if (st->open)
		procfs_close(&st->fs);
	free(st->pids);
	*st = (struct strays){0};
}
