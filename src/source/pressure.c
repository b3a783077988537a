/* Pressure stall information: the cumulative `total=` microseconds of /proc/pressure/{cpu,memory,io,irq}
 * (Documentation/accounting/psi.rst). The kernel's own averages are not used. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "source/sources_list.h"

enum { PRESSURE_NAME, PRESSURE_SOME, PRESSURE_FULL, PRESSURE_COLUMNS };

static const struct column columns[PRESSURE_COLUMNS] = {
	[PRESSURE_NAME] = {.name = "name",
		.title = "STALL",
		.help = "resource that was short",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[PRESSURE_SOME] = {.name = "some",
		.title = "SOME%",
		.help = "share of time in which at least one task was stalled",
		.unit = UNIT_NS,
		.kind = COLUMN_COUNTER},
	[PRESSURE_FULL] = {.name = "full",
		.title = "FULL%",
		.help = "share of time in which all tasks that were not idle were stalled",
		.unit = UNIT_NS,
		.kind = COLUMN_COUNTER},
};

static const struct schema pressure_schema = {.name = "pressure",
	.title = "Stalls",
	.help = "time lost because CPU, memory, I/O or interrupts were short",
	.version = 1,
	.ncolumns = PRESSURE_COLUMNS,
	.columns = columns,
	.label_column = PRESSURE_NAME,
	.birth_column = -1,
	.counted_column = -1};

static const char *const names[] = {"cpu", "memory", "io", "irq"};
static const char *const paths[] = {
	"/proc/pressure/cpu", "/proc/pressure/memory", "/proc/pressure/io", "/proc/pressure/irq"};

struct source {
	const struct source_env *env;
	struct kfile file[ARRAY_LEN(names)];
	bool there[ARRAY_LEN(names)];
	struct kbuf buf;
};

static void pressure_close(struct source *s)
{
	if (!s)
		return;
	for (u32 i = 0; i < ARRAY_LEN(names); i++)
		kfile_fini(&s->file[i]);
	kbuf_fini(&s->buf);
	free(s);
}

static int pressure_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret = -ENOENT;

	if (!s)
		return -ENOMEM;
	s->env = env;
	kbuf_init(&s->buf);
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		int got;

		if (kfile_init(&s->file[i], paths[i])) {
			ret = -ENOMEM;
			break;
		}
		got = kfile_read(&s->file[i], env->root, &s->buf);
		/* a kernel booted with psi=0 opens the files and refuses to read them */
		s->there[i] = got != -ENOENT && got != -EOPNOTSUPP;
		if (s->there[i])
			ret = 0;
	}
	if (ret) {
		pressure_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static void parse(struct table *t, u32 row, const char *p, const char *end)
{
	for (; p < end; p = scan_next_line(p, end)) {
		const char *line = scan_line_end(p, end), *total;
		u32 column = scan_starts(p, line, "some ")   ? PRESSURE_SOME
			     : scan_starts(p, line, "full ") ? PRESSURE_FULL
							     : PRESSURE_COLUMNS;
		bool ok = true;
		u64 us = 0;

		if (column == PRESSURE_COLUMNS)
			continue;
		total = memmem(p, (size_t)(line - p), "total=", 6);
		if (!total)
			continue;
		scan_u64(total + 6, line, &us, &ok);
		if (ok && us <= UINT64_MAX / NSEC_PER_USEC)
			table_set(t, row, column, us * NSEC_PER_USEC);
	}
}

static int pressure_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;

	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		int row, ret;

		if (!s->there[i])
			continue;
		row = table_row(t, i);
		if (row < 0)
			return row;
		if (table_set_text(t, (u32)row, PRESSURE_NAME, names[i], strlen(names[i])))
			return -ENOMEM;
		ret = kfile_read(&s->file[i], s->env->root, &s->buf);
		if (ret) {
			table_absent(t, (u32)row, PRESSURE_SOME, reason_from_errno(ret));
			table_absent(t, (u32)row, PRESSURE_FULL, reason_from_errno(ret));
			continue;
		}
		parse(t, (u32)row, s->buf.data, kbuf_end(&s->buf));
	}
	return table_end(t);
}

const struct source_ops pressure_source = {.schema = &pressure_schema,
	.open = pressure_open,
	.read = pressure_read,
	.close = pressure_close,
	.absent_fix = "boot with psi=1 (kernel built with CONFIG_PSI)"};
