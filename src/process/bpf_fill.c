/* From the kernel's records to one process of the table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "process/bpf_scanner.h"

enum {
	/* include/linux/sched.h */
	TASK_REPORTED = 0x7f,
	TASK_IDLE = 0x402,
	TASK_WAITS_UNSEEN = 0x1000 | 0x8000, /* for a lock that sleeps, or frozen: shown as D */
	PRIORITY_ZERO = 100,                 /* MAX_RT_PRIO */
	NICE_ZERO = 120,                     /* DEFAULT_PRIO */
	ROLLUP_MOST = 2048,
};

/* As fs/proc/array.c has it. */
static char state_letter(const struct task_part *part)
{
	static const char letters[] = "RSDTtXZPI";
	u32 shown = (part->state | part->exit_state) & TASK_REPORTED;

	if (part->state == TASK_IDLE)
		return 'I';
	if (part->state & TASK_WAITS_UNSEEN)
		shown = 2;
	return shown ? letters[32 - __builtin_clz(shown)] : letters[0];
}

/* As cputime_adjust() in kernel/sched/cputime.c. */
void bpf_split(u64 run_ns, u64 user, u64 system, u64 *user_ns, u64 *system_ns)
{
	u64 now_system;

	if (run_ns <= *user_ns + *system_ns)
		return;
	if (!system)
		now_system = 0;
	else if (!user)
		now_system = run_ns;
	else
		now_system = (u64)((double)run_ns *
				   ((double)system / ((double)user + (double)system)));
	if (now_system < *system_ns)
		now_system = *system_ns;
	if (now_system > run_ns || run_ns - now_system < *user_ns)
		now_system = run_ns - *user_ns;
	*system_ns = now_system;
	*user_ns = run_ns - now_system;
}

void bpf_split_as_shown(u64 run_ns, const struct task_record *rec, u64 *user_ns, u64 *system_ns)
{
	/* read again since the run time was */
	if (rec->shown_user_ns + rec->shown_system_ns > run_ns)
		return;
	*user_ns = rec->shown_user_ns;
	*system_ns = rec->shown_system_ns;
}

/* What ptrace_may_access() in kernel/ptrace.c asks for, short of security modules. */
static bool may_look(const struct bpf_scanner *s, const struct task_record *rec)
{
	return s->may_trace || (rec->uid == s->uid && rec->euid == s->uid && rec->suid == s->uid &&
				       rec->gid == s->gid && rec->egid == s->gid &&
				       rec->sgid == s->gid && rec->dumpable == 1);
}

static void fill_part(
	const struct bpf_scanner *s, const struct task_part *part, struct process_record *r)
{
	r->state = state_letter(part);
	r->policy = part->policy;
	r->has_policy = true;
	record_set(r, PROCESS_PID, part->tid);
	record_set(r, PROCESS_PRIORITY, (u64)(s64)(part->priority - PRIORITY_ZERO));
	record_set(r, PROCESS_NICE, (u64)(s64)(part->nice - NICE_ZERO));
	record_set(r, PROCESS_PROCESSOR, part->cpu);
	record_set(r, PROCESS_STARTED, part->start_ns);
	record_set(r, PROCESS_KERNEL, (part->flags & KERNEL_THREAD) != 0);
	record_set(r, PROCESS_OWN, part->tgid == s->facts.own_pid);
}

static void fill_memory(
	const struct bpf_scanner *s, const struct task_record *rec, struct process_record *r)
{
	const u64 resident = column_bit(PROCESS_RESIDENT) | column_bit(PROCESS_SHARED) |
			     column_bit(PROCESS_MEMORY);
	s64 shared = rec->pages[PAGE_FILE] + rec->pages[PAGE_SHMEM];
	s64 all = shared + rec->pages[PAGE_ANON], swap = rec->pages[PAGE_SWAP];
	u64 bytes = all > 0 ? (u64)all * s->facts.page_bytes : 0;

	record_set(r, PROCESS_VIRTUAL, rec->virtual_pages * s->facts.page_bytes);
	record_set(r, PROCESS_RESIDENT, bytes);
	record_set(r, PROCESS_SHARED, shared > 0 ? (u64)shared * s->facts.page_bytes : 0);
	record_set(r, PROCESS_SWAP, swap > 0 ? (u64)swap * s->facts.page_bytes : 0);
	if (s->facts.memory_bytes)
		record_set(r, PROCESS_MEMORY, process_memory_share(&s->facts, bytes));
	if (!rec->exact && rec->virtual_pages)
		r->approx |= resident & r->have;
}

