/* From what a caller wants to tables and columns. */
#include <string.h>

#include "lib/handle.h"
#include "lib/sources.h"

/* A bit of `want`, a table that it shows, and its columns there (between blanks); NULL: all that are not slow. */
static const struct want {
	u64 want;
	const char *table, *columns;
} wants[] = {
	{TARE_WANT_SYSTEM, "system", NULL},
	{TARE_WANT_CPU, "cpu", NULL},
	{TARE_WANT_MEMORY, "memory", NULL},
	{TARE_WANT_SWAP, "swap", NULL},
	{TARE_WANT_PRESSURE, "pressure", NULL},
	{TARE_WANT_CGROUP, "cgroup", NULL},
	{TARE_WANT_DISK, "disk", NULL},
	{TARE_WANT_FILESYSTEM, "filesystem", NULL},
	{TARE_WANT_NETWORK, "network", NULL},
	{TARE_WANT_ENERGY, "energy", NULL},
	{TARE_WANT_SENSOR, "sensor", NULL},
	{TARE_WANT_BATTERY, "battery", NULL},
	{TARE_WANT_GPU, "gpu", NULL},
	{TARE_WANT_GPU_CLIENT, "gpu_client", NULL},
	{TARE_WANT_GPU_CLIENT, "gpu_engine", NULL},
	{TARE_WANT_SELF, "self", NULL},
	{TARE_WANT_EXITED, "exited", NULL},
	{TARE_WANT_EXITED, "attribution", NULL},
	{TARE_WANT_PROCESS, "process", "pid ppid state command started kernel own"},
	{TARE_WANT_PROCESS_CPU, "process",
		"cpu user_cpu system_cpu time threads priority nice policy processor energy"},
	{TARE_WANT_PROCESS_MEMORY, "process",
		"virtual resident shared swap memory minor_faults major_faults"},
	{TARE_WANT_PROCESS_IO, "process", "disk_read disk_written io_read io_written"},
	{TARE_WANT_PROCESS_USER, "process", "user uid real_user real_uid group gid"},
	{TARE_WANT_PROCESS_CMDLINE, "process", "cmdline"},
	{TARE_WANT_PROCESS_EXE, "process", "exe"},
	{TARE_WANT_PROCESS_CWD, "process", "cwd"},
	{TARE_WANT_PROCESS_CGROUP, "process", "cgroup container"},
	{TARE_WANT_PROCESS_SWITCHES, "process",
		"voluntary_switches involuntary_switches sched_wait"},
	{TARE_WANT_PROCESS_FILES, "process", "files"},
	{TARE_WANT_PROCESS_GPU, "process", "gpu gpu_busy gpu_gfx gpu_compute gpu_media gpu_copy"},
	{TARE_WANT_PROCESS_GPU_MEMORY, "process", "gpu gpu_memory"},
	{TARE_WANT_PROCESS_PSS, "process", "pss"},
	{TARE_WANT_CPUIDLE, "cpuidle", NULL},
	{TARE_WANT_THREAD, "thread", NULL},
};

/* What those are made of: read with them, and not shown. */
static const struct want behind[] = {
	{TARE_WANT_EXITED, "process", "cpu"},
	{TARE_WANT_EXITED, "cpu", NULL},
	/* by procfs threads are those of the processes that were found */
	{TARE_WANT_THREAD, "process", "pid"},
	/* whose clients may not be looked at is told by whose process it is */
	{TARE_WANT_PROCESS_GPU | TARE_WANT_PROCESS_GPU_MEMORY, "process", "uid"},
	{TARE_WANT_PROCESS_GPU | TARE_WANT_PROCESS_GPU_MEMORY, "gpu_client", NULL},
	/* memory alone needs no engines */
	{TARE_WANT_PROCESS_GPU, "gpu_engine", NULL},
};

static bool listed(const char *const *names, u32 n, const char *name)
{
	for (u32 i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static u32 add_names(const struct want *list, u32 count, u64 want, const char **names, u32 n)
{
	for (u32 i = 0; i < count && n + 1 < WANT_NAMES; i++)
		if (want & list[i].want && !listed(names, n, list[i].table))
			names[n++] = list[i].table;
	return n;
}

void wants_names(u64 want, const char *names[WANT_NAMES])
{
	u32 n = add_names(wants, ARRAY_LEN(wants), want, names, 0);

	n = add_names(behind, ARRAY_LEN(behind), want, names, n);
	names[n] = NULL;
}

/* Bits of the columns whose names stand in the list. */
static u64 columns_of(const struct schema *schema, const char *list)
{
	u64 bits = 0;

	for (u32 c = 0; c < schema->ncolumns; c++) {
		const char *name = schema->columns[c].name, *at = list;
		size_t len = strlen(name);

		if (!list) {
			bits |= schema->columns[c].flags & COLUMN_ON_REQUEST ? 0 : column_bit(c);
			continue;
		}
		while ((at = strstr(at, name))) {
			if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
				bits |= column_bit(c);
			at += len;
		}
	}
	return bits;
}

/* Columns of a table that `want` asks for, by one of the lists. */
static u64 need_of(
	const struct want *list, u32 n, u64 want, const struct schema *schema, bool *asked)
{
	u64 need = 0;

	for (u32 i = 0; i < n; i++) {
		if (!(want & list[i].want) || strcmp(list[i].table, schema->name) != 0)
			continue;
		need |= columns_of(schema, list[i].columns);
		*asked = true;
	}
	return need;
}

void wants_apply(struct tare *t)
{
	for (u32 s = 0; tare_sources[s]; s++) {
		const struct schema *schema = tare_sources[s]->schema;
		bool asked = false;
		u64 need = need_of(wants, ARRAY_LEN(wants), t->wanted, schema, &asked);

		need |= need_of(behind, ARRAY_LEN(behind), t->wanted, schema, &asked);
		engine_need(t->engine, schema->name, need);
		engine_rest(t->engine, schema->name, !asked);
	}
}

void wants_see(struct tare *t)
{
	u32 n = 0;

	t->seen = *t->frame;
	for (u32 i = 0; i < t->frame->ntables && n < HANDLE_TABLES; i++) {
		bool asked = false;

		need_of(wants, ARRAY_LEN(wants), t->wanted, t->frame->tables[i]->schema, &asked);
		if (asked)
			t->tables[n++] = t->frame->tables[i];
	}
	t->seen.tables = t->tables;
	t->seen.ntables = n;
}
