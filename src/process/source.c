/* The process table: one row a process, from its stat and what procfs.c keeps of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/kfile.h"
#include "base/sbuf.h"
#include "base/scan.h"
#include "process/process.h"
#include "process/procfs.h"

enum {
	P_PID,
	P_PPID,
	P_USER,
	P_UID,
	P_STATE,
	P_CPU,
	P_USER_CPU,
	P_SYSTEM_CPU,
	P_TIME,
	P_THREADS,
	P_PRIORITY,
	P_NICE,
	P_VIRTUAL,
	P_RESIDENT,
	P_SHARED,
	P_MEMORY,
	P_MINOR_FAULTS,
	P_MAJOR_FAULTS,
	P_STARTED,
	P_PROCESSOR,
	P_KERNEL,
	P_OWN,
	P_COMMAND,
	P_CMDLINE,
	P_COLUMNS,
};

#define ID(n, head, text)                                               \
	{                                                               \
		.name = n, .title = head, .help = text, .unit = UNIT_ID \
	}
#define BYTES(n, head, text, sum)                                                        \
	{                                                                                \
		.name = n, .title = head, .help = text, .unit = UNIT_BYTES, .total = sum \
	}
#define TEXT(n, head, text)                                                                    \
	{                                                                                      \
		.name = n, .title = head, .help = text, .unit = UNIT_TEXT, .kind = COLUMN_TEXT \
	}
/* the kernel scales user and system to the exact sum; a small step back is its rounding */
#define CPU(n, head, text)                                                                       \
	{                                                                                        \
		.name = n, .title = head, .help = text, .unit = UNIT_NS, .kind = COLUMN_COUNTER, \
		.total = TOTAL_SUM, .hold = NSEC_PER_SEC                                         \
	}
#define FAULTS(n, head, text)                                               \
	{                                                                   \
		.name = n, .title = head, .help = text, .unit = UNIT_COUNT, \
		.kind = COLUMN_COUNTER, .total = TOTAL_SUM                  \
	}

static const struct column columns[P_COLUMNS] = {
	[P_PID] = ID("pid", "PID", "process id"),
	[P_PPID] = ID("ppid", "PPID", "process id of the parent"),
	[P_USER] = TEXT("user", "USER", "effective user"),
	[P_UID] = ID("uid", "UID", "id of the effective user"),
	[P_STATE] = TEXT(
		"state", "S", "R running, S sleeping, D waiting for I/O, Z zombie, T stopped"),
	[P_CPU] = CPU("cpu", "CPU%", "CPU time of all its threads; 100 is one CPU"),
	[P_USER_CPU] = CPU("user_cpu", "UCPU%", "CPU time in user mode"),
	[P_SYSTEM_CPU] = CPU("system_cpu", "SCPU%", "CPU time in the kernel"),
	[P_TIME] = {.name = "time",
		.title = "TIME+",
		.help = "CPU time since it started",
		.unit = UNIT_NS,
		.total = TOTAL_SUM},
	[P_THREADS] = {.name = "threads", .title = "THR", .help = "threads", .total = TOTAL_SUM},
	[P_PRIORITY] = {.name = "priority",
		.title = "PRI",
		.help = "kernel priority",
		.unit = UNIT_ID,
		.flags = COLUMN_SIGNED},
	[P_NICE] = {.name = "nice",
		.title = "NI",
		.help = "nice value",
		.unit = UNIT_ID,
		.flags = COLUMN_SIGNED},
	[P_VIRTUAL] = BYTES("virtual", "VIRT", "address space", TOTAL_NONE),
	[P_RESIDENT] = BYTES("resident", "RES", "memory in RAM, shared pages included", TOTAL_SUM),
	[P_SHARED] = BYTES("shared", "SHR", "of it, pages of files and shared memory", TOTAL_NONE),
	[P_MEMORY] = {.name = "memory",
		.title = "MEM%",
		.help = "resident, of all memory",
		.unit = UNIT_RATIO,
		.total = TOTAL_SUM},
	[P_MINOR_FAULTS] = FAULTS("minor_faults", "MINF/s", "page faults without I/O"),
	[P_MAJOR_FAULTS] = FAULTS("major_faults", "MAJF/s", "page faults that waited for a read"),
	[P_STARTED] = {.name = "started",
		.title = "ELAPSED",
		.help = "time since it started",
		.unit = UNIT_BOOTTIME},
	[P_PROCESSOR] = ID("processor", "P", "CPU that it last ran on"),
	[P_KERNEL] = {.name = "kernel",
		.title = "K",
		.help = "1: a kernel thread",
		.unit = UNIT_BOOL},
	[P_OWN] = {.name = "own", .title = "OWN", .help = "1: tare itself", .unit = UNIT_BOOL},
	[P_COMMAND] = TEXT("command", "COMMAND", "name of the program"),
	[P_CMDLINE] = TEXT("cmdline", "CMDLINE", "command with its arguments"),
};

