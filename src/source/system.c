/* The machine as a whole: load, uptime, running tasks, switches, interrupts, forks. One row.
 * /proc/stat is read here a second time beside the cpu source: one pread of a kept file, so that either
 * table can be left out and neither knows the other (bench/README.md has what that costs). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "source/sources_list.h"

enum {
	SYSTEM_HOSTNAME,
	SYSTEM_KERNEL,
	SYSTEM_UPTIME,
	SYSTEM_LOAD1,
	SYSTEM_LOAD5,
	SYSTEM_LOAD15,
	SYSTEM_RUNNING,
	SYSTEM_BLOCKED,
	SYSTEM_CONTEXT_SWITCHES,
	SYSTEM_INTERRUPTS,
	SYSTEM_SOFTIRQS,
	SYSTEM_FORKS,
	SYSTEM_CPUS_ONLINE,
	SYSTEM_CPUS_PRESENT,
	SYSTEM_COLUMNS,
};

#define GAUGE(n, head, text, u)                                   \
	{                                                         \
		.name = n, .title = head, .help = text, .unit = u \
	}
#define COUNTER(n, head, text)                                                                     \
	{                                                                                          \
		.name = n, .title = head, .help = text, .unit = UNIT_COUNT, .kind = COLUMN_COUNTER \
	}

static const struct column columns[SYSTEM_COLUMNS] = {
	[SYSTEM_HOSTNAME] = {.name = "hostname",
		.title = "HOST",
		.help = "name of the machine",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[SYSTEM_KERNEL] = {.name = "kernel",
		.title = "KERNEL",
		.help = "kernel release",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[SYSTEM_UPTIME] = GAUGE("uptime", "UP", "time since boot", UNIT_NS),
	[SYSTEM_LOAD1] = GAUGE("load1", "LOAD1", "load average over 1 minute", UNIT_CENTI),
	[SYSTEM_LOAD5] = GAUGE("load5", "LOAD5", "load average over 5 minutes", UNIT_CENTI),
	[SYSTEM_LOAD15] = GAUGE("load15", "LOAD15", "load average over 15 minutes", UNIT_CENTI),
	[SYSTEM_RUNNING] = GAUGE("running", "RUN", "tasks that can run", UNIT_COUNT),
	[SYSTEM_BLOCKED] = GAUGE("blocked", "BLK", "tasks blocked on I/O", UNIT_COUNT),
	[SYSTEM_CONTEXT_SWITCHES] = COUNTER(
		"context_switches", "CSW/s", "switches from one task to another"),
	[SYSTEM_INTERRUPTS] = COUNTER("interrupts", "INTR/s", "interrupts serviced"),
	[SYSTEM_SOFTIRQS] = COUNTER("softirqs", "SIRQ/s", "soft interrupts serviced"),
	[SYSTEM_FORKS] = COUNTER("forks", "FORK/s", "processes and threads created"),
	[SYSTEM_CPUS_ONLINE] = GAUGE("cpus_online", "CPUS", "CPUs online", UNIT_COUNT),
	[SYSTEM_CPUS_PRESENT] = GAUGE("cpus_present", "PRESENT", "CPUs plugged in", UNIT_COUNT),
};

static const struct schema system_schema = {.name = "system",
	.title = "Machine",
	.help = "load, switches, interrupts and forks of the whole machine",
	.version = 1,
	.ncolumns = SYSTEM_COLUMNS,
	.columns = columns,
	.label_column = -1,
	.birth_column = -1,
	.counted_column = -1};

struct source {
	const struct source_env *env;
	struct kfile stat, loadavg, hostname, kernel;
	struct kbuf buf;
	u32 present; /* 0: unknown */
};

static void count(void *arg, u32 cpu)
{
	(void)cpu;
	++*(u32 *)arg;
}

static void system_close(struct source *s)
{
	if (!s)
		return;
	kfile_fini(&s->stat);
	kfile_fini(&s->loadavg);
	kfile_fini(&s->hostname);
	kfile_fini(&s->kernel);
	kbuf_fini(&s->buf);
	free(s);
}

