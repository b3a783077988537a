#include "process/bpf_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	/* the kernel hands out at most this much at a time (PAGE_SIZE << 3 in kernel/bpf/bpf_iter.c) */
	CHUNK = 32 * 1024,
	AT_FIRST = 256,
	/* the shortest record there is */
	LEAST = sizeof(struct task_finds) < sizeof(struct task_part) ? sizeof(struct task_finds)
								     : sizeof(struct task_part),
};

void bpf_pass_free(struct bpf_pass *pass)
{
	free(pass->buf);
	free(pass->chunks);
	free(pass->processes);
	free(pass->threads);
	free(pass->sums);
	free(pass->late);
	free(pass->finds);
	*pass = (struct bpf_pass){0};
}

/* Room for one more item of `size` bytes in *list. */
static int more(void *list, u32 n, u32 *cap, size_t size)
{
	void **at = list, *grown;
	u32 want = *cap ? *cap * 2 : AT_FIRST;

	if (n < *cap)
		return 0;
	grown = realloc(*at, want * size);
	if (!grown)
		return -ENOMEM;
	*at = grown;
	*cap = want;
	return 0;
}

static int room_to_read(struct bpf_pass *pass)
{
	u32 size = pass->size ? pass->size + pass->size / 4 : 4 * CHUNK;
	char *buf;

	if (pass->size - pass->len >= CHUNK)
		return 0;
	buf = realloc(pass->buf, size);
	if (!buf)
		return -ENOMEM;
	pass->buf = buf;
	pass->size = size;
	return 0;
}

