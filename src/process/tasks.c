/* Threads: what the files of a process do not add up over them, and each of them as a row. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process/look.h"

enum { SMALL_MOST = 1024, STATUS_MOST = 4096 };

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

static void read_counts(struct look *look, u32 pid, struct task_counts *t)
{
	char path[48], text[SMALL_MOST];
	struct process_status st;
	u64 sched[3];
	int len;

	if (look_wants(look, column_bit(PROCESS_SCHED_WAIT))) {
		len = piddir_read(&look->fs->dir, pid, procfs_task_path(path, t->tid, "schedstat"),
			text, sizeof(text));
		if (len > 0 && !process_parse_schedstat(text, text + len, sched) &&
			sched[1] > t->wait_ns)
			t->wait_ns = sched[1];
	}
	if (!look_wants(look, column_bit(PROCESS_VOLUNTARY) | column_bit(PROCESS_INVOLUNTARY)))
		return;
	len = piddir_read(&look->fs->dir, pid, procfs_task_path(path, t->tid, "status"), look->line,
		STATUS_MOST);
	if (len <= 0)
		return;
	process_parse_status(look->line, look->line + len, &st);
	if (st.voluntary > t->voluntary)
		t->voluntary = st.voluntary;
	if (st.involuntary > t->involuntary)
		t->involuntary = st.involuntary;
}

static void add(struct task_counts *sum, const struct task_counts *t)
{
	sum->wait_ns += t->wait_ns;
	sum->voluntary += t->voluntary;
	sum->involuntary += t->involuntary;
}

/* Nothing adds up what ended threads had counted: what each last showed is kept. */
int look_tasks(struct look *look, struct process *p)
{
	u32 *tids = look->fs->tids, n, old = 0;
	struct task_counts sum;
	int ret = piddir_numbers(&look->fs->dir, p->pid, "task", tids, THREADS_MOST, &n);

	if (ret < 0)
		return 0; /* it ends just now: what is known of it stays */
	ret = room(p, p->ntasks + n);
	if (ret)
		return ret;
	for (u32 i = 0; i < n; i++) {
		struct task_counts *t = &p->tasks[p->ntasks + i];

		while (old < p->ntasks && p->tasks[old].tid < tids[i])
			add(&p->ended, &p->tasks[old++]);
		*t = (struct task_counts){.tid = tids[i]};
		if (old < p->ntasks && p->tasks[old].tid == tids[i])
			*t = p->tasks[old++];
		read_counts(look, p->pid, t);
	}
	while (old < p->ntasks)
		add(&p->ended, &p->tasks[old++]);
	memmove(p->tasks, p->tasks + p->ntasks, n * sizeof(*p->tasks));
	p->ntasks = n;
	sum = p->ended;
	for (u32 i = 0; i < n; i++)
		add(&sum, &p->tasks[i]);
	if (look_wants(look, column_bit(PROCESS_SCHED_WAIT)) && sum.wait_ns)
		record_set(&p->last, PROCESS_SCHED_WAIT, sum.wait_ns);
	if (look_wants(look, column_bit(PROCESS_VOLUNTARY) | column_bit(PROCESS_INVOLUNTARY))) {
		record_set(&p->last, PROCESS_VOLUNTARY, sum.voluntary);
		record_set(&p->last, PROCESS_INVOLUNTARY, sum.involuntary);
	}
	return 0;
}

static void fill_thread_stat(
	struct look *look, const struct process_stat *st, struct process_record *r)
{
	const struct process_facts *facts = &look->fs->facts;
	u64 user = times_u64(st->value[STAT_USER_TICKS], facts->tick_ns);
	u64 system = times_u64(st->value[STAT_SYSTEM_TICKS], facts->tick_ns);

	r->state = st->state;
	r->policy = (u8)st->value[STAT_POLICY];
	r->has_policy = st->have >> STAT_POLICY & 1;
	record_set(r, PROCESS_STARTED, times_u64(st->value[STAT_START_TICKS], facts->tick_ns));
	record_set(r, PROCESS_CPU, user + system);
	record_set(r, PROCESS_TIME, user + system);
	record_set(r, PROCESS_USER_CPU, user);
	record_set(r, PROCESS_SYSTEM_CPU, system);
	record_set(r, PROCESS_MINOR_FAULTS, st->value[STAT_MINOR_FAULTS]);
	record_set(r, PROCESS_MAJOR_FAULTS, st->value[STAT_MAJOR_FAULTS]);
	record_set(r, PROCESS_PRIORITY, st->value[STAT_PRIORITY]);
	record_set(r, PROCESS_NICE, st->value[STAT_NICE]);
	record_set(r, PROCESS_PROCESSOR, st->value[STAT_PROCESSOR]);
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

	read_counts(look, pid, &t);
	r->have &= ~column_bit(PROCESS_SCHED_WAIT);
	if (t.wait_ns)
		record_set(r, PROCESS_SCHED_WAIT, t.wait_ns);
	record_set(r, PROCESS_VOLUNTARY, t.voluntary);
	record_set(r, PROCESS_INVOLUNTARY, t.involuntary);
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
	record_set(&r, PROCESS_THREADS, 1);
	fill_thread_stat(look, &st, &r);
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
		u32 n = 0;

		/* what threads share, as far as the table of processes did not ask for it */
		look.due = (fs->scans + p->pid) % LOOK_EVERY == 0;
		ret = look_files(&look, p);
		if (!ret)
			ret = look_texts(&look, p);
		if (ret || piddir_numbers(&fs->dir, p->pid, "task", fs->tids, THREADS_MOST, &n) < 0)
			continue;
		for (u32 t = 0; t < n && !ret; t++)
			ret = one_thread(&look, p, fs->tids[t], fn, arg);
	}
	return ret;
}
