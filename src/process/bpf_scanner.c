/* Processes by the kernel's own task iterator: one binary record of each in a few reads, without a file of
 * /proc; and a record of each that ended, in a ring. A scan is a merge of what the iterator brought with what is
 * kept of each process, both in order of pids. A process that is not among the tasks any more and of which no
 * record has come yet is "exiting": the kernel frees it a moment after its parent was told. */
#include "process/bpf_scanner.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/caps.h"
#include "process/hidepid.h"

enum {
	CPUS_EXACT = 16,  /* with more, only the rows that somebody sees have exact pages */
	BATCH_LEAST = 32, /* percpu_counter_batch of lib/percpu_counter.c */
	FIRST_PID_NAMESPACE = 0xeffffffc, /* PROC_PID_INIT_INO of include/linux/proc_ns.h */
};

/* The kernel frees what has ended within a fraction of this: its record was lost. */
#define GONE_MOST_NS (5 * NSEC_PER_SEC)

/* Does /proc count pids as this process does? In a container it may be another one's. */
static bool counts_alike(const struct bpf_scanner *s)
{
	return s->facts.own_pid == (u32)getpid();
}

/* With a shifted boot clock the starts of processes differ from what /proc says. */
static bool clock_is_shifted(const struct root *root)
{
	char text[256];
	const char *at;

	if (root_read(root, "/proc/self/timens_offsets", text, sizeof(text)) <= 0)
		return false;
	at = strstr(text, "boottime");
	return at && strtoll(at + strlen("boottime"), NULL, 10) != 0;
}

static int may_open(const struct bpf_scanner *s, char *why, size_t size)
{
	char hidden[24];

	if (!root_is_live(s->env->root)) {
		snprintf(why, size, "a recorded machine has no kernel to ask");
		return -EOPNOTSUPP;
	}
	hidepid_read(s->env->root, hidden, sizeof(hidden));
	if (hidden[0]) {
		snprintf(why, size,
			"/proc is mounted with hidepid=%s, which the kernel's walk over tasks "
			"does not heed",
			hidden);
		return -EPERM;
	}
	if (!counts_alike(s) || clock_is_shifted(s->env->root)) {
		snprintf(why, size, "/proc is of another namespace than this process");
		return -EOPNOTSUPP;
	}
	return 0;
}

static void bpf_close(void *self)
{
	struct bpf_scanner *s = self;

	if (!s)
		return;
	bpf_programs_close(&s->programs);
	bpf_pass_free(&s->pass);
	bpf_pass_free(&s->thread_pass);
	known_free(&s->known);
	strays_close(&s->strays);
	cgroups_fini(&s->cgroups);
	text_reader_fini(&s->text);
	piddir_close(&s->dir);
	free(s->visible);
	free(s->finds);
	free(s);
}

static int open_parts(struct bpf_scanner *s, char *why, size_t why_size)
{
	int ret;

	process_facts_read(&s->facts, s->env->root);
	ret = may_open(s, why, why_size);
	if (!ret)
		ret = piddir_open(&s->dir, s->env->root);
	if (ret)
		return ret;
	cgroups_init(&s->cgroups, &s->dir);
	ret = text_reader_init(&s->text, &s->dir, &s->cgroups);
	if (!ret)
		ret = bpf_programs_open(&s->programs, s->env->root, bpf_ended, s, why, why_size);
	if (!ret && !source_guest(s->env))
		bpf_programs_give_up(&s->programs);
	return ret;
}

static int bpf_open(void **out, const struct source_env *env, char *why, size_t why_size)
{
	struct bpf_scanner *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	s->dir.fd = -1;
	s->uid = geteuid();
	s->gid = getegid();
	s->may_trace = caps_has(CAP_SYS_PTRACE);
	ret = open_parts(s, why, why_size);
	if (ret) {
		bpf_close(s);
		return ret;
	}
	s->exact = s->programs.reader->cpus <= CPUS_EXACT;
	*out = s;
	return 0;
}

