/* Ended processes without BPF: what the kernel adds to a process when it waits for a child, less what the child's own
 * row had shown. Children that nobody waits for, and names of those that are gone, are not to be had. */
#include "process/look.h"

enum { CREDIT_SCANS = 5, GENERATIONS = 16 };

static void add(struct child_sums *to, const struct child_sums *more)
{
	to->user_ns += more->user_ns;
	to->system_ns += more->system_ns;
	to->minor_faults += more->minor_faults;
	to->major_faults += more->major_faults;
}

/* What is left of *grown after *credit is used up as far as it goes. */
static u64 less(u64 grown, u64 *credit)
{
	u64 used = grown < *credit ? grown : *credit;

	*credit -= used;
	return grown - used;
}

static u64 above(u64 now, u64 was)
{
	return now > was ? now - was : 0;
}

void procfs_children_seen(struct procfs *fs, struct process *p, const struct process_stat *st)
{
	struct child_sums now;

	if (!fs->children || !(st->have >> STAT_CHILD_SYSTEM_TICKS & 1))
		return;
	now = (struct child_sums){times_u64(st->value[STAT_CHILD_USER_TICKS], fs->facts.tick_ns),
		times_u64(st->value[STAT_CHILD_SYSTEM_TICKS], fs->facts.tick_ns),
		st->value[STAT_CHILD_MINOR_FAULTS], st->value[STAT_CHILD_MAJOR_FAULTS]};
	if (p->has_children || p->newborn) {
		p->pending.user_ns += above(now.user_ns, p->children.user_ns);
		p->pending.system_ns += above(now.system_ns, p->children.system_ns);
		p->pending.minor_faults += above(now.minor_faults, p->children.minor_faults);
		p->pending.major_faults += above(now.major_faults, p->children.major_faults);
	}
	p->has_children = true;
	p->children = now;
}

static struct process *find(struct procfs *fs, u32 pid)
{
	u32 from = 0, to = fs->n;

	while (from < to) {
		u32 mid = from + (to - from) / 2;

		if (fs->now[mid]->pid < pid)
			from = mid + 1;
		else
			to = mid;
	}
	return from < fs->n && fs->now[from]->pid == pid ? fs->now[from] : NULL;
}

void procfs_child_gone(struct procfs *fs, struct process *p)
{
	struct process_record *r = &p->last;
	struct gone *g;

	if (!fs->children || fs->ngone == fs->gone_cap)
		return;
	g = &fs->gone[fs->ngone++];
	g->pid = p->pid;
	g->ppid = (u32)r->value[PROCESS_PPID];
	/* its time may be known better than its split */
	g->sums = (struct child_sums){above(r->value[PROCESS_CPU], r->value[PROCESS_SYSTEM_CPU]),
		r->value[PROCESS_SYSTEM_CPU], r->value[PROCESS_MINOR_FAULTS],
		r->value[PROCESS_MAJOR_FAULTS]};
	/* what it had been told of its own children was handed over, and now goes on to its parent */
	add(&g->sums, &p->children);
}

/* The nearest ancestor that is there: one that ended too had told its own parent everything. */
static struct process *living(struct procfs *fs, u32 pid)
{
	struct process *p = find(fs, pid);

	for (u32 step = 0; !p && step < GENERATIONS; step++) {
		u32 i = 0;

		while (i < fs->ngone && fs->gone[i].pid != pid)
			i++;
		if (i == fs->ngone)
			return NULL;
		pid = fs->gone[i].ppid;
		p = find(fs, pid);
	}
	return p;
}

/* One that ended is credited to its parent; what a parent was told beyond that is of processes that no scan saw. */
void procfs_children_settle(struct procfs *fs)
{
	for (u32 i = 0; i < fs->ngone; i++) {
		struct process *parent = living(fs, fs->gone[i].ppid);

		if (!parent)
			continue;
		add(&parent->credit, &fs->gone[i].sums);
		parent->credit_scans = 0;
	}
	fs->ngone = 0;
	for (u32 i = 0; i < fs->n && fs->children; i++) {
		struct process *p = fs->now[i];

		p->pending.user_ns = less(p->pending.user_ns, &p->credit.user_ns);
		p->pending.system_ns = less(p->pending.system_ns, &p->credit.system_ns);
		/* the kernel may have split its time otherwise at the end */
		p->pending.user_ns = less(p->pending.user_ns, &p->credit.system_ns);
		p->pending.system_ns = less(p->pending.system_ns, &p->credit.user_ns);
		p->pending.minor_faults = less(p->pending.minor_faults, &p->credit.minor_faults);
		p->pending.major_faults = less(p->pending.major_faults, &p->credit.major_faults);
		/* its children are not waited for, or another's by now */
		if (++p->credit_scans > CREDIT_SCANS)
			p->credit = (struct child_sums){0};
	}
}

int procfs_ended(struct procfs *fs, exit_fn *fn, void *arg)
{
	int ret = 0;

	fs->children = true;
	for (u32 i = 0; i < fs->n && !ret; i++) {
		struct process *p = fs->now[i];
		struct exit_record r = {.command = "",
			.parent = p->last.text[PROCESS_TEXT_COMMAND].text,
			.parent_len = p->last.text[PROCESS_TEXT_COMMAND].len,
			.ppid = p->pid,
			.cpu_ns = p->pending.user_ns + p->pending.system_ns,
			.user_ns = p->pending.user_ns,
			.system_ns = p->pending.system_ns,
			.minor_faults = p->pending.minor_faults,
			.major_faults = p->pending.major_faults,
			.approx = true};

		if (!r.cpu_ns && !r.minor_faults && !r.major_faults)
			continue;
		if (!r.parent_len) {
			r.parent = p->comm;
			r.parent_len = p->comm_len;
		}
		p->pending = (struct child_sums){0};
		ret = fn(arg, &r);
	}
	return ret;
}
