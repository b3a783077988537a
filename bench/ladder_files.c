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

static void close_all(int *fds, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

int ladder_open(struct ladder *l)
{
	struct rlimit limit;

	*l = (struct ladder){.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	if (l->proc < 0)
		return -errno;
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return 0;
}

static void forget(struct ladder *l)
{
	if (l->cap) {
		close_all(l->dirs, l->cap);
		close_all(l->fds, l->cap);
		close_all(l->more, l->cap);
	}
	free(l->lines);
	l->lines = NULL;
}

void ladder_close(struct ladder *l)
{
	forget(l);
	free(l->pids);
	free(l->dirs);
	free(l->fds);
	free(l->more);
	free(l->runtime);
	free(l->flags);
	free(l->line_at);
	if (l->proc >= 0)
		close(l->proc);
}

static int grow(void *list, size_t size)
{
	void **p = list, *wider = realloc(*p, size);

	if (!wider)
		return -ENOMEM;
	*p = wider;
	return 0;
}

static int reserve(struct ladder *l, u32 cap)
{
	if (grow(&l->pids, cap * sizeof(*l->pids)) || grow(&l->dirs, cap * sizeof(*l->dirs)) ||
		grow(&l->fds, cap * sizeof(*l->fds)) || grow(&l->more, cap * sizeof(*l->more)) ||
		grow(&l->runtime, cap * sizeof(*l->runtime)) || grow(&l->flags, cap) ||
		grow(&l->line_at, (cap + 1) * sizeof(*l->line_at)))
		return -ENOMEM;
	for (u32 i = l->cap; i < cap; i++)
		l->dirs[i] = l->fds[i] = l->more[i] = -1;
	l->cap = cap;
	return 0;
}

int ladder_list(struct ladder *l)
{
	long len;

	forget(l);
	l->n = 0;
	if (lseek(l->proc, 0, SEEK_SET) < 0)
		return -errno;
	while ((len = syscall(SYS_getdents64, l->proc, l->buf, sizeof(l->buf))) > 0) {
		const struct dirent64 *d;

		for (long at = 0; at < len; at += d->d_reclen) {
			u32 pid;

			d = (const struct dirent64 *)(const void *)(l->buf + at);
			pid = (u32)strtoul(d->d_name, NULL, 10);
			if (!pid)
				continue;
			if (l->n == l->cap && reserve(l, l->cap ? l->cap * 2 : 1024))
				return -ENOMEM;
			l->pids[l->n++] = pid;
		}
	}
	return len < 0 ? -errno : 0;
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

int ladder_keep(struct ladder *l, int *fds, const char *file, int flags)
{
	char path[64];

	for (u32 i = 0; i < l->n; i++) {
		fds[i] = openat(
			l->proc, ladder_path(path, "", l->pids[i], file), flags | O_CLOEXEC);
		if (fds[i] < 0 && (errno == EMFILE || errno == ENFILE))
			return -errno;
	}
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
		l->refused++;
		return -EBADF;
	}
	l->calls++;
	len = pread(fd, l->buf, sizeof(l->buf), 0);
	return len < 0 ? failed(l) : (int)len;
}