/* On request: two files, of every process that somebody asked for. */
static void fill_asked(
	struct bpf_scanner *s, u32 pid, const struct task_part *part, struct process_record *r)
{
	char path[48];
	u64 kib;
	int len;

	if (s->need & column_bit(PROCESS_CWD)) {
		len = piddir_link(
			&s->dir, pid, text_path(path, part, "cwd"), s->cwd, sizeof(s->cwd));
		if (len >= 0)
			record_text(r, PROCESS_TEXT_CWD, s->cwd, (u32)len);
		else if (len == -EACCES || len == -EPERM)
			r->denied |= column_bit(PROCESS_CWD);
	}
	if (s->need & column_bit(PROCESS_PSS)) {
		char rollup[ROLLUP_MOST];

		len = piddir_read(&s->dir, pid, text_path(path, part, "smaps_rollup"), rollup,
			sizeof(rollup));
		if (len > 0 && scan_line_u64(rollup, rollup + len, "Pss:", &kib))
			record_set(r, PROCESS_PSS, times_u64(kib, 1024));
		else if (len == -EACCES || len == -EPERM)
			r->denied |= column_bit(PROCESS_PSS);
	}
}

static void fill_cgroup(
	struct bpf_scanner *s, const struct task_record *rec, struct process_record *r)
{
	const struct cgroup_path *group;
	char path[48];

	if (!(s->need & (column_bit(PROCESS_CGROUP) | column_bit(PROCESS_CONTAINER))))
		return;
	group = cgroups_path(&s->cgroups, rec->cgroup_id, rec->task.tgid,
		text_path(path, &rec->task, "cgroup"), r->key);
	if (!group)
		return;
	record_text(r, PROCESS_TEXT_CGROUP, group->path, group->len);
	if (group->container_len)
		record_text(r, PROCESS_TEXT_CONTAINER, group->path + group->container_at,
			group->container_len);
}

/* What all threads share. */
static void fill_shared(
	struct bpf_scanner *s, const struct task_record *rec, struct process_record *r)
{
	record_set(r, PROCESS_PPID, rec->ppid);
	record_set(r, PROCESS_UID, rec->euid);
	record_set(r, PROCESS_REAL_UID, rec->uid);
	record_set(r, PROCESS_GID, rec->egid);
	if (!may_look(s, rec))
		r->denied |= column_bit(PROCESS_FILES);
	else if (rec->files != FILES_UNKNOWN)
		record_set(r, PROCESS_FILES, rec->files);
	fill_memory(s, rec, r);
	fill_cgroup(s, rec, r);
}

static void fill_counts(
	const struct bpf_scanner *s, const struct pass_sum *sum, bool may, struct process_record *r)
{
	const u64 calls = column_bit(PROCESS_IO_READ) | column_bit(PROCESS_IO_WRITTEN);
	const u64 disk = column_bit(PROCESS_DISK_READ) | column_bit(PROCESS_DISK_WRITTEN);
	u32 lacks = s->programs.reader->lacks;

	record_set(r, PROCESS_MINOR_FAULTS, sum->minor_faults);
	record_set(r, PROCESS_MAJOR_FAULTS, sum->major_faults);
	record_set(r, PROCESS_VOLUNTARY, sum->voluntary);
	record_set(r, PROCESS_INVOLUNTARY, sum->involuntary);
	if (!may) {
		r->denied |= calls | disk;
		return;
	}
	if (!(lacks & LACKS_IO_CALLS)) {
		record_set(r, PROCESS_IO_READ, sum->io_read);
		record_set(r, PROCESS_IO_WRITTEN, sum->io_written);
	}
	if (!(lacks & LACKS_IO_DISK)) {
		record_set(r, PROCESS_DISK_READ, sum->disk_read);
		record_set(r, PROCESS_DISK_WRITTEN, sum->disk_written);
	}
}

static struct pass_sum sum_of_part(const struct task_part *part)
{
	return (struct pass_sum){.ended_run_ns = part->ended_run_ns,
		.run_ns = part->run_ns,
		.user_ns = part->user_ns,
		.system_ns = part->system_ns,
		.minor_faults = part->minor_faults,
		.major_faults = part->major_faults,
		.voluntary = part->voluntary,
		.involuntary = part->involuntary,
		.io_read = part->io_read,
		.io_written = part->io_written,
		.disk_read = part->disk_read,
		.disk_written = part->disk_written};
}

