#include "base/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errno_name.h"
#include "base/scan.h"

static int open_moment(struct root *root, u32 moment, struct clock *clock, struct err *err)
{
	char path[sizeof(root->dir) + 32], text[128];
	struct stamp at = {0};
	bool ok = true;
	const char *p, *end;
	int fd, len;

	if (root->numbered)
		snprintf(path, sizeof(path), "%s/t%u", root->dir, moment);
	else
		snprintf(path, sizeof(path), "%s", root->dir);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "--root %s: %s", path, strerror(errno));
	if (root->fd >= 0)
		close(root->fd);
	root->fd = fd;
	root->generation = moment;
	len = root_read(root, "/clock", text, sizeof(text));
	if (len < 0)
		return 0;
	end = text + len;
	p = scan_u64(text, end, &at.mono_ns, &ok);
	p = scan_u64(p, end, &at.boot_ns, &ok);
	scan_u64(p, end, &at.real_ns, &ok);
	if (!ok)
		return err_set(err, EINVAL, "%s/clock: expected \"mono_ns boot_ns real_ns\"", path);
	clock_script(clock, &at);
	return 0;
}

int root_init(struct root *root, const char *dir, struct clock *clock, struct err *err)
{
	char path[sizeof(root->dir) + 32];
	struct stat st;

	*root = (struct root){.fd = -1};
	if (!dir || !strcmp(dir, "/")) {
		root->fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		return root->fd < 0 ? err_set(err, errno, "/: %s", strerror(errno)) : 0;
	}
	if (strlen(dir) >= sizeof(root->dir))
		return err_set(err, ENAMETOOLONG, "--root: path too long");
	strcpy(root->dir, dir);
	do
		snprintf(path, sizeof(path), "%s/t%u", dir, root->moments);
	while (stat(path, &st) == 0 && S_ISDIR(st.st_mode) && ++root->moments < 100000);
	root->numbered = root->moments > 0;
	if (!root->numbered)
		root->moments = 1;
	return open_moment(root, 0, clock, err);
}

void root_fini(struct root *root)
{
	if (root && root->fd >= 0)
		close(root->fd);
	if (root)
		root->fd = -1;
}

int root_next(struct root *root, struct clock *clock, struct err *err)
{
	if (root_is_live(root))
		return err_set(err, EINVAL, "the live machine has no next moment");
	if (root->generation + 1 >= root->moments)
		return -ENODATA;
	return open_moment(root, root->generation + 1, clock, err);
}

/* Open inside a recorded tree, whatever links and dots the path goes through. -1 and errno. Before Linux 5.6,
 * and under valgrind, there is no openat2: then links are followed as they are, and only a path that
 * climbs by itself is refused. */
static int open_inside(const struct root *root, const char *path, int flags)
{
	struct open_how how = {.flags = (u64)(u32)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

	const char *below = path[1] ? path + 1 : ".";
	int fd = (int)syscall(SYS_openat2, root->fd, below, &how, sizeof(how));

	if (fd >= 0 || errno != ENOSYS)
		return fd;
	if (strstr(path, "..")) {
		errno = EXDEV;
		return -1;
	}
	return openat(root->fd, below, flags | O_CLOEXEC);
}

static int readlink_inside(const struct root *root, const char *path, char *out, u32 size)
{
	int fd = open_inside(root, path, O_PATH | O_NOFOLLOW);
	ssize_t n;
	int code;

	if (fd < 0)
		return -errno;
	n = readlinkat(fd, "", out, size - 1);
	code = errno;
	close(fd);
	if (n < 0)
		return code == ENOENT ? -EINVAL : -code; /* what is no link */
	out[n] = '\0';
	return (int)n;
}

/* The error that the target of a marker link stands for, or 0. */
static int marked_error(const char *target, bool *at_read)
{
	const char *name;

	*at_read = false;
	if (strncmp(target, "errno:", 6) != 0)
		return 0;
	name = target + 6;
	*at_read = strncmp(name, "read:", 5) == 0;
	if (*at_read)
		name += 5;
	return errno_from_name(name);
}

int root_open_marked(const struct root *root, const char *path, int flags, int *read_error)
{
	char target[64];
	bool at_read = false;
	int fd, code;

	*read_error = 0;
	if (root_is_live(root)) {
		fd = open(path, flags | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	fd = open_inside(root, path, flags);
	if (fd >= 0)
		return fd;
	code = errno;
	if (code == ENOENT && readlink_inside(root, path, target, sizeof(target)) > 0) {
		int marked = marked_error(target, &at_read);

		if (marked && at_read) {
			*read_error = marked;
			return -EREMOTEIO;
		}
		if (marked)
			code = marked;
	}
	return -code;
}

int root_open(const struct root *root, const char *path, int flags)
{
	int read_error;

	return root_open_marked(root, path, flags, &read_error);
}

int root_readlink(const struct root *root, const char *path, char *out, u32 size)
{
	bool at_read;
	ssize_t n;
	int code;

	if (!root_is_live(root)) {
		code = readlink_inside(root, path, out, size);
		if (code > 0 && marked_error(out, &at_read))
			return -marked_error(out, &at_read);
		return code;
	}
	n = readlink(path, out, size - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	return (int)n;
}

bool root_exists(const struct root *root, const char *path)
{
	int fd = root_open(root, path, O_PATH);

	if (fd < 0)
		return fd == -EREMOTEIO || fd == -EACCES;
	close(fd);
	return true;
}

int root_read(const struct root *root, const char *path, char *out, u32 size)
{
	int read_error, fd = root_open_marked(root, path, O_RDONLY | O_NONBLOCK, &read_error);
	u32 len = 0;

	out[0] = '\0';
	if (fd < 0)
		return read_error ? -read_error : fd;
	while (len < size - 1) {
		ssize_t n = read(fd, out + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int code = errno;

			close(fd);
			return -code;
		}
		if (n == 0)
			break;
		len += (u32)n;
	}
	close(fd);
	if (len && out[len - 1] == '\n')
		len--;
	out[len] = '\0';
	return (int)len;
}

int root_read_u64(const struct root *root, const char *path, u64 *out)
{
	char text[64];
	int len = root_read(root, path, text, sizeof(text));

	return len < 0 ? len : scan_whole_u64(text, text + len, out);
}

int root_read_s64(const struct root *root, const char *path, s64 *out)
{
	char text[64];
	int len = root_read(root, path, text, sizeof(text));

	return len < 0 ? len : scan_whole_s64(text, text + len, out);
}

static int visible(const struct dirent *d)
{
	return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

int root_list(const struct root *root, const char *path, int (*fn)(void *arg, const char *name),
	void *arg)
{
	struct dirent **names;
	int ret = 0, n, fd = root_open(root, path, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return fd;
	/* scandirat works on the descriptor that was resolved below the root */
	n = scandirat(fd, ".", &names, visible, versionsort);
	if (n < 0) {
		ret = -errno;
		close(fd);
		return ret;
	}
	for (int i = 0; i < n; i++) {
		if (!ret)
			ret = fn(arg, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	close(fd);
	return ret;
}
