/* Memory that adds up, impossible values, huge pages of all sizes, ZFS, zswap, zram; absent is not zero. */
#include "test.h"

#include "unit/source/fixture.h"

#define KIB(n) ((n)*1024.0)

static struct machine m;

static const struct frame_table *meminfo(const char *text)
{
	moment_clock(0);
	tree_file("t0/proc/meminfo", text);
	assert_int_equal(machine_open(&m, &memory_source), 0);
	return machine_read(&m);
}

static void adds_up(const struct frame_table *t)
{
	static const char *const classes[] = {
		"free", "buffers", "cache", "shared", "anon", "kernel", "other"};
	struct cell huge;
	double sum = 0;

	for (u32 i = 0; i < ARRAY_LEN(classes); i++)
		sum += num_of(t, 0, classes[i]);
	cell_of(t, 0, "hugepages", &huge);
	assert_near(sum + huge.num, num_of(t, 0, "total"));
}

static void test_container_with_more_slab_than_room(void **state)
{
	const struct frame_table *t = meminfo(
		"MemTotal: 1000000 kB\nMemFree: 990000 kB\nMemAvailable: 990000 kB\nBuffers: 0 kB\n"
		"Cached: 8000 kB\nSReclaimable: 65000 kB\nShmem: 19000 kB\nAnonPages: 0 kB\n");

	(void)state;
	assert_near(num_of(t, 0, "used"), KIB(10000));
	assert_near(num_of(t, 0, "used_share"), 1);
	adds_up(t);
	machine_close(&m);
}

static void test_impossible_available(void **state)
{
	const struct frame_table *t = meminfo(
		"MemTotal: 1048576 kB\nMemFree: 600000 kB\nMemAvailable: 2097152 kB\n");

	(void)state;
	assert_near(num_of(t, 0, "used"), KIB(448576));
	assert_int_equal(absent_of(t, 0, "available"), REASON_INVALID);
	machine_close(&m);
}

static void test_missing_lines_are_absent(void **state)
{
	const struct frame_table *t = meminfo("MemTotal: 1000 kB\nMemFree: 400 kB\n");

	(void)state;
	assert_near(num_of(t, 0, "used"), KIB(600));
	assert_int_equal(absent_of(t, 0, "buffers"), REASON_UNSUPPORTED);
	assert_int_equal(absent_of(t, 0, "shared"), REASON_UNSUPPORTED);
	assert_int_equal(absent_of(t, 0, "anon"), REASON_UNSUPPORTED);
	assert_int_equal(absent_of(t, 0, "swap_used"), REASON_UNSUPPORTED);
	assert_int_equal(absent_of(t, 0, "zfs_arc"), REASON_UNSUPPORTED);
	machine_close(&m);
}

static void test_zfs(void **state)
{
	const struct frame_table *t;

	(void)state;
	tree_file("t0/proc/spl/kstat/zfs/arcstats",
		"13 1 0x01 123 33456 1 2\nname type data\nc_min "
		"4 1048576000\nsize 4 15728640000\n");
	t = meminfo("MemTotal: 32768000 kB\nMemFree: 8000000 kB\nMemAvailable: 8192000 kB\n"
		    "Buffers: 0 kB\nCached: 0 kB\nShmem: 0 kB\nAnonPages: 0 kB\n");
	assert_near(num_of(t, 0, "used"), KIB(10240000));
	assert_near(num_of(t, 0, "cache"), KIB(14336000));
	adds_up(t);
	machine_close(&m);
}

static void test_zfs_that_cannot_be_read_is_not_zero(void **state)
{
	const struct frame_table *t;

	(void)state;
	tree_link("t0/proc/spl/kstat/zfs/arcstats", "errno:read:EACCES");
	t = meminfo("MemTotal: 1000 kB\nMemFree: 400 kB\nMemAvailable: 500 kB\n");
	assert_int_equal(absent_of(t, 0, "zfs_arc"), REASON_PERMISSION);
	machine_close(&m);
}

static void pool(const char *size, const char *total, const char *free_pages)
{
	char path[128];

	snprintf(path, sizeof(path), "t0/sys/kernel/mm/hugepages/hugepages-%s/nr_hugepages", size);
	tree_file(path, total);
	snprintf(
		path, sizeof(path), "t0/sys/kernel/mm/hugepages/hugepages-%s/free_hugepages", size);
	tree_file(path, free_pages);
}

static void test_huge_pages_of_two_sizes(void **state)
{
	const struct frame_table *t;

	(void)state;
	pool("1048576kB", "2\n", "2\n");
	pool("2048kB", "1024\n", "1000\n");
	t = meminfo("MemTotal: 16777216 kB\nMemFree: 8388608 kB\nMemAvailable: 8388608 kB\n"
		    "HugePages_Total: 2\nHugePages_Free: 2\nHugepagesize: 1048576 kB\n"
		    "Hugetlb: 4194304 kB\n");
	assert_near(num_of(t, 0, "hugepages"), KIB(4194304));
	assert_near(num_of(t, 0, "hugepages_used"), KIB(24 * 2048.0));
	machine_close(&m);
}

