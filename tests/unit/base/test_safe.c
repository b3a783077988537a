/* Text from strangers never reaches a terminal raw. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/safe.h"

static void check(const char *src, size_t len, const char *want)
{
	char out[256];
	u32 n = safe_text(out, sizeof(out), src, len);

	assert_string_equal(out, want);
	assert_int_equal(n, strlen(want));
	assert_int_equal(safe_is(src, len), n == len && !memcmp(src, want, len));
	assert_true(safe_is(out, n));
}
#define CHECK(src, want) check(src, sizeof(src) - 1, want)

static void test_controls(void **state)
{
	(void)state;
	CHECK("plain text", "plain text");
	CHECK("", "");
	CHECK("\x1b[2J", "?[2J");
	CHECK("a\ab\bc\td\ne\rf\vg", "a?b?c?d?e?f?g");
	CHECK("a\0b", "a?b");
	CHECK("\x7f", "?");
	CHECK("\x1b]52;c;cm0gLXJm\a", "?]52;c;cm0gLXJm?");
	CHECK("\x1b]0;title\x1b\\", "?]0;title?\\");
	CHECK("\x9b"
	      "31m",
		"?31m"); /* CSI as one raw byte */
	CHECK("\xc2\x9b"
	      "31m",
		"?31m"); /* U+009B */
	CHECK("\xc2\x80\xc2\x9f\xc2\xa0", "??\xc2\xa0");
	for (u32 c = 0; c < 0x20; c++) {
		char one = (char)c;

		check(&one, 1, "?");
	}
}

static void test_invisible_and_reordering(void **state)
{
	static const u32 bad[] = {0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a,
		0x202e, 0x2060, 0x2066, 0x2069, 0xfeff, 0xfff9, 0xfffe, 0xffff, 0xfdd0, 0x1fffe,
		0xe0001, 0xe007f};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char src[4];

		assert_false(safe_char(bad[i]));
		check(src, utf8_encode(bad[i], src), "?");
	}
	CHECK("gpj.\u202Eexe", "gpj.?exe");
}

static void test_invalid_bytes(void **state)
{
	(void)state;
	CHECK("\xc0\xaf", "??"); /* overlong / */
	CHECK("\xe0\x80\xaf", "???");
	CHECK("\xf0\x80\x80\xaf", "????");
	CHECK("\xc1\xbf", "??");
	CHECK("\xed\xa0\x80", "???");      /* a surrogate */
	CHECK("\xf4\x90\x80\x80", "????"); /* beyond U+10FFFF */
	CHECK("\xf8\x88\x80\x80\x80", "?????");
	CHECK("\xff\xfe", "??");
	CHECK("\x80", "?");
	CHECK("a\xc3", "a?"); /* cut */
	CHECK("a\xe2\x82", "a??");
	CHECK("\xe2(\xa1", "?(?");
	CHECK("\xc3\xa9t\xc3\xa9", "été");
}

static void test_every_cut_is_valid(void **state)
{
	static const char src[] = "a é € 😀 e\u0301 中文\x1b\xff end";

	(void)state;
	for (u32 size = 1; size < sizeof(src) + 2; size++) {
		char *out = malloc(size);
		u32 n;

		assert_non_null(out);
		n = safe_text(out, size, src, sizeof(src) - 1);
		assert_true(n < size);
		assert_int_equal(out[n], '\0');
		assert_true(safe_is(out, n));
		/* nothing shorter than it has to be */
		assert_true(n + 4 >= size || n + 1 >= sizeof(src));
		free(out);
	}
	assert_int_equal(safe_text(NULL, 0, src, 3), 0);
	for (size_t len = 0; len < sizeof(src); len++) {
		char out[64];

		assert_true(safe_is(out, safe_text(out, sizeof(out), src, len)));
	}
}

static void test_utf8_there_and_back(void **state)
{
	(void)state;
	for (u32 cp = 0; cp < 0x110000; cp++) {
		char b[4];
		u32 n = utf8_encode(cp, b), got;
		bool valid;

		if (cp >= 0xd800 && cp < 0xe000)
			continue;
		assert_int_equal(utf8_decode(b, b + n, &got, &valid), n);
		assert_true(valid);
		assert_int_equal(got, cp);
		if (n > 1) {
			assert_int_equal(utf8_decode(b, b + n - 1, &got, &valid), 1);
			assert_false(valid);
			assert_int_equal(got, 0xfffd);
		}
	}
}

static void test_widths(void **state)
{
	static const struct {
		u32 cp, width;
	} w[] = {{'a', 1}, {0xe9, 1}, {0x300, 0}, {0x301, 0}, {0x20d0, 0}, {0xfe0f, 0}, {0x4e2d, 2},
		{0x3042, 2}, {0xac00, 2}, {0xff21, 2}, {0x1f600, 2}, {0x20000, 2}, {0x2500, 1},
		{0x2800, 1}, {0x2588, 1}, {0x20ac, 1}, {0xb5, 1}, {0x430, 1}, {0x5d0, 1},
		{0x3000, 2}, {0x2026, 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(w); i++)
		if (safe_width(w[i].cp) != w[i].width)
			fail_msg("U+%04X: %u", w[i].cp, safe_width(w[i].cp));
}

static void test_messages_are_safe(void **state)
{
	struct err err = {0};
	char name[400];

	(void)state;
	assert_int_equal(err_set(&err, 2, "%s: no\nsuch", "\x1b[31mx"), -2);
	assert_int_equal(err.code, 2);
	assert_string_equal(err.msg, "?[31mx: no?such");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name + sizeof(err.msg) - 3, "é", 2);
	err_set(&err, 2, "%s", name);
	assert_true(safe_is(err.msg, strlen(err.msg)));
	assert_int_equal(err_set(NULL, 5, "x"), -5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_controls),
		cmocka_unit_test(test_invisible_and_reordering),
		cmocka_unit_test(test_invalid_bytes),
		cmocka_unit_test(test_every_cut_is_valid),
		cmocka_unit_test(test_utf8_there_and_back),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_messages_are_safe),
	};

	return cmocka_run_group_tests_name("safe", tests, NULL, NULL);
}
