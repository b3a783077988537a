/* What ended: groups, their first frame, what goes and what comes back; through the real difference. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "core/delta.h"
#include "process/exits.h"

static struct exits *exits;
static struct delta d;
static u64 now_ns;

static int setup(void **state)
{
	(void)state;
	now_ns = 1000 * NSEC_PER_SEC;
	assert_int_equal(exits_new(&exits), 0);
	assert_int_equal(delta_init(&d, &exited_table_schema), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	exits_free(exits);
	delta_fini(&d);
	return 0;
}

static void reading(void)
{
	struct stamp at = {now_ns, now_ns, now_ns};
	struct table *t = delta_spare(&d);

	table_begin(t, &at, ~0ull);
	assert_int_equal(exits_rows(exits, t), 0);
	assert_int_equal(table_end(t), 0);
	assert_int_equal(delta_step(&d), 0);
	now_ns += NSEC_PER_SEC;
}

static void ended(const char *command, const char *parent, u64 count, u64 cpu_ns)
{
	struct exit_record r = {.command = command,
		.command_len = (u32)strlen(command),
		.parent = parent,
		.parent_len = (u32)strlen(parent),
		.count = count,
		.cpu_ns = cpu_ns,
		.user_ns = cpu_ns / 4,
		.system_ns = cpu_ns - cpu_ns / 4,
		.minor_faults = 7 * count,
		.disk_read = 4096 * count,
		.has_io = true};

	assert_int_equal(exits_add(exits, &r), 0);
}

static struct cell cell_of(u32 row, const char *column)
{
	struct cell cell;
	int c = schema_find(&exited_table_schema, column);

	assert_true(c >= 0);
	frame_cell(&d.frame, row, (u32)c, &cell);
	return cell;
}

static void expect_text(u32 row, const char *column, const char *want)
{
	struct cell cell = cell_of(row, column);

	assert_int_equal(cell.text_len, strlen(want));
	assert_memory_equal(cell.text, want, cell.text_len);
}

static void expect_diff(u32 row, const char *column, u64 want)
{
	struct cell cell = cell_of(row, column);

	assert_int_equal(cell.state, CELL_VALUE);
	assert_int_equal(cell.diff, want);
}

static void test_a_group_counts_in_the_frame_of_its_tick(void **state)
{
	(void)state;
	reading();
	assert_int_equal(d.frame.n, 0);
	ended("cc1", "make", 1, 2 * NSEC_PER_MSEC);
	ended("cc1", "make", 2, 3 * NSEC_PER_MSEC);
	reading();
	assert_int_equal(d.frame.n, 1);
	expect_text(0, "name", "cc1");
	expect_text(0, "parent", "make");
	expect_diff(0, "exits", 3);
	expect_diff(0, "cpu", 5 * NSEC_PER_MSEC);
	expect_diff(0, "minor_faults", 21);
	expect_diff(0, "disk_read", 3 * 4096);
	assert_true(cell_of(0, "cpu").num > 0.49 && cell_of(0, "cpu").num < 0.51);
	ended("cc1", "make", 1, NSEC_PER_MSEC);
	reading();
	expect_diff(0, "exits", 1);
	expect_diff(0, "cpu", NSEC_PER_MSEC);
	expect_diff(0, "user_cpu", NSEC_PER_MSEC / 4);
	assert_int_equal(exits_cpu_ns(exits), 6 * NSEC_PER_MSEC);
}

static void test_the_first_reading_shows_no_rate(void **state)
{
	(void)state;
	ended("sh", "cron", 5, NSEC_PER_SEC);
	reading();
	assert_int_equal(d.frame.n, 1);
	assert_int_equal(cell_of(0, "exits").state, CELL_ABSENT);
}

static void test_a_group_goes_and_comes_back(void **state)
{
	(void)state;
	reading();
	ended("sh", "cron", 4, 8 * NSEC_PER_MSEC);
	reading();
	reading();
	assert_int_equal(d.frame.n, 0);
	ended("sh", "cron", 1, NSEC_PER_MSEC);
	reading();
	assert_int_equal(d.frame.n, 1);
	expect_diff(0, "exits", 1);
	expect_diff(0, "cpu", NSEC_PER_MSEC);
}

/* A reading too soon for a difference leaves the baseline: what it saw belongs to the next one's window. */
static void test_a_reading_too_soon_loses_nothing(void **state)
{
	(void)state;
	reading();
	now_ns -= NSEC_PER_SEC - 10 * NSEC_PER_MSEC;
	ended("sh", "cron", 4, 8 * NSEC_PER_MSEC);
	reading();
	assert_int_equal(cell_of(0, "exits").reason, REASON_SHORT);
	reading();
	assert_int_equal(d.frame.n, 1);
	expect_diff(0, "exits", 4);
	expect_diff(0, "cpu", 8 * NSEC_PER_MSEC);
	reading();
	assert_int_equal(d.frame.n, 0);
}

