/* The BPF programs in the kernel: loaded once, read once a scan. Private to the BPF scanner. */
#ifndef TARE_PROCESS_BPF_PROGRAMS_H
#define TARE_PROCESS_BPF_PROGRAMS_H

#include <stddef.h>

#include "base/root.h"
#include "bpf/process_record.h"

struct process_bpf;
struct ring_buffer;

struct bpf_programs {
	struct process_bpf *skeleton;
	struct ring_buffer *ring;
	struct bpf_link *walk, *ended;
	struct task_reader *reader;     /* shared with the programs */
	const struct exit_stats *exits; /* the same */
	struct bpf_program *walker;     /* the one of three that is loaded */
	bool raise; /* this kernel wants CAP_BPF for each pass: it is only lowered between them */
};

/* Called for each ended process: its bytes are valid during the call. 0. */
typedef int ended_fn(void *arg, void *event, size_t size);

/* Load and attach. 0, or -errno with the reason in words in why. */
int bpf_programs_open(struct bpf_programs *p, const struct root *root, ended_fn *fn, void *arg,
	char *why, size_t why_size);
/* Give up the capabilities that only this needed, and the memory that the kernel's types took. */
void bpf_programs_give_up(struct bpf_programs *p);
void bpf_programs_close(struct bpf_programs *p);
/* A descriptor from which one walk over all tasks is read, then closed; or -errno. */
int bpf_programs_walk(struct bpf_programs *p);
/* Call fn for the ended processes in the ring. 0 or -errno. */
int bpf_programs_ended(struct bpf_programs *p);
/* Readable when the ring is half full. */
int bpf_programs_fd(const struct bpf_programs *p);

#endif
