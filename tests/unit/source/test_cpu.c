/* CPUs by id: shares, guests once, steps back, resets, hot-plug, frequency, old kernels, idle states. */
#include "test.h"

#include "unit/source/fixture.h"

static struct machine m;

static void stat_file(u32 moment, const char *text)
{
	char path[32];

	snprintf(path, sizeof(path), "t%u/proc/stat", moment);
	tree_file(path, text);
	moment_clock(moment);
}

static void test_guest_counts_once(void **state)
{
	const struct frame_table *t;

	(void)state;
	stat_file(0, "cpu0 1000 0 0 1000 0 0 0 0 500 0\n");
	stat_file(1, "cpu0 1600 0 100 1300 0 0 0 0 1000 0\n");
	assert_int_equal(machine_open(&m, &cpu_source), 0);
	t = machine_read(&m);
	assert_int_equal(absent_of(t, 0, "busy"), REASON_FIRST);
	t = machine_next(&m);
	assert_near(num_of(t, 0, "busy"), 70);
	assert_near(num_of(t, 0, "guest"), 50);
	assert_near(num_of(t, 0, "user"), 10);
	assert_near(num_of(t, 0, "system"), 10);
	assert_near(num_of(t, 0, "idle"), 30);
	machine_close(&m);
}

static void test_four_fields_of_an_old_kernel(void **state)
{
	const struct frame_table *t;

	(void)state;
	stat_file(0, "cpu0 100 0 100 100\n");
	stat_file(1, "cpu0 125 0 125 150\n");
	assert_int_equal(machine_open(&m, &cpu_source), 0);
	machine_read(&m);
	t = machine_next(&m);
	assert_near(num_of(t, 0, "busy"), 50);
	assert_near(num_of(t, 0, "user"), 25);
	assert_int_equal(absent_of(t, 0, "iowait"), REASON_UNSUPPORTED);
	assert_int_equal(absent_of(t, 0, "steal"), REASON_UNSUPPORTED);
	machine_close(&m);
}

static void test_offline_and_back(void **state)
{
	const struct frame_table *t;

	(void)state;
	stat_file(0, "cpu0 10 0 0 90\ncpu2 9000 0 3000 50000\n");
	stat_file(1, "cpu0 60 0 0 140\n");
	stat_file(2, "cpu0 110 0 0 190\ncpu2 10 0 5 85\n");
	stat_file(3, "cpu0 160 0 0 240\ncpu2 35 0 5 160\n");
	for (u32 i = 0; i < 4; i++) {
		char path[64];

		snprintf(path, sizeof(path), "t%u/sys/devices/system/cpu/present", i);
		tree_file(path, "0,2\n");
	}
	assert_int_equal(machine_open(&m, &cpu_source), 0);
	machine_read(&m);
	t = machine_next(&m);
	assert_int_equal(t->n, 2);
	assert_near(num_of(t, 2, "online"), 0);
	assert_int_equal(absent_of(t, 2, "busy"), REASON_OFFLINE);
	assert_near(num_of(t, 0, "busy"), 50);
	t = machine_next(&m);
	assert_near(num_of(t, 2, "online"), 1);
	assert_int_equal(absent_of(t, 2, "busy"), REASON_FIRST);
	t = machine_next(&m);
	assert_near(num_of(t, 2, "busy"), 25);
	machine_close(&m);
}

static void test_replugged_between_samples(void **state)
{
	const struct frame_table *t;

	(void)state;
	stat_file(0, "cpu2 9000 0 3000 50000 0 0 0 0 0 0\n");
	stat_file(1, "cpu2 10 0 5 85 0 0 0 0 0 0\n");
	assert_int_equal(machine_open(&m, &cpu_source), 0);
	machine_read(&m);
	t = machine_next(&m);
	assert_int_equal(absent_of(t, 2, "busy"), REASON_RESET);
	machine_close(&m);
}

static void test_idle_steps_back_a_little(void **state)
{
	const struct frame_table *t;
	struct cell cell;

	(void)state;
	stat_file(0, "cpu0 100 0 0 10944650\n");
	stat_file(1, "cpu0 150 0 0 10944648\n");
	assert_int_equal(machine_open(&m, &cpu_source), 0);
	machine_read(&m);
	t = machine_next(&m);
	cell_of(t, 0, "idle_time", &cell);
	assert_int_equal(cell.state, CELL_HELD);
	assert_int_equal(cell.raw, 109446500 * NSEC_PER_MSEC);
	assert_near(num_of(t, 0, "busy"), 100);
	machine_close(&m);
}

static void frequency_files(u32 moment)
{
	static const char *const khz[] = {"800000\n", "400000\n", "3200000\n"};
	char path[128];

	for (u32 i = 0; i < ARRAY_LEN(khz); i++) {
		snprintf(path, sizeof(path),
			"t%u/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", moment, i);
		tree_file(path, khz[i]);
	}
	snprintf(path, sizeof(path), "t%u/sys/devices/system/cpu/present", moment);
	tree_file(path, "0-2\n");
}

