#include "process/procfs.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "process/caps.h"
#include "process/hidepid.h"
#include "process/look.h"

enum {
	SLAB = 64, /* processes */
	KEEP_MOST = 16384,
	LEAVE_FREE = 200, /* descriptors for everything else */
	TIDS_AT_FIRST = 1024,
};

/* A kernel that does not count says so of this process too. */
static bool counts_runs(const struct procfs *fs)
{
	char text[128];
	u64 sched[3];
	int len;

	if (!root_is_live(fs->env->root) || !fs->facts.own_pid)
		return false;
	len = piddir_read(&fs->dir, fs->facts.own_pid, "schedstat", text, sizeof(text));
	return len > 0 && !process_parse_schedstat(text, text + len, sched);
}

/* How many to keep: as many as there can be, but of a host's half of what it allows itself. */
static u32 descriptors(bool guest)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (guest)
		return (u32)min_u64(limit.rlim_cur / 2, KEEP_MOST);
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur <= LEAVE_FREE)
		return 0;
	return (u32)min_u64(limit.rlim_cur - LEAVE_FREE, KEEP_MOST);
}

int procfs_open(struct procfs *fs, const struct source_env *env)
{
	int ret;

	*fs = (struct procfs){.env = env};
	ret = piddir_open(&fs->dir, env->root);
	if (ret)
		return ret;
	fs->text = malloc(CMDLINE_MOST + PATH_MOST);
	fs->tids = malloc(TIDS_AT_FIRST * sizeof(*fs->tids));
	fs->tids_cap = TIDS_AT_FIRST;
	ret = kept_init(&fs->kept, descriptors(source_guest(env)));
	if (ret || !fs->text || !fs->tids) {
		procfs_close(fs);
		return -ENOMEM;
	}
	process_facts_read(&fs->facts, env->root);
	fs->filters = counts_runs(fs);
	fs->may_trace = caps_has(CAP_SYS_PTRACE);
	hidepid_read(env->root, fs->hidepid, sizeof(fs->hidepid));
	return 0;
}

void procfs_close_files(struct procfs *fs)
{
	for (u32 s = 0; s < fs->nslabs; s++)
		for (u32 i = 0; i < SLAB; i++)
			look_close(fs, &fs->slabs[s][i]);
}

void procfs_close(struct procfs *fs)
{
	procfs_close_files(fs);
	for (u32 s = 0; s < fs->nslabs; s++) {
		for (u32 i = 0; i < SLAB; i++)
			look_free(&fs->slabs[s][i]);
		free(fs->slabs[s]);
	}
	free(fs->slabs);
	free(fs->now);
	free(fs->before);
	free(fs->text);
	free(fs->tids);
	free(fs->gone);
	free(fs->visible);
	free(fs->fd_entries);
	free(fs->finds);
	kept_fini(&fs->kept);
	piddir_close(&fs->dir);
	*fs = (struct procfs){0};
}

static void put_back(struct procfs *fs, struct process *p)
{
	look_close(fs, p);
	p->known = false;
	p->next = fs->free;
	fs->free = p;
}

static int add_slab(struct procfs *fs)
{
	struct process **slabs = realloc(fs->slabs, (fs->nslabs + 1) * sizeof(struct process *));

	if (!slabs)
		return -ENOMEM;
	fs->slabs = slabs;
	slabs[fs->nslabs] = calloc(SLAB, sizeof(struct process));
	if (!slabs[fs->nslabs])
		return -ENOMEM;
	for (u32 i = SLAB; i-- > 0;) {
		slabs[fs->nslabs][i].fd = slabs[fs->nslabs][i].sched_fd = -1;
		put_back(fs, &slabs[fs->nslabs][i]);
	}
	fs->nslabs++;
	return 0;
}

static struct process *take(struct procfs *fs, u32 pid)
{
	struct process *p;

	if (!fs->free && add_slab(fs))
		return NULL;
	p = fs->free;
	fs->free = p->next;
	p->pid = pid;
	return p;
}

static int reserve(struct procfs *fs, u32 n)
{
	u32 cap = fs->cap ? fs->cap : 256;
	struct process **list;
	struct gone *gone;

	if (n <= fs->cap)
		return 0;
	while (cap < n)
		cap *= 2;
	list = realloc(fs->now, cap * sizeof(struct process *));
	if (!list)
		return -ENOMEM;
	fs->now = list;
	list = realloc(fs->before, cap * sizeof(struct process *));
	if (!list)
		return -ENOMEM;
	fs->before = list;
	gone = realloc(fs->gone, cap * sizeof(*gone));
	if (!gone)
		return -ENOMEM;
	fs->gone = gone;
	fs->gone_cap = cap;
	fs->cap = cap;
	return 0;
}