/* Nor is a group dropped by it whose successor would then count from zero against the old baseline. */
static void test_a_reading_too_soon_drops_nothing(void **state)
{
	(void)state;
	reading();
	ended("sh", "cron", 4, 8 * NSEC_PER_MSEC);
	reading();
	now_ns -= NSEC_PER_SEC - 10 * NSEC_PER_MSEC;
	reading();
	ended("sh", "cron", 1, NSEC_PER_MSEC);
	reading();
	assert_int_equal(d.frame.n, 1);
	expect_diff(0, "exits", 1);
	expect_diff(0, "cpu", NSEC_PER_MSEC);
}

static void test_by_command_and_parent(void **state)
{
	(void)state;
	reading();
	ended("sh", "cron", 1, 1);
	ended("sh", "make", 1, 1);
	ended("ls", "cron", 1, 1);
	/* the two names run together alike */
	ended("shc", "ron", 1, 1);
	reading();
	assert_int_equal(d.frame.n, 4);
}

static void test_what_is_not_known(void **state)
{
	const struct exit_record r = {.command = "",
		.parent = "bash",
		.parent_len = 4,
		.cpu_ns = 30 * NSEC_PER_MSEC,
		.approx = true};

	(void)state;
	reading();
	exits_add(exits, &r);
	reading();
	expect_text(0, "name", "children of bash");
	assert_int_equal(cell_of(0, "cpu").state, CELL_APPROX);
	assert_int_equal(cell_of(0, "cpu").diff, 30 * NSEC_PER_MSEC);
	assert_int_equal(cell_of(0, "exits").state, CELL_ABSENT);
	assert_int_equal(cell_of(0, "exits").reason, REASON_UNKNOWN);
	assert_int_equal(cell_of(0, "disk_read").state, CELL_ABSENT);
	assert_int_equal(cell_of(0, "disk_read").reason, REASON_PERMISSION);
}

static void test_more_groups_than_there_is_room_for(void **state)
{
	u64 exits_sum = 0, cpu_sum = 0;
	bool others = false;

	(void)state;
	reading();
	for (u32 i = 0; i < 5000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "job%u", i);
		ended(name, "sh", 1, 10);
	}
	reading();
	assert_int_equal(d.frame.n, 4096);
	for (u32 row = 0; row < d.frame.n; row++) {
		struct cell name = cell_of(row, "name");

		exits_sum += cell_of(row, "exits").diff;
		cpu_sum += cell_of(row, "cpu").diff;
		others |= name.text_len == 6 && !memcmp(name.text, "others", 6);
	}
	assert_int_equal(exits_sum, 5000);
	assert_int_equal(cpu_sum, 50000);
	assert_true(others);
	assert_int_equal(exits_cpu_ns(exits), 50000);
}

static void test_long_names(void **state)
{
	char long_name[200];

	(void)state;
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	reading();
	ended(long_name, long_name, 1, 1);
	ended("", long_name, 1, 1);
	reading();
	assert_int_equal(d.frame.n, 2);
	for (u32 row = 0; row < 2; row++)
		assert_int_equal(cell_of(row, "name").text_len, 64);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_group_counts_in_the_frame_of_its_tick),
		T(test_the_first_reading_shows_no_rate),
		T(test_a_group_goes_and_comes_back),
		T(test_a_reading_too_soon_loses_nothing),
		T(test_a_reading_too_soon_drops_nothing),
		T(test_by_command_and_parent),
		T(test_what_is_not_known),
		T(test_more_groups_than_there_is_room_for),
		T(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