static const struct schema process_schema = {.name = "process",
	.title = "Processes",
	.help = "every process, each with its own window; threads count into their process",
	.version = 1,
	.ncolumns = P_COLUMNS,
	.columns = columns,
	.label_column = P_COMMAND,
	.birth_column = P_STARTED,
	.counted_column = -1};

enum { START_BITS = 42 };

/* A user's name is stored once a reading, whoever has rows. */
struct user_ref {
	u32 uid;
	bool used;
	u64 seq;
	text_ref ref;
};

struct source {
	const struct source_env *env;
	struct procfs fs;
	struct users users;
	struct user_ref refs[64];
	u64 tick_ns, page_bytes, memory_bytes;
	u32 own_pid;
	bool hidepid;
};

/* Is /proc mounted so that others' processes do not show? */
static bool hides(const struct root *root)
{
	static const char option[] = "hidepid=";
	char *text = malloc(65536), *line, *save = NULL;
	bool hidden = false;

	if (text && root_read(root, "/proc/self/mountinfo", text, 65536) > 0) {
		for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
			const char *at = strstr(line, " /proc ") ? strstr(line, option) : NULL;

			if (at)
				hidden = strncmp(at + strlen(option), "0", 1) != 0 &&
					 strncmp(at + strlen(option), "off", 3) != 0;
		}
	}
	free(text);
	return hidden && !(root_is_live(root) && geteuid() == 0);
}

static u64 total_memory(const struct root *root)
{
	char text[256];
	bool ok = true;
	u64 kb = 0;
	int len = root_read(root, "/proc/meminfo", text, sizeof(text));

	if (len > 0 && !strncmp(text, "MemTotal:", 9))
		scan_u64(text + 9, text + len, &kb, &ok);
	return kb * 1024;
}

static void process_close(struct source *s)
{
	if (!s)
		return;
	procfs_close(&s->fs);
	users_free(&s->users);
	free(s);
}

