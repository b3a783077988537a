/* One process: what is kept of it between scans, and a look at its files. Private to the scanner. */
#ifndef TARE_PROCESS_LOOK_H
#define TARE_PROCESS_LOOK_H

#include "process/process.h"
#include "process/procfs.h"

enum {
	COMM_MOST = 64, /* the kernel's own limit, for the long names of its workers */
	TEXT_KEPT = 160,
	LINE_SIZE = 4096,
	CMDLINE_MOST = 16384, /* bytes of a command line that are shown */
	EXE_MOST = 4096,
};

/* What was looked at and still holds. */
enum looked {
	LOOKED_COMMAND = 1 << 0,
	LOOKED_CMDLINE = 1 << 1,
	LOOKED_UID = 1 << 2,
	LOOKED_SHARED = 1 << 3,
};

struct process {
	struct process *next; /* in the free list */
	u32 pid;
	int fd; /* of its stat file; -1: none kept */
	u64 start_ticks;
	u64 cpu_ticks, faults,
		pages; /* of the last look: none of these moved, then it did not run */
	u64 shared_pages;
	int shared_error; /* -errno; 0: shared_pages holds */
	u32 flags;        /* the kernel's PF_… */
	u32 uid;
	u8 looked, comm_len;
	bool known, has_cmdline, cmdline_denied, has_uid;
	bool ran; /* since its files were looked at */
	u32 command_len,
		cmdline_len; /* one after the other in heap, or in text when that is NULL */
	u32 heap_size;
	char *heap;
	char comm[COMM_MOST];
	char text[TEXT_KEPT];
};

struct look {
	struct procfs *fs;
	u64 need; /* columns */
	u64 want; /* fields of stat */
	char line[LINE_SIZE];
};

void look_begin(struct look *look, struct procfs *fs, u64 need);
/* Fill r. 0, -ENOMEM, or the -errno for which the process is to be left out. */
int look_at(struct look *look, struct process *p, struct process_record *r);
/* Close what is open of it. */
void look_close(struct procfs *fs, struct process *p);

#endif
