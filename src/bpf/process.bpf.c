/* The process scanner's two programs: one writes a record for each task that the kernel's task iterator walks
 * over, the other one for each process that is freed. User space differences what they tell; nothing here keeps
 * anything between runs but the counts of what was lost. */
#include "bpf/kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/process_record.h"

char LICENSE[] SEC("license") = "GPL";

/* Room for about 1,800 ended processes; user space is woken at half of that. */
enum {
	RING_BYTES = 256 * 1024,
	WORD_BITS = 64,
	WORDS_A_READ = 16,
	WORDS_MOST = 1 << 14,
	CPUS_MOST = 8192
};

struct task_reader reader = {};
struct exit_stats exits = {};
/* The task at hand: too large for the stack, and only one reader walks at a time. */
struct task_record record = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} ended SEC(".maps");

/* Holds nothing: each CPU has a part of it, which tells where that CPU's parts of other per-CPU memory are. The
 * kernel's own table of that, __per_cpu_offset, is in no BTF, and kallsyms may leave it out. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} each_cpu SEC(".maps");

/* A pointer becomes a number, which can be reckoned with, by a way through memory. */
u64 as_number = 0;

static __always_inline u64 number_of(const void *at)
{
	*(volatile u64 *)&as_number = (u64)at;
	return *(volatile u64 *)&as_number;
}

/* The number of pid in the namespace `level` levels below the first; 0: it has none there. */
static __always_inline u32 number_at(struct pid *pid, u32 level)
{
	struct upid up = {};
	void *at;

	if (!pid || pid->level < level)
		return 0;
	at = (void *)pid + bpf_core_field_offset(struct pid, numbers) +
	     level * bpf_core_type_size(struct upid);
	if (bpf_probe_read_kernel(
		    &up.nr, sizeof(up.nr), at + bpf_core_field_offset(struct upid, nr)))
		return 0;
	return (u32)up.nr;
}

static __always_inline u64 ns_at(struct pid *pid, u32 level)
{
	u64 ns = 0;

	if (pid && BPF_CORE_READ(pid, level) >= level)
		bpf_probe_read_kernel(&ns, sizeof(ns),
			(void *)pid + bpf_core_field_offset(struct pid, numbers) +
				level * bpf_core_type_size(struct upid) +
				bpf_core_field_offset(struct upid, ns));
	return ns;
}

