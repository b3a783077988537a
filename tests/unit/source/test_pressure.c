/* Stall times: microseconds to shares, irq with `full` only, kernels without, broken files. */
#include "test.h"

#include "unit/source/fixture.h"

static struct machine m;

static void test_totals_and_irq(void **state)
{
	const struct frame_table *t;

	(void)state;
	moment_clock(0);
	moment_clock(1);
	tree_file("t0/proc/pressure/cpu", "some avg10=9.00 avg60=9.00 avg300=9.00 total=1000\n");
	tree_file("t1/proc/pressure/cpu", "some avg10=9.00 avg60=9.00 avg300=9.00 total=251000\n");
	tree_file("t0/proc/pressure/irq", "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	tree_file("t1/proc/pressure/irq", "full avg10=0.00 avg60=0.00 avg300=0.00 total=500000\n");
	assert_int_equal(machine_open(&m, &pressure_source), 0);
	machine_read(&m);
	t = machine_next(&m);
	assert_int_equal(t->n, 2);
	assert_near(num_of(t, 0, "some"), 25);
	assert_int_equal(absent_of(t, 0, "full"), REASON_UNSUPPORTED);
	assert_near(num_of(t, 3, "full"), 50);
	assert_int_equal(absent_of(t, 3, "some"), REASON_UNSUPPORTED);
	machine_close(&m);
}

static void test_kernel_without(void **state)
{
	(void)state;
	moment_clock(0);
	tree_file("t0/proc/stat", "cpu0 1 0 0 1\n");
	assert_int_equal(machine_open(&m, &pressure_source), -ENOENT);
	delta_fini(&m.delta);
	root_fini(&m.root);
}

static void test_one_file_fails(void **state)
{
	const struct frame_table *t;

	(void)state;
	moment_clock(0);
	tree_file("t0/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
	tree_link("t0/proc/pressure/io", "errno:EACCES");
	assert_int_equal(machine_open(&m, &pressure_source), 0);
	t = machine_read(&m);
	assert_int_equal(absent_of(t, 2, "some"), REASON_PERMISSION);
	assert_int_equal(absent_of(t, 0, "some"), REASON_FIRST);
	machine_close(&m);
}

static void test_broken_files(void **state)
{
	static const char text[] = "some avg10=0.00 avg60=0.00 avg300=0.00 total=123456789\n"
				   "full avg10=0.00 avg60=0.00 avg300=0.00 total=99\n";

	(void)state;
	moment_clock(0);
	tree_file("t0/proc/pressure/memory", text);
	assert_int_equal(machine_open(&m, &pressure_source), 0);
	mutate(&m, "t0/proc/pressure/memory", text);
	machine_close(&m);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_totals_and_irq),
		T(test_kernel_without),
		T(test_one_file_fails),
		T(test_broken_files),
	};

	return cmocka_run_group_tests_name("pressure", tests, NULL, NULL);
}
