/* The packages' energy split by CPU time, on made-up frames. */
#include "test.h"

#include <string.h>

#include "core/delta.h"
#include "process/columns.h"
#include "process/energy.h"
#include "process/exits.h"
#include "process/schema.h"

static const struct column energy_columns[] = {
	{.name = "name", .unit = UNIT_TEXT, .kind = COLUMN_TEXT},
	{.name = "counted", .unit = UNIT_BOOL},
	{.name = "power", .unit = UNIT_UJ, .kind = COLUMN_COUNTER},
};
static const struct schema energy_schema = {.name = "energy",
	.ncolumns = 3,
	.columns = energy_columns,
	.label_column = 0,
	.birth_column = -1,
	.counted_column = -1};

static struct delta processes, energy, ended;
static struct exits *exits;
static u64 now_ns;

static int setup(void **state)
{
	(void)state;
	now_ns = 1000 * NSEC_PER_SEC;
	assert_int_equal(exits_new(&exits), 0);
	assert_int_equal(delta_init(&processes, &process_table_schema), 0);
	assert_int_equal(delta_init(&energy, &energy_schema), 0);
	assert_int_equal(delta_init(&ended, &exited_table_schema), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	exits_free(exits);
	delta_fini(&processes);
	delta_fini(&energy);
	delta_fini(&ended);
	return 0;
}

static struct table *begin(struct delta *d, u64 need)
{
	struct stamp at = {now_ns, now_ns, now_ns};
	struct table *t = delta_spare(d);

	table_begin(t, &at, need);
	return t;
}

static void end(struct delta *d, struct table *t)
{
	assert_int_equal(table_end(t), 0);
	assert_int_equal(delta_step(d), 0);
}

/* A second in which processes 1 and 2 have run for so long in all, and the meter stands at so much. */
static void reading(u64 one_ns, u64 two_ns, u64 package_uj, const char *meter, u64 need)
{
	const u64 cpu[] = {one_ns, two_ns};
	struct table *t = begin(&processes, need);

	for (u32 i = 0; i < 2; i++) {
		u32 row = (u32)table_row(t, i + 1);

		table_set(t, row, PROCESS_CPU, cpu[i]);
	}
	end(&processes, t);
	t = begin(&energy, ~0ull);
	if (meter) {
		u32 row = (u32)table_row(t, 1);

		table_set_text(t, row, 0, meter, strlen(meter));
		table_set(t, row, 1, 1);
		table_set(t, row, 2, package_uj);
	}
	end(&energy, t);
	t = begin(&ended, ~0ull);
	assert_int_equal(exits_rows(exits, t), 0);
	end(&ended, t);
	now_ns += NSEC_PER_SEC;
}

static void share(void)
{
	const struct frame_table *tables[] = {&energy.frame, &processes.frame, &ended.frame};
	struct frame frame = {.ntables = 3, .tables = tables};

	energy_share(&processes.frame, &frame);
}

static void expect(u32 row, double watts)
{
	struct cell cell;

	frame_cell(&processes.frame, row, PROCESS_ENERGY, &cell);
	assert_int_equal(cell.state, CELL_APPROX);
	if (cell.num < watts - 1e-3 || cell.num > watts + 1e-3)
		fail_msg("row %u: %f W", row, cell.num);
}

static enum cell_state state_of(u32 row)
{
	struct cell cell;

	frame_cell(&processes.frame, row, PROCESS_ENERGY, &cell);
	return cell.state;
}

static void test_split_by_cpu_time(void **state)
{
	(void)state;
	reading(0, 0, 0, "package-0", ~0ull);
	reading(100 * NSEC_PER_MSEC, 300 * NSEC_PER_MSEC, 20000000, "package-0", ~0ull);
	share();
	expect(0, 5);
	expect(1, 15);
	expect(ROW_TOTAL, 20);
}

static void test_what_ended_has_its_share(void **state)
{
	const struct exit_record r = {.command = "cc1",
		.command_len = 3,
		.parent = "make",
		.parent_len = 4,
		.count = 1,
		.cpu_ns = 400 * NSEC_PER_MSEC};

	(void)state;
	reading(0, 0, 0, "package-0", ~0ull);
	exits_add(exits, &r);
	reading(100 * NSEC_PER_MSEC, 300 * NSEC_PER_MSEC, 20000000, "package-0", ~0ull);
	share();
	expect(0, 2.5);
	expect(1, 7.5);
}

static void test_nothing_measures_packages(void **state)
{
	(void)state;
	reading(0, 0, 0, "dram", ~0ull);
	reading(100, 300, 20000000, "dram", ~0ull);
	share();
	assert_int_equal(state_of(0), CELL_ABSENT);
	reading(200, 600, 0, NULL, ~0ull);
	share();
	assert_int_equal(state_of(0), CELL_ABSENT);
}

static void test_without_the_column(void **state)
{
	const u64 need = column_bit(PROCESS_CPU);
	struct cell cell;

	(void)state;
	reading(0, 0, 0, "package-0", need);
	reading(100, 300, 20000000, "package-0", need);
	share();
	frame_cell(&processes.frame, 0, PROCESS_ENERGY, &cell);
	assert_int_equal(cell.reason, REASON_NOT_ASKED);
}

static void test_the_first_window_has_none(void **state)
{
	(void)state;
	reading(100, 300, 20000000, "package-0", ~0ull);
	share();
	assert_int_equal(state_of(0), CELL_ABSENT);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_split_by_cpu_time),
		T(test_what_ended_has_its_share),
		T(test_nothing_measures_packages),
		T(test_without_the_column),
		T(test_the_first_window_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