/* The pid namespace of who reads; the iterator itself walks over the tasks of that one only. */
static __always_inline void know_reader(void)
{
	struct task_struct *reading = (void *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(reading, thread_pid);

	reader.level = BPF_CORE_READ(pid, level);
	reader.ns = ns_at(pid, reader.level);
	reader.lacks = 0;
	if (!bpf_core_field_exists(reading->sched_info.run_delay))
		reader.lacks |= LACKS_WAIT;
	if (!bpf_core_field_exists(reading->ioac.rchar))
		reader.lacks |= LACKS_IO_CALLS;
	if (!bpf_core_field_exists(reading->ioac.read_bytes))
		reader.lacks |= LACKS_IO_DISK;
}

static __always_inline u32 state_of(struct task_struct *t)
{
	if (bpf_core_field_exists(t->__state))
		return t->__state;
	return (u32)BPF_CORE_READ((struct task_struct___before_5_14 *)(void *)t, state);
}

static __always_inline u32 cpu_of(struct task_struct *t)
{
	if (bpf_core_field_exists(t->thread_info.cpu))
		return t->thread_info.cpu;
	return BPF_CORE_READ((struct task_struct___own_cpu *)(void *)t, cpu);
}

static __always_inline void fill_part(struct task_part *p, struct task_struct *t)
{
	struct signal_struct *signal = t->signal;

	/* before this thread's own time: what ends meanwhile is missed once, never counted twice */
	p->ended_run_ns = signal->sum_sched_runtime;
	p->policy = (u8)t->policy;
	p->state = state_of(t);
	p->exit_state = (u32)t->exit_state;
	p->flags = t->flags;
	p->priority = t->prio;
	p->nice = t->static_prio;
	p->cpu = cpu_of(t);
	p->exec_id = (u32)t->self_exec_id;
	p->start_ns = t->start_boottime;
	p->run_ns = t->se.sum_exec_runtime;
	p->user_ns = t->utime;
	p->system_ns = t->stime;
	if (bpf_core_field_exists(t->sched_info.run_delay))
		p->wait_ns = t->sched_info.run_delay;
	p->minor_faults = t->min_flt;
	p->major_faults = t->maj_flt;
	p->voluntary = t->nvcsw;
	p->involuntary = t->nivcsw;
	if (bpf_core_field_exists(t->ioac.rchar)) {
		p->io_read = t->ioac.rchar;
		p->io_written = t->ioac.wchar;
	}
	if (bpf_core_field_exists(t->ioac.read_bytes)) {
		p->disk_read = t->ioac.read_bytes;
		p->disk_written = t->ioac.write_bytes;
	}
	__builtin_memcpy(p->comm, t->comm, sizeof(p->comm));
}

static __always_inline void fill_ended(struct task_record *r, struct signal_struct *signal)
{
	r->user_ns = signal->utime;
	r->system_ns = signal->stime;
	r->shown_user_ns = signal->prev_cputime.utime;
	r->shown_system_ns = signal->prev_cputime.stime;
	r->minor_faults = signal->min_flt;
	r->major_faults = signal->maj_flt;
	r->voluntary = signal->nvcsw;
	r->involuntary = signal->nivcsw;
	if (bpf_core_field_exists(signal->ioac.rchar)) {
		r->io_read = signal->ioac.rchar;
		r->io_written = signal->ioac.wchar;
	}
	if (bpf_core_field_exists(signal->ioac.read_bytes)) {
		r->disk_read = signal->ioac.read_bytes;
		r->disk_written = signal->ioac.write_bytes;
	}
}

static __always_inline void fill_cred(struct task_record *r, const struct cred *cred)
{
	r->uid = cred->uid.val;
	r->euid = cred->euid.val;
	r->suid = cred->suid.val;
	r->gid = cred->gid.val;
	r->egid = cred->egid.val;
	r->sgid = cred->sgid.val;
}

/* An index has to be a constant for the kernel's own size of an element to be used. */
#define EACH_PAGE(DO) DO(0) DO(1) DO(2) DO(3)

struct page_sum {
	u64 parts
		[RECORD_PAGES]; /* each page count's per-CPU part, as an address without its CPU's offset */
	s64 pages[RECORD_PAGES];
	u64 base; /* each_cpu, as an address without its CPU's offset */
	bool together;
};

/* 32 bits of each count that this CPU has not yet added. */
static long add_cpu(u32 cpu, struct page_sum *sum)
{
	s32 part[RECORD_PAGES] = {0};
	const u32 first = 0;
	void *here;
	u64 offset;

	if (cpu >= reader.cpus)
		return 1;
	here = bpf_map_lookup_percpu_elem(&each_cpu, &first, cpu);
	if (!here)
		return 1;
	offset = number_of(here) - sum->base;
	if (sum->together) {
		bpf_probe_read_kernel(part, sizeof(part), (void *)(sum->parts[0] + offset));
	} else {
		for (u32 i = 0; i < RECORD_PAGES; i++)
			bpf_probe_read_kernel(
				&part[i], sizeof(part[i]), (void *)(sum->parts[i] + offset));
	}
	for (u32 i = 0; i < RECORD_PAGES; i++)
		sum->pages[i] += part[i];
	return 0;
}

/* What the CPUs have counted and not yet added to `count`. The kernel allocates the four counts of an mm side
 * by side since 6.6; before, each is read by itself. */
static __always_inline void add_per_cpu(struct task_record *r, struct mm_struct *mm)
{
	struct page_sum sum = {};

	if (bpf_probe_read_kernel(&sum.base, sizeof(sum.base),
		    (void *)(number_of(&each_cpu) +
			     bpf_core_field_offset(struct bpf_array, pptrs))))
		return;
#define PARTS(i) sum.parts[i] = (u64)mm->rss_stat[i].counters;
	EACH_PAGE(PARTS)
#undef PARTS
	sum.together = sum.parts[1] == sum.parts[0] + 4 && sum.parts[2] == sum.parts[0] + 8 &&
		       sum.parts[3] == sum.parts[0] + 12;
	bpf_loop(CPUS_MOST, add_cpu, &sum, 0);
	for (u32 i = 0; i < RECORD_PAGES; i++)
		r->pages[i] += sum.pages[i];
	r->exact = 1;
}

/* Is this process among those whose pages are to be exact? Others may share its bit. */
static __always_inline bool wants_exact(u32 tgid)
{
	u32 bit = tgid % (EXACT_WORDS * WORD_BITS);

	return reader.want & WANT_EXACT || reader.exact[bit / WORD_BITS] >> bit % WORD_BITS & 1;
}

static __always_inline u32 dumpable(struct mm_struct *mm)
{
	struct mm_struct___word_flags *word = (void *)mm;
	struct mm_struct___array_flags *array = (void *)mm;

	if (bpf_core_field_exists(array->flags.__mm_flags))
		return (u32)BPF_CORE_READ(array, flags.__mm_flags[0]) & 3;
	return (u32)BPF_CORE_READ(word, flags) & 3;
}

static __always_inline void fill_memory(struct task_record *r, struct mm_struct *mm, bool loops)
{
	struct mm_struct___before_6_2 *old = (void *)mm;

	if (!mm)
		return;
	r->virtual_pages = mm->total_vm;
	r->dumpable = dumpable(mm);
	if (bpf_core_type_exists(struct mm_rss_stat___before_6_2)) {
#define OLD(i) r->pages[i] = BPF_CORE_READ(old, rss_stat.count[i].counter);
		EACH_PAGE(OLD)
#undef OLD
		r->exact = 1;
		return;
	}
#define COUNT(i) r->pages[i] = mm->rss_stat[i].count;
	EACH_PAGE(COUNT)
#undef COUNT
	if (loops && wants_exact(r->task.tgid))
		add_per_cpu(r, mm);
}

#include "bpf/finds.h"

static __always_inline u32 bits_of(u64 v)
{
	v -= v >> 1 & 0x5555555555555555ull;
	v = (v & 0x3333333333333333ull) + (v >> 2 & 0x3333333333333333ull);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (u32)(v * 0x0101010101010101ull >> 56);
}

struct file_count {
	u64 from; /* the bitmap of open descriptors */
	u32 words, n;
};

/* One step: WORDS_A_READ words, or what is left. */
static long count_step(u32 step, struct file_count *count)
{
	u64 words[WORDS_A_READ];
	u32 at = step * WORDS_A_READ;

	if (at >= count->words || count->words - at < WORDS_A_READ ||
		bpf_probe_read_kernel(
			words, sizeof(words), (void *)(count->from + at * sizeof(words[0]))))
		return 1;
	for (u32 i = 0; i < WORDS_A_READ; i++)
		count->n += bits_of(words[i]);
	return 0;
}

/* Whole steps first; what is left word by word. */
static __always_inline u32 count_files(struct files_struct *files, bool loops)
{
	struct fdtable *table = files ? files->fdt : NULL;
	struct file_count count = {};
	u32 rest = 0;
	u64 word;

	if (!table)
		return 0;
	count.words = table->max_fds / WORD_BITS;
	count.from = (u64)table->open_fds;
	if (!loops && count.words > WORDS_A_READ)
		return FILES_UNKNOWN;
	if (loops && count.words >= WORDS_A_READ) {
		bpf_loop(WORDS_MOST / WORDS_A_READ, count_step, &count, 0);
		rest = count.words / WORDS_A_READ * WORDS_A_READ;
	}
	for (u32 i = 0; i < WORDS_A_READ && rest + i < count.words; i++)
		if (!bpf_probe_read_kernel(
			    &word, sizeof(word), (void *)(count.from + (rest + i) * sizeof(word))))
			count.n += bits_of(word);
	return count.n;
}

static __always_inline void fill_process(
	struct task_record *r, struct task_struct *t, u32 level, bool loops)
{
	struct signal_struct *signal = t->signal;
	struct task_struct *parent = t->real_parent;

	if (level)
		r->ppid = number_at(parent->signal->pids[PIDTYPE_TGID], level);
	else
		r->ppid = (u32)parent->tgid;
	r->global_tgid = (u32)t->tgid;
	r->threads = (u32)signal->nr_threads;
	fill_ended(r, signal);
	fill_cred(r, t->real_cred);
	fill_memory(r, t->mm, loops);
	if (reader.want & WANT_FILES)
		r->files = count_files(t->files, loops);
	r->cgroup_id = t->cgroups->dfl_cgrp->kn->id;
}

/* loops: the kernel has bpf_loop; casts: bpf_rdonly_cast too. */
static __always_inline int walk(struct bpf_iter__task *ctx, bool loops, bool casts)
{
	struct task_struct *t = ctx->task, *first;
	u32 level;

	if (!t)
		return 0;
	if (!ctx->meta->seq_num)
		know_reader();
	level = reader.level;
	first = t->group_leader;
	if (reader.want & WANT_FINDS)
		look_for_devices(ctx, t, level ? number_at(t->thread_pid, level) : (u32)t->pid,
			level ? number_at(t->signal->pids[PIDTYPE_TGID], level) : (u32)t->tgid,
			loops, casts);
	if (t != first && !(reader.want & WANT_THREADS) && !first->exit_state)
		return 0;
	__builtin_memset(&record, 0, sizeof(record));
	if (level) {
		record.task.tid = number_at(t->thread_pid, level);
		record.task.tgid = number_at(t->signal->pids[PIDTYPE_TGID], level);
	} else {
		record.task.tid = (u32)t->pid;
		record.task.tgid = (u32)t->tgid;
	}
	fill_part(&record.task, t);
	if (t != first && !first->exit_state) {
		record.task.kind = TASK_THREAD;
		bpf_seq_write(ctx->meta->seq, &record, sizeof(record.task));
		return 0;
	}
	record.task.kind = t == first ? TASK_PROCESS : TASK_STAND_IN;
	fill_process(&record, t, level, loops);
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}

SEC("iter/task")
int walk_tasks(struct bpf_iter__task *ctx)
{
	return walk(ctx, true, true);
}

/* Kernels before 5.17 refuse a program that even mentions bpf_loop, and some of those before 6.2 one with
 * bpf_rdonly_cast: one of the three is loaded. */
SEC("iter/task")
int walk_tasks_called(struct bpf_iter__task *ctx)
{
	return walk(ctx, true, false);
}

SEC("iter/task")
int walk_tasks_plain(struct bpf_iter__task *ctx)
{
	return walk(ctx, false, false);
}

static __always_inline void fill_exit(struct exit_event *e, struct task_struct *t)
{
	struct signal_struct *signal = t->signal;
	struct task_struct *parent = t->real_parent;

	e->pid = (u32)t->tgid;
	if (reader.level)
		e->ppid = number_at(parent->signal->pids[PIDTYPE_TGID], reader.level);
	else
		e->ppid = (u32)parent->tgid;
	e->uid = t->real_cred->uid.val;
	e->euid = t->real_cred->euid.val;
	e->start_ns = t->start_boottime;
	e->run_ns = signal->sum_sched_runtime;
	e->user_ns = signal->utime;
	e->system_ns = signal->stime;
	e->minor_faults = signal->min_flt;
	e->major_faults = signal->maj_flt;
	e->io_read = e->io_written = e->disk_read = e->disk_written = 0;
	if (bpf_core_field_exists(signal->ioac.rchar)) {
		e->io_read = signal->ioac.rchar;
		e->io_written = signal->ioac.wchar;
	}
	if (bpf_core_field_exists(signal->ioac.read_bytes)) {
		e->disk_read = signal->ioac.read_bytes;
		e->disk_written = signal->ioac.write_bytes;
	}
	e->cgroup_id = t->cgroups->dfl_cgrp->kn->id;
	__builtin_memcpy(e->comm, t->comm, sizeof(e->comm));
	__builtin_memcpy(e->parent, parent->comm, sizeof(e->parent));
}

/* When a process is freed its totals are whole; at its exit they are not yet. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(process_free, struct task_struct *t)
{
	u64 begun = bpf_ktime_get_ns();
	struct exit_event *e;
	u64 flags = BPF_RB_NO_WAKEUP;

	if (t->group_leader != t)
		return 0;
	/* it has no number of its own any more: it is in the reader's namespace when its parent is */
	if (reader.level && ns_at(t->real_parent->thread_pid, reader.level) != reader.ns)
		return 0;
	e = bpf_ringbuf_reserve(&ended, sizeof(*e), 0);
	if (e) {
		fill_exit(e, t);
		if (bpf_ringbuf_query(&ended, BPF_RB_AVAIL_DATA) > RING_BYTES / 2)
			flags = BPF_RB_FORCE_WAKEUP;
		bpf_ringbuf_submit(e, flags);
	} else {
		__sync_fetch_and_add(&exits.lost, 1);
		__sync_fetch_and_add(&exits.lost_run_ns, t->signal->sum_sched_runtime);
	}
	__sync_fetch_and_add(&exits.runs, 1);
	__sync_fetch_and_add(&exits.run_ns, bpf_ktime_get_ns() - begun);
	return 0;
}
