#include "process/piddir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scan.h"
#include "process/process.h"

enum {
	ENTRIES_SIZE = 128 * 1024,
	PATH_SIZE = 64,
	STATUS_SIZE = 8192,
};

static int open_proc(struct piddir *dir)
{
	int fd = root_open(dir->root, "/proc", O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return fd;
	dir->fd = fd;
	dir->generation = dir->root->generation;
	return 0;
}

int piddir_open(struct piddir *dir, const struct root *root)
{
	int ret;

	*dir = (struct piddir){.root = root, .fd = -1};
	ret = open_proc(dir);
	if (ret)
		return ret;
	dir->entries = malloc(ENTRIES_SIZE);
	if (dir->entries)
		return 0;
	piddir_close(dir);
	return -ENOMEM;
}

void piddir_close(struct piddir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	free(dir->pids);
	free(dir->entries);
	*dir = (struct piddir){.fd = -1};
}

int piddir_follow(struct piddir *dir, bool *moved)
{
	*moved = dir->fd < 0 || dir->generation != dir->root->generation;
	if (!*moved)
		return 0;
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = -1;
	return open_proc(dir);
}

static int add_pid(struct piddir *dir, u32 pid)
{
	if (dir->n == dir->cap) {
		u32 cap = dir->cap ? dir->cap * 2 : 1024;
		u32 *pids = realloc(dir->pids, cap * sizeof(*pids));

		if (!pids)
			return -ENOMEM;
		dir->pids = pids;
		dir->cap = cap;
	}
	dir->pids[dir->n++] = pid;
	return 0;
}

/* 0: the name is no pid. */
static u32 pid_of(const char *name)
{
	u32 pid = 0;

	for (; scan_is_digit(*name); name++) {
		pid = pid * 10 + (u32)(*name - '0');
		if (pid > PID_MOST)
			return 0;
	}
	return *name ? 0 : pid;
}

static int add_entries(struct piddir *dir, long len)
{
	const struct dirent64 *d;
	int ret = 0;

	for (long at = 0; at < len && !ret; at += d->d_reclen) {
		u32 pid;

		d = (const struct dirent64 *)(const void *)(dir->entries + at);
		pid = pid_of(d->d_name);
		if (pid)
			ret = add_pid(dir, pid);
	}
	return ret;
}

static void sift(u32 *a, u32 i, u32 n)
{
	for (u32 child; (child = 2 * i + 1) < n; i = child) {
		u32 tmp = a[i];

		if (child + 1 < n && a[child] < a[child + 1])
			child++;
		if (tmp >= a[child])
			return;
		a[i] = a[child];
		a[child] = tmp;
	}
}

/* The kernel lists processes in order; a recorded directory may not. In place: qsort may allocate. */
static void put_in_order(u32 *a, u32 n)
{
	u32 i = 1;

	while (i < n && a[i - 1] < a[i])
		i++;
	if (i >= n)
		return;
	for (i = n / 2; i-- > 0;)
		sift(a, i, n);
	for (i = n; i-- > 1;) {
		u32 tmp = a[0];

		a[0] = a[i];
		a[i] = tmp;
		sift(a, 0, i);
	}
}

static void drop_equal(struct piddir *dir)
{
	u32 n = 0;

	for (u32 i = 0; i < dir->n; i++)
		if (!n || dir->pids[n - 1] != dir->pids[i])
			dir->pids[n++] = dir->pids[i];
	dir->n = n;
}

int piddir_list(struct piddir *dir)
{
	long len;
	int ret;

	dir->n = 0;
	if (lseek(dir->fd, 0, SEEK_SET) < 0)
		return -errno;
	while ((len = syscall(SYS_getdents64, dir->fd, dir->entries, ENTRIES_SIZE)) > 0) {
		ret = add_entries(dir, len);
		if (ret)
			return ret;
	}
	if (len < 0)
		return -errno;
	put_in_order(dir->pids, dir->n);
	drop_equal(dir);
	return 0;
}

int piddir_set(struct piddir *dir, const u32 *pids, u32 n)
{
	int ret = 0;

	dir->n = 0;
	for (u32 i = 0; i < n && !ret; i++)
		ret = add_pid(dir, pids[i]);
	return ret;
}

/* "[/proc/]PID[/name]" without printf: this is on the tick when processes come. */
static const char *path_of(char out[PATH_SIZE], bool whole, u32 pid, const char *name)
{
	char digits[10], *p = digits + sizeof(digits), *w = out;

	do
		*--p = (char)('0' + pid % 10);
	while (pid /= 10);
	if (whole)
		w = stpcpy(w, "/proc/");
	w = mempcpy(w, p, (size_t)(digits + sizeof(digits) - p));
	if (name)
		w = stpcpy(stpcpy(w, "/"), name);
	*w = '\0';
	return out;
}

int piddir_file(const struct piddir *dir, u32 pid, const char *name)
{
	int read_error, fd;
	char path[PATH_SIZE];

	if (root_is_live(dir->root)) {
		fd = openat(dir->fd, path_of(path, false, pid, name), O_RDONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	fd = root_open_marked(dir->root, path_of(path, true, pid, name), O_RDONLY, &read_error);
	return fd < 0 && read_error ? -read_error : fd;
}

int piddir_read(const struct piddir *dir, u32 pid, const char *name, char *out, u32 size)
{
	int fd = piddir_file(dir, pid, name), ret;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, out, size, 0);
	ret = n < 0 ? -errno : (int)n;
	close(fd);
	return ret;
}

int piddir_link(const struct piddir *dir, u32 pid, const char *name, char *out, u32 size)
{
	char path[PATH_SIZE];
	ssize_t n;

	if (!root_is_live(dir->root))
		return root_readlink(dir->root, path_of(path, true, pid, name), out, size);
	n = readlinkat(dir->fd, path_of(path, false, pid, name), out, size);
	return n < 0 ? -errno : (int)n;
}

struct numbers {
	u32 *out, most, n, all;
};

static void add_number(struct numbers *numbers, const char *name)
{
	u32 number = pid_of(name);

	numbers->all++;
	if (numbers->n < numbers->most && (number || (name[0] == '0' && !name[1])))
		numbers->out[numbers->n++] = number;
}

static int add_name(void *arg, const char *name)
{
	add_number(arg, name);
	return 0;
}

static bool is_dot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int numbers_live(struct piddir *dir, const char *path, struct numbers *numbers)
{
	int fd = openat(dir->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent64 *d;
	long len;

	if (fd < 0)
		return -errno;
	while ((len = syscall(SYS_getdents64, fd, dir->entries, ENTRIES_SIZE)) > 0)
		for (long at = 0; at < len; at += d->d_reclen) {
			d = (const struct dirent64 *)(const void *)(dir->entries + at);
			if (!is_dot(d->d_name))
				add_number(numbers, d->d_name);
		}
	if (len < 0)
		len = -errno;
	close(fd);
	return (int)len;
}

int piddir_numbers(struct piddir *dir, u32 pid, const char *name, u32 *out, u32 most, u32 *n)
{
	struct numbers numbers = {.out = out, .most = most};
	char path[PATH_SIZE];
	int ret;

	if (root_is_live(dir->root))
		ret = numbers_live(dir, path_of(path, false, pid, name), &numbers);
	else
		ret = root_list(dir->root, path_of(path, true, pid, name), add_name, &numbers);
	*n = numbers.n;
	put_in_order(out, numbers.n);
	return ret < 0 ? ret : (int)numbers.all;
}

int piddir_size(const struct piddir *dir, u32 pid, const char *name, u64 *out, u32 *uid)
{
	char path[PATH_SIZE];
	struct stat st;

	*out = 0;
	*uid = 0;
	if (!root_is_live(dir->root))
		return 0;
	if (fstatat(dir->fd, path_of(path, false, pid, name), &st, 0))
		return -errno;
	*out = (u64)st.st_size;
	*uid = st.st_uid;
	return 0;
}

int piddir_uid(const struct piddir *dir, u32 pid, u32 *out)
{
	char path[PATH_SIZE], status[STATUS_SIZE];
	struct stat st;
	int len;

	if (root_is_live(dir->root)) {
		if (fstatat(dir->fd, path_of(path, false, pid, NULL), &st, 0))
			return -errno;
		*out = st.st_uid;
		return 0;
	}
	len = piddir_read(dir, pid, "status", status, sizeof(status));
	return len < 0 ? len : process_parse_uid(status, status + len, out);
}
