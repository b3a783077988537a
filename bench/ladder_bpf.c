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

/* What the scanner reads: every thread with I/O and exact pages, put together; texts and rows are not part of it. */
int ladder_bpf(struct ladder *l)
{
	static struct bpf_programs programs;
	static struct bpf_pass pass;
	static bool loaded;
	struct clock clock;
	int ret = loaded ? 0 : load(&programs);

	if (ret)
		return -EOPNOTSUPP;
	loaded = true;
	clock_init(&clock);
	programs.reader->want = WANT_THREADS | WANT_EXACT;
	ret = bpf_pass_read(&pass, &programs, &clock);
	l->calls += pass.nchunks + 3; /* made, each read and the one that finds the end, closed */
	l->count += pass.nprocesses;
	return ret;
}

#else

int ladder_bpf(struct ladder *l)
{
	(void)l;
	return -EOPNOTSUPP;
}

#endif
