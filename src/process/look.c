/* Order of cost: schedstat tells that a process did not run, stat is one pread of a kept descriptor, every other
 * file is opened, read and closed, and only when a column needs it and it may have changed. */
#include "process/look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* scans until names are looked at again: of one that ran since, of one that seems not to have (a
	   run of less than a clock tick that touches no new page does not show in stat) */
	NAMES_AGAIN = 16,
	NAMES_AGAIN_IDLE = 64,
	KERNEL_THREAD = 0x00200000,
	FORKED_NO_EXEC = 0x00000040,
};

static const struct {
	u8 field, column;
} plain[] = {
	{STAT_PPID, PROCESS_PPID},
	{STAT_MINOR_FAULTS, PROCESS_MINOR_FAULTS},
	{STAT_MAJOR_FAULTS, PROCESS_MAJOR_FAULTS},
	{STAT_PRIORITY, PROCESS_PRIORITY},
	{STAT_NICE, PROCESS_NICE},
	{STAT_THREADS, PROCESS_THREADS},
	{STAT_VIRTUAL_BYTES, PROCESS_VIRTUAL},
	{STAT_PROCESSOR, PROCESS_PROCESSOR},
};

void look_begin(struct look *look, struct procfs *fs, u64 need)
{
	look->fs = fs;
	look->need = need;
	/* threads too: whether there are several decides how the rest is to be read */
	look->want = 1ull << STAT_FLAGS | 1ull << STAT_MINOR_FAULTS | 1ull << STAT_MAJOR_FAULTS |
		     1ull << STAT_USER_TICKS | 1ull << STAT_SYSTEM_TICKS | 1ull << STAT_THREADS |
		     1ull << STAT_START_TICKS;
	for (u32 i = 0; i < ARRAY_LEN(plain); i++)
		if (need & column_bit(plain[i].column))
			look->want |= 1ull << plain[i].field;
	if (need & (column_bit(PROCESS_RESIDENT) | column_bit(PROCESS_MEMORY) |
			   column_bit(PROCESS_SHARED)))
		look->want |= 1ull << STAT_RESIDENT_PAGES;
	if (need & column_bit(PROCESS_POLICY))
		look->want |= 1ull << STAT_POLICY;
	if (fs->children)
		look->want |= 1ull << STAT_PPID | 1ull << STAT_CHILD_MINOR_FAULTS |
			      1ull << STAT_CHILD_MAJOR_FAULTS | 1ull << STAT_CHILD_USER_TICKS |
			      1ull << STAT_CHILD_SYSTEM_TICKS;
}

void look_close(struct procfs *fs, struct process *p)
{
	kept_close(&fs->kept, &p->fd);
	kept_close(&fs->kept, &p->sched_fd);
	p->sched_known = false;
}

void look_free(struct process *p)
{
	free(p->heap);
	free(p->exe.bytes);
	free(p->cwd.bytes);
	free(p->cgroup.bytes);
	free(p->tasks);
}

bool look_wants(const struct look *look, u64 columns)
{
	return (look->need & columns) != 0;
}

bool look_again(
	const struct look *look, const struct process *p, enum looked what, u64 columns, bool own)
{
	if (!(look->need & columns))
		return false;
	if (!(p->looked & (u32)what) || p->moved || look->runs)
		return true;
	return own ? !look->still : look->due || look->visible;
}

void look_failed(struct process *p, u64 columns, int error)
{
	p->last.have &= ~columns;
	p->last.denied &= ~columns;
	if (look_denied(error))
		p->last.denied |= columns;
}

/* A new process, or another one that has this pid now: nothing that was known holds. */
static void begin(struct look *look, struct process *p, u64 start_ticks)
{
	p->known = p->first = true;
	p->start_ticks = start_ticks;
	p->looked = 0;
	p->has_cmdline = p->denied_cmdline = p->denied_fds = p->looked_fds = p->ran =
		p->sched_known = p->has_children = false;
	look->asked = look->still = false;
	p->rest = p->streak = 0;
	p->command_len = p->cmdline_len = p->stand_in = p->ntasks = p->credit_scans = 0;
	p->exe.len = p->cwd.len = p->cgroup.len = p->container_len = 0;
	p->counted_ns = 0;
	p->ended = (struct task_counts){0};
	p->children = p->credit = p->pending = (struct child_sums){0};
	p->last = (struct process_record){0};
}