static void add_ended(struct pass_sum *sum, const struct task_record *rec)
{
	sum->run_ns += sum->ended_run_ns;
	sum->user_ns += rec->user_ns;
	sum->system_ns += rec->system_ns;
	sum->minor_faults += rec->minor_faults;
	sum->major_faults += rec->major_faults;
	sum->voluntary += rec->voluntary;
	sum->involuntary += rec->involuntary;
	sum->io_read += rec->io_read;
	sum->io_written += rec->io_written;
	sum->disk_read += rec->disk_read;
	sum->disk_written += rec->disk_written;
}

static void fill_cpu(const struct bpf_scanner *s, struct known *k, const struct pass_sum *sum,
	const struct task_record *rec, struct process_record *r)
{
	bool first = !k->start_ns;
	u64 was = k->cpu_ns;

	/* a thread that ended while they were read is missed this once */
	if (sum->run_ns > k->cpu_ns)
		k->cpu_ns = sum->run_ns;
	if (first)
		bpf_split_as_shown(k->cpu_ns, rec, &k->user_ns, &k->system_ns);
	bpf_split(k->cpu_ns, sum->user_ns, sum->system_ns, &k->user_ns, &k->system_ns);
	record_set(r, PROCESS_CPU, k->cpu_ns);
	record_set(r, PROCESS_TIME, k->cpu_ns);
	record_set(r, PROCESS_USER_CPU, k->user_ns);
	record_set(r, PROCESS_SYSTEM_CPU, k->system_ns);
	if (!first || (s->first_ns && rec->task.start_ns > s->first_ns))
		r->fresh_ns = k->cpu_ns - was;
}

/* The time that the thread of this number had waited at the last scan; *i goes on in the list. */
static u64 waited_before(const struct known *k, u32 *i, u32 tid, u64 now_ns)
{
	while (*i < k->nwaits && k->waits[*i].tid < tid)
		(*i)++;
	if (*i == k->nwaits || k->waits[*i].tid != tid || k->waits[*i].wait_ns > now_ns)
		return 0; /* it is new, or its number is used again */
	return k->waits[*i].wait_ns;
}