static int read_all(struct bpf_pass *pass, int fd, const struct clock *clock)
{
	ssize_t n;
	int ret;

	pass->len = pass->nchunks = 0;
	for (;;) {
		ret = room_to_read(pass);
		if (!ret)
			ret = more(&pass->chunks, pass->nchunks, &pass->chunks_cap,
				sizeof(*pass->chunks));
		if (ret)
			return ret;
		n = read(fd, pass->buf + pass->len, pass->size - pass->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		pass->len += (u32)n;
		pass->chunks[pass->nchunks].end = pass->len;
		clock_read_row(clock, &pass->chunks[pass->nchunks++].at);
	}
}

static struct pass_process *find(const struct bpf_pass *pass, u32 tgid)
{
	u32 from = 0, to = pass->nprocesses;

	/* threads mostly follow their process at once */
	if (to && pass->processes[to - 1].tgid == tgid)
		return &pass->processes[to - 1];
	while (from < to) {
		u32 mid = from + (to - from) / 2;

		if (pass->processes[mid].tgid == tgid)
			return &pass->processes[mid];
		if (pass->processes[mid].tgid < tgid)
			from = mid + 1;
		else
			to = mid;
	}
	return NULL;
}

const struct pass_process *bpf_pass_find(const struct bpf_pass *pass, u32 tgid)
{
	return find(pass, tgid);
}

static void add_part(struct pass_sum *sum, const struct task_part *part)
{
	if (part->ended_run_ns < sum->ended_run_ns)
		sum->ended_run_ns = part->ended_run_ns;
	sum->run_ns += part->run_ns;
	sum->user_ns += part->user_ns;
	sum->system_ns += part->system_ns;
	sum->minor_faults += part->minor_faults;
	sum->major_faults += part->major_faults;
	sum->voluntary += part->voluntary;
	sum->involuntary += part->involuntary;
	sum->io_read += part->io_read;
	sum->io_written += part->io_written;
	sum->disk_read += part->disk_read;
	sum->disk_written += part->disk_written;
}

static int begin_sum(struct bpf_pass *pass, struct pass_process *p)
{
	int ret = more(&pass->sums, pass->nsums, &pass->sums_cap, sizeof(*pass->sums));

	if (ret)
		return ret;
	p->sum = pass->nsums++;
	pass->sums[p->sum] = (struct pass_sum){.first = PASS_NONE,
		.last = PASS_NONE,
		.stand_in = PASS_NONE,
		.ended_run_ns = UINT64_MAX};
	add_part(&pass->sums[p->sum], pass_part(pass, p->at));
	return 0;
}

/* in_front: a record that stood before its process's has a smaller tid than all others. */
static int add_thread(struct bpf_pass *pass, struct pass_process *p, u32 at, bool in_front)
{
	const struct task_part *part = pass_part(pass, at);
	struct pass_sum *sum;
	int ret = p->sum == PASS_NONE ? begin_sum(pass, p) : 0;
	u32 i = pass->nthreads;

	if (!ret)
		ret = more(&pass->threads, i, &pass->threads_cap, sizeof(*pass->threads));
	if (ret)
		return ret;
	pass->nthreads++;
	sum = &pass->sums[p->sum];
	pass->threads[i] = (struct pass_thread){at, PASS_NONE};
	if (sum->first == PASS_NONE) {
		sum->first = sum->last = i;
	} else if (in_front) {
		pass->threads[i].next = sum->first;
		sum->first = i;
	} else {
		pass->threads[sum->last].next = i;
		sum->last = i;
	}
	if (part->kind == TASK_STAND_IN && !part->exit_state && sum->stand_in == PASS_NONE)
		sum->stand_in = at;
	add_part(sum, part);
	return 0;
}

static int add_process(struct bpf_pass *pass, u32 at, u32 chunk)
{
	int ret = more(
		&pass->processes, pass->nprocesses, &pass->processes_cap, sizeof(*pass->processes));

	if (ret)
		return ret;
	pass->processes[pass->nprocesses++] = (struct pass_process){
		at, chunk, pass_part(pass, at)->tgid, PASS_NONE};
	return 0;
}

static int add_finds(struct bpf_pass *pass, u32 at)
{
	int ret = more(&pass->finds, pass->nfinds, &pass->finds_cap, sizeof(*pass->finds));

	if (!ret)
		pass->finds[pass->nfinds++] = at;
	return ret;
}

static int add_record(struct bpf_pass *pass, u32 at, u32 chunk)
{
	const struct task_part *part = pass_part(pass, at);
	struct pass_process *p;
	int ret;

	if (part->kind == TASK_PROCESS)
		return add_process(pass, at, chunk);
	p = find(pass, part->tgid);
	if (p)
		return add_thread(pass, p, at, false);
	ret = more(&pass->late, pass->nlate, &pass->late_cap, sizeof(*pass->late));
	if (!ret)
		pass->late[pass->nlate++] = at;
	return ret;
}

/* Threads with smaller tids than their process's: from the largest on, each to the front. */
static int add_late(struct bpf_pass *pass)
{
	int ret = 0;

	for (u32 i = pass->nlate; i-- > 0 && !ret;) {
		struct pass_process *p = find(pass, pass_part(pass, pass->late[i])->tgid);

		if (p)
			ret = add_thread(pass, p, pass->late[i], true);
	}
	return ret;
}

static int put_together(struct bpf_pass *pass)
{
	u32 at = 0, chunk = 0;
	int ret = 0;

	pass->nprocesses = pass->nthreads = pass->nsums = pass->nlate = pass->nfinds = 0;
	while (!ret && at + LEAST <= pass->len) {
		u32 size = pass_size(pass_part(pass, at));

		if (at + size > pass->len)
			return -EIO;
		while (at >= pass->chunks[chunk].end)
			chunk++;
		if (pass_part(pass, at)->kind == TASK_FINDS)
			ret = add_finds(pass, at);
		/* without a number in the reader's namespace it is not there */
		else if (pass_part(pass, at)->tid && pass_part(pass, at)->tgid)
			ret = add_record(pass, at, chunk);
		at += size;
	}
	return ret ? ret : add_late(pass);
}

int bpf_pass_read(struct bpf_pass *pass, struct bpf_programs *programs, const struct clock *clock)
{
	int fd = bpf_programs_walk(programs), ret;

	if (fd < 0)
		return fd;
	ret = read_all(pass, fd, clock);
	close(fd);
	return ret ? ret : put_together(pass);
}