/* A process that was known and is not among the tasks. */
static int gone(struct bpf_scanner *s, struct known *k, process_fn *fn, void *arg)
{
	struct stamp at = s->pass.chunks[s->pass.nchunks - 1].at;
	struct process_record r = {.at = at};
	bool lost = k->gone_ns && at.mono_ns - k->gone_ns >= GONE_MOST_NS;

	if (!k->ended && lost)
		s->dropped_ns += k->cpu_ns;
	if (k->ended || lost) {
		known_put_back(&s->known, k);
		return 0;
	}
	if (!k->gone_ns)
		k->gone_ns = at.mono_ns;
	bpf_fill_exiting(k, &r);
	s->known.now[s->known.n++] = k;
	return fn(arg, &r);
}

static int present(struct bpf_scanner *s, struct known *k, const struct pass_process *p,
	process_fn *fn, void *arg)
{
	struct process_record r = {0};
	int ret;

	k->gone_ns = 0;
	ret = bpf_fill_process(s, k, p, &r);
	s->known.now[s->known.n++] = k;
	return ret ? ret : fn(arg, &r);
}

static int merge(struct bpf_scanner *s, process_fn *fn, void *arg)
{
	struct known_list *list = &s->known;
	u32 b = 0;
	int ret = 0;

	for (u32 i = 0; i < s->pass.nprocesses && !ret; i++) {
		const struct pass_process *p = &s->pass.processes[i];
		const struct task_part *part = pass_part(&s->pass, p->at);
		struct known *k = NULL;

		while (b < list->nbefore && !ret && !k) {
			struct known *was = list->before[b];

			if (was->pid > p->tgid)
				break;
			b++;
			if (was->pid == p->tgid && was->start_ns == part->start_ns)
				k = was;
			else
				ret = gone(s, was, fn, arg);
		}
		if (!k)
			k = known_take(list, p->tgid);
		if (!k)
			return -ENOMEM;
		k->key = process_key(p->tgid, part->start_ns / s->facts.tick_ns);
		if (!ret)
			ret = present(s, k, p, fn, arg);
	}
	while (b < list->nbefore && !ret)
		ret = gone(s, list->before[b++], fn, arg);
	return ret;
}

static u32 want(const struct bpf_scanner *s)
{
	return WANT_THREADS | (s->need & column_bit(PROCESS_FILES) ? WANT_FILES : 0) |
	       (s->exact ? WANT_EXACT : 0) | (s->find ? WANT_FINDS : 0);
}

static int bpf_scan(void *self, u64 need, process_fn *fn, void *arg)
{
	struct bpf_scanner *s = self;
	struct stamp began;
	int ret;

	s->need = s->text.need = need;
	s->visible_at = 0;
	s->programs.reader->want = want(s);
	bpf_finds_begin(s);
	clock_read_row(s->env->clock, &began);
	ret = bpf_pass_read(&s->pass, &s->programs, s->env->clock);
	if (!ret && !s->pass.nprocesses)
		ret = -EIO; /* there is always this one */
	if (!ret)
		ret = known_turn(&s->known, s->pass.nprocesses);
	if (ret)
		return ret;
	cgroups_turn(&s->cgroups);
	ret = strays_scan(&s->strays, s, need, fn, arg);
	if (!ret)
		ret = merge(s, fn, arg);
	if (!ret)
		ret = bpf_finds_tell(s);
	s->began_ns = began.boot_ns;
	if (!s->first_ns)
		s->first_ns = began.boot_ns;
	return ret;
}

static int bpf_threads(void *self, u64 need, process_fn *fn, void *arg)
{
	struct bpf_scanner *s = self;
	u32 at = 0, chunk = 0;
	int ret;

	s->need = s->text.need = need;
	s->programs.reader->want = want(s) & ~(u32)WANT_FINDS;
	ret = bpf_pass_read(&s->thread_pass, &s->programs, s->env->clock);
	while (!ret && at + sizeof(struct task_part) <= s->thread_pass.len) {
		const struct task_part *part = pass_part(&s->thread_pass, at);
		const struct pass_process *p = bpf_pass_find(&s->thread_pass, part->tgid);
		struct process_record r = {0};

		while (at >= s->thread_pass.chunks[chunk].end)
			chunk++;
		at += pass_size(part);
		if (!p || !part->tid)
			continue;
		r.at = s->thread_pass.chunks[chunk].at;
		ret = bpf_fill_thread(s, part, p, &r);
		if (!ret)
			ret = fn(arg, &r);
	}
	if (!ret && s->strays.n)
		ret = procfs_threads(&s->strays.fs, need, fn, arg);
	return ret;
}

