/* Cases P01 and P02, and everything else that a stat line may do to its reader. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/types.h"
#include "process/process.h"

static const u64 ALL = ~0ull;

static int parse(const char *text, u64 want, struct process_stat *st)
{
	/* a copy of exactly its length, so that a sanitizer sees a read past the end */
	size_t len = strlen(text);
	char *copy = malloc(len ? len : 1);
	static char comm[8192];
	int ret;

	assert_non_null(copy);
	memcpy(copy, text, len);
	ret = process_parse_stat(copy, copy + len, want, st);
	if (!ret) {
		assert_true(st->comm_len < sizeof(comm));
		memcpy(comm, st->comm, st->comm_len);
		st->comm = comm;
	}
	free(copy);
	return ret;
}

static void comm_is(const struct process_stat *st, const char *text)
{
	assert_int_equal(st->comm_len, strlen(text));
	assert_memory_equal(st->comm, text, st->comm_len);
}

static void test_p01_blank_in_comm(void **state)
{
	struct process_stat st;

	(void)state;
	assert_int_equal(
		parse("901 (Video New Job) S 1 901 901 0 -1 4194304 10 0 0 0 250 40 0 0 20 0 3 0 "
		      "5000 204800000 5000 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0\n",
			ALL, &st),
		0);
	comm_is(&st, "Video New Job");
	assert_int_equal(st.state, 'S');
	assert_int_equal(st.value[STAT_PPID], 1);
	assert_int_equal(st.value[STAT_FLAGS], 4194304);
	assert_int_equal(st.value[STAT_MINOR_FAULTS], 10);
	assert_int_equal(st.value[STAT_USER_TICKS], 250);
	assert_int_equal(st.value[STAT_SYSTEM_TICKS], 40);
	assert_int_equal(st.value[STAT_PRIORITY], 20);
	assert_int_equal(st.value[STAT_NICE], 0);
	assert_int_equal(st.value[STAT_THREADS], 3);
	assert_int_equal(st.value[STAT_START_TICKS], 5000);
	assert_int_equal(st.value[STAT_VIRTUAL_BYTES], 204800000);
	assert_int_equal(st.value[STAT_RESIDENT_PAGES], 5000);
	assert_true(st.value[25] == UINT64_MAX); /* the limit of resident: all 64 bits */
	assert_int_equal(st.value[STAT_PROCESSOR], 1);
}

static void test_p02_parentheses_in_comm(void **state)
{
	struct process_stat st;

	(void)state;
	assert_int_equal(parse("77 ((sd-pam)) S 76 1", ALL, &st), 0);
	comm_is(&st, "(sd-pam)");
	assert_int_equal(st.value[STAT_PPID], 76);
	assert_int_equal(parse("78 (a) b (c) R 1 1", ALL, &st), 0);
	comm_is(&st, "a) b (c");
	assert_int_equal(st.state, 'R');
	assert_int_equal(st.value[STAT_PPID], 1);
	assert_int_equal(parse("79 () R 1 1", ALL, &st), 0);
	comm_is(&st, "");
	assert_int_equal(parse("80 (a\n) S 5 6 (\xff\x9b\n) Z 3 9\n", ALL, &st), 0);
	comm_is(&st, "a\n) S 5 6 (\xff\x9b\n");
	assert_int_equal(st.state, 'Z');
	assert_int_equal(st.value[STAT_PPID], 3);
}

static void test_negative_and_saturated(void **state)
{
	struct process_stat st;

	(void)state;
	assert_int_equal(parse("5 (rt) S 1 5 5 -1 -1 0 99999999999999999999999 0 0 0 1 2 0 0 -100 "
			       "-20 1 0 7",
				 ALL, &st),
		0);
	assert_int_equal((s64)st.value[STAT_PRIORITY], -100);
	assert_int_equal((s64)st.value[STAT_NICE], -20);
	assert_true(st.value[STAT_MINOR_FAULTS] == UINT64_MAX);
	assert_int_equal(st.value[STAT_START_TICKS], 7);
}

