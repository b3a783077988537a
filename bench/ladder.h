/* The ladder: what each choice in reading /proc buys. A step is one way to look at every process of this
 * machine; a pass is one go of it. Steps are compared by the CPU time of a pass. */
#ifndef TARE_BENCH_LADDER_H
#define TARE_BENCH_LADDER_H

#include "base/types.h"

enum {
	LADDER_BUF = 128 * 1024,
	LADDER_MOST_ROUNDS = 1000,
};

struct ladder {
	int proc; /* /proc, kept open */
	u32 n;    /* processes of the step; gone ones stay until the next step */
	u32 cap;
	u32 *pids;
	int *dirs, *fds, *more; /* kept descriptors by process; -1: none */
	u64 *runtime;           /* ns, from schedstat */
	u8 *flags;              /* of the filter, see ladder_filter.c */
	char *lines;            /* stat lines of all processes, one behind the other */
	u32 *line_at;           /* n + 1 offsets into lines */
	char buf[LADDER_BUF];
	/* Counted by a pass: */
	u64 calls;   /* system calls; left 0 where the C library makes them unseen */
	u64 count;   /* what the step's note is about */
	u64 refused; /* files that could not be opened or read although the process is there */
};

struct ladder_step {
	char group;
	const char *name;    /* unique */
	const char *against; /* name of the step that this one is compared with; NULL: none */
	/* Before the first pass: open what is kept. May be NULL. 0 or -errno. */
	int (*prepare)(struct ladder *l, const struct ladder_step *step);
	int (*pass)(struct ladder *l, const struct ladder_step *step); /* 0 or -errno */
	const char *file; /* below /proc/PID, for prepare and pass */
	const char *note; /* what count counts; NULL: nothing */
	u32 size;         /* of the buffer of directory entries, bytes */
};

extern const struct ladder_step ladder_steps[];
extern const u32 ladder_nsteps;

struct ladder_timing {
	u32 rounds; /* 0: not run */
	u64 cpu_ns; /* a pass, median */
	double calls, count, refused;
};

struct ladder_result {
	int err; /* -errno: the step did not run */
	u32 processes;
	struct ladder_timing paced, hot;
};

/* 0 or -errno. Raises the soft limit of descriptors. */
int ladder_open(struct ladder *l);
void ladder_close(struct ladder *l);
/* List the processes anew and close what is kept. 0 or -errno. */
int ladder_list(struct ladder *l);

/* "PREFIX PID / NAME" into out (64 bytes), without printf. name may be NULL. Returns out. */
char *ladder_path(char *out, const char *prefix, u32 pid, const char *name);
/* fds[i] is file of process i, -1 where it cannot be opened. 0, or -EMFILE when there are too many. */
int ladder_keep(struct ladder *l, int *fds, const char *file, int flags);
/* openat, read, close, counted. Bytes read or -errno. */
int ladder_read_at(struct ladder *l, int at, const char *path);
/* pread of a kept file, counted; -1 is passed over. Bytes read or -errno. */
int ladder_pread(struct ladder *l, int fd);

typedef int ladder_fn(struct ladder *l, const struct ladder_step *step);
/* ladder_list.c */
ladder_fn ladder_readdir, ladder_getdents;
/* ladder_read.c */
ladder_fn ladder_keep_file, ladder_keep_dirs, ladder_keep_with_stat;
ladder_fn ladder_by_path, ladder_by_proc, ladder_by_dir, ladder_kept, ladder_kept_both,
	ladder_tasks;
ladder_fn ladder_readlink, ladder_fstatat;
/* ladder_filter.c */
ladder_fn ladder_keep_schedstat, ladder_filter, ladder_filter_once;
/* ladder_parse.c */
ladder_fn ladder_load_lines, ladder_parse_line, ladder_parse_fields, ladder_parse_wanted;

/* ladder_bpf.c: one pass by a BPF iterator instead of /proc, ready to be timed from the first call on.
 * 0, or -EOPNOTSUPP when this build or kernel has none. */
int ladder_bpf(struct ladder *l);

/* ladder_print.c: results are in the order of ladder_steps; those with no processes were not chosen. */
void ladder_print_table(const struct ladder_result *results);
void ladder_print_json(const struct ladder_result *results);

#endif
