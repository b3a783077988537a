/* Steps that look for the descriptors of a device: every descriptor of every process. */
#include "bench/ladder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

typedef void each_fn(struct ladder *l, const struct ladder_step *step, int dir, const char *name);

static int each_table(struct ladder *l, const struct ladder_step *step, each_fn *fn)
{
	for (u32 i = 0; i < l->n; i++) {
		char path[64];
		int dir = openat(l->proc, ladder_path(path, "", l->pids[i], "fd"),
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		long len;

		l->calls += 2;
		if (dir < 0) {
			l->refused += errno != ENOENT && errno != ESRCH;
			continue;
		}
		while ((len = syscall(SYS_getdents64, dir, l->buf, sizeof(l->buf))) > 0) {
			l->calls++;
			for (long at = 0; at < len;) {
				const struct dirent64 *d = (const void *)(l->buf + at);

				at += d->d_reclen;
				if (d->d_name[0] != '.')
					fn(l, step, dir, d->d_name);
			}
		}
		l->calls++;
		close(dir);
	}
	return 0;
}

static void count(struct ladder *l, const struct ladder_step *step, int dir, const char *name)
{
	(void)step;
	(void)dir;
	(void)name;
	l->count++;
}

int ladder_fd_list(struct ladder *l, const struct ladder_step *step)
{
	return each_table(l, step, count);
}

/* A name tells the device only to who knows the nodes' names; that would come on top. */
static void by_name(struct ladder *l, const struct ladder_step *step, int dir, const char *name)
{
	char target[256];
	long n = readlinkat(dir, name, target, sizeof(target));

	(void)step;
	l->calls++;
	l->count += n > 5 && !memcmp(target, "/dev/", 5);
}

int ladder_fd_readlink(struct ladder *l, const struct ladder_step *step)
{
	return each_table(l, step, by_name);
}

static void by_stat(struct ladder *l, const struct ladder_step *step, int dir, const char *name)
{
	struct stat st;

	l->calls++;
	l->count += !fstatat(dir, name, &st, 0) && S_ISCHR(st.st_mode) &&
		    major(st.st_rdev) == step->arg;
}

int ladder_fd_fstatat(struct ladder *l, const struct ladder_step *step)
{
	return each_table(l, step, by_stat);
}

static void by_statx(struct ladder *l, const struct ladder_step *step, int dir, const char *name)
{
	struct statx st;

	l->calls++;
	l->count += !statx(dir, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, 0, &st) &&
		    S_ISCHR(st.stx_mode) && st.stx_rdev_major == step->arg;
}

int ladder_fd_statx(struct ladder *l, const struct ladder_step *step)
{
	return each_table(l, step, by_statx);
}
