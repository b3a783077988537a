/* What tare itself used: the whole process from its own clocks, and each source from what the engine
 * measured around it. On a recorded machine the process's own figures would be those of another one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "source/sources_list.h"

enum {
	S_NAME,
	S_CPU,
	S_DELTA_CPU,
	S_READS,
	S_ERRORS,
	S_ROWS,
	S_RESIDENT,
	S_SWITCHES,
	S_SCAN,
	S_COLUMNS
};

/* Behind the sources. */
enum { PROGRAMS_KEY = 1 << 16 };

static const struct column columns[S_COLUMNS] = {
	[S_NAME] = {.name = "name",
		.title = "SELF",
		.help = "tare as a whole, and each source",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[S_CPU] = {.name = "cpu",
		.title = "CPU%",
		.help = "CPU time; of a source: of its readings",
		.unit = UNIT_NS,
		.kind = COLUMN_COUNTER},
	[S_DELTA_CPU] = {.name = "delta_cpu",
		.title = "DELTA%",
		.help = "CPU time of differencing a source's tables",
		.unit = UNIT_NS,
		.kind = COLUMN_COUNTER},
	[S_READS] = {.name = "reads",
		.title = "READ/s",
		.help = "readings",
		.kind = COLUMN_COUNTER},
	[S_ERRORS] = {.name = "errors",
		.title = "ERR/s",
		.help = "readings that failed",
		.kind = COLUMN_COUNTER},
	[S_ROWS] = {.name = "rows", .title = "ROWS", .help = "rows of the newest reading"},
	[S_RESIDENT] = {.name = "resident",
		.title = "RES",
		.help = "memory in RAM",
		.unit = UNIT_BYTES},
	[S_SWITCHES] = {.name = "switches",
		.title = "CSW/s",
		.help = "context switches",
		.kind = COLUMN_COUNTER},
	[S_SCAN] = {.name = "scan",
		.title = "SCAN",
		.help = "what processes are looked at by: procfs or bpf",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
};

static const struct schema self_schema = {.name = "self",
	.title = "tare itself",
	.help = "what watching costs: tare as a whole and each source",
	.version = 2,
	.ncolumns = S_COLUMNS,
	.columns = columns,
	.label_column = S_NAME,
	.birth_column = -1,
	.counted_column = -1};

struct source {
	const struct source_env *env;
	struct kfile statm;
	struct kbuf buf;
	u64 page_bytes;
};

static void self_close(struct source *s)
{
	if (!s)
		return;
	kfile_fini(&s->statm);
	kbuf_fini(&s->buf);
	free(s);
}

static int self_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	long page = sysconf(_SC_PAGESIZE);

	if (!s)
		return -ENOMEM;
	s->env = env;
	s->page_bytes = (u64)(page > 0 ? page : 4096);
	if (kfile_init(&s->statm, "/proc/self/statm")) {
		self_close(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

static void fill_process(struct source *s, struct table *t)
{
	struct rusage use;
	bool ok = true;
	u64 pages = 0;

	if (!root_is_live(s->env->root))
		return;
	table_set(t, 0, S_CPU, clock_process_cpu_ns());
	if (!getrusage(RUSAGE_SELF, &use))
		table_set(t, 0, S_SWITCHES, (u64)use.ru_nvcsw + (u64)use.ru_nivcsw);
	if (kfile_read(&s->statm, s->env->root, &s->buf))
		return;
	scan_u64(
		scan_skip_words(s->buf.data, kbuf_end(&s->buf), 1), kbuf_end(&s->buf), &pages, &ok);
	if (ok)
		table_set(t, 0, S_RESIDENT, pages * s->page_bytes);
}

static int fill_source(struct source *s, struct table *t, u32 i)
{
	const struct source_cost *c = &s->env->costs[i];
	int row = table_row(t, (u64)i + 1);

	if (row < 0)
		return row;
	/* CPU times of a recorded machine would be different at every run */
	if (root_is_live(s->env->root)) {
		table_set(t, (u32)row, S_CPU, c->cpu_ns);
		table_set(t, (u32)row, S_DELTA_CPU, c->delta_ns);
	}
	table_set(t, (u32)row, S_READS, c->reads);
	table_set(t, (u32)row, S_ERRORS, c->errors);
	table_set(t, (u32)row, S_ROWS, c->rows);
	return table_set_text(t, (u32)row, S_NAME, c->name, strlen(c->name));
}

/* Programs of tare's that run in the kernel, on other processes' time. */
static int fill_programs(struct source *s, struct table *t)
{
	const struct source_shared *shared = s->env->shared;
	static const char name[] = "BPF at exits";
	int row;

	if (!shared || !shared->programs_runs || !root_is_live(s->env->root))
		return 0;
	row = table_row(t, PROGRAMS_KEY);
	if (row < 0)
		return row;
	table_set(t, (u32)row, S_CPU, shared->programs_ns);
	table_set(t, (u32)row, S_READS, shared->programs_runs);
	return table_set_text(t, (u32)row, S_NAME, name, sizeof(name) - 1);
}

static int self_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	ret = table_row(t, 0);
	if (ret < 0)
		return ret;
	ret = table_set_text(t, 0, S_NAME, "tare", 4);
	if (!ret && s->env->shared && s->env->shared->scan)
		ret = table_set_text(
			t, 0, S_SCAN, s->env->shared->scan, strlen(s->env->shared->scan));
	fill_process(s, t);
	for (u32 i = 0; i < s->env->ncosts && !ret; i++)
		ret = fill_source(s, t, i);
	if (!ret)
		ret = fill_programs(s, t);
	return ret ? ret : table_end(t);
}

const struct source_ops self_source = {
	.schema = &self_schema, .open = self_open, .read = self_read, .close = self_close};
