/* A machine for the tests of the live view: tables with the names and columns of the real sources,
 * filled by a script and taken through the real delta. */
#ifndef TARE_TESTS_TUI_FAKE_H
#define TARE_TESTS_TUI_FAKE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/delta.h"

#define GAUGE(n, u)                                                               \
	{                                                                         \
		.name = n, .title = n, .help = n, .unit = u, .kind = COLUMN_GAUGE \
	}
#define SHARE(n)                                                                            \
	{                                                                                   \
		.name = n, .title = n, .help = n, .unit = UNIT_RATIO, .kind = COLUMN_GAUGE, \
		.total = TOTAL_MEAN                                                         \
	}
#define COUNTER(n, u)                                                                \
	{                                                                            \
		.name = n, .title = n, .help = n, .unit = u, .kind = COLUMN_COUNTER, \
		.total = TOTAL_SUM                                                   \
	}
#define TEXT(n)                                                                          \
	{                                                                                \
		.name = n, .title = n, .help = n, .unit = UNIT_TEXT, .kind = COLUMN_TEXT \
	}
#define SCHEMA(n, birth, counted)                                                        \
	{                                                                                \
		.name = #n, .title = #n, .help = #n, .ncolumns = ARRAY_LEN(n##_columns), \
		.columns = n##_columns, .label_column = -1, .birth_column = birth,       \
		.counted_column = counted                                                \
	}

static const struct column cpu_columns[] = {TEXT("name"), SHARE("busy"), SHARE("user"),
	SHARE("nice"), SHARE("system"), SHARE("irq"), SHARE("softirq"), SHARE("steal"),
	SHARE("guest"), SHARE("guest_nice"), SHARE("iowait"),
	{.name = "frequency",
		.title = "FREQ",
		.help = "f",
		.unit = UNIT_HZ,
		.kind = COLUMN_GAUGE,
		.total = TOTAL_MEAN}};
static const struct column system_columns[] = {TEXT("hostname"), GAUGE("uptime", UNIT_NS),
	GAUGE("load1", UNIT_CENTI), GAUGE("load5", UNIT_CENTI), GAUGE("load15", UNIT_CENTI),
	GAUGE("running", UNIT_COUNT), GAUGE("blocked", UNIT_COUNT)};
static const struct column memory_columns[] = {GAUGE("total", UNIT_BYTES),
	GAUGE("free", UNIT_BYTES), GAUGE("used", UNIT_BYTES), GAUGE("buffers", UNIT_BYTES),
	GAUGE("cache", UNIT_BYTES), GAUGE("shared", UNIT_BYTES), GAUGE("anon", UNIT_BYTES),
	GAUGE("kernel", UNIT_BYTES), GAUGE("hugepages", UNIT_BYTES), GAUGE("other", UNIT_BYTES),
	GAUGE("swap_total", UNIT_BYTES), GAUGE("swap_used", UNIT_BYTES), SHARE("used_share"),
	COUNTER("oom_kills", UNIT_COUNT)};
static const struct column pressure_columns[] = {TEXT("name"), COUNTER("some", UNIT_NS)};
static const struct column disk_columns[] = {TEXT("name"), GAUGE("counted", UNIT_BOOL),
	COUNTER("read", UNIT_BYTES), COUNTER("written", UNIT_BYTES), COUNTER("busy", UNIT_NS),
	GAUGE("latency", UNIT_NS)};
static const struct column filesystem_columns[] = {TEXT("mount"), TEXT("type"),
	GAUGE("size", UNIT_BYTES), GAUGE("used", UNIT_BYTES), SHARE("used_share")};
static const struct column network_columns[] = {TEXT("name"), GAUGE("counted", UNIT_BOOL),
	COUNTER("rx", UNIT_BYTES), COUNTER("tx", UNIT_BYTES), COUNTER("rx_dropped", UNIT_COUNT),
	COUNTER("tx_dropped", UNIT_COUNT), COUNTER("rx_errors", UNIT_COUNT),
	COUNTER("tx_errors", UNIT_COUNT)};
static const struct column energy_columns[] = {TEXT("name"), GAUGE("counted", UNIT_BOOL),
	COUNTER("power", UNIT_UJ), TEXT("device"), TEXT("kind")};
