#include "process/act.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "base/scan.h"
#include "process/process.h"

/* Threads may be born while others are bound: look again until nothing new is found, within reason. */
enum { PASSES = 5, MASK_CPUS = 8192, NO_SETAFFINITY = 0x04000000 };

struct mask {
	u64 word[MASK_CPUS / 64];
	u32 beyond; /* first CPU that has no place here, plus 1 */
};

/* One thread at a time; returns 1 when it changed something, 0 when all was so, or -errno. */
struct act {
	const struct root *root;
	u64 key;
	s32 pid;
	u64 flags; /* of the process, once it was looked at */
	int (*thread)(struct act *a, s32 tid);
	int value;
	bool step, lowered;
	const struct mask *mask;
	int failed;
	u32 changed;
};

static bool is_it(struct act *a)
{
	const u64 want = 1ull << STAT_START_TICKS | 1ull << STAT_FLAGS;
	char path[40], text[2048];
	struct process_stat st;
	int len;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)a->pid);
	len = root_read(a->root, path, text, sizeof(text));
	if (len < 0 || process_parse_stat(text, text + len, want, &st))
		return false;
	a->flags = st.have >> STAT_FLAGS & 1 ? st.value[STAT_FLAGS] : 0;
	return st.have >> STAT_START_TICKS & 1 &&
	       process_key((u32)a->pid, st.value[STAT_START_TICKS]) == a->key;
}

static int act_init(struct act *a, const struct root *root, u64 key, struct err *said)
{
	*a = (struct act){.root = root, .key = key, .pid = (s32)process_key_pid(key)};
	if (!root_is_live(root))
		return err_set(said, EROFS, "this is a recorded machine");
	if (a->pid <= 0)
		return err_set(said, ESRCH, "ended meanwhile");
	return 0;
}

static int refused(int code, struct err *said)
{
	if (code == ESRCH)
		return err_set(said, code, "ended meanwhile");
	if (code == EPERM || code == EACCES)
		return err_set(said, code, "permission denied: it belongs to another user");
	return err_set(said, code, "%s", strerror(code));
}

int act_signal(const struct root *root, u64 key, int sig, struct err *said)
{
	const char *name = sigabbrev_np(sig);
	struct act a;
	int fd, rc = act_init(&a, root, key, said);

	if (rc)
		return rc;
	/* holds on to this process: if it is the right one now, it is when the signal is sent */
	fd = (int)syscall(SYS_pidfd_open, a.pid, 0);
	if (fd < 0 && errno != ENOSYS && errno != EPERM)
		return refused(errno, said);
	if (!is_it(&a))
		rc = ESRCH;
	else if (fd >= 0 ? syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0) : kill(a.pid, sig))
		rc = errno;
	if (fd >= 0)
		close(fd);
	if (rc)
		return refused(rc, said);
	return err_set(said, 0, "sent SIG%s", name ? name : "?");
}

static int each_thread(void *arg, const char *name)
{
	struct act *a = arg;
	char path[80];
	u64 tid;
	int rc;

	if (scan_whole_u64(name, name + strlen(name), &tid) || tid > INT32_MAX)
		return 0;
	/* its number may have gone to a thread of somebody else */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)a->pid, (int)tid);
	if (!is_it(a))
		return -ESRCH;
	if (!root_exists(a->root, path))
		return 0;
	rc = a->thread(a, (s32)tid);
	if (rc == -ESRCH)
		return 0;
	if (rc > 0)
		a->changed++;
	return rc < 0 ? rc : 0;
}

/* Every thread; the process must be the one that is meant before and after. 0 or -errno. */
static int all_threads(struct act *a)
{
	char path[40];
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)a->pid);
	for (u32 pass = 0; pass < PASSES; pass++) {
		a->changed = 0;
		rc = root_list(a->root, path, each_thread, a);
		/* steps are taken once: a thread born since then has its creator's value */
		if (rc || !a->changed || a->step)
			break;
	}
	if (rc == -ENOENT)
		rc = -ESRCH;
	return rc || is_it(a) ? rc : -ESRCH;
}

static int renice_thread(struct act *a, s32 tid)
{
	int now, want = a->value;

	errno = 0;
	now = getpriority(PRIO_PROCESS, (id_t)tid);
	if (now == -1 && errno)
		return -errno;
	if (a->step)
		want += now;
	want = want < ACT_NICE_LEAST ? ACT_NICE_LEAST : want > ACT_NICE_MOST ? ACT_NICE_MOST : want;
	a->lowered = want < now;
	if (want == now)
		return 0;
	return setpriority(PRIO_PROCESS, (id_t)tid, want) ? -errno : 1;
}

int act_renice(const struct root *root, u64 key, int value, bool step, struct err *said)
{
	struct act a;
	int now, rc = act_init(&a, root, key, said);

	if (rc)
		return rc;
	a.thread = renice_thread;
	a.value = value;
	a.step = step;
	rc = all_threads(&a);
	if (rc == -EACCES || (rc == -EPERM && a.lowered && geteuid() != 0))
		return err_set(said, -rc, "permission denied: only root may lower nice values");
	if (rc)
		return refused(-rc, said);
	errno = 0;
	now = getpriority(PRIO_PROCESS, (id_t)a.pid);
	if (now == -1 && errno)
		return refused(errno, said);
	return err_set(said, 0, "nice %d", now);
}

