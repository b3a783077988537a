/* One process: what is kept of it between scans, and a look at its files. Private to the procfs scanner. */
#ifndef TARE_PROCESS_LOOK_H
#define TARE_PROCESS_LOOK_H

#include <errno.h>

#include "process/process.h"
#include "process/procfs.h"

enum {
	COMM_MOST = 64, /* the kernel's own limit, for the long names of its workers */
	TEXT_KEPT = 160,
	LINE_SIZE = 4096,
	CMDLINE_MOST = 16384, /* bytes of a command line that are shown */
	PATH_MOST = 4096,
	LOOK_EVERY =
		5, /* scans until everything of a process that nobody sees is looked at again */
};

/* What was looked at and still holds: its values are in the record. */
enum looked {
	LOOKED_NAMES = 1 << 0,
	LOOKED_OWNER = 1 << 1,
	LOOKED_SHARED = 1 << 2,
	LOOKED_STATUS = 1 << 3,
	LOOKED_IO = 1 << 4,
	LOOKED_FILES = 1 << 5,
	LOOKED_CGROUP = 1 << 6,
	LOOKED_EXE = 1 << 7,
	LOOKED_CWD = 1 << 8,
	LOOKED_PSS = 1 << 9,
	LOOKED_WAIT = 1 << 10,
	LOOKED_LINE = 1 << 11,
};

/* Text that grows as it must. */
struct kept_text {
	char *bytes;
	u32 len, size;
};

/* A thread's counts that its process's files do not add up. */
struct task_counts {
	u32 tid;
	u64 wait_ns, voluntary, involuntary;
};

struct process {
	struct process *next; /* in the free list */
	u32 pid;
	int fd, sched_fd; /* of its stat and schedstat files; -1: none kept */
	u64 start_ticks;
	u64 cpu_ticks, faults,
		pages; /* of the last look: none of these moved, then it did not run */
	u64 sched[3];  /* its schedstat before the last look at stat */
	bool sched_known;
	u8 rest, streak;   /* scans for which it is not asked, since it ran each time that it was */
	bool known, first; /* first: this scan is the first that sees it */
	bool newborn;      /* at its first sight: it started after the scan before */
	bool ran, moved;   /* since its names were looked at; since the last scan */
	bool denied_cmdline, has_cmdline, denied_fds, looked_fds, own_tables;
	u8 task_looks; /* until its threads are compared again */
	/* its descriptors: how many there were, how many were looked at, and in which scan; whether it may
	   have opened one since */
	u32 fds, fds_looked, fds_scan;
	bool fds_pending;
	u32 flags;    /* the kernel's PF_… */
	u32 stand_in; /* tid of a live thread when the first one has ended; 0: none */
	u32 looked;
	u8 comm_len;
	u32 command_len,
		cmdline_len; /* one after the other in heap, or in text when that is NULL */
	u32 heap_size;
	char *heap;
	struct kept_text exe, cwd, cgroup;
	u32 container_at, container_len; /* in cgroup */
	u64 counted_ns;                  /* CPU time that it has shown */
	struct task_counts *tasks;       /* by tid */
	u32 ntasks, tasks_cap;
	struct task_counts ended; /* what ended threads had counted */
	bool has_children;
	struct child_sums children; /* as last seen */
	struct child_sums
		credit; /* of them: what rows that are gone had shown; not yet in children */
	struct child_sums pending;  /* to be handed over as ended */
	u32 credit_scans;           /* for which there was no use for it */
	struct process_record last; /* as handed over */
	char comm[COMM_MOST];
	char text[TEXT_KEPT];
};

struct look {
	struct procfs *fs;
	u64 need; /* columns */
	u64 want; /* fields of stat */
	bool due, visible;
	bool asked; /* its schedstat, in this scan: p->sched is of now */
	bool runs;  /* it is not asked or cannot tell, since it ran each time that it was */
	bool still; /* and it certainly has not run since its own files were read */
	char line[LINE_SIZE];
};

/* What only its own running changes, and other files than stat tell. */
#define LOOK_OWN_COLUMNS                                                         \
	(column_bit(PROCESS_SCHED_WAIT) | column_bit(PROCESS_VOLUNTARY) |        \
		column_bit(PROCESS_INVOLUNTARY) | column_bit(PROCESS_IO_READ) |  \
		column_bit(PROCESS_IO_WRITTEN) | column_bit(PROCESS_DISK_READ) | \
		column_bit(PROCESS_DISK_WRITTEN))

void look_begin(struct look *look, struct procfs *fs, u64 need);
/* Bring p->last up to date. 0, -ENOMEM, or the -errno for which the process is to be left out. */
int look_at(struct look *look, struct process *p);
/* Close what is open of it. */
void look_close(struct procfs *fs, struct process *p);
/* Free what it has. */
void look_free(struct process *p);

/* look_stat.c. Has it certainly not run since the last scan? Then all that is its own stands still. */
bool look_is_still(struct look *look, struct process *p);
/* Length of its stat line in look->line, or -errno. */
int look_read_stat(struct look *look, struct process *p);

/* look_files.c: every other file, as far as columns want it and it may have changed. 0 or -ENOMEM. */
int look_files(struct look *look, struct process *p);
/* look_text.c: the same for what is text. */
int look_texts(struct look *look, struct process *p);
/* tasks.c: what only threads count, added up. 0 or -ENOMEM. */
int look_tasks(struct look *look, struct process *p);

/* look_devices.c: tell of its descriptors of certain devices, if it may have opened one. 0 or -ENOMEM. */
int look_devices(struct look *look, struct process *p);

/* Read a file of it, or of the thread that stands in for its first one. Length or -errno. */
int look_file(struct look *look, const struct process *p, const char *name, char *out, u32 size);
/* Columns of stat that are the same for processes and threads, as far as st has them. */
void look_fill_plain(
	const struct process_facts *facts, const struct process_stat *st, struct process_record *r);
bool look_wants(const struct look *look, u64 columns);
/* Is this group wanted, and may it have changed? own: only its own running changes it. */
bool look_again(
	const struct look *look, const struct process *p, enum looked what, u64 columns, bool own);
/* A group that could not be read: its cells are absent. */
void look_failed(struct process *p, u64 columns, int error);

static inline bool look_denied(int error)
{
	return error == -EACCES || error == -EPERM;
}

#endif