enum {
	P_PID,
	P_PPID,
	P_USER,
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
	P_STARTED,
	P_KERNEL,
	P_OWN,
	P_COMMAND,
	P_CMDLINE,
	P_DISK_READ,
	P_ENERGY,
	P_CGROUP,
	P_CONTAINER,
	P_PROCESS,
	P_GPU,
	P_GPU_BUSY,
	P_GPU_MEMORY,
};
#define SIGNED_ID(n)                                                                     \
	{                                                                                \
		.name = n, .title = n, .help = n, .unit = UNIT_ID, .kind = COLUMN_GAUGE, \
		.flags = COLUMN_SIGNED                                                   \
	}
static const struct column process_columns[] = {[P_PID] = GAUGE("pid", UNIT_ID),
	[P_PPID] = GAUGE("ppid", UNIT_ID),
	[P_USER] = TEXT("user"),
	[P_STATE] = TEXT("state"),
	[P_CPU] = COUNTER("cpu", UNIT_NS),
	[P_USER_CPU] = COUNTER("user_cpu", UNIT_NS),
	[P_SYSTEM_CPU] = COUNTER("system_cpu", UNIT_NS),
	[P_TIME] = GAUGE("time", UNIT_NS),
	[P_THREADS] = GAUGE("threads", UNIT_COUNT),
	[P_PRIORITY] = SIGNED_ID("priority"),
	[P_NICE] = SIGNED_ID("nice"),
	[P_VIRTUAL] = GAUGE("virtual", UNIT_BYTES),
	[P_RESIDENT] = GAUGE("resident", UNIT_BYTES),
	[P_SHARED] = GAUGE("shared", UNIT_BYTES),
	[P_MEMORY] = GAUGE("memory", UNIT_RATIO),
	[P_STARTED] = GAUGE("started", UNIT_BOOTTIME),
	[P_KERNEL] = GAUGE("kernel", UNIT_BOOL),
	[P_OWN] = GAUGE("own", UNIT_BOOL),
	[P_COMMAND] = TEXT("command"),
	[P_CMDLINE] = TEXT("cmdline"),
	[P_DISK_READ] = COUNTER("disk_read", UNIT_BYTES),
	[P_ENERGY] = COUNTER("energy", UNIT_UJ),
	[P_CGROUP] = TEXT("cgroup"),
	[P_CONTAINER] = TEXT("container"),
	[P_PROCESS] = GAUGE("process", UNIT_ID),
	[P_GPU] = TEXT("gpu"),
	[P_GPU_BUSY] = {.name = "gpu_busy",
		.title = "GPU%",
		.help = "g",
		.unit = UNIT_RATIO,
		.total = TOTAL_SUM},
	[P_GPU_MEMORY] = {.name = "gpu_memory",
		.title = "GPUMEM",
		.help = "g",
		.unit = UNIT_BYTES,
		.total = TOTAL_SUM}};
#define thread_columns process_columns
static const struct column exited_columns[] = {TEXT("name"), TEXT("parent"),
	COUNTER("exits", UNIT_COUNT), COUNTER("cpu", UNIT_NS), GAUGE("born", UNIT_BOOTTIME)};
static const struct column attribution_columns[] = {TEXT("name"), COUNTER("cpu", UNIT_NS)};
static const struct column self_columns[] = {
	TEXT("name"), COUNTER("cpu", UNIT_NS), GAUGE("resident", UNIT_BYTES)};

static const struct schema fake_schemas[] = {SCHEMA(cpu, -1, -1), SCHEMA(system, -1, -1),
	SCHEMA(memory, -1, -1), SCHEMA(pressure, -1, -1), SCHEMA(disk, -1, 1),
	SCHEMA(filesystem, -1, -1), SCHEMA(network, -1, 1), SCHEMA(energy, -1, 1),
	SCHEMA(process, P_STARTED, -1), SCHEMA(self, -1, -1), SCHEMA(thread, P_STARTED, -1),
	SCHEMA(exited, 4, -1), SCHEMA(attribution, -1, -1)};
enum {
	T_CPU,
	T_SYSTEM,
	T_MEMORY,
	T_PRESSURE,
	T_DISK,
	T_FS,
	T_NET,
	T_ENERGY,
	T_PROCESS,
	T_SELF,
	T_BASE, /* what follows is there when asked for */
	T_THREAD = T_BASE,
	T_EXITED,
	T_ATTRIBUTION,
	T_N
};

