/* What the BPF scanner keeps of each process between scans, ascending by pid. Private to it. */
#ifndef TARE_PROCESS_BPF_KNOWN_H
#define TARE_PROCESS_BPF_KNOWN_H

#include "process/bpf_text.h"

/* Time that a thread had waited for a CPU at the last scan. */
struct known_wait {
	u32 tid;
	u64 wait_ns;
};

struct known {
	struct known *next; /* in the free list */
	u32 pid, global_pid;
	u64 key, start_ns;
	u32 ppid, uid;
	/* as handed over last: what its record at the end is compared with */
	u64 cpu_ns, user_ns, system_ns;
	u64 minor_faults, major_faults, disk_read, disk_written;
	u64 wait_ns;              /* all its threads', ended ones' too */
	struct known_wait *waits; /* by tid */
	u32 nwaits, waits_cap;
	bool waits_known; /* waits are of an earlier scan */
	bool ended;       /* its record has come */
	bool kernel;
	u64 gone_ns; /* CLOCK_MONOTONIC when it was first not among the tasks any more; 0: it is */
	struct known_text text;
};

struct known_list {
	struct known **now, **before; /* ascending by pid */
	u32 n, nbefore, cap;
	struct known **slabs;
	u32 nslabs;
	struct known *free;
};

void known_free(struct known_list *list);
/* What was now is before, and now is empty with room for n more than before. 0 or -ENOMEM. */
int known_turn(struct known_list *list, u32 n);
/* A new one, all zero but its pid; NULL: no memory. */
struct known *known_take(struct known_list *list, u32 pid);
void known_put_back(struct known_list *list, struct known *k);
/* By number in the first pid namespace and start, of the newest scan; or NULL. same: those are the numbers that
 * the list is ordered by. */
struct known *known_find(const struct known_list *list, u32 global_pid, u64 start_ns, bool same);

#endif
