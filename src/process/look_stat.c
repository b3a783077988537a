/* Has it run, and its stat line: one pread of a kept descriptor each. */
#include "process/look.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { SCHEDSTAT_MOST = 128, REST_LEAST = 3, REST_MOST = 15 };

/* Somebody else needs descriptors: give up half of ours for good. */
static void shed(struct procfs *fs)
{
	fs->kept.most = fs->kept.n / 2;
	procfs_close_files(fs);
}

static int open_kept(struct procfs *fs, u32 pid, const char *name)
{
	int fd = piddir_file(&fs->dir, pid, name);

	if ((fd == -EMFILE || fd == -ENFILE) && fs->kept.n) {
		shed(fs);
		fd = piddir_file(&fs->dir, pid, name);
	}
	return fd;
}

int look_read_stat(struct look *look, struct process *p)
{
	struct procfs *fs = look->fs;
	int fd, ret;
	ssize_t n;

	if (p->fd >= 0) {
		n = pread(p->fd, look->line, sizeof(look->line), 0);
		if (n > 0)
			return (int)n;
		/* gone; the pid may be another's by now */
		look_close(fs, p);
	}
	fd = open_kept(fs, p->pid, "stat");
	if (fd < 0)
		return fd;
	n = pread(fd, look->line, sizeof(look->line), 0);
	ret = n > 0 ? (int)n : n < 0 ? -errno : -ESRCH;
	if (ret < 0 || kept_is_full(&fs->kept)) {
		close(fd);
		return ret;
	}
	p->fd = fd;
	kept_add(&fs->kept, fd);
	return ret;
}

/* 0: sched is of now. */
static int read_sched(struct procfs *fs, struct process *p, u64 sched[3])
{
	char line[SCHEDSTAT_MOST];
	ssize_t n;

	if (p->sched_fd < 0) {
		if (kept_is_full(&fs->kept))
			return -EMFILE;
		p->sched_fd = piddir_file(&fs->dir, p->pid, "schedstat");
		if (p->sched_fd < 0)
			return -ENOENT;
		kept_add(&fs->kept, p->sched_fd);
	}
	n = pread(p->sched_fd, line, sizeof(line), 0);
	if (n < 0) /* gone; the pid may be another's by now */
		kept_close(&fs->kept, &p->sched_fd);
	return n > 0 ? process_parse_schedstat(line, line + n, sched) : -EINVAL;
}

/* Is the answer worth a read? One that ran most likely did again; what is looked at anyway is asked only for the sake
 * of the files that this saves, and what is seen for its exact time. */
static bool is_worth(const struct look *look, const struct process *p, bool ran)
{
	if (!look->fs->filters || !p->known || p->last.value[PROCESS_THREADS] != 1)
		return false;
	if (look->visible)
		return true;
	return !ran && !(p->sched_known && look->due && !look_wants(look, LOOK_OWN_COLUMNS));
}

/* Only its own thread changes what schedstat of a process with one thread tells. What it says is taken before stat is
 * read: a run in between shows in the next one. */
bool look_is_still(struct look *look, struct process *p)
{
	bool ran = p->moved || p->rest, was_known = p->sched_known, same;
	u64 sched[3];

	p->moved = look->still = look->asked = false;
	look->runs = ran || (p->streak && !was_known);
	if (p->rest)
		p->rest--;
	if (!is_worth(look, p, ran)) {
		p->sched_known = was_known && !ran && p->last.value[PROCESS_THREADS] == 1;
		return false;
	}
	p->sched_known = !read_sched(look->fs, p, sched);
	if (!p->sched_known)
		return false;
	same = was_known && !memcmp(sched, p->sched, sizeof(sched));
	look->asked = true;
	look->still = same;
	p->moved = was_known && !same;
	/* a daemon that wakes up in every window is asked now and then */
	if (same)
		p->streak = 0;
	else if (was_known)
		p->rest = p->streak = (u8)min_u64(2 * p->streak + REST_LEAST, REST_MOST);
	memcpy(p->sched, sched, sizeof(sched));
	return same && !look->due && !look->visible && !look->fs->anew;
}