static void take_cpu(void *arg, u32 cpu)
{
	struct mask *m = arg;

	if (cpu < MASK_CPUS)
		m->word[cpu / 64] |= 1ull << cpu % 64;
	else if (!m->beyond)
		m->beyond = cpu + 1;
}

static bool has_cpu(const struct mask *m, u32 cpu)
{
	return m->word[cpu / 64] >> cpu % 64 & 1;
}

static bool is_empty(const struct mask *m)
{
	for (u32 i = 0; i < ARRAY_LEN(m->word); i++)
		if (m->word[i])
			return false;
	return true;
}

static void mask_text(const struct mask *m, char out[ACT_CPUS_TEXT])
{
	struct sbuf sb;

	sbuf_init(&sb, out, ACT_CPUS_TEXT);
	for (u32 cpu = 0; cpu < MASK_CPUS; cpu++) {
		u32 first = cpu;

		if (!has_cpu(m, cpu))
			continue;
		while (cpu + 1 < MASK_CPUS && has_cpu(m, cpu + 1))
			cpu++;
		if (sb.len)
			sbuf_char(&sb, ',');
		sbuf_u64(&sb, first);
		if (cpu > first) {
			sbuf_char(&sb, '-');
			sbuf_u64(&sb, cpu);
		}
	}
	/* half a list is another list */
	if (sb.cut)
		memcpy(out + ACT_CPUS_TEXT - 4, "...", 4);
}

static int get_mask(s32 tid, struct mask *m)
{
	*m = (struct mask){0};
	return syscall(SYS_sched_getaffinity, tid, sizeof(m->word), m->word) < 0 ? -errno : 0;
}

static int bind_thread(struct act *a, s32 tid)
{
	struct mask before, after;
	int rc = get_mask(tid, &before);

	if (rc)
		return rc;
	if (!memcmp(before.word, a->mask->word, sizeof(before.word)))
		return 0;
	if (syscall(SYS_sched_setaffinity, tid, sizeof(a->mask->word), a->mask->word))
		return -errno;
	rc = get_mask(tid, &after);
	return rc ? rc : memcmp(before.word, after.word, sizeof(before.word)) != 0;
}

/* The kernel drops CPUs that are not there without a word; the user wants one. */
static int read_list(const struct root *root, const char *list, struct mask *want, struct err *said)
{
	char text[1024];
	struct mask online = {0};
	int len;

	*want = (struct mask){0};
	if (scan_cpu_list(list, list + strlen(list), take_cpu, want))
		return err_set(said, EINVAL, "not a list of CPUs such as 0-3,8: %s", list);
	if (want->beyond)
		return err_set(said, ENODEV, "no such CPU: %u", want->beyond - 1);
	if (is_empty(want))
		return err_set(said, EINVAL, "no CPU is named, as in 0-3,8");
	len = root_read(root, "/sys/devices/system/cpu/online", text, sizeof(text));
	if (len < 0 || scan_cpu_list(text, text + len, take_cpu, &online) || is_empty(&online))
		return 0;
	for (u32 cpu = 0; cpu < MASK_CPUS; cpu++) {
		if (!has_cpu(want, cpu) || has_cpu(&online, cpu))
			continue;
		snprintf(text, sizeof(text), "/sys/devices/system/cpu/cpu%u", cpu);
		return err_set(said, ENODEV,
			root_exists(root, text) ? "CPU %u is offline" : "no such CPU: %u", cpu);
	}
	return 0;
}

int act_set_cpus(const struct root *root, u64 key, const char *list, struct err *said)
{
	char text[ACT_CPUS_TEXT];
	struct mask want, now;
	struct act a;
	int rc = act_init(&a, root, key, said);

	if (!rc)
		rc = read_list(root, list, &want, said);
	if (rc)
		return rc;
	a.thread = bind_thread;
	a.mask = &want;
	rc = all_threads(&a);
	if (!rc)
		rc = get_mask(a.pid, &now);
	if (rc == -EINVAL)
		return err_set(said, EINVAL,
			a.flags & NO_SETAFFINITY
				? "the kernel keeps this thread on its CPU"
				: "its control group (cpuset) allows none of these CPUs");
	if (rc)
		return refused(-rc, said);
	mask_text(&now, text);
	if (!memcmp(now.word, want.word, sizeof(now.word)))
		return err_set(said, 0, "CPUs %s", text);
	err_set(said, 0, "CPUs %s: its control group (cpuset) allows no more", text);
	return 1;
}

int act_cpus(const struct root *root, u64 key, char out[ACT_CPUS_TEXT], struct err *said)
{
	struct mask now;
	struct act a;
	int rc = act_init(&a, root, key, said);

	out[0] = '\0';
	if (rc)
		return rc;
	rc = get_mask(a.pid, &now);
	if (!rc && !is_it(&a))
		rc = -ESRCH;
	if (rc)
		return refused(-rc, said);
	mask_text(&now, out);
	return 0;
}
