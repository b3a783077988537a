#include "process/energy.h"

#include <string.h>

#include "process/columns.h"

enum { PACKAGE_LENGTH = 7 };

/* A column of another room's table, by its name. */
static int column_of(const struct frame_table *t, const char *name)
{
	for (u32 c = 0; t && c < t->schema->ncolumns; c++)
		if (!strcmp(t->schema->columns[c].name, name))
			return (int)c;
	return -1;
}

/* Watts of all packages together. false: nothing measures them. */
static bool package_watts(const struct frame *frame, double *out)
{
	const struct frame_table *t = frame_find(frame, "energy");
	int name = column_of(t, "name"), counted = column_of(t, "counted");
	int power = column_of(t, "power");
	u64 once;
	bool any = false;
	double sum = 0, watts;
	struct cell cell;

	for (u32 row = 0; name >= 0 && counted >= 0 && power >= 0 && row < t->n; row++) {
		frame_cell(t, row, (u32)name, &cell);
		if (cell.state == CELL_ABSENT || cell.text_len < PACKAGE_LENGTH ||
			memcmp(cell.text, "package", PACKAGE_LENGTH) ||
			!frame_raw(t, row, (u32)counted, &once) || !once)
			continue;
		if (!frame_num(t, row, (u32)power, &watts))
			return false;
		sum += watts;
		any = true;
	}
	*out = sum;
	return any;
}

static double cpu_rate(const struct frame_table *t, u32 row, u32 column)
{
	u64 ns, window = frame_window_ns(t, row);

	return window && frame_diff(t, row, column, &ns) ? (double)ns / (double)window : 0;
}

static double all_cpu(const struct frame_table *processes, const struct frame *frame)
{
	const struct frame_table *ended = frame_find(frame, "exited");
	int column = column_of(ended, "cpu");
	double sum = 0;

	for (u32 row = 0; row < processes->n; row++)
		sum += cpu_rate(processes, row, PROCESS_CPU);
	for (u32 row = 0; column >= 0 && row < ended->n; row++)
		sum += cpu_rate(ended, row, (u32)column);
	return sum;
}

void energy_share(struct frame_table *t, const struct frame *frame)
{
	double watts, all, shown = 0;
	u64 sum = 0;
	u32 values = 0;

	if (!t->now || !table_needs(t->now, PROCESS_ENERGY) || !table_needs(t->now, PROCESS_CPU))
		return;
	if (!package_watts(frame, &watts))
		return;
	all = all_cpu(t, frame);
	for (u32 row = 0; row < t->n; row++) {
		u64 ns, window = frame_window_ns(t, row);
		double share = all > 0 ? cpu_rate(t, row, PROCESS_CPU) / all : 0;

		if (!window || !frame_diff(t, row, PROCESS_CPU, &ns))
			continue;
		/* microjoules are watts times microseconds */
		t->diff[PROCESS_ENERGY][row] = (u64)(watts * share * (double)window / 1e3);
		t->cell[PROCESS_ENERGY][row] = CELL_APPROX;
		sum += t->diff[PROCESS_ENERGY][row];
		shown += watts * share;
		values++;
	}
	if (!values)
		return;
	/* of the rows, as every total: what ended has the rest */
	t->total_diff[PROCESS_ENERGY] = sum;
	t->total_num[PROCESS_ENERGY] = shown;
	t->total_cell[PROCESS_ENERGY] = CELL_APPROX;
}
