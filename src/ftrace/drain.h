/* Kernel events from an instance of our own into a trace: one thread, plain nonblocking reads of one sub-buffer a call,
 * woken by the ring's watermark. */
#ifndef TARE_FTRACE_DRAIN_H
#define TARE_FTRACE_DRAIN_H

#include "ftrace/bundle.h"
#include "ftrace/narrow.h"
#include "ftrace/policy.h"
#include "ftrace/tracefs.h"

struct drain_options {
	const char *events;  /* as select_events() takes it */
	u64 buffer_bytes;    /* of each CPU; 0: 4 MiB */
	u32 subbuffer_bytes; /* 0: 64 KiB where the kernel has it */
	struct narrow narrow;
};

/* The kernel's own counts of one CPU's ring, since the instance was made: per_cpu/cpuN/stats. */
struct ring_stats {
	u64 entries, overrun, commit_overrun, bytes, dropped, read;
	double oldest, now; /* s */
};

struct drain_cpu {
	int fd; /* trace_pipe_raw */
	u64 bytes, reads;
	bool offline;
};

struct drain {
	struct tracefs fs;
	struct bundler bundler;
	struct drain_cpu *cpus;
	u32 ncpus, nevents;
	u8 *buffer;
	u32 subbuffer;     /* bytes of one read */
	u64 buffer_bytes;  /* of each CPU, as the kernel made it */
	u32 budget;        /* sub-buffers of a CPU in one turn */
	bool watermark;    /* the kernel wakes at half full */
	u32 failed_events; /* could not be enabled */
	int error;         /* of a read that failed as none should: -errno, the last one */
};

/* Everything but the start. 0, or -errno with err: rights, no tracefs, an unknown event. */
int drain_open(struct drain *d, const struct root *root, struct trace_writer *w,
	const struct drain_options *o, struct err *err);
/* Events come from now on. 0 or -errno. */
int drain_start(struct drain *d);
/* Every CPU's turn. *again: one of them has more. 0, or the writer's error. */
int drain_turn(struct drain *d, bool *again);
/* No events any more; all that is in the ring is read. 0, or the writer's error. */
int drain_stop(struct drain *d);
/* Remove the instance. */
void drain_close(struct drain *d);

/* 0 or -errno. */
int drain_stats(const struct drain *d, u32 cpu, struct ring_stats *out);
/* Perfetto's FtraceStats of all CPUs. phase: 1 at the start, 2 at the end. */
int drain_write_stats(struct drain *d, u32 phase);

#endif
