/* Descriptors of GPUs: every descriptor of a process that ran since it was last looked at, by the device number that
 * statx gives with nothing asked for and without a word to a file system's server. That is 2 us a descriptor, so a table
 * that has as many as before (some may have been closed and others opened) and a long one wait a few scans. Threads share
 * their process's table, but for those that gave themselves one of their own. */
#include "process/look.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scan.h"

enum {
	ENTRIES_SIZE = 32768,
	FINDS_MOST = 4096,
	GAP_MOST = 1024,     /* numbers without a descriptor in a row: a list is shorter then */
	LOOKED_A_SCAN = 256, /* descriptors of one process, on average, as long as it runs */
	WAIT_MOST = 30,      /* scans */
	TASK_LOOKS = 64,     /* looks until the threads of a process are compared again */
	KERNEL_THREAD = 0x00200000,
};

/* struct linux_dirent64 of getdents64(2). */
struct entry {
	u64 inode;
	s64 offset;
	u16 length;
	u8 type;
	char name[];
};

static int add(struct procfs *fs, u32 fd, u32 major, u32 minor)
{
	if (fs->nfinds == fs->finds_cap) {
		u32 cap = fs->finds_cap ? fs->finds_cap * 2 : 16;
		struct gpu_find *grown;

		if (cap > FINDS_MOST)
			return 0;
		grown = realloc(fs->finds, cap * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		fs->finds = grown;
		fs->finds_cap = cap;
	}
	fs->finds[fs->nfinds++] = (struct gpu_find){fd, major, minor};
	return 0;
}

static bool is_wanted(const struct procfs *fs, u32 major)
{
	for (u32 i = 0; i < fs->majors->n; i++)
		if (fs->majors->major[i] == major)
			return true;
	return false;
}

static int add_wanted(struct procfs *fs, u32 fd, const struct statx *st)
{
	if (!S_ISCHR(st->stx_mode) || !is_wanted(fs, st->stx_rdev_major))
		return 0;
	return add(fs, fd, st->stx_rdev_major, st->stx_rdev_minor);
}

/* One entry of a live directory of descriptors. */
static int live_one(struct procfs *fs, int dir, const char *name)
{
	const char *end = name + strlen(name);
	struct statx st;
	u64 fd;

	fs->nlooked++;
	if (scan_whole_u64(name, end, &fd) ||
		statx(dir, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, 0, &st))
		return 0;
	return add_wanted(fs, (u32)fd, &st);
}

/* All of the table into fs->finds. 0 or -errno. */
static int live_table(struct procfs *fs, u32 pid, const char *name)
{
	int dir = piddir_file(&fs->dir, pid, name), ret = 0;

	fs->nfinds = fs->nlooked = 0;
	if (dir < 0)
		return dir;
	while (!ret) {
		long n = syscall(SYS_getdents64, dir, fs->fd_entries, ENTRIES_SIZE);

		if (n <= 0)
			break;
		for (long at = 0; at < n && !ret;) {
			const struct entry *e = (const void *)(fs->fd_entries + at);

			ret = live_one(fs, dir, e->name);
			at += e->length;
		}
	}
	close(dir);
	return ret;
}

/* The table of this very process without a list of it: nearly all of it are the files that scans keep, which are known.
 * 0 or -errno; -ENODATA: it cannot be told how many there are, or they lie too far apart. */
static int own_table(struct procfs *fs)
{
	u64 size, left;
	u32 owner, gap = 0;
	int ret = piddir_size(&fs->dir, fs->facts.own_pid, "fd", &size, &owner);

	fs->nfinds = fs->nlooked = 0;
	if (ret || size < fs->kept.known)
		return ret ? ret : -ENODATA;
	left = size - fs->kept.known;
	for (u32 fd = 0; left && !ret; fd++) {
		struct statx st;

		if (kept_has(&fs->kept, fd))
			continue;
		if (statx((int)fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &st)) {
			if (++gap == GAP_MOST)
				return -ENODATA;
			continue;
		}
		gap = 0;
		left--;
		fs->nlooked++;
		ret = add_wanted(fs, fd, &st);
	}
	return ret;
}

/* The table of a process. A child that was forked has a handle's files but not its pid. */
static int table(struct procfs *fs, u32 pid)
{
	bool own = pid == fs->facts.own_pid && pid == (u32)getpid();
	int ret = own ? own_table(fs) : -ENODATA;

	return ret == -ENODATA ? live_table(fs, pid, "fd") : ret;
}

/* A recorded descriptor is a link to a node's name; the class has its number. */
static bool recorded_number(const struct procfs *fs, const char *target, u32 *major, u32 *minor)
{
	static const struct {
		const char *dir, *class;
	} classes[] = {{"/dev/dri/", "drm"}, {"/dev/accel/", "accel"}};
	char path[128], text[32];

	for (u32 i = 0; i < ARRAY_LEN(classes); i++) {
		if (strncmp(target, classes[i].dir, strlen(classes[i].dir)) != 0)
			continue;
		snprintf(path, sizeof(path), "/sys/class/%s/%.64s/dev", classes[i].class,
			target + strlen(classes[i].dir));
		return root_read(fs->env->root, path, text, sizeof(text)) > 0 &&
		       sscanf(text, "%u:%u", major, minor) == 2;
	}
	return false;
}

static int recorded_table(struct procfs *fs, u32 pid)
{
	u32 fds[256], n, major, minor;
	int ret = piddir_numbers(&fs->dir, pid, "fd", fds, ARRAY_LEN(fds), &n);

	fs->nfinds = fs->nlooked = 0;
	for (u32 i = 0; ret >= 0 && i < n; i++) {
		char name[32], target[128];
		int len;

		snprintf(name, sizeof(name), "fd/%u", fds[i]);
		len = piddir_link(&fs->dir, pid, name, target, sizeof(target) - 1);
		if (len <= 0)
			continue;
		target[len] = '\0';
		if (recorded_number(fs, target, &major, &minor) && is_wanted(fs, major))
			ret = add(fs, fds[i], major, minor);
	}
	return ret < 0 ? ret : 0;
}

/* Does this thread have another table than its process? */
static bool has_own_table(u32 pid, u32 tid)
{
	return tid != pid && syscall(SYS_kcmp, pid, tid, KCMP_FILES, 0, 0) > 0;
}

static int task_tables(struct procfs *fs, struct process *p)
{
	int n = procfs_tids(fs, p->pid), ret = 0;

	p->own_tables = false;
	for (int i = 0; i < n && !ret; i++) {
		char name[48];
		u32 tid = fs->tids[i];

		if (!has_own_table(p->pid, tid))
			continue;
		p->own_tables = true;
		ret = live_table(fs, p->pid, procfs_task_path(name, tid, "fd"));
		if (!ret)
			fs->find(fs->find_arg, p->pid, p->start_ticks, tid, fs->finds, fs->nfinds);
		else if (ret != -ENOMEM)
			ret = 0;
	}
	return ret;
}

static bool has_threads(const struct process *p)
{
	return p->last.have & column_bit(PROCESS_THREADS) && p->last.value[PROCESS_THREADS] > 1;
}

/* Once such a thread was met each look has to tell of it too. */
static bool compares_threads(struct process *p)
{
	if (!has_threads(p))
		return false;
	return p->task_looks++ % TASK_LOOKS == 0 || p->own_tables;
}

/* May it have opened one since it was looked at? Of one thread schedstat tells; it is asked in the next scan at the latest.
 * Of several only their sums in stat do, in which a run of less than a clock tick without a new page does not show. */
static bool may_have_opened(const struct look *look, const struct process *p)
{
	if (!look->fs->filters || p->moved || look->runs)
		return true;
	if (has_threads(p))
		return look->due;
	return look->asked ? !look->still : !p->sched_known;
}

/* Is it to be looked at in this scan? */
static bool is_due(const struct look *look, struct process *p)
{
	struct procfs *fs = look->fs;
	u64 size = 0, wait;
	u32 owner;

	if (!p->looked_fds || fs->find_anew)
		return true;
	p->fds_pending |= may_have_opened(look, p);
	if (!p->fds_pending)
		return false;
	wait = min_u64(p->fds_looked / LOOKED_A_SCAN, WAIT_MOST);
	if (fs->scans - p->fds_scan < wait)
		return false;
	if (fs->scans - p->fds_scan >= wait + LOOK_EVERY)
		return true;
	/* size 0: this kernel does not count them */
	return piddir_size(&fs->dir, p->pid, "fd", &size, &owner) || !size || size != p->fds;
}

/* Before the look: one opened in between makes the next size another one. */
static void looks_now(struct procfs *fs, struct process *p)
{
	bool first = !p->looked_fds || fs->find_anew;
	u64 size;
	u32 owner;

	if (piddir_size(&fs->dir, p->pid, "fd", &size, &owner))
		size = 0;
	p->fds = (u32)size;
	/* those that are met together need not be looked at together for ever */
	p->fds_scan = fs->scans - (first ? p->pid % LOOK_EVERY : 0);
	p->looked_fds = true;
	p->fds_pending = false;
}

int look_devices(struct look *look, struct process *p)
{
	struct procfs *fs = look->fs;
	int ret;

	if (p->flags & KERNEL_THREAD)
		return 0;
	if (!is_due(look, p)) {
		fs->finds_hidden += p->denied_fds;
		return 0;
	}
	if (!fs->fd_entries) {
		fs->fd_entries = malloc(ENTRIES_SIZE);
		if (!fs->fd_entries)
			return -ENOMEM;
	}
	if (!p->looked_fds)
		p->task_looks = p->own_tables = 0;
	looks_now(fs, p);
	ret = root_is_live(fs->env->root) ? table(fs, p->pid) : recorded_table(fs, p->pid);
	p->fds_looked = fs->nlooked;
	p->denied_fds = look_denied(ret);
	fs->finds_hidden += p->denied_fds;
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	fs->find(fs->find_arg, p->pid, p->start_ticks, 0, fs->finds, fs->nfinds);
	return root_is_live(fs->env->root) && compares_threads(p) ? task_tables(fs, p) : 0;
}
