/* The table `process`: schema, and a row from what a scanner hands over. The key is the pid with the start time
 * behind it, so that a pid that is used again is another row. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "process/process.h"
#include "process/procfs.h"
#include "process/users.h"

#define COLUMN(n, head, text, u, ...)                                          \
	{                                                                      \
		.name = n, .title = head, .help = text, .unit = u, __VA_ARGS__ \
	}
#define TEXT(n, head, text)         COLUMN(n, head, text, UNIT_TEXT, .kind = COLUMN_TEXT)
#define GAUGE(n, head, text, u)     COLUMN(n, head, text, u, .kind = COLUMN_GAUGE)
#define GAUGE_SUM(n, head, text, u) COLUMN(n, head, text, u, .total = TOTAL_SUM)
#define COUNTER(n, head, text, u) \
	COLUMN(n, head, text, u, .kind = COLUMN_COUNTER, .total = TOTAL_SUM)
/* the kernel splits the exact sum into user and system by its ticks: a small step back is rounding */
#define CPU_TIME(n, head, text)                                                    \
	COLUMN(n, head, text, UNIT_NS, .kind = COLUMN_COUNTER, .total = TOTAL_SUM, \
		.hold = NSEC_PER_SEC)
#define SIGNED(n, head, text) COLUMN(n, head, text, UNIT_ID, .flags = COLUMN_SIGNED)

static const struct column columns[PROCESS_COLUMNS] = {
	[PROCESS_PID] = GAUGE("pid", "PID", "number of the process", UNIT_ID),
	[PROCESS_PPID] = GAUGE("ppid", "PPID", "number of its parent", UNIT_ID),
	[PROCESS_USER] = TEXT("user", "USER", "user that it runs as"),
	[PROCESS_UID] = GAUGE("uid", "UID", "number of that user", UNIT_ID),
	[PROCESS_STATE] = TEXT("state", "S",
		"R running, S sleeping, D waiting for a device, T stopped, Z ended, I idle"),
	[PROCESS_CPU] = CPU_TIME("cpu", "CPU%", "CPU time, 100 % is one CPU"),
	[PROCESS_USER_CPU] = CPU_TIME("user_cpu", "USR%", "CPU time in the program"),
	[PROCESS_SYSTEM_CPU] = CPU_TIME("system_cpu", "SYS%", "CPU time in the kernel"),
	[PROCESS_TIME] = GAUGE_SUM("time", "TIME+", "CPU time since it started", UNIT_NS),
	[PROCESS_THREADS] = GAUGE_SUM("threads", "NLWP", "its threads", UNIT_COUNT),
	[PROCESS_PRIORITY] = SIGNED("priority", "PRI", "the kernel's priority of it"),
	[PROCESS_NICE] = SIGNED("nice", "NI", "nice value, 19 yields to all others"),
	[PROCESS_VIRTUAL] = GAUGE("virtual", "VIRT", "size of its address space", UNIT_BYTES),
	[PROCESS_RESIDENT] = GAUGE_SUM("resident", "RES", "its memory that is in RAM", UNIT_BYTES),
	[PROCESS_SHARED] = GAUGE(
		"shared", "SHR", "part of resident that is files or shared memory", UNIT_BYTES),
	[PROCESS_MEMORY] = GAUGE_SUM(
		"memory", "MEM%", "resident as a share of the machine's memory", UNIT_RATIO),
	[PROCESS_MINOR_FAULTS] = COUNTER(
		"minor_faults", "MINFLT", "page faults without I/O", UNIT_COUNT),
	[PROCESS_MAJOR_FAULTS] = COUNTER(
		"major_faults", "MAJFLT", "page faults that read a device", UNIT_COUNT),
	[PROCESS_STARTED] = GAUGE("started", "AGE", "time since it started", UNIT_BOOTTIME),
	[PROCESS_PROCESSOR] = GAUGE("processor", "CPU", "CPU that it ran on last", UNIT_ID),
	[PROCESS_KERNEL] = GAUGE("kernel", "KERN", "is it a thread of the kernel", UNIT_BOOL),
	[PROCESS_OWN] = GAUGE("own", "OWN", "is it this program", UNIT_BOOL),
	[PROCESS_COMMAND] = TEXT("command", "NAME", "name of its program"),
	[PROCESS_CMDLINE] = TEXT("cmdline", "COMMAND", "command line with arguments"),
};