struct fake_process {
	u32 pid, ppid;
	const char *user, *state, *command, *cmdline;
	double cpu; /* % of one CPU */
	u64 resident_mb;
	u32 threads;
	bool kernel, own;
	const char *cgroup, *container; /* NULL: absent */
	u32 milliwatts;                 /* 0: absent */
};

/* What a process does on GPUs. */
struct fake_use {
	u32 pid;
	const char *gpu;
	u32 permille;
	u64 memory_mb;
};

struct fake {
	struct delta d[T_N];
	const struct frame_table *list[T_N];
	struct frame frame;
	struct stamp at;
	u32 cpus, nprocesses, tick;
	const struct fake_process *processes;
	u64 scale; /* of CPU and I/O, percent; changes over time make graphs */
	bool no_energy_permission, starting_files, slept;
	bool has_threads, has_exits;
	const char *meter; /* chip of a meter that is in the total, in the place of dram */
	const struct fake_use *uses; /* ends with pid 0; NULL: no GPU */
};

static void fake_init(struct fake *m, u32 cpus, const struct fake_process *p, u32 n)
{
	*m = (struct fake){.cpus = cpus, .processes = p, .nprocesses = n, .scale = 100};
	m->at = (struct stamp){1000 * NSEC_PER_SEC, 5000 * NSEC_PER_SEC, 1790000000 * NSEC_PER_SEC};
	for (u32 i = 0; i < T_N; i++) {
		delta_init(&m->d[i], &fake_schemas[i]);
		m->list[i] = &m->d[i].frame;
	}
}

static void fake_fini(struct fake *m)
{
	for (u32 i = 0; i < T_N; i++)
		delta_fini(&m->d[i]);
}

static void fill_cpu(struct fake *m, struct table *t)
{
	for (u32 i = 0; i < m->cpus; i++) {
		u32 r = (u32)table_row(t, i);
		u64 user = (i * 37 % 100) * 7000 * m->scale / 100, sys = i % 5 * 10000;

		for (u32 c = 1; c < ARRAY_LEN(cpu_columns); c++)
			table_set(t, r, c, 0);
		table_set(t, r, 2, user);
		table_set(t, r, 4, sys);
		table_set(t, r, 6, 4000);
		table_set(t, r, 1, user + sys + 4000);
		/* shares of a window: none over a suspend */
		if (m->slept)
			table_absent(t, r, 1, REASON_SUSPEND);
		table_set(t, r, 10, 13000);
		table_set(t, r, 11, 3200000000);
	}
}

static void set_all(struct table *t, u64 key, const u64 *values, u32 from, u32 n)
{
	u32 r = (u32)table_row(t, key);

	for (u32 i = 0; i < n; i++)
		table_set(t, r, from + i, values[i]);
}

static void fill_memory(struct table *t)
{
	const u64 g = 1ull << 30;
	const u64 v[] = {504 * g, 292 * g, 191 * g, g, 20 * g, 3 * g, 183 * g, 5 * g, 0, 0, 8 * g,
		g / 2, 379000, 0};

	set_all(t, 0, v, 0, ARRAY_LEN(v));
}

static void fill_devices(struct fake *m)
{
	struct table *disk = m->d[T_DISK].spare, *net = m->d[T_NET].spare;
	struct table *energy = m->d[T_ENERGY].spare, *fs = m->d[T_FS].spare;
	static const char *const disks[] = {"nvme0n1", "sda"}, *const nets[] = {"eth0", "lo"},
				 *const domains[] = {"package-0", "dram"},
				 *const mounts[] = {"/", "/home"};
	u64 k = m->tick * m->scale;

	for (u32 i = 0; i < 2; i++) {
		const u64 d[] = {1, k * 12000000 / (i + 1), k * 880000, k * 7100000, 420000};
		const u64 n[] = {i == 0, k * 98000000, k * 97000000, m->tick * 3, 0, 0, 0};
		const u64 f[] = {(i + 1) * 500ull << 30, 200ull << 30, 400000 + i * 530000};

		set_all(disk, i, d, 1, ARRAY_LEN(d));
		table_set_text(disk, i, 0, disks[i], strlen(disks[i]));
		set_all(net, i, n, 1, ARRAY_LEN(n));
		table_set_text(net, i, 0, nets[i], strlen(nets[i]));
		if (!m->starting_files) {
			set_all(fs, i, f, 2, ARRAY_LEN(f));
			table_set_text(fs, i, 0, mounts[i], strlen(mounts[i]));
		}
		table_row(energy, i);
		table_set_text(energy, i, 0, domains[i], strlen(domains[i]));
		table_set(energy, i, 1, i == 0);
		if (i || m->no_energy_permission)
			table_absent(energy, i, 2, REASON_PERMISSION);
		else
			table_set(energy, i, 2, k * 2120000);
		if (!i || !m->meter)
			continue;
		table_set_text(energy, i, 0, "card", 4);
		table_set(energy, i, 1, 1);
		table_set(energy, i, 2, m->tick * 100000000ull);
		table_set_text(energy, i, 3, m->meter, strlen(m->meter));
		table_set_text(energy, i, 4, "hwmon", 5);
	}
}

