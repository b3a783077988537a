/* Processes by reading /proc. What is known of each is kept from one scan to the next under its pid, in
 * the order of the kernel's own listing, so that a scan is a merge of two sorted lists; whether a pid is
 * still the same process is told by its start time.
 *
 * A scan costs one pread of a kept descriptor for each process. Each such descriptor also holds
 * a page of kernel memory; beyond their limit files are opened for each scan. */
#ifndef TARE_PROCESS_PROCFS_H
#define TARE_PROCESS_PROCFS_H

#include "base/root.h"
#include "core/source.h"
#include "process/columns.h"
#include "process/exits.h"
#include "process/facts.h"
#include "process/kept.h"
#include "process/piddir.h"
#include "process/scanner.h"

struct process; /* what is kept of one */
struct process_stat;

/* Of children that were waited for, and theirs. */
struct child_sums {
	u64 user_ns, system_ns, minor_faults, major_faults;
};

/* A process that ended since the last scan: what its row had shown. */
struct gone {
	u32 pid, ppid;
	struct child_sums sums;
};

struct procfs {
	const struct source_env *env;
	struct piddir dir;
	struct process_facts facts;
	bool filters;   /* live: schedstat is asked first */
	bool may_trace; /* CAP_SYS_PTRACE */
	bool anew;      /* this scan has to look at everything */
	bool children;  /* somebody wants to know what ended */
	u32 scans;
	u64 forks;       /* of the machine, at the newest list */
	const u32 *only; /* look at these nonly processes alone; NULL: at all that are listed */
	u32 nonly;
	u64 began_ns;     /* CLOCK_BOOTTIME of the scan before; 0: there was none */
	u64 need;         /* of the newest scan */
	struct kept kept; /* descriptors */
	u32 n, cap;
	struct process **now, **before; /* ascending by pid */
	struct process **slabs;
	u32 nslabs;
	struct process *free;
	u32 *tids; /* of one process */
	u32 tids_cap;
	struct gone *gone;
	u32 ngone, gone_cap;
	u64 *visible; /* keys of rows that somebody sees, ascending */
	u32 nvisible, visible_cap, visible_at;
	char *text; /* one command line, then one path */
	/* who is told of descriptors of such devices; majors NULL: nobody */
	const struct gpu_majors *majors;
	find_fn *find;
	void *find_arg;
	bool find_anew;   /* nobody was told before */
	u32 finds_hidden; /* processes of the newest scan whose descriptors may not be looked at */
	char *fd_entries; /* getdents64 buffer */
	struct gpu_find *finds;         /* of one process */
	u32 nfinds, finds_cap, nlooked; /* and how many were looked at */
	u32 hidden;   /* processes of the newest scan that could not be looked at */
	bool limited; /* descriptors ran out in it */
	char hidepid[24];
};

/* 0 or -errno. Raises the soft limit of descriptors to the hard one. */
int procfs_open(struct procfs *fs, const struct source_env *env);
void procfs_close(struct procfs *fs);
/* Close what is kept open; it is opened again when it is needed. */
void procfs_close_files(struct procfs *fs);
/* Hand over every process. need: columns that are wanted. 0 or -errno, also of fn. */
int procfs_scan(struct procfs *fs, u64 need, process_fn *fn, void *arg);
/* Hand over every thread of the processes of the newest scan. */
int procfs_threads(struct procfs *fs, u64 need, process_fn *fn, void *arg);
/* Hand over what the newest scan knows of ended processes; from the first call on scans look for it. */
int procfs_ended(struct procfs *fs, exit_fn *fn, void *arg);
/* As in struct scanner_ops. */
void procfs_look_for(struct procfs *fs, const struct gpu_majors *majors, find_fn *fn, void *arg);
void procfs_visible(struct procfs *fs, const u64 *keys, u32 n);

/* Parts of the scanner, private to it. Keys are asked for in order. */
bool procfs_is_visible(struct procfs *fs, u64 key);
void procfs_children_seen(struct procfs *fs, struct process *p, const struct process_stat *st);
void procfs_child_gone(struct procfs *fs, struct process *p);
void procfs_children_settle(struct procfs *fs);
/* Threads of pid into fs->tids, ascending. How many, or -errno. */
int procfs_tids(struct procfs *fs, u32 pid);
/* "task/TID/name" into out, which is returned. */
const char *procfs_task_path(char out[48], u32 tid, const char *name);

/* May processes be missing from the newest scan? */
static inline bool procfs_partial(const struct procfs *fs)
{
	return fs->hidden || fs->limited || fs->hidepid[0];
}

#endif
