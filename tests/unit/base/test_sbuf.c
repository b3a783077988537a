/* The string builder: never overruns, says when it had to cut. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"

static void test_fits(void **state)
{
	char data[64];
	struct sbuf sb;

	(void)state;
	memset(data, 'x', sizeof(data));
	sbuf_init(&sb, data, sizeof(data));
	assert_string_equal(data, "");
	sbuf_str(&sb, "ab");
	sbuf_char(&sb, '-');
	sbuf_u64(&sb, 0);
	sbuf_u64(&sb, UINT64_MAX);
	sbuf_add(&sb, "yz!", 2);
	sbuf_printf(&sb, "%d%s", -5, "q");
	assert_string_equal(data, "ab-018446744073709551615yz-5q");
	assert_int_equal(sb.len, strlen(data));
	assert_false(sb.cut);
}

static void fill(struct sbuf *sb, u32 how)
{
	switch (how) {
	case 0:
		sbuf_str(sb, "0123456789");
		break;
	case 1:
		sbuf_printf(sb, "%s", "0123456789");
		break;
	case 2:
		for (char c = '0'; c <= '9'; c++)
			sbuf_char(sb, c);
		break;
	default:
		sbuf_char(sb, '0');
		sbuf_u64(sb, 123456789);
	}
}

static void test_cut_at_every_size(void **state)
{
	(void)state;
	for (u32 how = 0; how < 4; how++)
		for (u32 size = 1; size < 14; size++) {
			char *data = malloc(size);
			u32 want = size - 1 < 10 ? size - 1 : 10;
			struct sbuf sb;

			assert_non_null(data);
			sbuf_init(&sb, data, size);
			fill(&sb, how);
			assert_int_equal(sb.len, want);
			assert_memory_equal(data, "0123456789", want);
			assert_int_equal(data[want], '\0');
			assert_int_equal(sb.cut, size <= 10);
			fill(&sb, how); /* full already */
			assert_true(sb.len < size);
			assert_int_equal(data[sb.len], '\0');
			free(data);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_cut_at_every_size),
	};

	return cmocka_run_group_tests_name("sbuf", tests, NULL, NULL);
}
