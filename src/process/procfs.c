#include "process/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "base/scan.h"
#include "process/names.h"

enum { DIRENTS_SIZE = 131072, MOST_FDS = 16384, OTHER_FDS = 200, REFRESH_TICKS = 8, SLAB = 64 };

static u32 descriptor_limit(const struct root *root)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return 0;
	if (root_is_live(root) && lim.rlim_cur < lim.rlim_max && lim.rlim_cur < MOST_FDS * 2) {
		struct rlimit more = lim;

		more.rlim_cur = lim.rlim_max < MOST_FDS * 2 ? lim.rlim_max : MOST_FDS * 2;
		if (!setrlimit(RLIMIT_NOFILE, &more))
			lim = more;
	}
	if (lim.rlim_cur <= OTHER_FDS)
		return 0;
	return (u32)min_u64(lim.rlim_cur - OTHER_FDS, MOST_FDS);
}

static int open_dir(struct procfs *fs)
{
	int fd = root_open(fs->root, "/proc", O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return fd;
	if (fs->dir >= 0)
		close(fs->dir);
	fs->dir = fd;
	fs->generation = fs->root->generation;
	return 0;
}

int procfs_open(struct procfs *fs, const struct root *root)
{
	int ret;

	*fs = (struct procfs){.root = root, .dir = -1, .most_fds = descriptor_limit(root)};
	ret = open_dir(fs);
	if (ret)
		return ret;
	fs->dirents = malloc(DIRENTS_SIZE);
	fs->text = malloc(PROCFS_TEXT_SIZE);
	if (!fs->dirents || !fs->text) {
		procfs_close(fs);
		return -ENOMEM;
	}
	return 0;
}

static void close_fd(struct procfs *fs, struct proc *p)
{
	if (p->fd < 0)
		return;
	close(p->fd);
	p->fd = -1;
	fs->fds--;
}

/* Entries come from slabs and go back to the free list; a slab goes when the list is closed. */
struct slab {
	struct slab *next;
	struct proc entry[SLAB];
};

static struct slab *slab_fill(struct procfs *fs, struct slab *s)
{
	for (u32 i = 0; i < SLAB; i++) {
		s->entry[i] = (struct proc){.fd = -1, .next = fs->spare};
		fs->spare = &s->entry[i];
	}
	return s;
}

static struct proc *take(struct procfs *fs, u32 pid)
{
	struct proc *p = fs->spare;

	if (!p) {
		struct slab *s = malloc(sizeof(*s));

		if (!s)
			return NULL;
		s->next = fs->slabs;
		fs->slabs = slab_fill(fs, s);
		p = fs->spare;
	}
	fs->spare = p->next;
	p->pid = pid;
	p->known = false;
	p->start_ticks = 0;
	return p;
}

static void give_back(struct procfs *fs, struct proc *p)
{
	close_fd(fs, p);
	p->next = fs->spare;
	fs->spare = p;
}

void procfs_close(struct procfs *fs)
{
	for (u32 i = 0; i < fs->n; i++)
		give_back(fs, fs->now[i]);
	while (fs->slabs) {
		struct slab *s = fs->slabs;

		fs->slabs = s->next;
		for (u32 i = 0; i < SLAB; i++)
			free(s->entry[i].line);
		free(s);
	}
	free(fs->now);
	free(fs->old);
	free(fs->pid);
	free(fs->dirents);
	free(fs->text);
	if (fs->dir >= 0)
		close(fs->dir);
	*fs = (struct procfs){.dir = -1};
}

static int add_pid(struct procfs *fs, u32 pid)
{
	if (fs->npid == fs->pid_cap) {
		u32 cap = fs->pid_cap ? fs->pid_cap * 2 : 1024;
		u32 *more = realloc(fs->pid, cap * sizeof(*more));

		if (!more)
			return -ENOMEM;
		fs->pid = more;
		fs->pid_cap = cap;
	}
	fs->pid[fs->npid++] = pid;
	return 0;
}

static u32 pid_of(const char *name)
{
	u64 pid = 0;

	for (; *name; name++) {
		if (!scan_is_digit(*name))
			return 0;
		pid = pid * 10 + (u64)(*name - '0');
		if (pid > INT32_MAX)
			return 0;
	}
	return (u32)pid;
}

static int by_pid(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* All pids that /proc lists, ascending. procfs gives them so; a recorded tree's folder does not. */
static int list_pids(struct procfs *fs)
{
	bool sorted = true;

	fs->npid = 0;
	if (lseek(fs->dir, 0, SEEK_SET) < 0)
		return -errno;
	for (;;) {
		long n = syscall(SYS_getdents64, fs->dir, fs->dirents, DIRENTS_SIZE);

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		for (long at = 0; at < n;) {
			const struct dirent64 *d =
				(const struct dirent64 *)(const void *)(fs->dirents + at);
			u32 pid = pid_of(d->d_name);

			at += d->d_reclen;
			if (!pid)
				continue;
			sorted &= !fs->npid || fs->pid[fs->npid - 1] < pid;
			if (add_pid(fs, pid))
				return -ENOMEM;
		}
	}
	if (!sorted)
		qsort(fs->pid, fs->npid, sizeof(*fs->pid), by_pid);
	return 0;
}

static int reserve(struct procfs *fs, u32 n)
{
	u32 cap = fs->cap ? fs->cap : 1024;
	struct proc **now, **old;

	if (n <= fs->cap)
		return 0;
	while (cap < n)
		cap *= 2;
	now = realloc(fs->now, cap * sizeof(*now));
	if (now)
		fs->now = now;
	old = realloc(fs->old, cap * sizeof(*old));
	if (old)
		fs->old = old;
	if (!now || !old)
		return -ENOMEM;
	fs->cap = cap;
	return 0;
}

int procfs_scan(struct procfs *fs)
{
	struct proc **swap;
	u32 o = 0, n = 0, nold;
	int ret = 0;

	fs->tick++;
	fs->hidden = 0;
	if (fs->generation != fs->root->generation) {
		ret = open_dir(fs);
		for (u32 i = 0; i < fs->n; i++) {
			close_fd(fs, fs->now[i]);
			fs->now[i]->known = false;
		}
	}
	if (!ret)
		ret = list_pids(fs);
	if (!ret)
		ret = reserve(fs, fs->npid);
	if (ret)
		return ret;
	swap = fs->old;
	fs->old = fs->now;
	fs->now = swap;
	nold = fs->n;
	for (u32 i = 0; i < fs->npid; i++) {
		u32 pid = fs->pid[i];
		struct proc *p;

		while (o < nold && fs->old[o]->pid < pid)
			give_back(fs, fs->old[o++]);
		if (i && fs->pid[i - 1] == pid)
			continue;
		p = o < nold && fs->old[o]->pid == pid ? fs->old[o++] : take(fs, pid);
		if (p)
			fs->now[n++] = p;
		else
			ret = -ENOMEM;
	}
	while (o < nold)
		give_back(fs, fs->old[o++]);
	fs->n = n;
	return ret;
}

static void pid_path(char *out, u32 size, const char *prefix, u32 pid, const char *file)
{
	struct sbuf sb;

	sbuf_init(&sb, out, size);
	sbuf_str(&sb, prefix);
	sbuf_u64(&sb, pid);
	sbuf_char(&sb, '/');
	sbuf_str(&sb, file);
}

/* Open PID/file. On the live machine relative to the kept directory. */
static int open_of(struct procfs *fs, u32 pid, const char *file)
{
	char path[64];
	int fd, read_error;

	if (root_is_live(fs->root)) {
		pid_path(path, sizeof(path), "", pid, file);
		fd = openat(fs->dir, path, O_RDONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	pid_path(path, sizeof(path), "/proc/", pid, file);
	fd = root_open_marked(fs->root, path, O_RDONLY, &read_error);
	return read_error ? -read_error : fd;
}

static ssize_t read_text(int fd, char *out, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, out, size, 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Bytes of the stat file in fs->text, from the kept descriptor if there is one. A kept descriptor of a
 * process that is gone says ESRCH although another may have its pid by now. */
static ssize_t stat_text(struct procfs *fs, struct proc *p)
{
	ssize_t n = -ESRCH;

	if (p->fd >= 0) {
		n = read_text(p->fd, fs->text, PROCFS_TEXT_SIZE);
		if (n > 0)
			return n;
		close_fd(fs, p);
	}
	p->fd = open_of(fs, p->pid, "stat");
	if (p->fd < 0) {
		int code = p->fd;

		p->fd = -1;
		return code;
	}
	fs->fds++;
	n = read_text(p->fd, fs->text, PROCFS_TEXT_SIZE);
	if (n <= 0 || fs->fds > fs->most_fds)
		close_fd(fs, p);
	return n ? n : -ESRCH;
}

int procfs_stat(struct procfs *fs, struct proc *p, struct proc_stat *out)
{
	ssize_t n = stat_text(fs, p);
	int ret;

	if (n == -EACCES || n == -EPERM) {
		fs->hidden++;
		return -EACCES;
	}
	if (n < 0)
		return -ESRCH;
	ret = proc_stat_parse(out, fs->text, fs->text + n);
	if (ret)
		return ret;
	if (out->start_ticks != p->start_ticks) {
		p->start_ticks = out->start_ticks;
		p->known = false;
	}
	return 0;
}

int procfs_shared(struct procfs *fs, struct proc *p, u64 *pages)
{
	char text[128];
	int fd = open_of(fs, p->pid, "statm");
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read_text(fd, text, sizeof(text));
	close(fd);
	return n < 0 ? (int)n : proc_statm_shared(text, text + n, pages);
}

/* The process directory belongs to the effective user, also when the files in it are root's because the
 * process may not be dumped. A recorded tree has nobody's files: its status says. */
static void read_owner(struct procfs *fs, struct proc *p)
{
	char path[64], text[1024];
	const char *line;
	struct stat st;
	bool ok = true;
	u64 uid = 0;
	int len;

	p->has_uid = false;
	if (root_is_live(fs->root)) {
		pid_path(path, sizeof(path), "", p->pid, "");
		if (fstatat(fs->dir, path, &st, 0))
			return;
		p->uid = st.st_uid;
		p->has_uid = true;
		return;
	}
	pid_path(path, sizeof(path), "/proc/", p->pid, "status");
	len = root_read(fs->root, path, text, sizeof(text));
	line = len > 0 ? strstr(text, "Uid:") : NULL;
	if (!line)
		return;
	scan_u64(scan_skip_words(line + 4, text + len, 1), text + len, &uid, &ok);
	p->uid = (u32)uid;
	p->has_uid = ok;
}

static void read_line(struct procfs *fs, struct proc *p)
{
	int fd = open_of(fs, p->pid, "cmdline");
	ssize_t n;

	p->line_len = 0;
	if (fd < 0)
		return;
	n = read_text(fd, fs->text, PROC_LINE_MOST);
	close(fd);
	if (n <= 0)
		return;
	n = name_join_arguments(fs->text, (u32)n);
	if ((u32)n > p->line_size) {
		u32 size = ((u32)n + 127) / 128 * 128;
		char *line = realloc(p->line, size);

		if (!line)
			return;
		p->line = line;
		p->line_size = size;
	}
	if (n)
		memcpy(p->line, fs->text, (size_t)n);
	p->line_len = (u32)n;
}

static u32 read_exe(struct procfs *fs, struct proc *p, char *out, u32 size)
{
	char path[64];
	ssize_t n;

	if (!root_is_live(fs->root)) {
		int len;

		pid_path(path, sizeof(path), "/proc/", p->pid, "exe");
		len = root_readlink(fs->root, path, out, size);
		return len > 0 ? (u32)len : 0;
	}
	pid_path(path, sizeof(path), "", p->pid, "exe");
	n = readlinkat(fs->dir, path, out, size);
	return n > 0 ? (u32)n : 0;
}

static void read_names(struct procfs *fs, struct proc *p)
{
	char exe[1024];
	const char *name;
	u32 exe_len, len;

	if (p->kernel) {
		p->line_len = 0;
		exe_len = 0;
	} else {
		read_line(fs, p);
		exe_len = read_exe(fs, p, exe, sizeof(exe));
	}
	name = name_program(
		exe, exe_len, p->comm, p->comm_len, p->line ? p->line : "", p->line_len, &len);
	p->name_len = (u32)min_u64(len, sizeof(p->name));
	memcpy(p->name, name, p->name_len);
}

void procfs_details(struct procfs *fs, struct proc *p, const struct proc_stat *st, bool names)
{
	u32 comm_len = (u32)min_u64(st->comm_len, sizeof(p->comm));
	bool exec = comm_len != p->comm_len || memcmp(p->comm, st->comm, comm_len) != 0;

	if (p->known && !exec && (fs->tick + p->pid) % REFRESH_TICKS)
		return;
	/* comm lies in fs->text, which the files below overwrite */
	memcpy(p->comm, st->comm, comm_len);
	p->comm_len = comm_len;
	p->kernel = (st->flags & PROC_KTHREAD) != 0;
	read_owner(fs, p);
	if (names)
		read_names(fs, p);
	p->known = true;
}
