/* The one scanner behind the tables of an engine, and the accounts of what it handed over. Private to this room. */
#ifndef TARE_PROCESS_SCANNERS_H
#define TARE_PROCESS_SCANNERS_H

#include "gpu/gpu.h"
#include "process/scanner.h"

struct scanners {
	const struct scanner_ops *ops;
	void *self;
	struct exits *exits;
	u64 processes_ns; /* CPU time that rows of processes have handed over since the start */
	u64 lost;         /* ended processes of which no record could be kept */
	u64 scanned_tick; /* when all processes were scanned last */
};

/* The engine's one: made at the first call as its option "scan" says ("auto", "procfs" or "bpf"; auto: BPF when
 * the kernel and the caller's rights allow it). 0, or -errno when the one that was asked for cannot be had. */
int scanners_get(struct scanners **out, const struct source_env *env);
/* Of an env without shared things, as tests have: the caller's own. Else nothing. */
void scanners_put(struct scanners *s, const struct source_env *env);
/* Scan all processes. gpu: who is told of their descriptors of GPUs when somebody wants them; NULL: nobody. 0 or -errno. */
int scanners_scan(struct scanners *s, struct gpu *gpu, const struct source_env *env, u64 need,
	process_fn *fn, void *arg);
/* For those descriptors alone: scan, unless that was done in this tick. 0 or -errno. */
int scanners_find(struct scanners *s, struct gpu *gpu, const struct source_env *env);
/* Take what has ended. 0 or -errno. */
int scanners_drain(struct scanners *s);
struct scanner_account scanners_account(const struct scanners *s);

#endif
