/* The directory /proc and the files of its processes: live through one kept descriptor, recorded through the root
 * (where marker links stand for files that fail). */
#ifndef TARE_PROCESS_PIDDIR_H
#define TARE_PROCESS_PIDDIR_H

#include "base/root.h"

/* Keys have 22 bits for a pid; the kernel's own limit (PID_MAX_LIMIT) is the same. */
enum { PID_MOST = (1 << 22) - 1 };

struct piddir {
	const struct root *root;
	int fd;
	u32 generation;
	u32 *pids; /* of the newest list: ascending, each once */
	u32 n, cap;
	char *entries; /* getdents64 buffer */
};

/* 0 or -errno: there is no such directory, or no memory. */
int piddir_open(struct piddir *dir, const struct root *root);
void piddir_close(struct piddir *dir);
/* Follow a recorded root to its next moment; *moved: descriptors of files are of the one before. */
int piddir_follow(struct piddir *dir, bool *moved);
/* Fill pids. Allocates only when there are more than ever. 0 or -errno. */
int piddir_list(struct piddir *dir);

/* Pids are these n, ascending, instead of what the directory lists. 0 or -ENOMEM. */
int piddir_set(struct piddir *dir, const u32 *pids, u32 n);

/* Open PID/name. A descriptor or -errno. */
int piddir_file(const struct piddir *dir, u32 pid, const char *name);
/* Read PID/name from its start, at most size bytes. Length or -errno. */
int piddir_read(const struct piddir *dir, u32 pid, const char *name, char *out, u32 size);
/* Target of the link PID/name, not terminated. Length or -errno. */
int piddir_link(const struct piddir *dir, u32 pid, const char *name, char *out, u32 size);
/* Entries of the directory PID/name but "." and "..": how many there are, and the first `most` of those that are
 * numbers in out, ascending, *n of them. Returns how many, or -errno. */
int piddir_numbers(struct piddir *dir, u32 pid, const char *name, u32 *out, u32 most, u32 *n);
/* Size and owner of PID/name as fstat tells; size 0 on a recorded machine. 0 or -errno. */
int piddir_size(const struct piddir *dir, u32 pid, const char *name, u64 *out, u32 *uid);
/* Effective uid: live, the owner of the directory (of files in it, root is the owner when the process
 * must not be looked into). 0 or -errno. */
int piddir_uid(const struct piddir *dir, u32 pid, u32 *out);

#endif
