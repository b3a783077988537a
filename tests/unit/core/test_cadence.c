#include "test.h"

#include <string.h>

#include "core/cadence.h"

static void test_local_is_the_arm_without_remote_nodes(void **state)
{
	(void)state;
	assert_int_equal(local_interval(), remote_interval(0));
	assert_int_not_equal(local_interval(), remote_interval(1));
	assert_int_not_equal(local_interval(), remote_interval(10));
	assert_true(local_interval() <= 2 * NSEC_PER_SEC);
}

static void test_remote_arms(void **state)
{
	(void)state;
	assert_int_equal(remote_interval(1), 3 * NSEC_PER_SEC);
	assert_int_equal(remote_interval(10), 3 * NSEC_PER_SEC);
	assert_int_equal(remote_interval(11), 4 * NSEC_PER_SEC);
	assert_int_equal(remote_interval(50), 4 * NSEC_PER_SEC);
	assert_int_equal(remote_interval(51), 5 * NSEC_PER_SEC);
	assert_int_equal(remote_interval(100), 5 * NSEC_PER_SEC);
	assert_int_equal(remote_interval(101), 6 * NSEC_PER_SEC);
	assert_int_equal(remote_interval(UINT32_MAX), 6 * NSEC_PER_SEC);
}

static void test_interval_option(void **state)
{
	static const char *const bad[] = {"", "0", "99ms", "2h", "1x", "-1s", "1s ", "nan", "inf"};
	struct err err;
	u64 ns = 7;

	(void)state;
	assert_int_equal(interval_parse("100ms", &ns, &err), 0);
	assert_int_equal(ns, 100 * NSEC_PER_MSEC);
	assert_int_equal(interval_parse("1h", &ns, &err), 0);
	assert_int_equal(ns, 3600 * NSEC_PER_SEC);
	assert_int_equal(interval_parse("1.5", &ns, &err), 0);
	assert_int_equal(ns, 1500 * NSEC_PER_MSEC);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_not_equal(interval_parse(bad[i], &ns, &err), 0);
		assert_non_null(strstr(err.msg, "100ms to 1h"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_local_is_the_arm_without_remote_nodes),
		cmocka_unit_test(test_remote_arms),
		cmocka_unit_test(test_interval_option),
	};

	return cmocka_run_group_tests_name("cadence", tests, NULL, NULL);
}
