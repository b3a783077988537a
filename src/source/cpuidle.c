/* Idle states: residency (microseconds) and entries of each state of each CPU, from
 * /sys/devices/system/cpu/cpuN/cpuidle/stateM/{name,time,usage} (Documentation/admin-guide/pm/cpuidle.rst).
 * Two files a state and CPU: only read when asked for by name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "source/sources_list.h"

enum { IDLE_NAME, IDLE_CPU, IDLE_STATE, IDLE_RESIDENCY, IDLE_ENTRIES, IDLE_COLUMNS };

static const struct column columns[IDLE_COLUMNS] = {
	[IDLE_NAME] = {.name = "name",
		.title = "IDLE",
		.help = "CPU and idle state",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[IDLE_CPU] = {.name = "cpu", .title = "CPU", .help = "id of the CPU", .unit = UNIT_ID},
	[IDLE_STATE] = {.name = "state",
		.title = "STATE",
		.help = "name of the idle state",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[IDLE_RESIDENCY] = {.name = "residency",
		.title = "IN%",
		.help = "share of time in the state",
		.unit = UNIT_NS,
		.kind = COLUMN_COUNTER},
	[IDLE_ENTRIES] = {.name = "entries",
		.title = "ENTER/s",
		.help = "entries into the state",
		.unit = UNIT_COUNT,
		.kind = COLUMN_COUNTER,
		.total = TOTAL_SUM},
};

static const struct schema cpuidle_schema = {.name = "cpuidle",
	.title = "Idle states",
	.help = "how long and how often each CPU was in each idle state",
	.version = 1,
	.ncolumns = IDLE_COLUMNS,
	.columns = columns,
	.label_column = IDLE_NAME,
	.birth_column = -1,
	.counted_column = -1};

enum { MOST_CPUS = 8192, MOST_STATES = 16 };

struct state {
	u32 cpu, index;
	char name[32];
	struct kfile time, usage;
};

struct source {
	const struct source_env *env;
	struct state *states;
	u32 n, cap;
};

static void cpuidle_close(struct source *s)
{
	if (!s)
		return;
	for (u32 i = 0; i < s->n; i++) {
		kfile_fini(&s->states[i].time);
		kfile_fini(&s->states[i].usage);
	}
	free(s->states);
	free(s);
}

static int add_state(struct source *s, u32 cpu, u32 index)
{
	char path[128], name[32];
	struct state *st;
	int ret;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/name", cpu,
		index);
	ret = root_read(s->env->root, path, name, sizeof(name));
	if (ret < 0)
		return ret;
	if (s->n == s->cap) {
		u32 cap = s->cap ? s->cap * 2 : 16;

		st = realloc(s->states, cap * sizeof(*st));
		if (!st)
			return -ENOMEM;
		s->states = st;
		s->cap = cap;
	}
	st = &s->states[s->n];
	*st = (struct state){.cpu = cpu, .index = index};
	memcpy(st->name, name, sizeof(name));
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/time", cpu,
		index);
	ret = kfile_init(&st->time, path);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/usage", cpu,
		index);
	if (!ret)
		ret = kfile_init(&st->usage, path);
	s->n++;
	return ret;
}

/* Ids have gaps: CPUs that are not present have no directory. */
static int add_cpu(void *arg, const char *name)
{
	const char *end = name + strlen(name);
	u64 cpu;

	if (!scan_starts(name, end, "cpu") || scan_whole_u64(name + 3, end, &cpu) ||
		cpu >= MOST_CPUS)
		return 0;
	for (u32 i = 0; i < MOST_STATES; i++) {
		int ret = add_state(arg, (u32)cpu, i);

		if (ret)
			return ret == -ENOMEM ? ret : 0;
	}
	return 0;
}

static int cpuidle_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	ret = root_list(env->root, "/sys/devices/system/cpu", add_cpu, s);
	if (ret == -ENOMEM || !s->n) {
		cpuidle_close(s);
		return ret == -ENOMEM ? ret : -ENOENT;
	}
	*out = s;
	return 0;
}

static int fill(struct source *s, struct table *t, struct state *st)
{
	char name[64];
	int row = table_row(t, (u64)st->cpu << 8 | st->index), len;
	u64 v;

	if (row < 0)
		return row;
	len = snprintf(name, sizeof(name), "cpu%u %s", st->cpu, st->name);
	if (table_set_text(t, (u32)row, IDLE_NAME, name, (size_t)len) ||
		table_set_text(t, (u32)row, IDLE_STATE, st->name, strlen(st->name)))
		return -ENOMEM;
	table_set(t, (u32)row, IDLE_CPU, st->cpu);
	len = kfile_read_u64(&st->time, s->env->root, &v);
	if (len)
		table_absent(t, (u32)row, IDLE_RESIDENCY, reason_from_errno(len));
	else
		table_set(t, (u32)row, IDLE_RESIDENCY, v * NSEC_PER_USEC);
	len = kfile_read_u64(&st->usage, s->env->root, &v);
	if (len)
		table_absent(t, (u32)row, IDLE_ENTRIES, reason_from_errno(len));
	else
		table_set(t, (u32)row, IDLE_ENTRIES, v);
	return 0;
}

static int cpuidle_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;

	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	for (u32 i = 0; i < s->n; i++) {
		int ret = fill(s, t, &s->states[i]);

		if (ret)
			return ret;
	}
	return table_end(t);
}

const struct source_ops cpuidle_source = {.schema = &cpuidle_schema,
	.open = cpuidle_open,
	.read = cpuidle_read,
	.close = cpuidle_close,
	.optional = true};
