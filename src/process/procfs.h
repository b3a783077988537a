/* The list of processes, kept from tick to tick: which there are, with an open descriptor of each one's
 * stat, and what is read of them more rarely than every tick (owner, name, command line). */
#ifndef TARE_PROCESS_PROCFS_H
#define TARE_PROCESS_PROCFS_H

#include "base/root.h"
#include "process/stat.h"
#include "process/users.h"

enum { PROC_COMM_SIZE = 64, PROC_NAME_SIZE = 64, PROC_LINE_MOST = 4096 };

struct proc {
	u32 pid;
	int fd; /* kept stat, or -1 */
	u64 start_ticks;
	u32 uid;
	bool has_uid, kernel, known; /* known: owner and names were read for this start_ticks */
	u32 comm_len, name_len, line_len, line_size;
	char comm[PROC_COMM_SIZE], name[PROC_NAME_SIZE];
	char *line;        /* heap, kept when the entry is used again */
	struct proc *next; /* free list */
};

struct procfs {
	const struct root *root;
	int dir; /* /proc */
	u32 generation;
	u64 tick;          /* scans done */
	u32 most_fds, fds; /* descriptors that may be, are kept */
	u32 hidden;        /* of the newest scan: refused for lack of rights */
	struct proc **now; /* ascending by pid */
	struct proc **old; /* room for the merge */
	u32 n, cap;
	u32 *pid; /* of the scan under way */
	u32 npid, pid_cap;
	struct proc *spare; /* free list */
	struct slab *slabs; /* all entries' memory */
	char *dirents, *text;
};

enum { PROCFS_TEXT_SIZE = 8192 };

int procfs_open(struct procfs *fs, const struct root *root);
void procfs_close(struct procfs *fs);
/* Bring the list up to date with /proc: entries of processes that went are dropped, new ones added.
 * 0 or -errno. */
int procfs_scan(struct procfs *fs);
/* Read and parse the stat of one entry; *out points into fs->text until the next call. A process that
 * took over the pid resets the entry. -ESRCH: gone. -EACCES: may not be seen. */
int procfs_stat(struct procfs *fs, struct proc *p, struct proc_stat *out);
/* Shared pages from statm. 0 or -errno. */
int procfs_shared(struct procfs *fs, struct proc *p, u64 *pages);
/* Owner, and names and command line if `names`: at first sight, after an exec (comm changed), and every
 * eighth tick, a different eighth of the processes each time. */
void procfs_details(struct procfs *fs, struct proc *p, const struct proc_stat *st, bool names);

#endif