static int room_for_waits(struct known *k, u32 n)
{
	struct known_wait *grown;
	u32 cap = k->waits_cap ? k->waits_cap : 2;

	while (cap < n)
		cap *= 2;
	if (cap <= k->waits_cap)
		return 0;
	grown = realloc(k->waits, cap * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	k->waits = grown;
	k->waits_cap = cap;
	return 0;
}

/* The kernel keeps no sum of what ended threads waited: what each live one waited since the last scan is added
 * up. The list is written behind where it is read: a thread that ended makes room, so the new entries go to a
 * second half first. */
static int fill_wait(struct bpf_scanner *s, struct known *k, const struct pass_process *p,
	struct process_record *r)
{
	const struct task_part *part = pass_part(&s->pass, p->at);
	u32 next = p->sum == PASS_NONE ? PASS_NONE : s->pass.sums[p->sum].first;
	u32 n = 0, old = 0, most = 1;
	bool leader = true;
	int ret;

	for (u32 i = next; i != PASS_NONE; i = s->pass.threads[i].next)
		most++;
	ret = room_for_waits(k, k->nwaits + most);
	if (ret)
		return ret;
	while (leader || next != PASS_NONE) {
		const struct task_part *thread = next == PASS_NONE
							 ? part
							 : pass_part(&s->pass,
								   s->pass.threads[next].at);

		if (leader && (next == PASS_NONE || part->tid < thread->tid)) {
			thread = part;
			leader = false;
		} else {
			next = s->pass.threads[next].next;
		}
		k->wait_ns += thread->wait_ns -
			      waited_before(k, &old, thread->tid, thread->wait_ns);
		k->waits[k->nwaits + n++] = (struct known_wait){thread->tid, thread->wait_ns};
	}
	memmove(k->waits, k->waits + k->nwaits, n * sizeof(*k->waits));
	k->nwaits = n;
	record_set(r, PROCESS_SCHED_WAIT, k->wait_ns);
	return 0;
}

/* Whether somebody sees this row. Keys come in order. */
static bool is_visible(struct bpf_scanner *s, u64 key)
{
	while (s->visible_at < s->nvisible && s->visible[s->visible_at] < key)
		s->visible_at++;
	return s->visible_at < s->nvisible && s->visible[s->visible_at] == key;
}

static void remember(struct known *k, const struct task_record *rec, const struct pass_sum *sum)
{
	k->start_ns = rec->task.start_ns;
	k->global_pid = rec->global_tgid;
	k->ppid = rec->ppid;
	k->uid = rec->euid;
	k->kernel = (rec->task.flags & KERNEL_THREAD) != 0;
	k->minor_faults = sum->minor_faults;
	k->major_faults = sum->major_faults;
	k->disk_read = sum->disk_read;
	k->disk_written = sum->disk_written;
}

int bpf_fill_process(struct bpf_scanner *s, struct known *k, const struct pass_process *p,
	struct process_record *r)
{
	const struct task_record *rec = pass_record(&s->pass, p->at), *facts = rec;
	struct pass_sum sum = p->sum == PASS_NONE ? sum_of_part(&rec->task) : s->pass.sums[p->sum];
	u64 was = k->cpu_ns;
	bool visible;
	int ret = 0;

	if (p->sum != PASS_NONE && sum.stand_in != PASS_NONE)
		facts = pass_record(&s->pass, sum.stand_in);
	add_ended(&sum, rec);
	r->key = k->key;
	r->at = s->pass.chunks[p->chunk].at;
	fill_part(s, &facts->task, r);
	record_set(r, PROCESS_PID, rec->task.tgid);
	record_set(r, PROCESS_STARTED, rec->task.start_ns);
	record_set(r, PROCESS_THREADS, rec->threads);
	fill_shared(s, facts, r);
	fill_cpu(s, k, &sum, rec, r);
	fill_counts(s, &sum, may_look(s, facts), r);
	if (s->need & column_bit(PROCESS_SCHED_WAIT) && !(s->programs.reader->lacks & LACKS_WAIT))
		ret = fill_wait(s, k, p, r);
	remember(k, rec, &sum);
	visible = is_visible(s, k->key);
	if (s->need & (column_bit(PROCESS_CWD) | column_bit(PROCESS_PSS)))
		fill_asked(s, k->pid, &facts->task, r);
	return ret ? ret
		   : text_fill(&s->text, &k->text, k->pid, &facts->task,
			     visible && k->cpu_ns != was, r);
}

void bpf_fill_exiting(const struct known *k, struct process_record *r)
{
	r->key = k->key;
	r->state = 'X';
	record_set(r, PROCESS_PID, k->pid);
	record_set(r, PROCESS_PPID, k->ppid);
	record_set(r, PROCESS_UID, k->uid);
	record_set(r, PROCESS_STARTED, k->start_ns);
	record_set(r, PROCESS_KERNEL, k->kernel);
	record_set(r, PROCESS_OWN, 0);
	record_set(r, PROCESS_CPU, k->cpu_ns);
	record_set(r, PROCESS_TIME, k->cpu_ns);
	record_set(r, PROCESS_USER_CPU, k->user_ns);
	record_set(r, PROCESS_SYSTEM_CPU, k->system_ns);
	record_set(r, PROCESS_MINOR_FAULTS, k->minor_faults);
	record_set(r, PROCESS_MAJOR_FAULTS, k->major_faults);
	text_keep(&k->text, r);
}

int bpf_fill_thread(struct bpf_scanner *s, const struct task_part *part,
	const struct pass_process *p, struct process_record *r)
{
	const struct task_record *rec = pass_record(&s->thread_pass, p->at), *facts = rec;
	struct pass_sum sum = sum_of_part(part);
	u64 user = 0, system = 0;
	struct known *k;
	int ret = 0;

	if (p->sum != PASS_NONE && s->thread_pass.sums[p->sum].stand_in != PASS_NONE)
		facts = pass_record(&s->thread_pass, s->thread_pass.sums[p->sum].stand_in);
	r->key = process_key(part->tid, part->start_ns / s->facts.tick_ns);
	fill_part(s, part, r);
	fill_shared(s, facts, r);
	record_set(r, PROCESS_OF_THREAD, part->tgid);
	record_set(r, PROCESS_THREADS, 1);
	bpf_split(part->run_ns, part->user_ns, part->system_ns, &user, &system);
	record_set(r, PROCESS_CPU, part->run_ns);
	record_set(r, PROCESS_TIME, part->run_ns);
	record_set(r, PROCESS_USER_CPU, user);
	record_set(r, PROCESS_SYSTEM_CPU, system);
	if (!(s->programs.reader->lacks & LACKS_WAIT))
		record_set(r, PROCESS_SCHED_WAIT, part->wait_ns);
	fill_counts(s, &sum, may_look(s, facts), r);
	k = known_find(&s->known, rec->global_tgid, rec->task.start_ns, !s->programs.reader->level);
	if (k && part->tid == part->tgid)
		ret = text_fill(&s->text, &k->text, k->pid, part, false, r);
	else if (k)
		text_keep(&k->text, r);
	record_text(r, PROCESS_TEXT_COMMAND, part->comm, (u32)strnlen(part->comm, RECORD_COMM));
	return ret;
}
