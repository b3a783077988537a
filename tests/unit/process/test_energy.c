/* The estimate of a process's energy: what the packages used, split by CPU time; in frames that are made by hand. */
#include "test.h"

#include <string.h>

#include "core/delta.h"
#include "process/columns.h"
#include "process/energy.h"
#include "process/exits.h"
#include "process/schema.h"

enum { NAME, COUNTED, POWER, METER_COLUMNS };

static const struct column meter_columns[METER_COLUMNS] = {
	[NAME] = {.name = "name", .unit = UNIT_TEXT, .kind = COLUMN_TEXT},
	[COUNTED] = {.name = "counted", .unit = UNIT_BOOL},
	[POWER] = {.name = "power", .unit = UNIT_UJ, .kind = COLUMN_COUNTER},
};

static const struct schema meter_schema = {.name = "energy",
	.title = "Energy",
	.ncolumns = METER_COLUMNS,
	.columns = meter_columns,
	.birth_column = -1,
	.counted_column = -1};

struct meter {
	const char *name;
	u64 counted, joules;
	enum reason missing;
};

static struct delta processes, exited, meters;
static struct exits *exits;
static const struct frame_table *tables[3];
static struct frame frame;
static u64 need, second;

static int setup(void **state)
{
	(void)state;
	second = 1000;
	need = column_bit(PROCESS_CPU) | column_bit(PROCESS_ENERGY);
	assert_int_equal(exits_new(&exits), 0);
	assert_int_equal(delta_init(&processes, &process_table_schema), 0);
	assert_int_equal(delta_init(&exited, &exited_table_schema), 0);
	assert_int_equal(delta_init(&meters, &meter_schema), 0);
	tables[0] = &processes.frame;
	tables[1] = &exited.frame;
	tables[2] = &meters.frame;
	frame = (struct frame){.tables = tables, .ntables = ARRAY_LEN(tables)};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	exits_free(exits);
	delta_fini(&processes);
	delta_fini(&exited);
	delta_fini(&meters);
	return 0;
}

static struct table *begin(struct delta *d, u64 columns)
{
	const struct stamp at = {
		second * NSEC_PER_SEC, second * NSEC_PER_SEC, second * NSEC_PER_SEC};

	table_begin(delta_spare(d), &at, columns);
	return delta_spare(d);
}

static void end(struct delta *d)
{
	assert_int_equal(table_end(delta_spare(d)), 0);
	assert_int_equal(delta_step(d), 0);
}

static void read_processes(const u64 *cpu_ms, u32 n)
{
	struct table *t = begin(&processes, need);

	for (u32 i = 0; i < n; i++) {
		int row = table_row(t, i + 1);

		assert_true(row >= 0);
		if (need & column_bit(PROCESS_CPU))
			table_set(t, (u32)row, PROCESS_CPU, cpu_ms[i] * NSEC_PER_MSEC);
	}
	end(&processes);
}

static void read_meters(const struct meter *m, u32 n)
{
	struct table *t = begin(&meters, ~0ull);

	for (u32 i = 0; i < n; i++) {
		int row = table_row(t, i + 1);

		assert_true(row >= 0);
		assert_int_equal(
			table_set_text(t, (u32)row, NAME, m[i].name, strlen(m[i].name)), 0);
		table_set(t, (u32)row, COUNTED, m[i].counted);
		table_set(t, (u32)row, POWER, m[i].joules * 1000000);
		if (m[i].missing)
			table_absent(t, (u32)row, POWER, m[i].missing);
	}
	end(&meters);
}

static void ended(u64 cpu_ms)
{
	const struct exit_record r = {.command = "cc1",
		.command_len = 3,
		.parent = "make",
		.parent_len = 4,
		.count = 1,
		.cpu_ns = cpu_ms * NSEC_PER_MSEC};

	assert_int_equal(exits_add(exits, &r), 0);
}

static void read_exited(void)
{
	assert_int_equal(exits_rows(exits, begin(&exited, ~0ull)), 0);
	end(&exited);
}

/* Two seconds in which two processes ran for 200 and 600 ms, and ended ones for ended_ms. */
static void window(const struct meter *before, const struct meter *after, u32 n, u64 ended_ms)
{
	const u64 cpu_before[] = {5000, 7000}, cpu_after[] = {5200, 7600};

	read_processes(cpu_before, 2);
	read_exited();
	read_meters(before, n);
	second += 2;
	if (ended_ms)
		ended(ended_ms);
	read_processes(cpu_after, 2);
	read_exited();
	read_meters(after, n);
	energy_share(&processes.frame, &frame);
}

static void expect_watts(u32 row, double watts, u64 joules)
{
	struct cell cell;

	frame_cell(&processes.frame, row, PROCESS_ENERGY, &cell);
	assert_int_equal(cell.state, CELL_APPROX);
	assert_float_equal(cell.num, watts, 1e-5);
	assert_in_range(cell.diff, joules * 1000000 - 2, joules * 1000000 + 2);
}

static void expect_absent(void)
{
	struct cell cell;

	for (u32 row = 0; row < 3; row++) {
		frame_cell(&processes.frame, row < 2 ? row : ROW_TOTAL, PROCESS_ENERGY, &cell);
		assert_int_equal(cell.state, CELL_ABSENT);
	}
}