/* What a running or executing process may have changed goes. */
static void recognise(struct look *look, struct process *p, const struct process_stat *st)
{
	u64 ticks = st->value[STAT_USER_TICKS] + st->value[STAT_SYSTEM_TICKS];
	u64 faults = st->value[STAT_MINOR_FAULTS] + st->value[STAT_MAJOR_FAULTS];
	u64 pages = st->have >> STAT_RESIDENT_PAGES & 1 ? st->value[STAT_RESIDENT_PAGES] : p->pages;
	u32 flags = (u32)st->value[STAT_FLAGS];
	u32 len = st->comm_len < COMM_MOST ? st->comm_len : COMM_MOST;
	bool seen = ticks != p->cpu_ticks || faults != p->faults || pages != p->pages;

	/* one that stood still may have lost pages */
	p->moved |= seen && !look->still;
	p->ran |= p->moved || look->runs;
	if (!p->known || p->start_ticks != st->value[STAT_START_TICKS]) {
		/* its number is another's now */
		if (p->known)
			procfs_child_gone(look->fs, p);
		begin(look, p, st->value[STAT_START_TICKS]);
	} else if (len != p->comm_len || memcmp(p->comm, st->comm, len) ||
		   ((flags ^ p->flags) & FORKED_NO_EXEC)) {
		p->looked &= ~(u32)(LOOKED_NAMES | LOOKED_LINE | LOOKED_OWNER | LOOKED_EXE |
				    LOOKED_STATUS);
	} else if (!(flags & KERNEL_THREAD) && st->state != 'Z' &&
		   ((look->fs->scans + p->pid) % (p->ran ? NAMES_AGAIN : NAMES_AGAIN_IDLE) == 0 ||
			   (look->visible && p->moved))) {
		p->looked &= ~(u32)(LOOKED_NAMES | LOOKED_LINE | LOOKED_OWNER | LOOKED_EXE);
		p->ran = false;
	}
	memcpy(p->comm, st->comm, len);
	p->comm_len = (u8)len;
	p->cpu_ticks = ticks;
	p->faults = faults;
	p->pages = pages;
	p->flags = flags;
}

static u64 sum(u64 a, u64 b)
{
	u64 v;

	return __builtin_add_overflow(a, b, &v) ? UINT64_MAX : v;
}

/* schedstat counts in ns where stat counts ticks, of the one thread that there is: if others have ended, the two do
 * not agree. */
static u64 exact_ns(const struct look *look, const struct process *p, u64 cpu_ns)
{
	u64 exact = p->sched[0], more = 2 * look->fs->facts.tick_ns;

	if (!look->asked || exact < cpu_ns || exact - cpu_ns >= more)
		return cpu_ns;
	return exact;
}

static void fill_cpu(struct look *look, struct process *p, const struct process_stat *st)
{
	const struct process_facts *facts = &look->fs->facts;
	u64 user = times_u64(st->value[STAT_USER_TICKS], facts->tick_ns);
	u64 system = times_u64(st->value[STAT_SYSTEM_TICKS], facts->tick_ns);
	u64 cpu = exact_ns(look, p, sum(user, system)), was = p->counted_ns;

	/* between a time in ns and the next one in ticks there may be a step back */
	if (cpu > p->counted_ns)
		p->counted_ns = cpu;
	record_set(&p->last, PROCESS_USER_CPU, user);
	record_set(&p->last, PROCESS_SYSTEM_CPU, system);
	record_set(&p->last, PROCESS_CPU, p->counted_ns);
	record_set(&p->last, PROCESS_TIME, p->counted_ns);
	p->last.fresh_ns = p->first && !p->newborn ? 0 : p->counted_ns - was;
}

