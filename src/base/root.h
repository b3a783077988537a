/* Rooted file access: the only code that opens anything under /proc, /sys or /dev.
 *
 * A root is the live machine, or a recorded one (--root DIR): DIR/t0, DIR/t1, … each hold proc/,
 * sys/, dev/ of one moment and a file `clock` ("mono_ns boot_ns real_ns"). Kept files notice when
 * the root moves on to the next moment and open themselves again; on the live machine they never do.
 *
 * In a recorded tree a symbolic link whose target begins with "errno:" stands for a file that
 * fails: `errno:EACCES` fails at open, `errno:read:EINVAL` opens and fails at every read. Other
 * symbolic links, also absolute ones, resolve inside the moment's directory. */
#ifndef TARE_BASE_ROOT_H
#define TARE_BASE_ROOT_H

#include "base/clock.h"
#include "base/err.h"
#include "base/types.h"

struct root {
	int fd;         /* directory that stands for "/" */
	u32 generation; /* counts the moments; 0 on the live machine for ever */
	u32 moments;    /* 0: live machine */
	bool numbered;  /* the moments are t0/, t1/, … below dir */
	char dir[4096]; /* recorded: as given on the command line */
};

/* dir NULL or "/": the live machine. Else a recorded one at its first moment; a directory without
 * t0/ is one moment itself. *clock is scripted when the moment has a `clock` file. */
int root_init(struct root *root, const char *dir, struct clock *clock, struct err *err);
void root_fini(struct root *root);
static inline bool root_is_live(const struct root *root)
{
	return root->moments == 0;
}
/* Go on to the next moment and set the clock. 0, -ENODATA after the last one (stays there), or
 * -EINVAL on a live root. */
int root_next(struct root *root, struct clock *clock, struct err *err);

/* Open an absolute path ("/proc/stat") below the root, close-on-exec. Returns a descriptor or
 * -errno; a recorded `errno:read:…` marker gives -EREMOTEIO from root_open: use a kept file to see
 * its error. */
int root_open(const struct root *root, const char *path, int flags);
/* As root_open, and *read_error is the error (positive) of an `errno:read:` marker, else 0. */
int root_open_marked(const struct root *root, const char *path, int flags, int *read_error);
/* Target of a symbolic link, NUL-terminated, cut to size. Returns its length or -errno. */
int root_readlink(const struct root *root, const char *path, char *out, u32 size);
bool root_exists(const struct root *root, const char *path);
/* Read a whole small file at once (start-up and rescans, not the tick): at most size - 1 bytes, a NUL
 * after them, one trailing newline removed. Returns the length or -errno. */
int root_read(const struct root *root, const char *path, char *out, u32 size);
int root_read_u64(const struct root *root, const char *path, u64 *out);
int root_read_s64(const struct root *root, const char *path, s64 *out);
/* Names in a directory but "." and "..", sorted (shorter numbers first: cpu2 before cpu10); fn is
 * called for each until it returns non-zero, which is then returned. -errno if it cannot be read. */
int root_list(const struct root *root, const char *path, int (*fn)(void *arg, const char *name),
	void *arg);

#endif