static void test_by_cpu_time(void **state)
{
	const struct meter before = {"package-0", 1, 500, 0}, after = {"package-0", 1, 540, 0};

	(void)state;
	window(&before, &after, 1, 0);
	expect_watts(0, 5, 10);
	expect_watts(1, 15, 30);
	expect_watts(ROW_TOTAL, 20, 40);
}

/* What ended has its share, which no row of a process shows: the total is that of the rows. */
static void test_ended_processes_have_a_share(void **state)
{
	const struct meter before = {"package-0", 1, 500, 0}, after = {"package-0", 1, 540, 0};

	(void)state;
	window(&before, &after, 1, 800);
	expect_watts(0, 2.5, 5);
	expect_watts(1, 7.5, 15);
	expect_watts(ROW_TOTAL, 10, 20);
}

/* Of a package its parts are left out, and what is met a second time; two sockets add up. */
static void test_packages_only(void **state)
{
	const struct meter before[] = {{"package-0", 1, 500, 0}, {"core", 0, 100, 0},
		{"dram", 1, 100, 0}, {"package-0", 0, 500, 0}, {"package-1", 1, 90, 0}};
	const struct meter after[] = {{"package-0", 1, 530, 0}, {"core", 0, 120, 0},
		{"dram", 1, 170, 0}, {"package-0", 0, 530, 0}, {"package-1", 1, 100, 0}};

	(void)state;
	window(before, after, ARRAY_LEN(before), 0);
	expect_watts(0, 5, 10);
	expect_watts(1, 15, 30);
	expect_watts(ROW_TOTAL, 20, 40);
}

static void test_no_meter(void **state)
{
	const struct meter before[] = {{"dram", 1, 100, 0}, {"card", 1, 500, 0}};
	const struct meter after[] = {{"dram", 1, 170, 0}, {"card", 1, 530, 0}};

	(void)state;
	window(before, after, ARRAY_LEN(before), 0);
	expect_absent();
}

static void test_no_table_of_meters(void **state)
{
	(void)state;
	frame.ntables = 2;
	window(NULL, NULL, 0, 0);
	expect_absent();
}

/* The half that is known would be shown as if it were all. */
static void test_one_package_fails(void **state)
{
	const struct meter before[] = {{"package-0", 1, 500, 0}, {"package-1", 1, 90, 0}};
	const struct meter after[] = {
		{"package-0", 1, 530, 0}, {"package-1", 1, 0, REASON_PERMISSION}};

	(void)state;
	window(before, after, ARRAY_LEN(before), 0);
	expect_absent();
}

static void test_nobody_asked(void **state)
{
	const struct meter before = {"package-0", 1, 500, 0}, after = {"package-0", 1, 540, 0};

	(void)state;
	need = column_bit(PROCESS_CPU);
	window(&before, &after, 1, 0);
	expect_absent();
}

static void test_without_cpu_time(void **state)
{
	const struct meter before = {"package-0", 1, 500, 0}, after = {"package-0", 1, 540, 0};

	(void)state;
	need = column_bit(PROCESS_ENERGY);
	window(&before, &after, 1, 0);
	expect_absent();
}

/* The first reading has no difference of CPU time to split by. */
static void test_the_first_reading(void **state)
{
	const struct meter meter = {"package-0", 1, 500, 0};
	const u64 cpu_ms[] = {5000, 7000};

	(void)state;
	read_processes(cpu_ms, 2);
	read_exited();
	read_meters(&meter, 1);
	energy_share(&processes.frame, &frame);
	expect_absent();
}

/* Nor when the meters have been looked at for longer. */
static void test_processes_are_read_for_the_first_time(void **state)
{
	const struct meter before = {"package-0", 1, 500, 0}, after = {"package-0", 1, 540, 0};
	const u64 cpu_ms[] = {5000, 7000};

	(void)state;
	read_exited();
	read_meters(&before, 1);
	second += 2;
	read_processes(cpu_ms, 2);
	read_exited();
	read_meters(&after, 1);
	energy_share(&processes.frame, &frame);
	expect_absent();
}

static void test_a_new_process_has_its_share(void **state)
{
	const struct meter before = {"package-0", 1, 500, 0}, after = {"package-0", 1, 540, 0};
	const u64 cpu_before[] = {5000}, cpu_after[] = {5300, 100};
	struct table *t;
	int row;

	(void)state;
	need |= column_bit(PROCESS_STARTED);
	read_processes(cpu_before, 1);
	read_exited();
	read_meters(&before, 1);
	second += 2;
	t = begin(&processes, need);
	for (u32 i = 0; i < 2; i++) {
		row = table_row(t, i + 1);
		assert_true(row >= 0);
		table_set(t, (u32)row, PROCESS_CPU, cpu_after[i] * NSEC_PER_MSEC);
		table_set(t, (u32)row, PROCESS_STARTED, (second - (i ? 1 : 900)) * NSEC_PER_SEC);
	}
	end(&processes);
	read_exited();
	read_meters(&after, 1);
	energy_share(&processes.frame, &frame);
	expect_watts(0, 15, 30);
	expect_watts(1, 5, 10);
	expect_watts(ROW_TOTAL, 20, 40);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_by_cpu_time),
		T(test_ended_processes_have_a_share),
		T(test_packages_only),
		T(test_no_meter),
		T(test_no_table_of_meters),
		T(test_one_package_fails),
		T(test_nobody_asked),
		T(test_without_cpu_time),
		T(test_the_first_reading),
		T(test_processes_are_read_for_the_first_time),
		T(test_a_new_process_has_its_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
