#include "process/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/scan.h"
#include "process/hidepid.h"
#include "process/look.h"

enum {
	SLAB = 64, /* processes */
	KEEP_MOST = 16384,
	LEAVE_FREE = 200, /* descriptors for everything else */
	RECORDED_HZ = 100,
	RECORDED_PAGE = 4096,
};

static u32 descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur <= LEAVE_FREE)
		return 0;
	return (u32)min_u64(limit.rlim_cur - LEAVE_FREE, KEEP_MOST);
}

static u64 memory_bytes(const struct root *root)
{
	char text[4096];
	u64 kib = 0;
	int len = root_read(root, "/proc/meminfo", text, sizeof(text));

	if (len <= 0 || !scan_line_u64(text, text + len, "MemTotal:", &kib))
		return 0;
	return kib < UINT64_MAX / 1024 ? kib * 1024 : 0;
}

/* By the link: in a container, /proc may count pids of another namespace than getpid(). */
static u32 own_pid(const struct root *root)
{
	char text[32];
	u64 pid = 0;
	int len = root_is_live(root) ? root_readlink(root, "/proc/self", text, sizeof(text)) : 0;

	return len > 0 && !scan_whole_u64(text, text + len, &pid) && pid <= PID_MOST ? (u32)pid : 0;
}

static u64 positive(long v, u64 otherwise)
{
	return v > 0 ? (u64)v : otherwise;
}

int procfs_open(struct procfs *fs, const struct source_env *env)
{
	bool live = root_is_live(env->root);
	int ret;

	*fs = (struct procfs){.env = env};
	ret = piddir_open(&fs->dir, env->root);
	if (ret)
		return ret;
	fs->text = malloc(CMDLINE_MOST + EXE_MOST);
	if (!fs->text) {
		procfs_close(fs);
		return -ENOMEM;
	}
	fs->tick_ns = NSEC_PER_SEC / RECORDED_HZ;
	fs->page_bytes = RECORDED_PAGE;
	if (live) {
		fs->tick_ns = NSEC_PER_SEC / positive(sysconf(_SC_CLK_TCK), RECORDED_HZ);
		fs->page_bytes = positive(sysconf(_SC_PAGESIZE), RECORDED_PAGE);
	}
	fs->memory_bytes = memory_bytes(env->root);
	fs->own_pid = own_pid(env->root);
	fs->keep_most = descriptors();
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
			free(fs->slabs[s][i].heap);
		free(fs->slabs[s]);
	}
	free(fs->slabs);
	free(fs->now);
	free(fs->before);
	free(fs->text);
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
		slabs[fs->nslabs][i].fd = -1;
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
	struct process_record r = {0};
	int ret = look_at(look, p, &r);

	if (!ret) {
		ret = fn(arg, &r);
		return ret ? ret : 1;
	}
	if (ret == -EPERM || ret == -EACCES)
		fs->hidden++;
	if (ret == -EMFILE || ret == -ENFILE)
		fs->limited = true;
	return ret == -ENOMEM ? ret : 0;
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
			put_back(fs, fs->before[b++]);
		p = b < nbefore && fs->before[b]->pid == pid ? fs->before[b++] : take(fs, pid);
		ret = p ? one(look, p, fn, arg) : -ENOMEM;
		if (ret > 0)
			fs->now[n++] = p;
		else if (p)
			put_back(fs, p);
	}
	while (b < nbefore)
		put_back(fs, fs->before[b++]);
	fs->n = n;
	return ret < 0 ? ret : 0;
}

int procfs_scan(struct procfs *fs, u64 need, process_fn *fn, void *arg)
{
	struct look look;
	bool moved;
	int ret = piddir_follow(&fs->dir, &moved);

	if (!ret)
		ret = piddir_list(&fs->dir);
	if (!ret)
		ret = reserve(fs, fs->dir.n);
	if (ret)
		return ret;
	if (moved)
		procfs_close_files(fs);
	if (moved || (need & ~fs->need))
		look_anew(fs);
	fs->need = need;
	fs->scans++;
	fs->hidden = 0;
	fs->limited = false;
	look_begin(&look, fs, need);
	return merge(&look, fn, arg);
}