static void test_frequency_by_id(void **state)
{
	const struct frame_table *t;

	(void)state;
	stat_file(0, "cpu0 1 0 0 9\ncpu2 1 0 0 9\n");
	frequency_files(0);
	assert_int_equal(machine_open(&m, &cpu_source), 0);
	t = machine_read(&m);
	assert_near(num_of(t, 0, "frequency"), 800e6);
	assert_near(num_of(t, 2, "frequency"), 3200e6);
	assert_int_equal(absent_of(t, 1, "frequency"), REASON_OFFLINE);
	machine_close(&m);
}

static void test_frequency_that_fails_says_why(void **state)
{
	const struct frame_table *t;

	(void)state;
	stat_file(0, "cpu0 1 0 0 9\n");
	tree_file("t0/sys/devices/system/cpu/present", "0\n");
	tree_link("t0/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "errno:read:EIO");
	assert_int_equal(machine_open(&m, &cpu_source), 0);
	t = machine_read(&m);
	assert_int_equal(absent_of(t, 0, "frequency"), REASON_ERROR);
	machine_close(&m);
}

static void test_512_cpus_and_long_lines(void **state)
{
	const u32 size = 512 * 64 + 200000;
	char *text = malloc(size);
	const struct frame_table *t;
	u32 len = 0;

	(void)state;
	assert_non_null(text);
	for (u32 i = 0; i < 512; i++)
		len += (u32)snprintf(text + len, size - len, "cpu%u 100 0 0 300 0 0 0 0 0 0\n", i);
	len += (u32)snprintf(text + len, size - len, "intr 77");
	for (u32 i = 0; i < 50000; i++)
		len += (u32)snprintf(text + len, size - len, " 0");
	snprintf(text + len, size - len, "\nctxt 55\nprocesses 9\nprocs_running 3\n");
	stat_file(0, text);
	tree_file("t0/proc/loadavg", "1.25 0.50 0.07 3/100 1\n");
	assert_int_equal(machine_open(&m, &cpu_source), 0);
	t = machine_read(&m);
	assert_int_equal(t->n, 512);
	assert_near(num_of(t, 511, "online"), 1);
	machine_close(&m);
	assert_int_equal(machine_open(&m, &system_source), 0);
	t = machine_read(&m);
	assert_near(num_of(t, 0, "cpus_online"), 512);
	assert_near(num_of(t, 0, "running"), 3);
	assert_near(num_of(t, 0, "load1"), 1.25);
	assert_near(num_of(t, 0, "load15"), 0.07);
	machine_close(&m);
	free(text);
}

static void idle_state(u32 cpu)
{
	static const char *const names[] = {"name", "time", "usage"};
	static const char *const texts[] = {"C1\n", "5000\n", "7\n"};
	char path[128];

	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "t0/sys/devices/system/cpu/cpu%u/cpuidle/state0/%s",
			cpu, names[i]);
		tree_file(path, texts[i]);
	}
}

static void test_idle_states_behind_a_gap_of_ids(void **state)
{
	const struct frame_table *t;
	struct cell cell;

	(void)state;
	moment_clock(0);
	idle_state(0);
	idle_state(4);
	assert_int_equal(machine_open(&m, &cpuidle_source), 0);
	t = machine_read(&m);
	assert_int_equal(t->n, 2);
	cell_of(t, 4 << 8, "residency", &cell);
	assert_int_equal(cell.raw, 5000 * NSEC_PER_USEC);
	machine_close(&m);
}

static void test_broken_stat(void **state)
{
	static const char text[] = "cpu 1 2 3 4 5\ncpu0 100 0 100 100 1 2 3 4 5 6\n"
				   "cpu1 18446744073709551615 0 99999999999999999999 1\n"
				   "intr 5 6 7\nctxt 8\nprocs_running 2\nsoftirq 4 4\n";

	(void)state;
	stat_file(0, text);
	tree_file("t0/sys/devices/system/cpu/present", "0-3\n");
	assert_int_equal(machine_open(&m, &cpu_source), 0);
	mutate(&m, "t0/proc/stat", text);
	machine_close(&m);
	assert_int_equal(machine_open(&m, &system_source), 0);
	mutate(&m, "t0/proc/stat", text);
	machine_close(&m);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_guest_counts_once),
		T(test_four_fields_of_an_old_kernel),
		T(test_offline_and_back),
		T(test_replugged_between_samples),
		T(test_idle_steps_back_a_little),
		T(test_frequency_by_id),
		T(test_frequency_that_fails_says_why),
		T(test_512_cpus_and_long_lines),
		T(test_idle_states_behind_a_gap_of_ids),
		T(test_broken_stat),
	};

	return cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
}
