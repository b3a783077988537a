/* CPUs: the ten fields of each cpuN line of /proc/stat (Documentation/filesystems/proc.rst, 1.7), keyed by
 * CPU id and never by position, with frequency and core type from sysfs. user includes guest and nice
 * includes guest_nice in the kernel's counting; the shares take them out again so that guest counts once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "core/frame.h"
#include "source/cpu_topology.h"
#include "source/sources_list.h"
#include "source/ticks.h"

enum {
	CPU_NAME,
	CPU_TYPE,
	CPU_ONLINE,
	CPU_BUSY,
	CPU_USER,
	CPU_NICE,
	CPU_SYSTEM,
	CPU_IRQ,
	CPU_SOFTIRQ,
	CPU_STEAL,
	CPU_GUEST,
	CPU_GUEST_NICE,
	CPU_IDLE,
	CPU_IOWAIT,
	CPU_FREQUENCY,
	CPU_USER_TIME, /* from here on in the order of /proc/stat */
	CPU_NICE_TIME,
	CPU_SYSTEM_TIME,
	CPU_IDLE_TIME,
	CPU_IOWAIT_TIME,
	CPU_IRQ_TIME,
	CPU_SOFTIRQ_TIME,
	CPU_STEAL_TIME,
	CPU_GUEST_TIME,
	CPU_GUEST_NICE_TIME,
	CPU_COLUMNS,
};

enum { STAT_FIELDS = 10, FREQUENCIES_A_TICK = 32, TAIL = 512 };
/* Of them, by place. */
enum { USER_FIELD, NICE_FIELD, SYSTEM_FIELD, IRQ_FIELD = 5, SOFTIRQ_FIELD };

/* Difference of one field, 0 when this kernel does not have it. A missing first field is an absence. */
static u64 field(const struct frame_table *t, u32 row, u32 column)
{
	u64 diff;

	return frame_diff(t, row, column, &diff) ? diff : 0;
}

/* Sum of the eight fields that do not overlap. Returns a reason when there is none. */
static u8 whole(const struct frame_table *t, u32 row, double *out)
{
	struct cell first;
	u64 sum = 0;

	frame_cell(t, row, CPU_USER_TIME, &first);
	if (first.state == CELL_ABSENT)
		return (u8)first.reason;
	for (u32 c = CPU_USER_TIME; c <= CPU_STEAL_TIME; c++)
		sum += field(t, row, c);
	if (!sum)
		return REASON_SHORT;
	*out = (double)sum;
	return 0;
}

static u8 share(const struct frame_table *t, u32 row, u32 column, u32 without, double *out)
{
	double all = 0;
	u64 part = field(t, row, column), inner = without ? field(t, row, without) : 0;
	u8 reason = whole(t, row, &all);
	struct cell cell;

	if (reason)
		return reason;
	frame_cell(t, row, column, &cell);
	if (cell.state == CELL_ABSENT)
		return (u8)cell.reason;
	*out = (double)(part > inner ? part - inner : 0) / all;
	return 0;
}

#define SHARE(name, column, without)                                              \
	static u8 share_##name(const struct frame_table *t, u32 row, double *out) \
	{                                                                         \
		return share(t, row, column, without, out);                       \
	}
SHARE(user, CPU_USER_TIME, CPU_GUEST_TIME)
SHARE(nice, CPU_NICE_TIME, CPU_GUEST_NICE_TIME)
SHARE(system, CPU_SYSTEM_TIME, 0)
SHARE(irq, CPU_IRQ_TIME, 0)
SHARE(softirq, CPU_SOFTIRQ_TIME, 0)
SHARE(steal, CPU_STEAL_TIME, 0)
SHARE(guest, CPU_GUEST_TIME, 0)
SHARE(guest_nice, CPU_GUEST_NICE_TIME, 0)
SHARE(idle, CPU_IDLE_TIME, 0)
SHARE(iowait, CPU_IOWAIT_TIME, 0)