static void test_only_what_is_wanted(void **state)
{
	const u64 want = 1ull << STAT_THREADS | 1ull << STAT_PPID;
	struct process_stat st;

	(void)state;
	/* words that are not wanted need not be numbers, and nothing behind the last is read */
	assert_int_equal(
		parse("5 (a) S 3 x x x x x x x x x x x x x x x 9 junk junk", want, &st), 0);
	assert_true(st.have == want);
	assert_int_equal(st.value[STAT_PPID], 3);
	assert_int_equal(st.value[STAT_THREADS], 9);
}

static void test_short_lines(void **state)
{
	static const char *const bad[] = {"", "5", "5 (", "5 (a", "5 (a)", "5 (a) ", "5 a) S 1",
		") ( S", "5 (a)S 1 2", "5 (a) 1 1 1", "5 (a) \x80 1"};
	struct process_stat st;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(parse(bad[i], ALL, &st), -EINVAL);
	assert_int_equal(parse("5 (a) S", ALL, &st), 0);
	assert_true(st.have == 0);
	assert_int_equal(parse("5 (a) S 1 2 3\n4 5 6 7 8 9 10", ALL, &st), 0);
	assert_true(st.have == (1ull << 4 | 1ull << 5 | 1ull << 6));
	assert_int_equal(parse("5 (a) S 1 2 3x 4", ALL, &st), 0);
	assert_true(st.have == (1ull << 4 | 1ull << 5));
	assert_int_equal(parse("5 (a) S 1 - 3", ALL, &st), 0);
	assert_true(st.have == 1ull << 4);
}

static void test_every_cut_of_a_line(void **state)
{
	static const char line[] =
		"901 (a b) S 1 901 901 0 -1 4194304 10 0 0 0 250 40 0 0 20 0 3 0 "
		"5000 204800000 5000 18446744073709551615 1 1\n";
	struct process_stat st;
	char cut[sizeof(line)];

	(void)state;
	for (size_t len = 0; len < sizeof(line); len++) {
		memcpy(cut, line, len);
		cut[len] = '\0';
		if (parse(cut, ALL, &st))
			assert_true(len < 11);
		else if (st.have >> STAT_START_TICKS & 1)
			assert_true(st.value[STAT_START_TICKS] <= 5000);
	}
}

static void test_statm(void **state)
{
	static const char line[] = "25600 2560 1024 100 0 800 0\n";
	u64 pages[3];

	(void)state;
	assert_int_equal(process_parse_statm(line, line + strlen(line), pages), 0);
	assert_int_equal(pages[0], 25600);
	assert_int_equal(pages[1], 2560);
	assert_int_equal(pages[2], 1024);
	assert_int_equal(process_parse_statm(line, line + 10, pages), -EINVAL);
	assert_int_equal(process_parse_statm(line, line, pages), -EINVAL);
}

static void test_uid(void **state)
{
	static const char text[] = "Name:\tUid:\nUmask:\t0022\nUid:\t1000\t33\t33\t33\nGid:\t1\n";
	static const char beyond[] = "Uid:\t0\t4294967296\t0\t0\n";
	u32 uid = 7;

	(void)state;
	assert_int_equal(process_parse_uid(text, text + strlen(text), &uid), 0);
	assert_int_equal(uid, 33);
	assert_int_equal(process_parse_uid(text, text + 20, &uid), -EINVAL);
	assert_int_equal(process_parse_uid(beyond, beyond + strlen(beyond), &uid), -EINVAL);
	assert_int_equal(uid, 33);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_p01_blank_in_comm),
		cmocka_unit_test(test_p02_parentheses_in_comm),
		cmocka_unit_test(test_negative_and_saturated),
		cmocka_unit_test(test_only_what_is_wanted),
		cmocka_unit_test(test_short_lines),
		cmocka_unit_test(test_every_cut_of_a_line),
		cmocka_unit_test(test_statm),
		cmocka_unit_test(test_uid),
	};

	return cmocka_run_group_tests_name("stat", tests, NULL, NULL);
}