static int process_open(struct source **out, const struct source_env *env)
{
	bool live = root_is_live(env->root);
	struct source *s = calloc(1, sizeof(*s));
	long hz = live ? sysconf(_SC_CLK_TCK) : 100, page = live ? sysconf(_SC_PAGESIZE) : 4096;
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	s->tick_ns = NSEC_PER_SEC / (u64)(hz > 0 ? hz : 100);
	s->page_bytes = (u64)(page > 0 ? page : 4096);
	s->memory_bytes = total_memory(env->root);
	s->own_pid = live ? (u32)getpid() : 0;
	s->hidepid = hides(env->root);
	ret = procfs_open(&s->fs, env->root);
	if (!ret)
		ret = users_load(&s->users, env->root);
	if (ret) {
		process_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static int set_user(struct source *s, struct table *t, u32 row, const struct proc *p)
{
	struct user_ref *r = &s->refs[p->uid % ARRAY_LEN(s->refs)];
	const char *name;
	char number[16];
	int ret;

	if (!p->has_uid)
		return 0;
	table_set(t, row, P_UID, p->uid);
	if (!r->used || r->uid != p->uid || r->seq != s->fs.tick) {
		name = users_name(&s->users, p->uid);
		if (!name) {
			struct sbuf sb;

			sbuf_init(&sb, number, sizeof(number));
			sbuf_u64(&sb, p->uid);
			name = number;
		}
		ret = table_text(t, name, strlen(name), &r->ref);
		if (ret)
			return ret;
		*r = (struct user_ref){p->uid, true, s->fs.tick, r->ref};
	}
	table_set(t, row, P_USER, r->ref);
	return 0;
}

static void set_numbers(struct source *s, struct table *t, u32 row, const struct proc_stat *st)
{
	u64 resident = st->resident_pages * s->page_bytes;

	table_set(t, row, P_PPID, st->ppid);
	table_set(t, row, P_USER_CPU, st->user_ticks * s->tick_ns);
	table_set(t, row, P_SYSTEM_CPU, st->system_ticks * s->tick_ns);
	table_set(t, row, P_CPU, (st->user_ticks + st->system_ticks) * s->tick_ns);
	table_set(t, row, P_TIME, (st->user_ticks + st->system_ticks) * s->tick_ns);
	table_set(t, row, P_THREADS, st->threads);
	table_set(t, row, P_PRIORITY, (u64)st->priority);
	table_set(t, row, P_NICE, (u64)st->nice);
	table_set(t, row, P_VIRTUAL, st->virtual_bytes);
	table_set(t, row, P_RESIDENT, resident);
	if (s->memory_bytes)
		table_set(
			t, row, P_MEMORY, (u64)((double)resident * 1e6 / (double)s->memory_bytes));
	table_set(t, row, P_MINOR_FAULTS, st->minor_faults);
	table_set(t, row, P_MAJOR_FAULTS, st->major_faults);
	table_set(t, row, P_STARTED, st->start_ticks * s->tick_ns);
	if (st->processor != UINT64_MAX)
		table_set(t, row, P_PROCESSOR, st->processor);
}

static int set_texts(struct table *t, u32 row, const struct proc *p, char state, u64 need)
{
	int ret = table_set_text(t, row, P_STATE, &state, 1);

	if (!ret && need & column_bit(P_COMMAND))
		ret = table_set_text(t, row, P_COMMAND, p->name, p->name_len);
	if (!ret && need & column_bit(P_CMDLINE))
		ret = table_set_text(t, row, P_CMDLINE, p->line ? p->line : "", p->line_len);
	return ret;
}

static int add_row(struct source *s, struct table *t, struct proc *p, u64 need)
{
	const u64 names = column_bit(P_COMMAND) | column_bit(P_CMDLINE);
	struct proc_stat st;
	struct stamp at;
	u64 shared;
	u32 row;
	int ret = procfs_stat(&s->fs, p, &st);

	if (ret)
		return 0; /* gone, or not ours to see */
	clock_read_row(s->env->clock, &at);
	procfs_details(&s->fs, p, &st, (need & names) != 0);
	ret = table_row(
		t, (u64)p->pid << START_BITS | (st.start_ticks & ((1ull << START_BITS) - 1)));
	if (ret < 0)
		return ret;
	row = (u32)ret;
	t->mono_ns[row] = at.mono_ns;
	t->boot_ns[row] = at.boot_ns;
	table_set(t, row, P_PID, p->pid);
	set_numbers(s, t, row, &st);
	if (need & column_bit(P_SHARED) && !procfs_shared(&s->fs, p, &shared))
		table_set(t, row, P_SHARED, shared * s->page_bytes);
	table_set(t, row, P_KERNEL, p->kernel);
	table_set(t, row, P_OWN, p->pid == s->own_pid);
	ret = set_user(s, t, row, p);
	return ret ? ret : set_texts(t, row, p, st.state, need);
}

static int process_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	ret = procfs_scan(&s->fs);
	if (ret)
		return ret;
	table_begin(t, &at, need);
	for (u32 i = 0; i < s->fs.n && !ret; i++)
		ret = add_row(s, t, s->fs.now[i], need);
	if (ret)
		return ret;
	t->partial = s->hidepid || s->fs.hidden;
	return table_end(t);
}

static void process_explain(struct source *s, struct findings *out)
{
	char why[192];

	if (!s->hidepid && !s->fs.hidden)
		return;
	if (s->fs.hidden)
		snprintf(why, sizeof(why), "%u processes refuse to be read", s->fs.hidden);
	else
		snprintf(why, sizeof(why), "/proc is mounted with hidepid");
	findings_add(out, "process", REASON_PERMISSION, "other processes hidden", why,
		"run as root, or: sudo mount -o remount,hidepid=0 /proc");
}

const struct source_ops process_source = {.schema = &process_schema,
	.open = process_open,
	.read = process_read,
	.explain = process_explain,
	.close = process_close};
