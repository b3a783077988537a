#include "ftrace/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { FILE_BLOCK = 65536 };

static const char prefix[] = "tare-";

/* Where it is mounted: a directory of that name is there without it, too. */
static int open_mounted(const struct root *root)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	int ret = -ENOENT;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		struct statfs fs;
		int fd = root_open(root, places[i], O_RDONLY | O_DIRECTORY);

		if (fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == TRACEFS_MAGIC)
			return fd;
		if (fd >= 0)
			close(fd);
		else if (fd == -EACCES)
			ret = fd;
	}
	return ret;
}

/* A mount that has no place in any tree: gone with its descriptor. */
static int open_detached(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), fd;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		fd = -errno;
	else
		fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	if (fd == -1)
		fd = -errno;
	close(fs);
	return fd;
}

/* Does a program that made this instance still run? */
static bool is_left(const struct root *root, const char *name)
{
	char path[64], comm[32], *end;
	unsigned long pid = strtoul(name + strlen(prefix), &end, 10);

	if (*end || end == name + strlen(prefix))
		return false;
	if (pid == (unsigned long)getpid())
		return true;
	snprintf(path, sizeof(path), "/proc/%lu/comm", pid);
	return root_read(root, path, comm, sizeof(comm)) < 0 || strcmp(comm, "tare") != 0;
}

struct leftovers {
	const struct root *root;
	int instances;
};

static void remove_left(const struct leftovers *l, const char *name)
{
	if (!strncmp(name, prefix, strlen(prefix)) && is_left(l->root, name))
		unlinkat(l->instances, name, AT_REMOVEDIR);
}

/* A directory of a few entries, once. */
static void remove_leftovers(const struct tracefs *t, const struct root *root)
{
	struct leftovers l = {.root = root,
		.instances = openat(t->top, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	char buffer[4096];
	long n;

	if (l.instances < 0)
		return;
	while ((n = syscall(SYS_getdents64, l.instances, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < n;) {
			struct {
				u64 ino;
				s64 off;
				u16 length;
				u8 type;
				char name[];
			} __attribute__((packed)) *entry = (void *)(buffer + at);

			at += entry->length;
			remove_left(&l, entry->name);
		}
	close(l.instances);
}

int tracefs_open(struct tracefs *t, const struct root *root, struct err *err)
{
	*t = (struct tracefs){.top = open_mounted(root), .dir = -1};
	if (t->top == -ENOENT)
		t->top = open_detached();
	if (t->top == -ENODEV)
		return err_set(err, ENOENT, "this kernel has no tracefs (CONFIG_TRACING)");
	if (t->top < 0)
		return err_set(err, -t->top, "kernel events: tracefs: %s", strerror(-t->top));
	remove_leftovers(t, root);
	snprintf(t->name, sizeof(t->name), "instances/%s%d", prefix, (int)getpid());
	if (mkdirat(t->top, t->name, 0700) < 0) {
		int code = errno;

		tracefs_close(t);
		return err_set(
			err, code, "kernel events: an instance of tracefs: %s", strerror(code));
	}
	t->dir = openat(t->top, t->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dir < 0) {
		int code = errno;

		tracefs_close(t);
		return err_set(err, code, "kernel events: %s: %s", t->name, strerror(code));
	}
	tracefs_set(t, "tracing_on", "0");
	return 0;
}

void tracefs_close(struct tracefs *t)
{
	if (t->dir >= 0) {
		close(t->dir);
		unlinkat(t->top, t->name, AT_REMOVEDIR);
	}
	if (t->top >= 0)
		close(t->top);
	t->top = t->dir = -1;
}

int tracefs_file(const struct tracefs *t, const char *path, int flags)
{
	int fd = openat(t->dir, path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int tracefs_set(const struct tracefs *t, const char *path, const char *value)
{
	int fd = tracefs_file(t, path, O_WRONLY | O_TRUNC), ret = 0;

	if (fd < 0)
		return fd;
	if (write(fd, value, strlen(value)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int tracefs_set_number(const struct tracefs *t, const char *path, u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return tracefs_set(t, path, text);
}

char *tracefs_read(const struct tracefs *t, const char *path, size_t *len)
{
	int fd = tracefs_file(t, path, O_RDONLY);
	size_t used = 0, cap = FILE_BLOCK;
	char *text = fd < 0 ? NULL : malloc(cap);
	ssize_t n = 0;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	while (text && (n = read(fd, text + used, cap - used - 1)) > 0) {
		used += (size_t)n;
		if (cap - used < 2) {
			char *grown = realloc(text, cap *= 2);

			if (!grown)
				free(text);
			text = grown;
		}
	}
	close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	if (text)
		text[used] = '\0';
	*len = used;
	return text;
}

char *tracefs_available(const struct tracefs *t, size_t *len)
{
	const struct tracefs top = {.dir = t->top};

	return tracefs_read(&top, "available_events", len);
}
