/* Limits of tare's own group: v2 and v1, over all ancestors and as they change; malformed and unlimited. */
#include "test.h"

#include "unit/source/fixture.h"

#define V2 "sys/fs/cgroup/"
#define V1 "sys/fs/cgroup/"

static struct machine m;

static void base(u32 moment, const char *cgroup)
{
	char path[64];

	moment_clock(moment);
	snprintf(path, sizeof(path), "t%u/proc/self/cgroup", moment);
	tree_file(path, cgroup);
	snprintf(path, sizeof(path), "t%u/proc/meminfo", moment);
	tree_file(path, "MemTotal: 16777216 kB\n");
}

static const struct frame_table *start(void)
{
	assert_int_equal(machine_open(&m, &cgroup_source), 0);
	return machine_read(&m);
}

static void test_container(void **state)
{
	const struct frame_table *t;

	(void)state;
	base(0, "0::/a/b\n");
	tree_file("t0/" V2 "a/b/cpu.max", "200000 100000\n");
	tree_file("t0/" V2 "a/b/cpuset.cpus.effective", "4-5\n");
	tree_file("t0/" V2 "a/b/memory.max", "2147483648\n");
	tree_file("t0/" V2 "a/b/memory.current", "1073741824\n");
	t = start();
	assert_near(num_of(t, 0, "cpu_limit"), 2);
	assert_near(num_of(t, 0, "cpus"), 2);
	assert_near(num_of(t, 0, "memory_limit"), 2147483648.0);
	assert_near(num_of(t, 0, "memory_share"), 50);
	machine_close(&m);
}

static void test_cpu_max_forms(void **state)
{
	const struct frame_table *t;

	(void)state;
	base(0, "0::/a\n");
	tree_file("t0/" V2 "a/cpu.max", "50000\n");
	t = start();
	assert_near(num_of(t, 0, "cpu_limit"), 0.5);
	tree_file("t0/" V2 "a/cpu.max", "max 100000\n");
	assert_int_equal(absent_of(machine_read(&m), 0, "cpu_limit"), REASON_NO_LIMIT);
	tree_file("t0/" V2 "a/cpu.max", "max\n");
	assert_int_equal(absent_of(machine_read(&m), 0, "cpu_limit"), REASON_NO_LIMIT);
	tree_file("t0/" V2 "a/cpu.max", "50000 0\n");
	assert_int_equal(absent_of(machine_read(&m), 0, "cpu_limit"), REASON_INVALID);
	mutate(&m, "t0/" V2 "a/cpu.max", "200000 100000\n");
	machine_close(&m);
}

static void test_limit_of_the_parent_and_its_change(void **state)
{
	const struct frame_table *t;

	(void)state;
	base(0, "0::/p/leaf\n");
	tree_file("t0/" V2 "p/leaf/memory.max", "max\n");
	tree_file("t0/" V2 "p/leaf/cpu.max", "max 100000\n");
	tree_file("t0/" V2 "p/memory.max", "1073741824\n");
	tree_file("t0/" V2 "p/cpu.max", "300000 100000\n");
	t = start();
	assert_near(num_of(t, 0, "memory_limit"), 1073741824.0);
	assert_near(num_of(t, 0, "cpu_limit"), 3);
	tree_file("t0/" V2 "p/memory.max", "536870912\n");
	tree_file("t0/" V2 "p/cpu.max", "100000 100000\n");
	t = machine_read(&m);
	assert_near(num_of(t, 0, "memory_limit"), 536870912.0);
	assert_near(num_of(t, 0, "cpu_limit"), 1);
	machine_close(&m);
}

static void test_v1_unlimited(void **state)
{
	static const char *const unlimited[] = {
		"9223372036854771712\n", "9223372036854710272\n", "9223372036854775807\n"};

	(void)state;
	base(0, "4:memory:/x\n3:cpu,cpuacct:/x\n");
	tree_file("t0/" V1 "cpu/x/cpu.cfs_quota_us", "-1\n");
	tree_file("t0/" V1 "cpu/x/cpu.cfs_period_us", "100000\n");
	tree_file("t0/" V1 "memory/x/memory.limit_in_bytes", unlimited[0]);
	start();
	for (u32 i = 0; i < ARRAY_LEN(unlimited); i++) {
		tree_file("t0/" V1 "memory/x/memory.limit_in_bytes", unlimited[i]);
		assert_int_equal(absent_of(machine_read(&m), 0, "memory_limit"), REASON_NO_LIMIT);
	}
	assert_int_equal(absent_of(machine_read(&m), 0, "cpu_limit"), REASON_NO_LIMIT);
	machine_close(&m);
}

static void test_v1_cpu_limit_of_the_parent(void **state)
{
	const struct frame_table *t;

	(void)state;
	base(0, "3:cpu,cpuacct:/p/leaf\n");
	tree_file("t0/" V1 "cpu/p/leaf/cpu.cfs_quota_us", "-1\n");
	tree_file("t0/" V1 "cpu/p/leaf/cpu.cfs_period_us", "100000\n");
	tree_file("t0/" V1 "cpu/p/cpu.cfs_quota_us", "150000\n");
	tree_file("t0/" V1 "cpu/p/cpu.cfs_period_us", "100000\n");
	t = start();
	assert_near(num_of(t, 0, "cpu_limit"), 1.5);
	machine_close(&m);
}

static void test_outside_the_own_view(void **state)
{
	(void)state;
	base(0, "0::/../../x\n");
	tree_file("t0/x/memory.max", "5\n");
	tree_file("t0/" V2 "memory.current", "5\n");
	assert_int_equal(machine_open(&m, &cgroup_source), -ENOENT);
	delta_fini(&m.delta);
	root_fini(&m.root);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_container),
		T(test_cpu_max_forms),
		T(test_limit_of_the_parent_and_its_change),
		T(test_v1_unlimited),
		T(test_v1_cpu_limit_of_the_parent),
		T(test_outside_the_own_view),
	};

	return cmocka_run_group_tests_name("cgroup", tests, NULL, NULL);
}
