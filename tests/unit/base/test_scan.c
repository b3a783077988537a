/* Hand scanners: never past the end, saturate, refuse what is no number. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "base/scan.h"

/* On the heap and without a NUL, so that a byte too far is seen. */
static char *exact(const char *text, const char **end)
{
	size_t len = strlen(text);
	char *p = malloc(len ? len : 1);

	assert_non_null(p);
	memcpy(p, text, len);
	*end = p + len;
	return p;
}

static void test_u64(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		u64 v;
		u32 took;
	} cases[] = {
		{"0", true, 0, 1},
		{"  \t42 7", true, 42, 5},
		{"18446744073709551615", true, UINT64_MAX, 20},
		{"18446744073709551616", true, UINT64_MAX, 20},
		{"18446744073709551614x", true, UINT64_MAX - 1, 20},
		{"99999999999999999999999999 1", true, UINT64_MAX, 26},
		{"184467440737095516160", true, UINT64_MAX, 21},
		{"", false, 7, 0},
		{"   ", false, 7, 3},
		{"x", false, 7, 0},
		{"-1", false, 7, 0},
		{"\n1", false, 7, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *end, *p;
		char *text = exact(cases[i].text, &end);
		bool ok = true;
		u64 v = 7;

		p = scan_u64(text, end, &v, &ok);
		assert_int_equal(ok, cases[i].ok);
		assert_true(v == cases[i].v);
		assert_int_equal(p - text, cases[i].took);
		ok = false;
		scan_u64(text, end, &v, &ok);
		assert_false(ok); /* never set to true */
		free(text);
	}
}

static void test_s64(void **state)
{
	static const struct {
		const char *text;
		int ret;
		s64 v;
	} cases[] = {
		{"-5\n", 0, -5},
		{"5", 0, 5},
		{"-0", 0, 0},
		{"9223372036854775807", 0, INT64_MAX},
		{"9223372036854775808", 0, INT64_MAX},
		{"-9223372036854775808", 0, INT64_MIN},
		{"-9223372036854775807", 0, -INT64_MAX},
		{"-99999999999999999999", 0, INT64_MIN},
		{"-", -EINVAL, 7},
		{"- 5", -EINVAL, 7},
		{"--5", -EINVAL, 7},
		{"+5", -EINVAL, 7},
		{"", -EINVAL, 7},
		{"5 5", -EINVAL, 7},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *end;
		char *text = exact(cases[i].text, &end);
		s64 v = 7;

		assert_int_equal(scan_whole_s64(text, end, &v), cases[i].ret);
		assert_true(v == cases[i].v);
		free(text);
	}
}

static void test_whole(void **state)
{
	const char *text = "12\n", *bad = "12x";
	u64 v = 7;

	(void)state;
	assert_int_equal(scan_whole_u64(text, text + 3, &v), 0);
	assert_int_equal(v, 12);
	assert_int_equal(scan_whole_u64(bad, bad + 3, &v), -EINVAL);
	assert_int_equal(scan_whole_u64(text, text, &v), -EINVAL);
	assert_int_equal(v, 12);
}

