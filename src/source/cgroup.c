/* The limits that tare's own cgroup puts on it: what a container may use, beside what the machine has.
 * cgroup v2 (Documentation/admin-guide/cgroup-v2.rst: cpu.max, cpuset.cpus.effective, memory.max) and v1
 * (cfs_quota_us, limit_in_bytes). A limit is the smallest over the group and its ancestors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "core/frame.h"
#include "source/cgroup.h"
#include "source/sources_list.h"

enum {
	CG_PATH,
	CG_VERSION,
	CG_CPU_LIMIT,
	CG_CPUS,
	CG_MEMORY_LIMIT,
	CG_MEMORY_USED,
	CG_MEMORY_SHARE,
	CG_USAGE,
	CG_THROTTLED,
	CG_COLUMNS,
};

static u8 memory_share(const struct frame_table *t, u32 row, double *out)
{
	struct cell limit;
	u64 used;

	frame_cell(t, row, CG_MEMORY_LIMIT, &limit);
	if (limit.state == CELL_ABSENT)
		return (u8)limit.reason;
	if (!limit.raw || !frame_raw(t, row, CG_MEMORY_USED, &used))
		return REASON_UNSUPPORTED;
	*out = (double)used / (double)limit.raw;
	return 0;
}

static const struct column columns[CG_COLUMNS] = {
	[CG_PATH] = {.name = "path",
		.title = "CGROUP",
		.help = "control group of tare itself",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[CG_VERSION] = {.name = "version",
		.title = "V",
		.help = "version of the hierarchy",
		.unit = UNIT_ID},
	[CG_CPU_LIMIT] = {.name = "cpu_limit",
		.title = "CPUMAX",
		.help = "CPUs' worth of time that the group may use",
		.unit = UNIT_CENTI},
	[CG_CPUS] = {.name = "cpus",
		.title = "CPUS",
		.help = "CPUs that the group may run on",
		.unit = UNIT_COUNT},
	[CG_MEMORY_LIMIT] = {.name = "memory_limit",
		.title = "MEMMAX",
		.help = "memory that the group may use",
		.unit = UNIT_BYTES},
	[CG_MEMORY_USED] = {.name = "memory_used",
		.title = "MEM",
		.help = "memory that the group uses",
		.unit = UNIT_BYTES},
	[CG_MEMORY_SHARE] = {.name = "memory_share",
		.title = "MEM%",
		.help = "used of the limit",
		.unit = UNIT_RATIO,
		.kind = COLUMN_DERIVED,
		.derive = memory_share},
	[CG_USAGE] = {.name = "usage",
		.title = "CPU%",
		.help = "CPU time of the group",
		.unit = UNIT_NS,
		.kind = COLUMN_COUNTER},
	[CG_THROTTLED] = {.name = "throttled",
		.title = "THROT%",
		.help = "time in which the group was held back by its limit",
		.unit = UNIT_NS,
		.kind = COLUMN_COUNTER},
};

static const struct schema cgroup_schema = {.name = "cgroup",
	.title = "Container",
	.help = "limits and use of the control group that tare runs in",
	.version = 1,
	.ncolumns = CG_COLUMNS,
	.columns = columns,
	.label_column = -1,
	.birth_column = -1,
	.counted_column = -1};

struct source {
	const struct source_env *env;
	struct cgroup_paths paths;
	struct kfile cpu_max, cpu_period, cpus, memory_max, memory_used, usage, throttled;
	u64 host_memory; /* 0: unknown */
	struct cgroup_parents cpu_parents, memory_parents;
	u32 generation;
	struct kbuf buf;
};

static void close_files(struct source *s)
{
	kfile_fini(&s->cpu_max);
	kfile_fini(&s->cpu_period);
	kfile_fini(&s->cpus);
	kfile_fini(&s->memory_max);
	kfile_fini(&s->memory_used);
	kfile_fini(&s->usage);
	kfile_fini(&s->throttled);
	cgroup_parents_close(&s->cpu_parents);
	cgroup_parents_close(&s->memory_parents);
}

static void cgroup_close(struct source *s)
{
	if (!s)
		return;
	close_files(s);
	kbuf_fini(&s->buf);
	free(s);
}

static int open_file(struct kfile *file, const char *dir, const char *name)
{
	char path[CGROUP_PATH_SIZE + 64];

	if (!dir[0])
		return 0; /* this controller is not there: the file stays closed */
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return kfile_init(file, path);
}

