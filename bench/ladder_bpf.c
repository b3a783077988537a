#include "bench/ladder.h"

#include <errno.h>

#ifdef TARE_BPF

#include "process/bpf_pass.h"

static int take(void *arg, void *event, size_t size)
{
	(void)arg;
	(void)event;
	(void)size;
	return 0;
}

/* The programs are loaded once; everything goes with the process. */
static int load(struct bpf_programs *programs)
{
	static struct root root;
	static struct clock clock;
	struct err err;
	char why[160];
	int ret = root_init(&root, NULL, &clock, &err);

	return ret ? ret : bpf_programs_open(programs, &root, take, NULL, why, sizeof(why));
}

/* What the scanner reads: every thread with I/O and exact pages, put together; texts and rows are not part of it.
 * arg: a major to look for among the descriptors of every process; 0: none are looked at. */
int ladder_bpf(struct ladder *l, const struct ladder_step *step)
{
	static struct bpf_programs programs;
	static struct bpf_pass pass;
	static bool loaded;
	struct task_reader *reader;
	struct clock clock;
	int ret = loaded ? 0 : load(&programs);

	if (ret)
		return -EOPNOTSUPP;
	loaded = true;
	clock_init(&clock);
	reader = programs.reader;
	reader->want = WANT_THREADS | WANT_EXACT | (step->arg ? WANT_FINDS : 0);
	reader->majors[0] = step->arg;
	reader->look_anew = step->arg != 0;
	reader->pass++;
	ret = bpf_pass_read(&pass, &programs, &clock);
	l->calls += pass.nchunks + 3; /* made, each read and the one that finds the end, closed */
	for (u32 i = 0; step->arg && i < pass.nfinds; i++)
		l->count +=
			((const struct task_finds *)(const void *)(pass.buf + pass.finds[i]))->n;
	return ret;
}

#else

int ladder_bpf(struct ladder *l, const struct ladder_step *step)
{
	(void)l;
	(void)step;
	return -EOPNOTSUPP;
}

#endif