static void test_huge_pages_without_the_hugetlb_line(void **state)
{
	const struct frame_table *t;

	(void)state;
	pool("1048576kB", "2\n", "2\n");
	pool("2048kB", "1024\n", "1024\n");
	t = meminfo("MemTotal: 16777216 kB\nMemFree: 8388608 kB\nMemAvailable: 8388608 kB\n"
		    "HugePages_Total: 2\nHugePages_Free: 2\nHugepagesize: 1048576 kB\n");
	assert_near(num_of(t, 0, "hugepages"), KIB(4194304));
	assert_near(num_of(t, 0, "hugepages_used"), 0);
	machine_close(&m);
}

static void test_zswap(void **state)
{
	const struct frame_table *t = meminfo(
		"MemTotal: 1000 kB\nMemFree: 400 kB\nSwapTotal: 8388608 kB\nSwapFree: 4194304 kB\n"
		"Zswap: 524288 kB\nZswapped: 2097152 kB\n");

	(void)state;
	assert_near(num_of(t, 0, "swap_used"), KIB(4194304));
	assert_near(num_of(t, 0, "swap_on_disk"), KIB(2097152));
	assert_near(num_of(t, 0, "zswap_pool"), KIB(524288));
	assert_near(num_of(t, 0, "swap_share"), 50);
	machine_close(&m);
}

static void test_vmstat_units(void **state)
{
	const struct frame_table *t;

	(void)state;
	moment_clock(0);
	moment_clock(1);
	tree_file("t0/proc/meminfo", "MemTotal: 1000 kB\n");
	tree_file("t1/proc/meminfo", "MemTotal: 1000 kB\n");
	tree_file("t0/proc/vmstat",
		"pgpgin 0\npgpgout 0\npswpin 0\npswpout 0\npgfault 5\npgmajfault 0\noom_kill 0\n");
	tree_file("t1/proc/vmstat",
		"pgpgin 3\npgpgout 4\npswpin 5\npswpout 6\npgfault 12\npgmajfault 2\noom_kill 1\n");
	assert_int_equal(machine_open(&m, &memory_source), 0);
	machine_read(&m);
	t = machine_next(&m);
	assert_near(num_of(t, 0, "paged_in"), KIB(3));
	assert_near(num_of(t, 0, "paged_out"), KIB(4));
	assert_near(num_of(t, 0, "swapped_in"), KIB(20));
	assert_near(num_of(t, 0, "swapped_out"), KIB(24));
	assert_near(num_of(t, 0, "faults"), 7);
	assert_near(num_of(t, 0, "oom_kills"), 1);
	machine_close(&m);
}

static void test_zram(void **state)
{
	const u64 key = key_from_name("/dev/zram0", 10);
	const struct frame_table *t;

	(void)state;
	moment_clock(0);
	tree_file("t0/proc/swaps", "Filename Type Size Used Priority\n"
				   "/dev/zram0 partition 4194300 2097152 -2\n");
	tree_file("t0/sys/block/zram0/mm_stat", "2147483648 536870912 545259520 0 1 2 3 4\n");
	assert_int_equal(machine_open(&m, &swap_source), 0);
	t = machine_read(&m);
	assert_near(num_of(t, key, "size"), KIB(4194300));
	assert_near(num_of(t, key, "data"), 2147483648.0);
	assert_near(num_of(t, key, "memory_cost"), 545259520.0);
	assert_near(num_of(t, key, "ratio"), 4);
	assert_true(num_of(t, key, "priority") == -2);
	tree_file("t0/sys/block/zram0/mm_stat", "garbage\n");
	t = machine_read(&m);
	assert_int_equal(absent_of(t, key, "data"), REASON_INVALID);
	/* no ratio that fits: no number, and no undefined conversion on the way to it */
	tree_file("t0/sys/block/zram0/mm_stat", "18446744073709551615 1 1\n");
	t = machine_read(&m);
	assert_int_equal(absent_of(t, key, "ratio"), REASON_INVALID);
	machine_close(&m);
}

static void test_broken_files(void **state)
{
	static const char text[] =
		"MemTotal: 16777216 kB\nMemFree: 99999999999999999999 kB\nMemAvailable: 1 kB\n"
		"Cached: 18446744073709551615 kB\nHugePages_Total: 99999999999\nHugepagesize: 9 "
		"kB\n";
	static const char swaps[] =
		"Filename Type Size Used Priority\n/a\\040b\\134 file 10 5 -2\n";

	(void)state;
	meminfo(text);
	mutate(&m, "t0/proc/meminfo", text);
	machine_close(&m);
	tree_file("t0/proc/swaps", swaps);
	assert_int_equal(machine_open(&m, &swap_source), 0);
	mutate(&m, "t0/proc/swaps", swaps);
	machine_close(&m);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_container_with_more_slab_than_room),
		T(test_impossible_available),
		T(test_missing_lines_are_absent),
		T(test_zfs),
		T(test_zfs_that_cannot_be_read_is_not_zero),
		T(test_huge_pages_of_two_sizes),
		T(test_huge_pages_without_the_hugetlb_line),
		T(test_zswap),
		T(test_vmstat_units),
		T(test_zram),
		T(test_broken_files),
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