static int system_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	char list[4096];
	int len, ret = 0;

	if (!s)
		return -ENOMEM;
	s->env = env;
	kbuf_init(&s->buf);
	if (kfile_init(&s->stat, "/proc/stat") || kfile_init(&s->loadavg, "/proc/loadavg") ||
		kfile_init(&s->hostname, "/proc/sys/kernel/hostname") ||
		kfile_init(&s->kernel, "/proc/sys/kernel/osrelease"))
		ret = -ENOMEM;
	if (!ret)
		ret = kfile_read(&s->stat, env->root, &s->buf);
	if (ret) {
		system_close(s);
		return ret;
	}
	len = root_read(env->root, "/sys/devices/system/cpu/present", list, sizeof(list));
	if (len > 0 && scan_cpu_list(list, list + len, count, &s->present))
		s->present = 0;
	*out = s;
	return 0;
}

/* Keys of /proc/stat behind the cpu lines. */
static const struct {
	const char *key;
	u32 column;
} keys[] = {
	{"intr ", SYSTEM_INTERRUPTS},
	{"ctxt ", SYSTEM_CONTEXT_SWITCHES},
	{"processes ", SYSTEM_FORKS},
	{"procs_running ", SYSTEM_RUNNING},
	{"procs_blocked ", SYSTEM_BLOCKED},
	{"softirq ", SYSTEM_SOFTIRQS},
};

static void read_stat(struct source *s, struct table *t)
{
	const char *p, *end;
	u32 cpus = 0;

	if (kfile_read(&s->stat, s->env->root, &s->buf))
		return;
	end = kbuf_end(&s->buf);
	for (p = s->buf.data; p < end; p = scan_next_line(p, end)) {
		if (scan_starts(p, end, "cpu")) {
			cpus += end - p > 3 && scan_is_digit(p[3]);
			continue;
		}
		for (u32 k = 0; k < ARRAY_LEN(keys); k++) {
			bool ok = true;
			u64 v = 0;

			if (!scan_starts(p, end, keys[k].key))
				continue;
			scan_u64(p + strlen(keys[k].key), end, &v, &ok);
			if (ok)
				table_set(t, 0, keys[k].column, v);
		}
	}
	if (cpus)
		table_set(t, 0, SYSTEM_CPUS_ONLINE, cpus);
}

static void read_load(struct source *s, struct table *t)
{
	const char *p, *end;

	if (kfile_read(&s->loadavg, s->env->root, &s->buf))
		return;
	p = s->buf.data;
	end = kbuf_end(&s->buf);
	for (u32 c = SYSTEM_LOAD1; c <= SYSTEM_LOAD15; c++) {
		bool ok = true;
		u64 v = 0;

		p = scan_fixed(p, end, 2, &v, &ok);
		if (!ok)
			return;
		table_set(t, 0, c, v);
	}
}

static int read_text(struct source *s, struct table *t, struct kfile *file, u32 column)
{
	u32 len;

	if (kfile_read(file, s->env->root, &s->buf))
		return 0;
	len = s->buf.len;
	while (len && s->buf.data[len - 1] == '\n')
		len--;
	return table_set_text(t, 0, column, s->buf.data, len);
}

static int system_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	ret = table_row(t, 0);
	if (ret < 0)
		return ret;
	table_set(t, 0, SYSTEM_UPTIME, at.boot_ns);
	if (s->present)
		table_set(t, 0, SYSTEM_CPUS_PRESENT, s->present);
	read_stat(s, t);
	read_load(s, t);
	ret = 0;
	if (table_needs(t, SYSTEM_HOSTNAME))
		ret = read_text(s, t, &s->hostname, SYSTEM_HOSTNAME);
	if (!ret && table_needs(t, SYSTEM_KERNEL))
		ret = read_text(s, t, &s->kernel, SYSTEM_KERNEL);
	return ret ? ret : table_end(t);
}

const struct source_ops system_source = {
	.schema = &system_schema, .open = system_open, .read = system_read, .close = system_close};
