/* The ladder: what each choice in reading /proc buys. A step is one way to look at every process of this
 * machine; a pass is one go of it. Steps are compared by the CPU time of a pass. */
#ifndef TARE_BENCH_LADDER_H
#define TARE_BENCH_LADDER_H

#include "base/types.h"

enum {
	LADDER_BUF = 128 * 1024,
	LADDER_MOST_ROUNDS = 1000,
	LADDER_MOST_KEPT = 8,
	LADDER_FILTERS = 2,
	LADDER_MAJOR = 5, /* of /dev/ptmx, in the place of a GPU's */
};

/* One file of every process, kept open; steps share it. */
struct ladder_kept {
	const char *file; /* "": the directory itself */
	int *fds;         /* by process; negative errno where it could not be opened */
};

/* What a filter remembers; each step has its own, since a look of another would move its window. */
struct ladder_filter {
	u64 *runtime; /* by process; ns, from schedstat */
	u8 *flags;    /* by process; see ladder_filter.c */
};

struct ladder {
	int proc; /* /proc, kept open */
	u32 n;    /* processes at the start; those that go stay in the list */
	u32 cap;
	u32 most_fds;
	u32 *pids;
	struct ladder_kept kept[LADDER_MOST_KEPT];
	u32 nkept;
	struct ladder_filter filters[LADDER_FILTERS];
	char *lines;  /* stat lines of all processes, one behind the other */
	u32 *line_at; /* n + 1 offsets into lines */
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
	u32 arg; /* bytes of the buffer of directory entries; or which filter; or a device's major */
};

extern const struct ladder_step ladder_steps[];
extern const u32 ladder_nsteps;

struct ladder_timing {
	u32 rounds;                 /* 0: not run */
	u64 ns[LADDER_MOST_ROUNDS]; /* CPU time of each timed pass */
	u64 calls, count, refused;  /* of all of them together */
};

struct ladder_result {
	bool chosen;
	int err; /* -errno: the step did not run */
	struct ladder_timing paced, hot;
};

/* List the processes. 0 or -errno. Raises the soft limit of descriptors. */
int ladder_open(struct ladder *l);
void ladder_close(struct ladder *l);

/* "PREFIX PID / NAME" into out (64 bytes), without printf. name may be NULL. Returns out. */
char *ladder_path(char *out, const char *prefix, u32 pid, const char *name);
/* Open file of every process, if it is not kept already. 0, or -EMFILE when there are too many. */
int ladder_keep(struct ladder *l, const char *file);
/* Descriptors of a file that is kept. */
const int *ladder_fds(const struct ladder *l, const char *file);
/* openat, read, close, counted. Bytes read or -errno. */
int ladder_read_at(struct ladder *l, int at, const char *path);
/* pread of a kept file, counted; one that could not be opened is passed over. Bytes read or -errno. */
int ladder_pread(struct ladder *l, int fd);

typedef int ladder_fn(struct ladder *l, const struct ladder_step *step);
/* ladder_list.c */
ladder_fn ladder_readdir, ladder_getdents;
/* ladder_read.c */
ladder_fn ladder_keep_file, ladder_keep_with_stat, ladder_keep_dirs;
ladder_fn ladder_by_path, ladder_by_proc, ladder_by_dir, ladder_kept, ladder_kept_both,
	ladder_tasks;
ladder_fn ladder_readlink, ladder_fstatat;
/* ladder_filter.c */
ladder_fn ladder_keep_schedstat, ladder_filter, ladder_filter_once;
/* ladder_parse.c */
ladder_fn ladder_load_lines, ladder_parse_line, ladder_parse_fields, ladder_parse_wanted;

/* ladder_descriptors.c */
ladder_fn ladder_fd_list, ladder_fd_readlink, ladder_fd_fstatat, ladder_fd_statx;

/* ladder_bpf.c: one pass by a BPF iterator instead of /proc, ready to be timed from the first call on.
 * 0, or -EOPNOTSUPP when this build or kernel has none. */
ladder_fn ladder_bpf;

/* ladder_print.c: results are in the order of ladder_steps. Sorts the times. */
void ladder_print_table(const struct ladder *l, struct ladder_result *results);
void ladder_print_json(const struct ladder *l, struct ladder_result *results);

#endif
