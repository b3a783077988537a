/* What the steps share: the list of processes, kept descriptors, counted reads. */
#include "bench/ladder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEAVE_FREE = 64 };

static int list(struct ladder *l)
{
	long len;

	while ((len = syscall(SYS_getdents64, l->proc, l->buf, sizeof(l->buf))) > 0) {
		const struct dirent64 *d;

		for (long at = 0; at < len; at += d->d_reclen) {
			u32 pid;

			d = (const struct dirent64 *)(const void *)(l->buf + at);
			pid = (u32)strtoul(d->d_name, NULL, 10);
			if (!pid)
				continue;
			if (l->n == l->cap) {
				u32 cap = l->cap ? l->cap * 2 : 1024;
				u32 *pids = realloc(l->pids, cap * sizeof(*pids));

				if (!pids)
					return -ENOMEM;
				l->pids = pids;
				l->cap = cap;
			}
			l->pids[l->n++] = pid;
		}
	}
	return len < 0 ? -errno : 0;
}

int ladder_open(struct ladder *l)
{
	struct rlimit limit = {0};

	*l = (struct ladder){.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	if (l->proc < 0)
		return -errno;
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	l->most_fds = (u32)min_u64(limit.rlim_cur, INT32_MAX);
	return list(l);
}

static void drop(struct ladder *l, int *fds)
{
	for (u32 i = 0; i < l->n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
}

void ladder_close(struct ladder *l)
{
	for (u32 k = 0; k < l->nkept; k++)
		drop(l, l->kept[k].fds);
	for (u32 k = 0; k < LADDER_FILTERS; k++) {
		free(l->filters[k].runtime);
		free(l->filters[k].flags);
	}
	free(l->lines);
	free(l->line_at);
	free(l->pids);
	if (l->proc >= 0)
		close(l->proc);
}

char *ladder_path(char *out, const char *prefix, u32 pid, const char *name)
{
	char digits[10], *p = digits + sizeof(digits), *w = stpcpy(out, prefix);

	do
		*--p = (char)('0' + pid % 10);
	while (pid /= 10);
	w = mempcpy(w, p, (size_t)(digits + sizeof(digits) - p));
	if (name)
		w = stpcpy(stpcpy(w, "/"), name);
	*w = '\0';
	return out;
}

const int *ladder_fds(const struct ladder *l, const char *file)
{
	for (u32 k = 0; k < l->nkept; k++)
		if (!strcmp(l->kept[k].file, file))
			return l->kept[k].fds;
	return NULL;
}

int ladder_keep(struct ladder *l, const char *file)
{
	const char *name = *file ? file : NULL;
	char path[64];
	int *fds;

	if (ladder_fds(l, file))
		return 0;
	if (l->nkept == LADDER_MOST_KEPT)
		return -E2BIG;
	fds = malloc((l->n + 1) * sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	memset(fds, -1, (l->n + 1) * sizeof(*fds));
	for (u32 i = 0; i < l->n; i++) {
		int fd = openat(
			l->proc, ladder_path(path, "", l->pids[i], name), O_RDONLY | O_CLOEXEC);

		fds[i] = fd < 0 ? -errno : fd;
		if (fds[i] == -EMFILE || fds[i] == -ENFILE || fd >= (int)l->most_fds - LEAVE_FREE) {
			drop(l, fds);
			return -EMFILE;
		}
	}
	l->kept[l->nkept++] = (struct ladder_kept){file, fds};
	return 0;
}

static int failed(struct ladder *l)
{
	int err = errno;

	if (err != ENOENT && err != ESRCH)
		l->refused++;
	return -err;
}

int ladder_read_at(struct ladder *l, int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_CLOEXEC), ret;
	ssize_t len;

	l->calls++;
	if (fd < 0)
		return failed(l);
	len = read(fd, l->buf, sizeof(l->buf));
	ret = len < 0 ? failed(l) : (int)len;
	close(fd);
	l->calls += 2;
	return ret;
}

int ladder_pread(struct ladder *l, int fd)
{
	ssize_t len;

	if (fd < 0) {
		l->refused += fd != -ENOENT && fd != -ESRCH;
		return fd;
	}
	l->calls++;
	len = pread(fd, l->buf, sizeof(l->buf), 0);
	return len < 0 ? failed(l) : (int)len;
}