static int open_files(struct source *s)
{
	const struct cgroup_paths *p = &s->paths;
	bool v2 = p->version == 2;
	int ret = open_file(&s->cpu_max, p->cpu, v2 ? "cpu.max" : "cpu.cfs_quota_us");

	if (!v2)
		ret |= open_file(&s->cpu_period, p->cpu, "cpu.cfs_period_us");
	ret |= open_file(
		&s->cpus, p->cpuset, v2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus");
	ret |= open_file(&s->memory_max, p->memory, v2 ? "memory.max" : "memory.limit_in_bytes");
	ret |= open_file(
		&s->memory_used, p->memory, v2 ? "memory.current" : "memory.usage_in_bytes");
	ret |= open_file(&s->usage, v2 ? p->cpu : p->cpuacct, v2 ? "cpu.stat" : "cpuacct.usage");
	if (!v2)
		ret |= open_file(&s->throttled, p->cpu, "cpu.stat");
	ret |= cgroup_parents_open(&s->cpu_parents, s->env->root, p->cpu,
		v2 ? "cpu.max" : "cpu.cfs_quota_us", v2 ? NULL : "cpu.cfs_period_us");
	ret |= cgroup_parents_open(&s->memory_parents, s->env->root, p->memory,
		v2 ? "memory.max" : "memory.limit_in_bytes", NULL);
	return ret ? -ENOMEM : 0;
}

static int locate(struct source *s)
{
	const struct root *root = s->env->root;
	char text[256];
	int ret = cgroup_find(&s->paths, root), len;

	if (ret)
		return ret;
	s->generation = root->generation;
	len = root_read(root, "/proc/meminfo", text, sizeof(text));
	s->host_memory = 0;
	if (len > 0 && scan_line_u64(text, text + len, "MemTotal:", &s->host_memory))
		s->host_memory *= 1024;
	return open_files(s);
}

static int cgroup_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	kbuf_init(&s->buf);
	ret = locate(s);
	if (ret) {
		cgroup_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static void read_cpu_limit(struct source *s, struct table *t)
{
	const struct root *root = s->env->root;
	u64 centi = CGROUP_NO_LIMIT;
	int ret = -ENOENT;

	if (s->cpu_max.path)
		ret = cgroup_read_cpu(&s->cpu_max, &s->cpu_period, root, &s->buf, &centi);
	/* the root group has no such file: no limit of its own */
	if (ret && ret != -ENOENT) {
		table_absent(t, 0, CG_CPU_LIMIT,
			ret == -EINVAL ? REASON_INVALID : reason_from_errno(ret));
		return;
	}
	centi = min_u64(centi, cgroup_parents_cpu(&s->cpu_parents, root, &s->buf));
	if (centi == CGROUP_NO_LIMIT)
		table_absent(t, 0, CG_CPU_LIMIT, REASON_NO_LIMIT);
	else
		table_set(t, 0, CG_CPU_LIMIT, centi);
}

static void read_memory(struct source *s, struct table *t)
{
	const struct root *root = s->env->root;
	u64 limit = CGROUP_NO_LIMIT, used;
	int ret = -ENOENT;

	if (s->memory_max.path)
		ret = cgroup_read_memory(&s->memory_max, root, &s->buf, &limit);
	if (ret && ret != -ENOENT) {
		table_absent(t, 0, CG_MEMORY_LIMIT,
			ret == -EINVAL ? REASON_INVALID : reason_from_errno(ret));
	} else {
		limit = min_u64(limit, cgroup_parents_memory(&s->memory_parents, root, &s->buf));
		/* v1 writes "unlimited" as a number that no machine has */
		if (limit == CGROUP_NO_LIMIT || (s->host_memory && limit >= s->host_memory))
			table_absent(t, 0, CG_MEMORY_LIMIT, REASON_NO_LIMIT);
		else
			table_set(t, 0, CG_MEMORY_LIMIT, limit);
	}
	ret = s->memory_used.path ? kfile_read_u64(&s->memory_used, root, &used) : -ENOENT;
	if (!ret)
		table_set(t, 0, CG_MEMORY_USED, used);
}

static void set_counter(struct source *s, struct table *t, u32 column, const char *word, u64 scale)
{
	u64 v;

	if (scan_line_u64(s->buf.data, kbuf_end(&s->buf), word, &v))
		table_set(t, 0, column, v * scale);
}

static void read_usage(struct source *s, struct table *t)
{
	const struct root *root = s->env->root;
	u64 ns;

	if (s->paths.version == 2) {
		if (s->usage.path && !kfile_read(&s->usage, root, &s->buf)) {
			set_counter(s, t, CG_USAGE, "usage_usec", 1000);
			set_counter(s, t, CG_THROTTLED, "throttled_usec", 1000);
		}
		return;
	}
	if (s->usage.path && !kfile_read_u64(&s->usage, root, &ns))
		table_set(t, 0, CG_USAGE, ns);
	if (s->throttled.path && !kfile_read(&s->throttled, root, &s->buf))
		set_counter(s, t, CG_THROTTLED, "throttled_time", 1);
}

static void count_cpu(void *arg, u32 cpu)
{
	(void)cpu;
	++*(u64 *)arg;
}

static void read_cpus(struct source *s, struct table *t)
{
	u64 cpus = 0;

	if (!s->cpus.path || kfile_read(&s->cpus, s->env->root, &s->buf))
		return;
	if (!scan_cpu_list(s->buf.data, kbuf_end(&s->buf), count_cpu, &cpus) && cpus)
		table_set(t, 0, CG_CPUS, cpus);
}

static int cgroup_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret;

	if (s->generation != s->env->root->generation) {
		close_files(s);
		ret = locate(s);
		if (ret)
			return ret;
	}
	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	ret = table_row(t, 0);
	if (ret < 0)
		return ret;
	table_set(t, 0, CG_VERSION, s->paths.version);
	ret = table_set_text(t, 0, CG_PATH, s->paths.name, strlen(s->paths.name));
	if (ret)
		return ret;
	read_cpu_limit(s, t);
	read_cpus(s, t);
	read_memory(s, t);
	read_usage(s, t);
	return table_end(t);
}

const struct source_ops cgroup_source = {
	.schema = &cgroup_schema, .open = cgroup_open, .read = cgroup_read, .close = cgroup_close};
