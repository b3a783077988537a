/* Processes that /proc lists and the kernel's walk over tasks does not show, as security modules and sandboxes may have
 * it: they are read from /proc. Private to the BPF scanner. */
#ifndef TARE_PROCESS_BPF_STRAYS_H
#define TARE_PROCESS_BPF_STRAYS_H

#include "process/procfs.h"

struct bpf_scanner;

struct strays {
	struct procfs fs;
	bool open;
	u32 scans;
	u32 *pids; /* ascending */
	u32 n, cap;
};

/* Look for them now and then, and hand over those that there are. After the pass. 0 or -errno. */
int strays_scan(struct strays *st, struct bpf_scanner *s, u64 need, process_fn *fn, void *arg);
void strays_close(struct strays *st);

#endif