static void test_fixed(void **state)
{
	static const struct {
		const char *text;
		u32 digits;
		u64 v;
	} cases[] = {
		{"1.239", 2, 123},
		{"1.2", 2, 120},
		{"1", 2, 100},
		{"1.", 2, 100},
		{"0.07", 2, 7},
		{"3.14159", 0, 3},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551615", 2, UINT64_MAX},
		{"184467440737095516.16", 2, UINT64_MAX},
		{"184467440737095516.14", 2, UINT64_MAX - 1},
		{"99999999999999999999.99", 9, UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *end, *p;
		char *text = exact(cases[i].text, &end);
		bool ok = true;
		u64 v = 0;

		p = scan_fixed(text, end, cases[i].digits, &v, &ok);
		assert_true(ok);
		assert_ptr_equal(p, end);
		if (v != cases[i].v)
			fail_msg("%s, %u digits: %llu", cases[i].text, cases[i].digits,
				(unsigned long long)v);
		free(text);
	}
}

static void test_lines_and_words(void **state)
{
	const char *end, *p;
	char *text = exact("cpu  1 2\nintr 5", &end);

	(void)state;
	assert_true(scan_starts(text, end, "cpu "));
	assert_false(scan_starts(text + 9, end, "intr 55"));
	p = scan_skip_words(text, end, 2);
	assert_int_equal(*scan_blank(p, end), '2');
	assert_ptr_equal(scan_skip_words(text, end, 99), scan_line_end(text, end));
	p = scan_next_line(text, end);
	assert_true(scan_starts(p, end, "intr"));
	assert_ptr_equal(scan_next_line(p, end), end);
	assert_ptr_equal(scan_next_line(end, end), end);
	assert_ptr_equal(scan_word_end(p, end), p + 4);
	free(text);
}

struct cpus {
	u32 n, highest, sum;
};

static void count(void *arg, u32 cpu)
{
	struct cpus *c = arg;

	assert_true(!c->n || cpu > c->highest);
	c->n++;
	c->highest = cpu;
	c->sum += cpu;
}

static void test_cpu_list(void **state)
{
	static const struct {
		const char *text;
		int ret;
		u32 n, highest;
	} cases[] = {
		{"0-1,4-5,8-9,12-13\n", 0, 8, 13},
		{"0", 0, 1, 0},
		{"0-511\n", 0, 512, 511},
		{"65535", 0, 1, 65535},
		{"", 0, 0, 0},
		{"\n", 0, 0, 0},
		{"65536", -EINVAL, 0, 0},
		{"3-1", -EINVAL, 0, 0},
		{"0-", -EINVAL, 0, 0},
		{"-1", -EINVAL, 0, 0},
		{"0,", -EINVAL, 1, 0},
		{"0,,1", -EINVAL, 1, 0},
		{"0-1x", -EINVAL, 2, 1},
		{"0-18446744073709551615", -EINVAL, 0, 0},
		{"99999999999999999999", -EINVAL, 0, 0},
		{"18446744073709551615-0", -EINVAL, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cpus c = {0};
		const char *end;
		char *text = exact(cases[i].text, &end);

		if (scan_cpu_list(text, end, count, &c) != cases[i].ret)
			fail_msg("%s", cases[i].text);
		assert_int_equal(c.n, cases[i].n);
		assert_int_equal(c.highest, cases[i].highest);
		free(text);
	}
}

static void test_octal(void **state)
{
	static const char *const cases[][2] = {
		{"/mnt/a\\040b", "/mnt/a b"},
		{"\\011\\012\\134", "\t\n\\"},
		{"\\134040", "\\040"}, /* once, not twice */
		{"\\04", "\\04"},
		{"\\", "\\"},
		{"\\400", "\\400"},
		{"\\089", "\\089"},
		{"\\377", "\xff"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *end;
		char *text = exact(cases[i][0], &end);
		size_t len = scan_unescape_octal(text, (size_t)(end - text));

		assert_int_equal(len, strlen(cases[i][1]));
		assert_memory_equal(text, cases[i][1], len);
		free(text);
	}
}

static void test_duration(void **state)
{
	static const struct {
		const char *text;
		u64 ns;
	} good[] = {
		{"1", NSEC_PER_SEC},
		{"1s", NSEC_PER_SEC},
		{"100ms", 100 * NSEC_PER_MSEC},
		{"1.5m", 90 * NSEC_PER_SEC},
		{"1.5min", 90 * NSEC_PER_SEC},
		{"1h", 3600 * NSEC_PER_SEC},
		{"2d", 172800 * NSEC_PER_SEC},
		{"250us", 250000},
		{"7ns", 7},
		{"0.1", 100 * NSEC_PER_MSEC},
		{"0", 0},
		{"4000000000ns", 4 * NSEC_PER_SEC},
	};
	static const char *const bad[] = {"", " 1s", "1 s", "-1s", "s", "1x", "1e3", "0x10", "nan",
		"inf", ".5s", "1.5.5s", "99999999999999999999s", "99999999999999999999ns",
		"999999999999999999999999ns", "20000000000ns9", "1000000000000h"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		u64 ns = 1;

		assert_int_equal(scan_duration(good[i].text, &ns), 0);
		assert_true(ns == good[i].ns);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		u64 ns = 1;

		if (scan_duration(bad[i], &ns) != -EINVAL)
			fail_msg("%s: %llu", bad[i], (unsigned long long)ns);
		assert_int_equal(ns, 1);
	}
}

static void test_line_by_its_word(void **state)
{
	static const char text[] =
		"MemTotalX: 1 kB\nMemTotal:   24 kB\nMemFree:\nusage_usec 7\nMemTotal: 9\nend 5";
	const char *end = text + sizeof(text) - 1;
	u64 v = 77;

	(void)state;
	assert_true(scan_line_u64(text, end, "MemTotal:", &v));
	assert_int_equal(v, 24);
	assert_true(scan_line_u64(text, end, "usage_usec", &v));
	assert_int_equal(v, 7);
	assert_true(scan_line_u64(text, end, "end", &v));
	assert_int_equal(v, 5);
	assert_false(scan_line_u64(text, end, "MemFree:", &v)); /* not the next line's number */
	assert_false(scan_line_u64(text, end, "usage", &v));
	assert_false(scan_line_u64(text, text, "end", &v));
	assert_int_equal(v, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line_by_its_word),
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_s64),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_lines_and_words),
		cmocka_unit_test(test_cpu_list),
		cmocka_unit_test(test_octal),
		cmocka_unit_test(test_duration),
	};

	return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
