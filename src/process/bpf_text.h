/* Texts of a process for the BPF scanner, which the programs in the kernel do not bring: from /proc, when they may
 * have changed. Private to it. */
#ifndef TARE_PROCESS_BPF_TEXT_H
#define TARE_PROCESS_BPF_TEXT_H

#include "bpf/process_record.h"
#include "process/cgroups.h"
#include "process/columns.h"
#include "process/piddir.h"

enum {
	TEXT_CMDLINE_MOST = 16384, /* bytes of a command line that are shown */
	TEXT_PATH_MOST = 4096,
	TEXT_INLINE = 128,
};

struct known_text {
	u32 exec_id;
	bool looked, has_cmdline, has_exe;
	bool cmdline_denied, exe_denied;
	char comm[RECORD_COMM];
	/* one after the other in heap, or in text when that is NULL */
	u32 command_len, cmdline_len, exe_len;
	u32 heap_size;
	char *heap;
	char text[TEXT_INLINE];
};

struct text_reader {
	struct piddir *dir;
	struct cgroups *cgroups;
	u64 need;    /* columns */
	char *bytes; /* one command line, then one path */
};

/* 0 or -ENOMEM. */
int text_reader_init(struct text_reader *reader, struct piddir *dir, struct cgroups *cgroups);
void text_reader_fini(struct text_reader *reader);

/* Fill the text columns of r. part: of its first thread, or of one that stands in for it; again: its title may have been
 * written over. 0 or -ENOMEM; a process that ends meanwhile keeps what is known of it. */
int text_fill(struct text_reader *reader, struct known_text *t, u32 pid,
	const struct task_part *part, bool again, struct process_record *r);
/* "name", or "task/TID/name" in out when another thread stands in for the first one. */
const char *text_path(char out[48], const struct task_part *part, const char *name);
/* The same of one that has ended: what is known. */
void text_keep(const struct known_text *t, struct process_record *r);

#endif
