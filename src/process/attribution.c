#include "process/attribution.h"

#include <string.h>

enum { ATTRIBUTION_NAME, ATTRIBUTION_CPU, ATTRIBUTION_COLUMNS };

static const struct column columns[ATTRIBUTION_COLUMNS] = {
	[ATTRIBUTION_NAME] = {.name = "name",
		.title = "PART",
		.help = "processes, ended ones, interrupts; what none of them accounts for; all",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[ATTRIBUTION_CPU] = {.name = "cpu",
		.title = "CPU%",
		.help = "CPU time, 100 % is one CPU; unattributed is below 0 when the parts, each "
			"over its "
			"own window, are more than the whole",
		.unit = UNIT_NS,
		.kind = COLUMN_COUNTER,
		.flags = COLUMN_SIGNED},
};

const struct schema attribution_table_schema = {.name = "attribution",
	.title = "Attribution",
	.help = "what busy time is made of; the parts and the residual add up to busy",
	.version = 1,
	.ncolumns = ATTRIBUTION_COLUMNS,
	.columns = columns,
	.label_column = ATTRIBUTION_NAME,
	.birth_column = -1,
	.counted_column = -1};

static int add(struct table *t, u64 key, const char *name, u64 ns, bool known)
{
	int row = table_row(t, key);

	if (row < 0)
		return row;
	if (known)
		table_set(t, (u32)row, ATTRIBUTION_CPU, ns);
	else
		table_absent(t, (u32)row, ATTRIBUTION_CPU, REASON_UNKNOWN);
	return table_set_text(t, (u32)row, ATTRIBUTION_NAME, name, strlen(name));
}

int attribution_rows(struct table *t, const struct attribution *a)
{
	bool known = a->busy_ns != 0;
	u64 rest = a->busy_ns - a->processes_ns - a->exited_ns - a->interrupts_ns;
	int ret;

	ret = add(t, 1, "processes", a->processes_ns, true);
	if (!ret)
		ret = add(t, 2, "exited", a->exited_ns, true);
	if (!ret)
		ret = add(t, 3, "interrupts", a->interrupts_ns, known);
	if (!ret)
		ret = add(t, 4, "unattributed", rest, known);
	if (!ret)
		ret = add(t, 5, "busy", a->busy_ns, known);
	return ret;
}