static void fill_processes(struct fake *m, struct table *t)
{
	for (u32 i = 0; i < m->nprocesses; i++) {
		const struct fake_process *p = &m->processes[i];
		u64 cpu = (u64)(p->cpu * 1e7 * m->tick) + 1000000000ull * p->pid;
		int row = table_row(t, (u64)p->pid << 42 | 100);
		u32 r = (u32)row;
		const u64 v[] = {cpu, cpu / 4 * 3, cpu / 4, cpu, p->threads,
			p->kernel ? (u64)-100 : 20, p->kernel ? (u64)-20 : 0, p->resident_mb << 21,
			p->resident_mb << 20, p->resident_mb << 18, p->resident_mb * 20,
			1000 * NSEC_PER_SEC, p->kernel, p->own};

		table_set(t, r, P_PID, p->pid);
		table_set(t, r, P_PPID, p->ppid);
		for (u32 c = 0; c < ARRAY_LEN(v); c++)
			table_set(t, r, P_CPU + c, v[c]);
		table_set_text(t, r, P_USER, p->user, strlen(p->user));
		table_set_text(t, r, P_STATE, p->state, strlen(p->state));
		table_set_text(t, r, P_COMMAND, p->command, strlen(p->command));
		table_set_text(t, r, P_CMDLINE, p->cmdline, strlen(p->cmdline));
		table_set(t, r, P_DISK_READ, 1000000ull * i * m->tick);
		if (p->milliwatts) {
			table_set(t, r, P_ENERGY, 1000ull * p->milliwatts * m->tick);
			table_state(t, r, P_ENERGY, CELL_APPROX, REASON_NONE);
		}
		if (p->cgroup)
			table_set_text(t, r, P_CGROUP, p->cgroup, strlen(p->cgroup));
		if (p->container)
			table_set_text(t, r, P_CONTAINER, p->container, strlen(p->container));
	}
}

static void fill_uses(struct fake *m, struct table *t)
{
	for (u32 r = 0; m->uses && r < t->n; r++) {
		const struct fake_use *u = m->uses;

		while (u->pid && u->pid != t->col[P_PID][r])
			u++;
		for (u32 c = P_GPU; c <= P_GPU_MEMORY; c++)
			table_absent(t, r, c, REASON_NO_CLIENT);
		if (!u->pid)
			continue;
		table_set_text(t, r, P_GPU, u->gpu, strlen(u->gpu));
		table_set(t, r, P_GPU_BUSY, u->permille * 1000);
		table_set(t, r, P_GPU_MEMORY, u->memory_mb << 20);
	}
}

/* The first two threads of each process, the second with a pid of its own. */
static void fill_threads(struct fake *m, struct table *t)
{
	for (u32 i = 0; i < m->nprocesses; i++) {
		const struct fake_process *p = &m->processes[i];

		for (u32 k = 0; k < (p->threads > 1 ? 2 : 1); k++) {
			u32 tid = p->pid + k * 50000;
			u32 r = (u32)table_row(t, (u64)tid << 42 | 100);
			u64 cpu = (u64)(p->cpu * 1e7 * m->tick) / (k ? 4 : 1);

			table_set(t, r, P_PID, tid);
			table_set(t, r, P_PROCESS, p->pid);
			table_set(t, r, P_CPU, cpu);
			table_set(t, r, P_STARTED, 1000 * NSEC_PER_SEC);
			table_set_text(t, r, P_USER, p->user, strlen(p->user));
			table_set_text(t, r, P_STATE, p->state, strlen(p->state));
			table_set_text(t, r, P_COMMAND, p->command, strlen(p->command));
			table_set_text(t, r, P_CMDLINE, p->cmdline, strlen(p->cmdline));
		}
	}
}

