/* Processes and threads by the kernel's own task iterator: see bpf_scanner.c. Private to it and its parts. */
#ifndef TARE_PROCESS_BPF_SCANNER_H
#define TARE_PROCESS_BPF_SCANNER_H

#include "process/bpf_known.h"
#include "process/bpf_pass.h"
#include "process/bpf_strays.h"
#include "process/facts.h"
#include "process/process.h"
#include "process/scanner.h"

enum { KERNEL_THREAD = 0x00200000 /* PF_KTHREAD */ };

struct bpf_scanner {
	const struct source_env *env;
	struct process_facts facts;
	struct piddir dir;
	struct cgroups cgroups;
	struct text_reader text;
	struct bpf_programs programs;
	struct bpf_pass pass, thread_pass;
	struct known_list known;
	struct strays strays;
	u64 need;
	u64 first_ns, began_ns;   /* CLOCK_BOOTTIME of the first scan and the newest; 0: none yet */
	u64 dropped_ns;           /* CPU time of those that went without a record, as handed over */
	bool exact;               /* few CPUs: pages of all processes are exact */
	char cwd[TEXT_PATH_MOST]; /* of the process at hand */
	bool may_trace;           /* CAP_SYS_PTRACE */
	u32 uid, gid;             /* of this program */
	u64 *visible;             /* keys, ascending */
	u32 nvisible, visible_cap;
	u32 visible_at; /* where the scan is in them */
	/* who is told of descriptors of devices; NULL: nobody */
	find_fn *find;
	void *find_arg;
	struct gpu_find *finds; /* of one table */
	u32 nfinds, finds_cap;
	/* whom ended processes are handed to, while they are */
	exit_fn *fn;
	void *arg;
	int error;
};

/* bpf_fill.c: the run time is exact; what is known of user and system only splits it. *user_ns and *system_ns are
 * those of before, and neither ever steps back. */
void bpf_split(u64 run_ns, u64 user, u64 system, u64 *user_ns, u64 *system_ns);
/* Of one that is new to the scanner: what readers of /proc have been told of it does not step back here either. */
void bpf_split_as_shown(u64 run_ns, const struct task_record *rec, u64 *user_ns, u64 *system_ns);
/* One process. k: what is known, brought up to date. 0 or -ENOMEM. */
int bpf_fill_process(struct bpf_scanner *s, struct known *k, const struct pass_process *p,
	struct process_record *r);
/* One that is gone but whose last figures have not come. */
void bpf_fill_exiting(const struct known *k, struct process_record *r);
/* One thread of the thread pass. */
int bpf_fill_thread(struct bpf_scanner *s, const struct task_part *part,
	const struct pass_process *p, struct process_record *r);

/* bpf_finds.c: whom to tell of descriptors of devices, as in struct scanner_ops; the programs are told before a pass,
 * and what they found is handed over after it. 0 or -ENOMEM. */
void bpf_finds_for(struct bpf_scanner *s, const struct gpu_majors *majors, find_fn *fn, void *arg);
void bpf_finds_begin(struct bpf_scanner *s);
int bpf_finds_tell(struct bpf_scanner *s);

/* bpf_ended.c: an ended_fn. */
int bpf_ended(void *scanner, void *event, size_t size);

#endif