static const struct schema process_schema = {.name = "process",
	.title = "Processes",
	.help = "every process, each over its own window; threads are summed in their process",
	.version = 1,
	.ncolumns = PROCESS_COLUMNS,
	.columns = columns,
	.label_column = PROCESS_COMMAND,
	.birth_column = PROCESS_STARTED,
	.counted_column = -1};

struct source {
	const struct source_env *env;
	struct procfs fs;
	struct users users;
	u64 reading;
};

struct reading {
	struct source *source;
	struct table *table;
	u64 letters; /* offset of the alphabet in the table's text */
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

static void process_close(struct source *s)
{
	if (!s)
		return;
	procfs_close(&s->fs);
	users_fini(&s->users);
	free(s);
}

static int process_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	ret = procfs_open(&s->fs, env);
	if (ret) {
		free(s);
		return ret;
	}
	users_init(&s->users, env->root);
	*out = s;
	return 0;
}

/* One reference a letter: states are stored once a reading. */
static text_ref state_ref(const struct reading *rd, char state)
{
	u64 i = state >= 'a' ? (u64)(state - 'a') + 26 : (u64)(state - 'A');

	return (rd->letters + i) << 16 | 1;
}

static int add_texts(struct reading *rd, u32 row, const struct process_record *r)
{
	struct source *s = rd->source;
	struct table *t = rd->table;
	text_ref ref;
	int ret = 0;

	if (table_needs(t, PROCESS_STATE))
		table_set(t, row, PROCESS_STATE, state_ref(rd, r->state));
	if (table_needs(t, PROCESS_USER) && (r->have & column_bit(PROCESS_UID))) {
		ret = users_text(&s->users, (u32)r->value[PROCESS_UID], s->reading, t, &ref);
		if (!ret)
			table_set(t, row, PROCESS_USER, ref);
	}
	if (!ret && table_needs(t, PROCESS_COMMAND))
		ret = table_set_text(t, row, PROCESS_COMMAND, r->command, r->command_len);
	if (!ret && r->has_cmdline && table_needs(t, PROCESS_CMDLINE))
		ret = table_set_text(t, row, PROCESS_CMDLINE, r->cmdline, r->cmdline_len);
	return ret;
}

static int add_row(void *arg, const struct process_record *r)
{
	struct reading *rd = arg;
	struct table *t = rd->table;
	int row = table_row(t, r->key);

	if (row < 0)
		return row;
	t->mono_ns[row] = r->at.mono_ns;
	t->boot_ns[row] = r->at.boot_ns;
	for (u64 left = r->have & t->need; left; left &= left - 1) {
		u32 c = (u32)__builtin_ctzll(left);

		table_set(t, (u32)row, c, r->value[c]);
	}
	for (u64 left = r->denied & t->need; left; left &= left - 1)
		table_absent(t, (u32)row, (u32)__builtin_ctzll(left), REASON_PERMISSION);
	return add_texts(rd, (u32)row, r);
}

static int process_read(struct source *s, struct table *t, u64 need)
{
	struct reading rd = {.source = s, .table = t};
	struct stamp at;
	text_ref ref;
	int ret;

	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	s->reading++;
	ret = users_refresh(&s->users, at.mono_ns);
	if (!ret)
		ret = table_text(t, letters, sizeof(letters) - 1, &ref);
	if (ret)
		return ret;
	rd.letters = ref >> 16;
	ret = procfs_scan(&s->fs, need, add_row, &rd);
	if (ret)
		return ret;
	t->partial = procfs_partial(&s->fs);
	return table_end(t);
}

static void process_explain(struct source *s, struct findings *out)
{
	char why[160];

	if (s->fs.hidepid[0])
		snprintf(why, sizeof(why), "hidden: /proc is mounted with hidepid=%s",
			s->fs.hidepid);
	else if (s->fs.hidden)
		snprintf(why, sizeof(why), "hidden: %u cannot be read by this user", s->fs.hidden);
	if (s->fs.hidepid[0] || s->fs.hidden)
		findings_add(out, process_schema.name, REASON_PERMISSION, "other processes", why,
			s->fs.hidepid[0] ? "sudo mount -o remount,hidepid=off /proc"
					 : "run as root");
	if (s->fs.limited)
		findings_add(out, process_schema.name, REASON_ERROR, "some processes",
			"no descriptors left", "ulimit -n 4096");
}

const struct source_ops process_source = {.schema = &process_schema,
	.open = process_open,
	.read = process_read,
	.explain = process_explain,
	.close = process_close};