static int bpf_ended_all(void *self, exit_fn *fn, void *arg)
{
	struct bpf_scanner *s = self;
	int ret;

	s->fn = fn;
	s->arg = arg;
	s->error = 0;
	ret = bpf_programs_ended(&s->programs);
	return s->error ? s->error : ret;
}

/* The programs are told by pids, modulo as many as there are bits. */
static void ask_exact(struct bpf_scanner *s)
{
	u64 *exact = s->programs.reader->exact;

	memset(exact, 0, EXACT_WORDS * sizeof(*exact));
	for (u32 i = 0; i < s->nvisible; i++) {
		u32 bit = process_key_pid(s->visible[i]) % (EXACT_WORDS * 64);

		exact[bit / 64] |= 1ull << bit % 64;
	}
}

static void bpf_visible(void *self, const u64 *keys, u32 n)
{
	struct bpf_scanner *s = self;
	u64 *grown;

	if (n > s->visible_cap) {
		grown = realloc(s->visible, n * sizeof(*grown));
		if (!grown)
			return;
		s->visible = grown;
		s->visible_cap = n;
	}
	if (n)
		memcpy(s->visible, keys, n * sizeof(*keys));
	s->nvisible = n;
	if (s->strays.n)
		procfs_visible(&s->strays.fs, keys, n);
	if (!s->exact)
		ask_exact(s);
}

static void bpf_look_for(void *self, const struct gpu_majors *majors, find_fn *fn, void *arg)
{
	struct bpf_scanner *s = self;

	bpf_finds_for(s, majors, fn, arg);
	if (s->strays.n)
		procfs_look_for(&s->strays.fs, majors, fn, arg);
}

static bool bpf_partial(void *self)
{
	(void)self;
	return false;
}

static void bpf_explain(void *self, struct findings *out)
{
	struct bpf_scanner *s = self;
	u32 cpus = s->programs.reader->cpus;
	u32 batch = 2 * cpus > BATCH_LEAST ? 2 * cpus : BATCH_LEAST;
	char why[160];

	if (s->strays.n) {
		snprintf(why, sizeof(why),
			"this kernel does not show them to BPF: %u, read from /proc instead",
			s->strays.n);
		findings_add(out, "process", REASON_UNSUPPORTED, "some processes by BPF", why, "");
	}
	if (s->programs.exits->lost) {
		snprintf(why, sizeof(why),
			"more ended between two ticks than there was room for: %llu are in the sum "
			"alone",
			(unsigned long long)s->programs.exits->lost);
		findings_add(
			out, "process", REASON_ERROR, "ended processes", why, "a shorter interval");
	}
	if (!s->may_trace)
		findings_add(out, "process", REASON_PERMISSION, "I/O and open files of other users",
			"needs CAP_SYS_PTRACE", "run as root");
	if (s->exact)
		return;
	/* three counts are added up, each CPU keeps up to a batch of each to itself */
	snprintf(why, sizeof(why),
		"exact for rows on the screen; others may be off by up to %llu MiB",
		(unsigned long long)(3ull * cpus * batch * s->facts.page_bytes >> 20));
	findings_add(out, "process", REASON_UNSUPPORTED, "resident memory", why, "");
}

static int bpf_fd(void *self)
{
	struct bpf_scanner *s = self;

	return bpf_programs_fd(&s->programs);
}

static void bpf_account(void *self, struct scanner_account *out)
{
	struct bpf_scanner *s = self;
	const struct exit_stats *exits = s->programs.exits;
	u64 lost_ns = exits->lost_run_ns;

	*out = (struct scanner_account){.lost = exits->lost,
		.lost_ns = lost_ns > s->dropped_ns ? lost_ns - s->dropped_ns : 0,
		.kernel_runs = exits->runs,
		.kernel_ns = exits->run_ns};
}

const struct scanner_ops bpf_scanner = {.name = "bpf",
	.open = bpf_open,
	.close = bpf_close,
	.scan = bpf_scan,
	.threads = bpf_threads,
	.ended = bpf_ended_all,
	.look_for = bpf_look_for,
	.visible = bpf_visible,
	.partial = bpf_partial,
	.explain = bpf_explain,
	.fd = bpf_fd,
	.account = bpf_account};
