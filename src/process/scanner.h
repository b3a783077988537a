/* What a scanner of processes is. There are two, procfs and BPF; one table comes out of both. */
#ifndef TARE_PROCESS_SCANNER_H
#define TARE_PROCESS_SCANNER_H

#include "core/source.h"
#include "gpu/clients.h"
#include "process/columns.h"
#include "process/exits.h"

/* Ended processes of which nothing but this is known (the ring had no room for them), and what the program that
 * runs in the kernel when a process ends has used. Cumulative. */
struct scanner_account {
	u64 lost, lost_ns;
	u64 kernel_runs, kernel_ns;
	/* of the newest scan: processes whose descriptors may not be looked at */
	u32 finds_hidden;
};

/* All the descriptors of such devices in one table: the process's own (tid 0), or that of a thread which has one of its
 * own. */
typedef void find_fn(
	void *arg, u32 pid, u64 start_ticks, u32 tid, const struct gpu_find *finds, u32 n);

struct scanner_ops {
	const char *name;
	/* 0; -EOPNOTSUPP or -EPERM with the reason in words: not on this machine or not with these rights. */
	int (*open)(void **out, const struct source_env *env, char *why, size_t why_size);
	void (*close)(void *self);
	/* Hand over every process in order of keys. need: columns that are wanted. 0 or -errno, also of fn.
	 * What no earlier scan has counted of a process's CPU time is in the record's `fresh_ns`. */
	int (*scan)(void *self, u64 need, process_fn *fn, void *arg);
	/* Hand over every thread, at any time and in order of keys. */
	int (*threads)(void *self, u64 need, process_fn *fn, void *arg);
	/* Hand over what ended since the last call. Called right before and right after a scan. */
	int (*ended)(void *self, exit_fn *fn, void *arg);
	/* From the next scan on, look for descriptors of character devices of these majors (NULL: do not): fn is called
	 * during it for each table that was looked at. One that processes share is told of for one of them. */
	void (*look_for)(void *self, const struct gpu_majors *majors, find_fn *fn, void *arg);
	/* From the next scan on look at these pids (ascending, n of them) alone; NULL: at all. May be NULL: it cannot. */
	void (*only)(void *self, const u32 *pids, u32 n);
	/* Rows (keys, ascending) that somebody sees until the next call; valid during the call only. */
	void (*visible)(void *self, const u64 *keys, u32 n);
	/* May processes be missing from the newest scan? */
	bool (*partial)(void *self);
	void (*explain)(void *self, struct findings *out);
	/* Readable when `ended` should be called before the next tick; -1: never. May be NULL. */
	int (*fd)(void *self);
	/* May be NULL. */
	void (*account)(void *self, struct scanner_account *out);
};

extern const struct scanner_ops procfs_scanner, bpf_scanner;

#endif
