/* The decoder of keys: every sequence whole and byte by byte. */
#include "test.h"

#include <string.h>

#include "tui/input.h"

struct sequence {
	const char *bytes;
	u32 key, x, y;
};

static const struct sequence sequences[] = {
	{"a", 'a', 0, 0},
	{"\r", KEY_ENTER_, 0, 0},
	{"\n", KEY_ENTER_, 0, 0},
	{"\b", KEY_ERASE, 0, 0},
	{"\177", KEY_ERASE, 0, 0},
	{"\003", 3, 0, 0},
	{"\xc3\xa9", 0xe9, 0, 0},
	{"\xf0\x9f\x98\x80", 0x1f600, 0, 0},
	{"\033[A", KEY_UP_, 0, 0},
	{"\033OB", KEY_DOWN_, 0, 0},
	{"\033[1;5C", KEY_RIGHT_, 0, 0},
	{"\033OP", KEY_F1_, 0, 0},
	{"\033[[B", KEY_F2_, 0, 0},
	{"\033[13~", KEY_F3_, 0, 0},
	{"\033[1;2S", KEY_F4_, 0, 0},
	{"\033[15~", KEY_F5_, 0, 0},
	{"\033[17~", KEY_F6_, 0, 0},
	{"\033[20~", KEY_F9_, 0, 0},
	{"\033[21~", KEY_F10_, 0, 0},
	{"\033[5~", KEY_PAGE_UP, 0, 0},
	{"\033[6;5~", KEY_PAGE_DOWN, 0, 0},
	{"\033[H", KEY_HOME_, 0, 0},
	{"\033OF", KEY_END_, 0, 0},
	{"\033[Z", KEY_SHIFT_TAB, 0, 0},
	{"\033[<0;1;1M", KEY_CLICK, 0, 0},
	{"\033[<0;200;50M", KEY_CLICK, 199, 49},
	{"\033[<64;3;4M", KEY_WHEEL_UP, 2, 3},
	{"\033[<65;3;4M", KEY_WHEEL_DOWN, 2, 3},
	{"\033[M !!", KEY_CLICK, 0, 0},
};

/* Mean nothing, and must leave nothing behind. */
static const char *const noise[] = {
	"\033[<0;1;1m",
	"\033[<32;1;1M",
	"\033[<0;0;0M",
	"\033[99999999999~",
	"\033[200~",
	"\033[?62;22c",
	"\033]11;rgb:ffff/ffff/ffff\033\\",
	"\033]0;x\007",
	"\033P1+r\033\\",
	"\xff",
	"\xc2\x9b",
};

static void expect(struct decoder *d, const struct sequence *s)
{
	struct input in;

	assert_true(decoder_next(d, false, &in));
	assert_int_equal(in.key, s->key);
	assert_int_equal(in.x, s->x);
	assert_int_equal(in.y, s->y);
}

static void test_whole(void **state)
{
	struct decoder d;
	struct input in;

	(void)state;
	decoder_init(&d, true);
	for (u32 i = 0; i < ARRAY_LEN(sequences); i++) {
		decoder_feed(&d, sequences[i].bytes, (u32)strlen(sequences[i].bytes));
		expect(&d, &sequences[i]);
		assert_false(decoder_next(&d, false, &in));
		assert_false(decoder_waits(&d));
	}
}

static void test_bytewise(void **state)
{
	struct decoder d;
	struct input in;

	(void)state;
	decoder_init(&d, true);
	for (u32 i = 0; i < ARRAY_LEN(sequences); i++) {
		size_t n = strlen(sequences[i].bytes);

		for (size_t k = 0; k < n; k++) {
			assert_false(decoder_next(&d, false, &in));
			decoder_feed(&d, sequences[i].bytes + k, 1);
		}
		expect(&d, &sequences[i]);
	}
}

static void test_noise(void **state)
{
	struct decoder d;
	struct input in;

	(void)state;
	decoder_init(&d, true);
	for (u32 i = 0; i < ARRAY_LEN(noise); i++) {
		decoder_feed(&d, noise[i], (u32)strlen(noise[i]));
		decoder_feed(&d, "q", 1);
		assert_true(decoder_next(&d, false, &in));
		assert_int_equal(in.key, 'q');
		assert_false(decoder_next(&d, false, &in));
	}
}

static void test_escape(void **state)
{
	struct decoder d;
	struct input in;

	(void)state;
	decoder_init(&d, true);
	decoder_feed(&d, "\033", 1);
	assert_false(decoder_next(&d, false, &in));
	assert_true(decoder_waits(&d));
	assert_true(decoder_next(&d, true, &in));
	assert_int_equal(in.key, KEY_ESCAPE);
	assert_false(decoder_waits(&d));
	/* followed at once by a key: both */
	decoder_feed(&d, "\033q", 2);
	assert_true(decoder_next(&d, false, &in));
	assert_int_equal(in.key, KEY_ESCAPE);
	assert_true(decoder_next(&d, false, &in));
	assert_int_equal(in.key, 'q');
}

static void test_endless(void **state)
{
	struct decoder d;
	struct input in;

	(void)state;
	decoder_init(&d, true);
	decoder_feed(&d, "\033[", 2);
	for (u32 i = 0; i < 2000; i++) {
		assert_true(decoder_room(&d) > 0);
		decoder_feed(&d, "1", 1);
		while (decoder_next(&d, false, &in))
			assert_int_equal(in.key, '1');
	}
	while (decoder_next(&d, true, &in))
		;
	assert_false(decoder_waits(&d));
}

static void test_ascii(void **state)
{
	struct decoder d;
	struct input in;

	(void)state;
	decoder_init(&d, false);
	decoder_feed(&d, "\xc3\xa9q", 3);
	assert_true(decoder_next(&d, false, &in));
	assert_int_equal(in.key, 'q');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_bytewise),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_escape),
		cmocka_unit_test(test_endless),
		cmocka_unit_test(test_ascii),
	};

	return cmocka_run_group_tests_name("tui/input", tests, NULL, NULL);
}