void look_fill_plain(
	const struct process_facts *facts, const struct process_stat *st, struct process_record *r)
{
	u64 bytes;

	r->state = st->state;
	for (u32 i = 0; i < ARRAY_LEN(plain); i++)
		if (st->have >> plain[i].field & 1)
			record_set(r, plain[i].column, st->value[plain[i].field]);
	if (st->have >> STAT_POLICY & 1) {
		r->has_policy = true;
		r->policy = (u8)min_u64(st->value[STAT_POLICY], UINT8_MAX);
	}
	if (!(st->have >> STAT_RESIDENT_PAGES & 1))
		return;
	bytes = times_u64(st->value[STAT_RESIDENT_PAGES], facts->page_bytes);
	record_set(r, PROCESS_RESIDENT, bytes);
	if (facts->memory_bytes)
		record_set(r, PROCESS_MEMORY, process_memory_share(facts, bytes));
}

static void fill_stat(struct look *look, struct process *p, const struct process_stat *st)
{
	const struct process_facts *facts = &look->fs->facts;
	struct process_record *r = &p->last;
	u64 start = times_u64(p->start_ticks, facts->tick_ns);

	/* the start is cut off to ticks */
	p->newborn = p->first && look->fs->began_ns &&
		     sum(start, facts->tick_ns) >= look->fs->began_ns;
	r->key = process_key(p->pid, p->start_ticks);
	record_set(r, PROCESS_PID, p->pid);
	record_set(r, PROCESS_STARTED, start);
	record_set(r, PROCESS_OWN, p->pid == facts->own_pid);
	if (st->have >> STAT_FLAGS & 1)
		record_set(r, PROCESS_KERNEL, (st->value[STAT_FLAGS] & KERNEL_THREAD) != 0);
	if (st->have >> STAT_SYSTEM_TICKS & 1)
		fill_cpu(look, p, st);
	look_fill_plain(facts, st, r);
}

static bool fill_stand_in(struct look *look, struct process *p)
{
	const u64 want = 1ull << STAT_VIRTUAL_BYTES | 1ull << STAT_RESIDENT_PAGES |
			 1ull << STAT_PRIORITY | 1ull << STAT_NICE | 1ull << STAT_PROCESSOR |
			 1ull << STAT_POLICY;
	struct process_stat st = {0};
	int len = look_file(look, p, "stat", look->line, sizeof(look->line));

	if (len < 0 || process_parse_stat(look->line, look->line + len, want, &st))
		return false;
	look_fill_plain(&look->fs->facts, &st, &p->last);
	return true;
}

/* Its first thread has ended and others live: state, memory and files are one of theirs. */
static void find_stand_in(struct look *look, struct process *p, const struct process_stat *st)
{
	u32 tids[8], n;

	p->stand_in = 0;
	if (st->state != 'Z' || !(st->have >> STAT_THREADS & 1) || st->value[STAT_THREADS] < 2 ||
		piddir_numbers(&look->fs->dir, p->pid, "task", tids, ARRAY_LEN(tids), &n) < 0)
		return;
	for (u32 i = 0; i < n; i++) {
		p->stand_in = tids[i];
		if (tids[i] != p->pid && fill_stand_in(look, p))
			return;
	}
	p->stand_in = 0;
}

int look_at(struct look *look, struct process *p)
{
	struct procfs *fs = look->fs;
	struct process_stat st = {0};
	struct stamp at;
	int len, ret;

	look->due = (fs->scans + p->pid) % LOOK_EVERY == 0;
	look->visible = procfs_is_visible(fs, p->last.key);
	if (look_is_still(look, p)) {
		clock_read_row(fs->env->clock, &p->last.at);
		p->last.fresh_ns = 0;
		return 0;
	}
	len = look_read_stat(look, p);
	if (len < 0)
		return len;
	clock_read_row(fs->env->clock, &at);
	ret = process_parse_stat(look->line, look->line + len, look->want, &st);
	/* without a start it is not known which process this is */
	if (ret || !(st.have >> STAT_START_TICKS & 1))
		return -EINVAL;
	recognise(look, p, &st);
	p->last.at = at;
	fill_stat(look, p, &st);
	procfs_children_seen(fs, p, &st);
	find_stand_in(look, p, &st);
	ret = look_files(look, p);
	if (!ret)
		ret = look_texts(look, p);
	p->first = false;
	return ret;
}