/* Look at all files again: a recorded machine is at its next moment, or more columns are wanted. */
static void look_anew(struct procfs *fs)
{
	for (u32 i = 0; i < fs->n; i++)
		fs->now[i]->looked = 0;
}

/* One process that was listed. 1: it is handed over; 0: it is left out; or -errno. */
static int one(struct look *look, struct process *p, process_fn *fn, void *arg)
{
	struct procfs *fs = look->fs;
	int ret = look_at(look, p);

	if (!ret) {
		ret = fn(arg, &p->last);
		if (!ret && fs->majors)
			ret = look_devices(look, p);
		return ret ? ret : 1;
	}
	if (ret == -EPERM || ret == -EACCES)
		fs->hidden++;
	if (ret == -EMFILE || ret == -ENFILE)
		fs->limited = true;
	/* it lives: what it used is not part of what its parent is told */
	if (ret != -ESRCH && ret != -ENOENT)
		p->known = false;
	return ret == -ENOMEM ? ret : 0;
}

/* It is not there any more. */
static void vanished(struct procfs *fs, struct process *p)
{
	if (p->known)
		procfs_child_gone(fs, p);
	put_back(fs, p);
}

static int merge(struct look *look, process_fn *fn, void *arg)
{
	struct procfs *fs = look->fs;
	u32 nbefore = fs->n, b = 0, n = 0;
	struct process **tmp = fs->before;
	int ret = 0;

	fs->before = fs->now;
	fs->now = tmp;
	for (u32 i = 0; i < fs->dir.n && ret >= 0; i++) {
		u32 pid = fs->dir.pids[i];
		struct process *p;

		while (b < nbefore && fs->before[b]->pid < pid)
			vanished(fs, fs->before[b++]);
		p = b < nbefore && fs->before[b]->pid == pid ? fs->before[b++] : take(fs, pid);
		ret = p ? one(look, p, fn, arg) : -ENOMEM;
		if (ret > 0)
			fs->now[n++] = p;
		else if (p)
			vanished(fs, p);
	}
	while (b < nbefore)
		vanished(fs, fs->before[b++]);
	fs->n = n;
	return ret < 0 ? ret : 0;
}

/* While nothing is forked nothing new can be listed, and what ends is found out when it is read. The cpu source has
 * read the count in this tick, before. */
static int list(struct procfs *fs, bool moved)
{
	u64 forks = fs->env->shared ? fs->env->shared->forks : 0;
	int ret;

	if (fs->only)
		return piddir_set(&fs->dir, fs->only, fs->nonly);
	if (!moved && forks && forks == fs->forks && fs->scans)
		return 0;
	ret = piddir_list(&fs->dir);
	fs->forks = ret ? 0 : forks;
	return ret;
}

int procfs_scan(struct procfs *fs, u64 need, process_fn *fn, void *arg)
{
	struct look look = {.due = false};
	struct stamp began;
	bool moved;
	int ret;

	/* before the list: what starts while it is made is not older than this scan */
	clock_read_row(fs->env->clock, &began);
	ret = piddir_follow(&fs->dir, &moved);
	if (!ret)
		ret = list(fs, moved);
	if (!ret)
		ret = reserve(fs, fs->dir.n);
	if (ret)
		return ret;
	if (moved)
		procfs_close_files(fs);
	fs->anew = moved || (need & ~fs->need);
	if (fs->anew)
		look_anew(fs);
	fs->need = need;
	fs->scans++;
	fs->hidden = fs->finds_hidden = 0;
	fs->limited = false;
	look_begin(&look, fs, need);
	fs->visible_at = 0;
	ret = merge(&look, fn, arg);
	fs->began_ns = began.boot_ns;
	fs->find_anew = false;
	procfs_children_settle(fs);
	return ret;
}

void procfs_look_for(struct procfs *fs, const struct gpu_majors *majors, find_fn *fn, void *arg)
{
	fs->find_anew |= majors && !fs->majors;
	fs->majors = majors;
	fs->find = fn;
	fs->find_arg = arg;
}

void procfs_visible(struct procfs *fs, const u64 *keys, u32 n)
{
	u64 *grown;

	if (n > fs->visible_cap) {
		grown = realloc(fs->visible, n * sizeof(*grown));
		if (!grown)
			return;
		fs->visible = grown;
		fs->visible_cap = n;
	}
	if (n)
		memcpy(fs->visible, keys, n * sizeof(*keys));
	fs->nvisible = n;
}

bool procfs_is_visible(struct procfs *fs, u64 key)
{
	while (fs->visible_at < fs->nvisible && fs->visible[fs->visible_at] < key)
		fs->visible_at++;
	return fs->visible_at < fs->nvisible && fs->visible[fs->visible_at] == key;
}
