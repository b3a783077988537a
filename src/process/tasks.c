/* Threads: what the files of a process do not add up over them, and each of them as a row. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process/look.h"

enum { SMALL_MOST = 1024 };

const char *procfs_task_path(char out[48], u32 tid, const char *name)
{
	char digits[10], *p = digits + sizeof(digits), *w = stpcpy(out, "task/");

	do
		*--p = (char)('0' + tid % 10);
	while (tid /= 10);
	w = mempcpy(w, p, (size_t)(digits + sizeof(digits) - p));
	stpcpy(stpcpy(w, "/"), name);
	return out;
}

static int room(struct process *p, u32 n)
{
	struct task_counts *grown;
	u32 cap = p->tasks_cap ? p->tasks_cap : 4;

	while (cap < n)
		cap *= 2;
	if (cap <= p->tasks_cap)
		return 0;
	grown = realloc(p->tasks, cap * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	p->tasks = grown;
	p->tasks_cap = cap;
	return 0;
}

int procfs_tids(struct procfs *fs, u32 pid)
{
	u32 n, *grown;
	int all = piddir_numbers(&fs->dir, pid, "task", fs->tids, fs->tids_cap, &n);

	while (all > 0 && (u32)all > fs->tids_cap) {
		grown = realloc(fs->tids, (u32)all * 2 * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		fs->tids = grown;
		fs->tids_cap = (u32)all * 2;
		all = piddir_numbers(&fs->dir, pid, "task", fs->tids, fs->tids_cap, &n);
	}
	return all < 0 ? all : (int)n;
}

enum { COUNTED_WAIT = 1, COUNTED_VOLUNTARY = 2, COUNTED_INVOLUNTARY = 4 };

/* What it counts now, as far as columns want it; t is as it was otherwise. Returns what was read. */
static u32 read_counts(struct look *look, u32 pid, struct task_counts *t)
{
	char path[48], text[SMALL_MOST], *status = look->fs->text;
	struct process_status st;
	u32 counted = 0;
	u64 sched[3];
	int len;

	if (look_wants(look, column_bit(PROCESS_SCHED_WAIT))) {
		len = piddir_read(&look->fs->dir, pid, procfs_task_path(path, t->tid, "schedstat"),
			text, sizeof(text));
		if (len > 0 && !process_parse_schedstat(text, text + len, sched)) {
			t->wait_ns = sched[1];
			counted |= COUNTED_WAIT;
		}
	}
	if (!look_wants(look, column_bit(PROCESS_VOLUNTARY) | column_bit(PROCESS_INVOLUNTARY)))
		return counted;
	len = piddir_read(&look->fs->dir, pid, procfs_task_path(path, t->tid, "status"), status,
		CMDLINE_MOST);
	if (len <= 0)
		return counted;
	process_parse_status(status, status + len, &st);
	if (st.have & STATUS_VOLUNTARY) {
		t->voluntary = st.voluntary;
		counted |= COUNTED_VOLUNTARY;
	}
	if (st.have & STATUS_INVOLUNTARY) {
		t->involuntary = st.involuntary;
		counted |= COUNTED_INVOLUNTARY;
	}
	return counted;
}

static void add(struct task_counts *sum, const struct task_counts *t)
{
	sum->wait_ns += t->wait_ns;
	sum->voluntary += t->voluntary;
	sum->involuntary += t->involuntary;
}

/* Counts of one thread only grow: else its number is another's by now. */
static u32 count_again(struct look *look, struct process *p, struct task_counts *t)
{
	struct task_counts was = *t;
	u32 counted = read_counts(look, p->pid, t);

	if (t->wait_ns < was.wait_ns || t->voluntary < was.voluntary ||
		t->involuntary < was.involuntary)
		add(&p->ended, &was);
	return counted;
}

static void set_counts(struct process_record *r, u32 counted, const struct task_counts *sum)
{
	const u64 columns = column_bit(PROCESS_SCHED_WAIT) | column_bit(PROCESS_VOLUNTARY) |
			    column_bit(PROCESS_INVOLUNTARY);

	r->have &= ~columns;
	if (counted & COUNTED_WAIT)
		record_set(r, PROCESS_SCHED_WAIT, sum->wait_ns);
	if (counted & COUNTED_VOLUNTARY)
		record_set(r, PROCESS_VOLUNTARY, sum->voluntary);
	if (counted & COUNTED_INVOLUNTARY)
		record_set(r, PROCESS_INVOLUNTARY, sum->involuntary);
}