static void fill_exits(struct fake *m)
{
	static const struct {
		const char *name, *parent;
		u64 exits, cpu_ms;
	} groups[] = {{"sh", "make", 12, 3}, {"cc1", "make", 1841, 714}, {"ls", "", 1, 0}};
	static const struct {
		const char *name;
		s64 cpu_ms;
	} parts[] = {{"processes", 900}, {"exited", 717}, {"interrupts", 40}, {"busy", 1650}};
	struct table *exited = m->d[T_EXITED].spare, *parted = m->d[T_ATTRIBUTION].spare;

	for (u32 i = 0; i < ARRAY_LEN(groups); i++) {
		u32 r = (u32)table_row(exited, 10 + i);

		table_set_text(exited, r, 0, groups[i].name, strlen(groups[i].name));
		table_set_text(exited, r, 1, groups[i].parent, strlen(groups[i].parent));
		table_set(exited, r, 2, groups[i].exits * m->tick);
		table_set(exited, r, 3, groups[i].cpu_ms * NSEC_PER_MSEC * m->tick);
		table_set(exited, r, 4, 1000 * NSEC_PER_SEC);
	}
	for (u32 i = 0; i < ARRAY_LEN(parts); i++) {
		u32 r = (u32)table_row(parted, 1 + i);

		table_set_text(parted, r, 0, parts[i].name, strlen(parts[i].name));
		table_set(parted, r, 1, (u64)(parts[i].cpu_ms * (s64)NSEC_PER_MSEC * (s64)m->tick));
	}
}

/* One tick of a second; sleep_ns: the machine slept that long before it. */
static const struct frame *fake_tick(struct fake *m, u64 sleep_ns)
{
	const u64 sys[] = {41 * 86400 * NSEC_PER_SEC, 2400, 2300, 2210, 23, 1};
	const u64 self[] = {m->tick * 3100000ull, 9 << 20};

	m->tick++;
	m->slept = sleep_ns != 0;
	m->at.mono_ns += NSEC_PER_SEC;
	m->at.boot_ns += NSEC_PER_SEC + sleep_ns;
	m->at.real_ns += NSEC_PER_SEC + sleep_ns;
	for (u32 i = 0; i < T_N; i++)
		table_begin(m->d[i].spare, &m->at, ~0ull);
	fill_cpu(m, m->d[T_CPU].spare);
	set_all(m->d[T_SYSTEM].spare, 0, sys, 1, ARRAY_LEN(sys));
	fill_memory(m->d[T_MEMORY].spare);
	for (u32 i = 0; i < 3; i++) {
		const u64 some[] = {m->tick * 7000000ull * (3 - i)};

		set_all(m->d[T_PRESSURE].spare, i, some, 1, 1);
	}
	fill_devices(m);
	fill_processes(m, m->d[T_PROCESS].spare);
	fill_uses(m, m->d[T_PROCESS].spare);
	set_all(m->d[T_SELF].spare, 0, self, 1, 2);
	fill_threads(m, m->d[T_THREAD].spare);
	fill_exits(m);
	for (u32 i = 0; i < T_N; i++) {
		if (i == T_FS && m->starting_files)
			continue;
		table_end(m->d[i].spare);
		delta_step(&m->d[i]);
	}
	if (sleep_ns)
		m->frame.gaps++;
	m->frame.seq++;
	m->frame.at = m->at;
	m->frame.interval_ns = m->frame.window_ns = NSEC_PER_SEC;
	m->frame.ntables = T_BASE;
	if (m->has_threads)
		m->list[m->frame.ntables++] = &m->d[T_THREAD].frame;
	for (u32 i = T_EXITED; m->has_exits && i <= T_ATTRIBUTION; i++)
		m->list[m->frame.ntables++] = &m->d[i].frame;
	m->frame.tables = m->list;
	return &m->frame;
}

#endif
