/* One walk over all tasks, read whole and put together: a thread's record to its process. Private to the
 * BPF scanner. */
#ifndef TARE_PROCESS_BPF_PASS_H
#define TARE_PROCESS_BPF_PASS_H

#include "base/clock.h"
#include "process/bpf_programs.h"

enum { PASS_NONE = 0xffffffffu };

/* A stretch of the buffer that one read brought, and when. */
struct pass_chunk {
	u32 end;
	struct stamp at;
};

/* A further thread's record, in order of tids behind its process. */
struct pass_thread {
	u32 at; /* offset in the buffer */
	u32 next;
};

/* What the records of a process's threads add up to, its first one's included. */
struct pass_sum {
	u32 first, last;  /* struct pass_thread, by index */
	u32 stand_in;     /* record of a live thread when the first one has ended; or PASS_NONE */
	u64 ended_run_ns; /* of the first record read of it */
	u64 run_ns, user_ns, system_ns;
	u64 minor_faults, major_faults, voluntary, involuntary;
	u64 io_read, io_written, disk_read, disk_written;
};

struct pass_process {
	u32 at;    /* offset of its struct task_record */
	u32 chunk; /* when it was read */
	u32 tgid;
	u32 sum; /* struct pass_sum by index; PASS_NONE: it has one thread */
};

struct bpf_pass {
	char *buf;
	u32 len, size;
	struct pass_chunk *chunks;
	u32 nchunks, chunks_cap;
	struct pass_process *processes; /* ascending by tgid */
	u32 nprocesses, processes_cap;
	struct pass_thread *threads;
	u32 nthreads, threads_cap;
	struct pass_sum *sums;
	u32 nsums, sums_cap;
	u32 *finds; /* struct task_finds, by offset */
	u32 nfinds, finds_cap;
	u32 *late; /* records of threads that stood before their process's */
	u32 nlate, late_cap;
};

void bpf_pass_free(struct bpf_pass *pass);
/* Walk and put together. Allocates only when there are more tasks than ever. 0 or -errno. */
int bpf_pass_read(struct bpf_pass *pass, struct bpf_programs *programs, const struct clock *clock);

static inline const struct task_record *pass_record(const struct bpf_pass *pass, u32 at)
{
	return (const void *)(pass->buf + at);
}
static inline const struct task_part *pass_part(const struct bpf_pass *pass, u32 at)
{
	return (const void *)(pass->buf + at);
}
/* Bytes of this record. */
static inline u32 pass_size(const struct task_part *part)
{
	if (part->kind == TASK_FINDS)
		return sizeof(struct task_finds);
	return part->kind == TASK_THREAD ? sizeof(struct task_part) : sizeof(struct task_record);
}
/* The process of this number, or NULL. */
const struct pass_process *bpf_pass_find(const struct bpf_pass *pass, u32 tgid);

#endif