static u8 share_busy(const struct frame_table *t, u32 row, double *out)
{
	double all = 0;
	u8 reason = whole(t, row, &all);

	if (reason)
		return reason;
	*out = 1.0 - (double)(field(t, row, CPU_IDLE_TIME) + field(t, row, CPU_IOWAIT_TIME)) / all;
	return 0;
}

#define DERIVED(n, head, text)                                                  \
	{                                                                       \
		.name = #n, .title = head, .help = text, .unit = UNIT_RATIO,    \
		.kind = COLUMN_DERIVED, .total = TOTAL_SUM, .derive = share_##n \
	}
/* the kernel's idle and iowait may step back by some ticks; 3 s and more is a CPU that was re-plugged */
#define TIME(n, text)                                                               \
	{                                                                           \
		.name = n "_time", .title = n, .help = text, .unit = UNIT_NS,       \
		.kind = COLUMN_COUNTER, .total = TOTAL_SUM, .flags = COLUMN_HIDDEN, \
		.hold = 3 * NSEC_PER_SEC - 1                                        \
	}

static const struct column columns[CPU_COLUMNS] = {
	[CPU_NAME] = {.name = "name",
		.title = "CPU",
		.help = "name of the CPU",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[CPU_TYPE] = {.name = "type",
		.title = "TYPE",
		.help = "core type: P or E, big or little",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[CPU_ONLINE] = {.name = "online",
		.title = "ON",
		.help = "1 while the CPU is online",
		.unit = UNIT_BOOL},
	[CPU_BUSY] = DERIVED(busy, "BUSY%", "share of time not idle and not waiting for I/O"),
	[CPU_USER] = DERIVED(user, "USER%", "share in user mode, guests not included"),
	[CPU_NICE] = DERIVED(nice, "NICE%", "share in user mode at low priority"),
	[CPU_SYSTEM] = DERIVED(system, "SYS%", "share in the kernel"),
	[CPU_IRQ] = DERIVED(irq, "IRQ%", "share in hardware interrupts"),
	[CPU_SOFTIRQ] = DERIVED(softirq, "SIRQ%", "share in soft interrupts"),
	[CPU_STEAL] = DERIVED(steal, "STEAL%", "share that the hypervisor gave to others"),
	[CPU_GUEST] = DERIVED(guest, "GUEST%", "share running virtual machines"),
	[CPU_GUEST_NICE] = DERIVED(guest_nice, "GNICE%", "share running niced virtual machines"),
	[CPU_IDLE] = DERIVED(idle, "IDLE%", "share idle"),
	[CPU_IOWAIT] = DERIVED(iowait, "WAIT%", "share idle while I/O was outstanding"),
	[CPU_FREQUENCY] = {.name = "frequency",
		.title = "FREQ",
		.help = "current clock",
		.unit = UNIT_HZ,
		.total = TOTAL_MEAN},
	[CPU_USER_TIME] = TIME("user", "user mode, guests included"),
	[CPU_NICE_TIME] = TIME("nice", "niced user mode, niced guests included"),
	[CPU_SYSTEM_TIME] = TIME("system", "kernel mode"),
	[CPU_IDLE_TIME] = TIME("idle", "idle"),
	[CPU_IOWAIT_TIME] = TIME("iowait", "idle with I/O outstanding"),
	[CPU_IRQ_TIME] = TIME("irq", "hardware interrupts"),
	[CPU_SOFTIRQ_TIME] = TIME("softirq", "soft interrupts"),
	[CPU_STEAL_TIME] = TIME("steal", "taken by the hypervisor"),
	[CPU_GUEST_TIME] = TIME("guest", "virtual machines"),
	[CPU_GUEST_NICE_TIME] = TIME("guest_nice", "niced virtual machines"),
};

static const struct schema cpu_schema = {.name = "cpu",
	.title = "CPUs",
	.help = "each CPU by its id; shares of its time add up to 100 %",
	.version = 1,
	.ncolumns = CPU_COLUMNS,
	.columns = columns,
	.label_column = CPU_NAME,
	.birth_column = -1,
	.counted_column = -1};

struct source {
	const struct source_env *env;
	struct kfile stat;
	struct kbuf buf;
	struct cpu_topology topology;
	u64 tick_ns;
	u32 next_frequency; /* where the round over many CPUs goes on */
	u32 generation;
};

static int cpu_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	s->tick_ns = tick_ns(env->root);
	s->generation = env->root->generation;
	kbuf_init(&s->buf);
	ret = kfile_init(&s->stat, "/proc/stat");
	if (!ret)
		ret = kfile_read(&s->stat, env->root, &s->buf);
	if (!ret)
		ret = cpu_topology_open(&s->topology, env->root);
	if (ret) {
		kfile_fini(&s->stat);
		kbuf_fini(&s->buf);
		free(s);
		return ret;
	}
	*out = s;
	return 0;
}

static void cpu_close(struct source *s)
{
	if (!s)
		return;
	cpu_topology_close(&s->topology);
	kfile_fini(&s->stat);
	kbuf_fini(&s->buf);
	free(s);
}

static int fill_common(struct source *s, struct table *t, u32 cpu, int row)
{
	char name[16];
	int len = snprintf(name, sizeof(name), "cpu%u", cpu), ret;
	const char *type = cpu_topology_type(&s->topology, cpu);

	ret = table_set_text(t, (u32)row, CPU_NAME, name, (size_t)len);
	if (!ret && type)
		ret = table_set_text(t, (u32)row, CPU_TYPE, type, strlen(type));
	return ret;
}

/* The numbers of one cpuN line. */
static int online_row(struct source *s, struct table *t, u32 cpu, const char *p, const char *end)
{
	int row = table_row(t, cpu);

	if (row < 0)
		return row;
	table_set(t, (u32)row, CPU_ONLINE, 1);
	for (u32 i = 0; i < STAT_FIELDS; i++) {
		bool ok = true;
		u64 ticks = 0;

		p = scan_u64(p, end, &ticks, &ok);
		if (!ok)
			break;
		table_set(t, (u32)row, CPU_USER_TIME + i,
			ticks > UINT64_MAX / s->tick_ns ? UINT64_MAX : ticks * s->tick_ns);
	}
	return fill_common(s, t, cpu, row);
}

static int offline_row(struct source *s, struct table *t, u32 cpu)
{
	int row = table_row(t, cpu);

	if (row < 0)
		return row;
	for (u32 c = 0; c < CPU_COLUMNS; c++)
		if (columns[c].kind != COLUMN_DERIVED)
			table_absent(t, (u32)row, c, REASON_OFFLINE);
	table_set(t, (u32)row, CPU_ONLINE, 0);
	return fill_common(s, t, cpu, row);
}

/* Offline rows for the present CPUs in [from, to). */
static int offline_until(struct source *s, struct table *t, u32 from, u32 to)
{
	for (u32 cpu = from; cpu < to; cpu++) {
		int ret = cpu_topology_present(&s->topology, cpu) ? offline_row(s, t, cpu) : 0;

		if (ret)
			return ret;
	}
	return 0;
}

static int parse(struct source *s, struct table *t)
{
	const char *p = s->buf.data, *end = kbuf_end(&s->buf);
	u32 next = 0;
	int ret = 0;

	for (; p < end && !ret; p = scan_next_line(p, end)) {
		const char *line = scan_line_end(p, end);
		bool ok = true;
		u64 cpu = 0;

		if (!scan_starts(p, line, "cpu"))
			break;
		if (p + 3 >= line || !scan_is_digit(p[3]))
			continue;
		p = scan_u64(p + 3, line, &cpu, &ok);
		if (!ok || cpu >= 65536 || cpu < next)
			continue;
		ret = offline_until(s, t, next, (u32)cpu);
		if (!ret)
			ret = online_row(s, t, (u32)cpu, p, line);
		next = (u32)cpu + 1;
	}
	return ret ? ret : offline_until(s, t, next, cpu_topology_limit(&s->topology));
}

/* One value per CPU from sysfs: all of them up to 32, else a round of 32 a tick; the rest keep theirs. */
static void frequencies(struct source *s, struct table *t)
{
	u32 fresh = 0;

	if (!t->n)
		return;
	if (t->n <= FREQUENCIES_A_TICK)
		s->next_frequency = 0;
	for (u32 i = 0; i < t->n; i++) {
		u32 row = (s->next_frequency + i) % t->n, cpu = (u32)t->key[row];
		bool held = fresh >= FREQUENCIES_A_TICK;
		u64 hz;
		int ret;

		if (!t->col[CPU_ONLINE][row] || !cpu_topology_clocked(&s->topology, cpu))
			continue;
		/* a file that fails has cost its call too */
		fresh++;
		ret = cpu_topology_frequency(&s->topology, s->env->root, cpu, held, &hz);
		if (ret) {
			table_absent(t, row, CPU_FREQUENCY,
				held ? REASON_STARTING : reason_from_errno(ret));
			continue;
		}
		table_set(t, row, CPU_FREQUENCY, hz);
		if (held)
			table_state(t, row, CPU_FREQUENCY, CELL_HELD, REASON_STALE);
	}
	s->next_frequency = (s->next_frequency + FREQUENCIES_A_TICK) % t->n;
}

/* Near the end, behind the long line of interrupts. */
static void share_forks(const struct source *s)
{
	static const char line[] = "\nprocesses ";
	const char *end = kbuf_end(&s->buf);
	const char *from = s->buf.len > TAIL ? end - TAIL : s->buf.data;
	const char *at = memmem(from, (size_t)(end - from), line, sizeof(line) - 1);
	bool ok = true;
	u64 forks = 0;

	if (at)
		scan_u64(at + sizeof(line) - 1, end, &forks, &ok);
	s->env->shared->forks = at && ok ? forks : 0;
}

/* The first line is all CPUs together, also those that were switched off meanwhile. */
static void share_total(const struct source *s, const struct stamp *at)
{
	const char *p = s->buf.data, *end = scan_line_end(p, kbuf_end(&s->buf));
	u64 ticks[SOFTIRQ_FIELD + 1] = {0};
	bool ok = true;

	if (!s->env->shared || !scan_starts(p, end, "cpu "))
		return;
	p += 4;
	for (u32 i = 0; i <= SOFTIRQ_FIELD && ok; i++)
		p = scan_u64(p, end, &ticks[i], &ok);
	if (!ok)
		return;
	share_forks(s);
	s->env->shared->cpu_at = *at;
	s->env->shared->cpu_interrupts_ns = (ticks[IRQ_FIELD] + ticks[SOFTIRQ_FIELD]) * s->tick_ns;
	s->env->shared->cpu_busy_ns = (ticks[USER_FIELD] + ticks[NICE_FIELD] +
					      ticks[SYSTEM_FIELD]) *
					      s->tick_ns +
				      s->env->shared->cpu_interrupts_ns;
}

static int cpu_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret;

	if (s->generation != s->env->root->generation) {
		s->generation = s->env->root->generation;
		cpu_topology_rescan(&s->topology, s->env->root);
	}
	if (s->env->shared)
		s->env->shared->forks = 0;
	clock_read(s->env->clock, &at);
	ret = kfile_read(&s->stat, s->env->root, &s->buf);
	if (ret)
		return ret;
	table_begin(t, &at, need);
	share_total(s, &at);
	ret = parse(s, t);
	if (ret)
		return ret;
	if (table_needs(t, CPU_FREQUENCY))
		frequencies(s, t);
	return table_end(t);
}

static void cpu_explain(struct source *s, struct findings *out)
{
	if (!cpu_topology_has_frequency(&s->topology))
		findings_add(out, "cpu", REASON_UNSUPPORTED, "CPU frequency",
			"no /sys/devices/system/cpu/cpu*/cpufreq: no driver, or a virtual machine",
			"");
}

const struct source_ops cpu_source = {.schema = &cpu_schema,
	.open = cpu_open,
	.read = cpu_read,
	.explain = cpu_explain,
	.close = cpu_close};
