/* Steps that read files of each process: by which path, kept or opened anew, which files. */
#include "bench/ladder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int ladder_keep_file(struct ladder *l, const struct ladder_step *step)
{
	return ladder_keep(l, step->file);
}

int ladder_keep_with_stat(struct ladder *l, const struct ladder_step *step)
{
	int ret = ladder_keep(l, "stat");

	return ret ? ret : ladder_keep(l, step->file);
}

int ladder_keep_dirs(struct ladder *l, const struct ladder_step *step)
{
	(void)step;
	return ladder_keep(l, "");
}

int ladder_by_path(struct ladder *l, const struct ladder_step *step)
{
	char path[64];

	for (u32 i = 0; i < l->n; i++)
		ladder_read_at(l, AT_FDCWD, ladder_path(path, "/proc/", l->pids[i], step->file));
	return 0;
}

int ladder_by_proc(struct ladder *l, const struct ladder_step *step)
{
	char path[64];

	for (u32 i = 0; i < l->n; i++)
		ladder_read_at(l, l->proc, ladder_path(path, "", l->pids[i], step->file));
	return 0;
}

int ladder_by_dir(struct ladder *l, const struct ladder_step *step)
{
	const int *dirs = ladder_fds(l, "");

	for (u32 i = 0; i < l->n; i++)
		if (dirs[i] >= 0)
			ladder_read_at(l, dirs[i], step->file);
	return 0;
}

int ladder_kept(struct ladder *l, const struct ladder_step *step)
{
	const int *fds = ladder_fds(l, step->file);

	for (u32 i = 0; i < l->n; i++)
		ladder_pread(l, fds[i]);
	return 0;
}

int ladder_kept_both(struct ladder *l, const struct ladder_step *step)
{
	const int *stat = ladder_fds(l, "stat"), *more = ladder_fds(l, step->file);

	for (u32 i = 0; i < l->n; i++) {
		ladder_pread(l, stat[i]);
		ladder_pread(l, more[i]);
	}
	return 0;
}

/* The threads of one process; count is theirs. */
static void tasks_of(struct ladder *l, u32 pid)
{
	char path[64], entries[4096];
	int fd = openat(
		l->proc, ladder_path(path, "", pid, "task"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long len;

	l->calls++;
	if (fd < 0)
		return;
	while ((len = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0) {
		const struct dirent64 *d;

		l->calls++;
		for (long at = 0; at < len; at += d->d_reclen) {
			u32 tid = 0;

			d = (const struct dirent64 *)(const void *)(entries + at);
			for (const char *p = d->d_name; *p >= '0' && *p <= '9'; p++)
				tid = tid * 10 + (u32)(*p - '0');
			if (!tid)
				continue;
			l->count++;
			ladder_read_at(l, fd, ladder_path(path, "", tid, "stat"));
		}
	}
	close(fd);
	l->calls += 2;
}

int ladder_tasks(struct ladder *l, const struct ladder_step *step)
{
	const int *stat = ladder_fds(l, step->file);

	for (u32 i = 0; i < l->n; i++) {
		ladder_pread(l, stat[i]);
		tasks_of(l, l->pids[i]);
	}
	return 0;
}

/* A kernel thread has no exe: that counts as nothing, not as refused. */
int ladder_readlink(struct ladder *l, const struct ladder_step *step)
{
	char path[64];

	for (u32 i = 0; i < l->n; i++) {
		ssize_t len = readlinkat(l->proc, ladder_path(path, "", l->pids[i], step->file),
			l->buf, sizeof(l->buf));

		l->calls++;
		l->refused += len < 0 && errno != ENOENT && errno != ESRCH;
	}
	return 0;
}

int ladder_fstatat(struct ladder *l, const struct ladder_step *step)
{
	struct stat st;
	char path[64];

	for (u32 i = 0; i < l->n; i++) {
		int ret = fstatat(l->proc, ladder_path(path, "", l->pids[i], step->file), &st, 0);

		l->calls++;
		l->refused += ret && errno != ENOENT && errno != ESRCH;
	}
	return 0;
}