/* Nothing adds up what ended threads had counted: what each last showed is kept. */
int look_tasks(struct look *look, struct process *p)
{
	u32 n, old = 0, counted = 0;
	struct task_counts sum;
	int ret = procfs_tids(look->fs, p->pid);

	if (ret < 0)
		return ret == -ENOMEM ? ret : 0; /* it ends just now: what is known of it stays */
	n = (u32)ret;
	ret = room(p, p->ntasks + n);
	if (ret)
		return ret;
	for (u32 i = 0; i < n; i++) {
		struct task_counts *t = &p->tasks[p->ntasks + i];
		u32 tid = look->fs->tids[i];

		while (old < p->ntasks && p->tasks[old].tid < tid)
			add(&p->ended, &p->tasks[old++]);
		*t = (struct task_counts){.tid = tid};
		if (old < p->ntasks && p->tasks[old].tid == tid)
			*t = p->tasks[old++];
		counted |= count_again(look, p, t);
	}
	while (old < p->ntasks)
		add(&p->ended, &p->tasks[old++]);
	memmove(p->tasks, p->tasks + p->ntasks, n * sizeof(*p->tasks));
	p->ntasks = n;
	sum = p->ended;
	for (u32 i = 0; i < n; i++)
		add(&sum, &p->tasks[i]);
	set_counts(&p->last, counted, &sum);
	return 0;
}

static void fill_thread_stat(
	struct look *look, const struct process_stat *st, struct process_record *r)
{
	const u64 times = column_bit(PROCESS_CPU) | column_bit(PROCESS_TIME) |
			  column_bit(PROCESS_USER_CPU) | column_bit(PROCESS_SYSTEM_CPU);
	const struct process_facts *facts = &look->fs->facts;
	u64 user = times_u64(st->value[STAT_USER_TICKS], facts->tick_ns);
	u64 system = times_u64(st->value[STAT_SYSTEM_TICKS], facts->tick_ns);

	look_fill_plain(facts, st, r);
	record_set(r, PROCESS_STARTED, times_u64(st->value[STAT_START_TICKS], facts->tick_ns));
	r->have &= ~times;
	if (st->have >> STAT_SYSTEM_TICKS & 1) {
		record_set(r, PROCESS_CPU, user + system);
		record_set(r, PROCESS_TIME, user + system);
		record_set(r, PROCESS_USER_CPU, user);
		record_set(r, PROCESS_SYSTEM_CPU, system);
	}
	record_text(r, PROCESS_TEXT_COMMAND, st->comm, st->comm_len);
}

static void fill_thread_io(struct look *look, u32 pid, u32 tid, struct process_record *r)
{
	static const u8 of[IO_FIELDS] = {
		PROCESS_IO_READ, PROCESS_IO_WRITTEN, PROCESS_DISK_READ, PROCESS_DISK_WRITTEN};
	u64 columns = 0;
	char path[48], text[SMALL_MOST];
	struct process_io io;
	int len;

	for (u32 i = 0; i < IO_FIELDS; i++)
		columns |= column_bit(of[i]);
	r->have &= ~columns;
	if (!look_wants(look, columns) || (r->denied & columns))
		return;
	len = piddir_read(
		&look->fs->dir, pid, procfs_task_path(path, tid, "io"), text, sizeof(text));
	if (len < 0)
		return;
	process_parse_io(text, text + len, &io);
	for (u32 i = 0; i < IO_FIELDS; i++)
		if (io.have >> i & 1)
			record_set(r, of[i], io.bytes[i]);
}

static void fill_thread_counts(struct look *look, u32 pid, u32 tid, struct process_record *r)
{
	struct task_counts t = {.tid = tid};
	u32 counted = read_counts(look, pid, &t);

	set_counts(r, counted, &t);
}

/* 0 also for a thread that ended meanwhile. */
static int one_thread(struct look *look, struct process *p, u32 tid, process_fn *fn, void *arg)
{
	const u64 want = (1ull << STAT_FIELDS) - 1;
	struct process_record r = p->last;
	struct process_stat st = {0};
	char path[48], line[LINE_SIZE];
	int len = piddir_read(
		&look->fs->dir, p->pid, procfs_task_path(path, tid, "stat"), line, sizeof(line));

	if (len < 0 || process_parse_stat(line, line + len, want, &st) ||
		!(st.have >> STAT_START_TICKS & 1))
		return 0;
	clock_read_row(look->fs->env->clock, &r.at);
	r.key = process_key(tid, st.value[STAT_START_TICKS]);
	record_set(&r, PROCESS_PID, tid);
	record_set(&r, PROCESS_OF_THREAD, p->pid);
	fill_thread_stat(look, &st, &r);
	record_set(&r, PROCESS_THREADS, 1);
	fill_thread_io(look, p->pid, tid, &r);
	fill_thread_counts(look, p->pid, tid, &r);
	return fn(arg, &r);
}

int procfs_threads(struct procfs *fs, u64 need, process_fn *fn, void *arg)
{
	struct look look = {.visible = false};
	int ret = 0;

	look_begin(&look, fs, need);
	for (u32 i = 0; i < fs->n && !ret; i++) {
		struct process *p = fs->now[i];
		int n;

		/* what threads share, as far as the table of processes did not ask for it */
		look.due = (fs->scans + p->pid) % LOOK_EVERY == 0;
		look.need = need & ~LOOK_OWN_COLUMNS;
		ret = look_files(&look, p);
		if (!ret)
			ret = look_texts(&look, p);
		look.need = need;
		n = ret ? 0 : procfs_tids(fs, p->pid);
		if (n == -ENOMEM)
			ret = n;
		for (int t = 0; t < n && !ret; t++)
			ret = one_thread(&look, p, fs->tids[t], fn, arg);
	}
	return ret;
}
