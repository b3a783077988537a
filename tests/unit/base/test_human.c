/* Numbers for people: exact texts, and widths that hold everywhere. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/human.h"

static void expect(u32 (*fn)(char *, double), double v, const char *want)
{
	char out[HUMAN_SIZE];
	u32 n = fn(out, v);

	if (strcmp(out, want) != 0)
		fail_msg("%g: %s, not %s", v, out, want);
	assert_int_equal(n, strlen(want));
}

static void test_bytes(void **state)
{
	(void)state;
	expect(human_bytes, 0, "0");
	expect(human_bytes, 999, "999");
	expect(human_bytes, 1000, "1.0K");
	expect(human_bytes, 1024, "1.0K");
	expect(human_bytes, 1536, "1.5K");
	expect(human_bytes, 23.4 * 1048576, "23.4M");
	expect(human_bytes, 99.96 * 1024, "100K");
	expect(human_bytes, 512.0 * 1073741824, "512G");
	expect(human_bytes, 18446744073709551615.0, "16.0E");
	expect(human_bytes, -1536, "-1.5K");
	expect(human_bytes, -23.4 * 1048576, "-23M");
	expect(human_bytes, (double)NAN, "-");
	expect(human_bytes, (double)INFINITY, "-");
}

static void test_count(void **state)
{
	(void)state;
	expect(human_count, 0, "0");
	expect(human_count, 999, "999");
	expect(human_count, 999.6, "1.0k");
	expect(human_count, 1200, "1.2k");
	expect(human_count, 34.5e6, "34.5M");
	expect(human_count, 0.4, "0");
}

static void test_five_columns_everywhere(void **state)
{
	char out[HUMAN_SIZE];

	(void)state;
	for (double v = 0.001; v < 1e40; v *= 1.00137) {
		assert_true(human_bytes(out, v) <= 5);
		assert_true(human_bytes(out, -v) <= 5);
		assert_true(human_count(out, v) <= 5);
		assert_true(human_count(out, -v) <= 5);
	}
	assert_true(human_bytes(out, 1e300) <= 5);
	for (int e = 0; e < 80; e++)
		for (int d = -2; d <= 2; d++) {
			double edge = ldexp(999.5, e) * (1 + d * 1e-12);

			assert_true(human_bytes(out, edge) <= 5);
		}
}

static void test_percent(void **state)
{
	(void)state;
	expect(human_percent, 0, "0.0");
	expect(human_percent, -0.01, "0.0");
	expect(human_percent, 9.94, "9.9");
	expect(human_percent, 99.94, "99.9");
	expect(human_percent, 99.95, "100");
	expect(human_percent, 100, "100");
	expect(human_percent, 3200.4, "3200");
	expect(human_percent, (double)NAN, "-");
}

static void test_duration(void **state)
{
	char out[HUMAN_SIZE];

	(void)state;
	expect(human_duration, 0, "0ns");
	expect(human_duration, 850, "850ns");
	expect(human_duration, 999.6, "1.00us");
	expect(human_duration, 1200, "1.20us");
	expect(human_duration, 12.3e6, "12.3ms");
	expect(human_duration, 999.6e6, "1.00s");
	expect(human_duration, 1.5e9, "1.50s");
	expect(human_duration, 59.94e9, "59.9s");
	expect(human_duration, 59.96e9, "1m00");
	expect(human_duration, 125e9, "2m05");
	expect(human_duration, (3 * 3600 + 7 * 60) * 1e9, "3h07");
	expect(human_duration, 41.0 * 86400e9, "41d");
	expect(human_duration, -1, "-");
	expect(human_duration, (double)NAN, "-");
	for (double v = 1; v < 1e300; v *= 1.7)
		assert_true(human_duration(out, v) < HUMAN_SIZE);
	expect(human_duration, 1e300, "-");
}

static void expect_time(u64 ns, const char *want)
{
	char out[HUMAN_SIZE];

	assert_int_equal(human_cpu_time(out, ns), strlen(want));
	assert_string_equal(out, want);
}

static void test_cpu_time(void **state)
{
	(void)state;
	expect_time(0, "0:00.00");
	expect_time(9999999, "0:00.00");
	expect_time(61230000000ull, "1:01.23");
	expect_time(3599999999999ull, "59:59.99");
	expect_time(3723ull * NSEC_PER_SEC, "1h02:03");
	expect_time((41 * 3600 + 7 * 60) * NSEC_PER_SEC, "41h07");
	expect_time((12 * 24 + 4) * 3600 * NSEC_PER_SEC, "12d04h");
	expect_time(UINT64_MAX, "213503d23h");
}

static void expect_fixed(double v, u32 decimals, const char *want)
{
	char out[HUMAN_SIZE];

	assert_int_equal(human_fixed(out, v, decimals), strlen(want));
	assert_string_equal(out, want);
}

static void test_fixed(void **state)
{
	(void)state;
	expect_fixed(0, 0, "0");
	expect_fixed(1.005, 1, "1.0");
	expect_fixed(1.25, 3, "1.250");
	expect_fixed(-1.25, 1, "-1.3");
	expect_fixed(-0.04, 1, "0.0");
	expect_fixed(0.999, 2, "1.00");
	expect_fixed(1, 12, "1.000000000");
	expect_fixed(1e30, 0, "-");
	expect_fixed((double)INFINITY, 2, "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_five_columns_everywhere),
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_cpu_time),
		cmocka_unit_test(test_fixed),
	};

	return cmocka_run_group_tests_name("human", tests, NULL, NULL);
}
