/* Sub-buffers of the kernel's ring, byte by byte: what a kernel writes, and what none should. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "ftrace/page.h"

enum { SIZE = 4096 };

static u8 bytes[SIZE * 2];
static size_t used; /* payload so far */
static const u64 base = 1000;

static void begin(void)
{
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, &base, 8);
	used = 0;
}

static void put(u32 word)
{
	memcpy(bytes + PAGE_HEADER + used, &word, 4);
	used += 4;
}

/* A record of so many words, its number in the first. */
static void put_data(u32 words, u32 delta, u16 id)
{
	put(words | delta << 5);
	put(id);
	for (u32 i = 1; i < words; i++)
		put(0);
}

static struct page open_size(size_t size)
{
	struct page p;
	u64 commit = used;

	memcpy(bytes + 8, &commit, 8);
	page_open(&p, bytes, size);
	return p;
}

static struct page open_page(void)
{
	return open_size(SIZE);
}

static struct page open_commit(u64 commit)
{
	struct page p;

	memcpy(bytes + 8, &commit, 8);
	page_open(&p, bytes, SIZE);
	return p;
}

static void commit_words(void **state)
{
	struct page p;
	u64 missed = 870;

	(void)state;
	begin();
	p = open_commit(0x64);
	assert_int_equal(p.end - p.at, 100);
	assert_false(p.lost);
	memcpy(bytes + 4076, &missed, 8);
	p = open_commit(0xffffffffc0000fdc);
	assert_int_equal(p.end - p.at, 4060);
	assert_true(p.lost);
	assert_true(p.counted);
	assert_int_equal(p.missed, 870);
	p = open_commit(0xffffffff80000fdc);
	assert_true(p.lost);
	assert_false(p.counted);
	/* no room for the count */
	p = open_commit(0xffffffffc0000fec);
	assert_int_equal(p.end - p.at, 4076);
	assert_false(p.counted);
	p = open_commit(4081);
	assert_int_equal(p.problem, PAGE_BAD_HEADER);
	assert_false(page_next(&p, &(struct record){0}));
	p = open_commit(0);
	assert_int_equal(p.problem, PAGE_FINE);
	assert_false(page_next(&p, &(struct record){0}));
	assert_int_equal(p.problem, PAGE_FINE);
}

static void no_header(void **state)
{
	struct page p;

	(void)state;
	begin();
	for (size_t size = 0; size < PAGE_HEADER; size++)
		assert_int_equal(page_open(&p, bytes, size), PAGE_PARTIAL);
	assert_int_equal(page_open(&p, bytes, PAGE_HEADER), PAGE_FINE);
}

static void records(void **state)
{
	struct record r;
	struct page p;

	(void)state;
	begin();
	put_data(6, 0, 3);      /* 06000000 */
	put_data(28, 12719, 4); /* fc350600 */
	put(0x015d2f40);        /* 402f5d01 44010000: type 0, 320 bytes of data */
	put(324);
	put(5);
	for (u32 i = 1; i < 80; i++)
		put(0);
	p = open_page();
	assert_true(page_next(&p, &r));
	assert_int_equal(r.size, 24);
	assert_int_equal(r.id, 3);
	assert_int_equal(p.stamp, base);
	assert_true(page_next(&p, &r));
	assert_int_equal(r.size, 112);
	assert_int_equal(p.stamp, base + 12719);
	assert_true(page_next(&p, &r));
	assert_int_equal(r.size, 320);
	assert_int_equal(r.id, 5);
	assert_int_equal(p.stamp, base + 12719 + 715130);
	assert_false(page_next(&p, &r));
	assert_int_equal(p.problem, PAGE_FINE);
}

static void times(void **state)
{
	const u64 tai = 1796085517331413242ull;
	struct record r;
	struct page p;

	(void)state;
	begin();
	put(0x3ce4171e); /* 1e17e43c 02000000: + 300359864 */
	put(2);
	put_data(1, 0, 3);
	put(0xffffffe0 | 1); /* the longest delta without an extend */
	put(3);
	put(0x3d); /* 3d000000 d00c0000: 3,284 bytes that were discarded a ns later */
	put(0xcd0);
	used += 0xcd0 - 4;
	put_data(1, 0, 3);
	p = open_page();
	assert_true(page_next(&p, &r));
	assert_int_equal(p.stamp, base + 300359864);
	assert_true(page_next(&p, &r));
	assert_int_equal(p.stamp, base + 300359864 + 134217727);
	assert_true(page_next(&p, &r));
	assert_int_equal(p.stamp, base + 300359864 + 134217727 + 1);
	assert_false(page_next(&p, &r));
	assert_int_equal(p.problem, PAGE_FINE);
	/* 3f000000 10000000: absolute, without the bits from 59 on */
	begin();
	put(0x3f);
	put(16);
	put_data(1, 5, 3);
	p = open_page();
	assert_true(page_next(&p, &r));
	assert_int_equal(p.stamp, 2147483649 + 5);
	memcpy(bytes, &tai, 8);
	p = open_page();
	assert_true(page_next(&p, &r));
	assert_true(p.stamp == (4ull << 59) + 2147483649 + 5);
	/* an absolute stamp after the page's, with the page's bits */
	begin();
	memcpy(bytes, &(u64){(3ull << 59) + 7}, 8);
	put(0x3f);
	put(16);
	put_data(1, 0, 3);
	p = open_page();
	assert_true(page_next(&p, &r));
	assert_true(p.stamp == 1729382256910270464ull + 2147483649);
}

/* A page with one good record and then what is wrong: the record is kept. */
static enum page_problem broken(const u32 *words, u32 n, u32 bytes_left)
{
	struct record r;
	struct page p;

	begin();
	put_data(2, 0, 3);
	for (u32 i = 0; i < n; i++)
		put(words[i]);
	used = used - 4 * n + bytes_left;
	p = open_page();
	assert_true(page_next(&p, &r));
	assert_int_equal(r.id, 3);
	assert_false(page_next(&p, &r));
	/* and again */
	assert_false(page_next(&p, &r));
	return p.problem;
}

#define BROKEN(left, ...) \
	broken((const u32[]){__VA_ARGS__}, ARRAY_LEN(((const u32[]){__VA_ARGS__})), left)

static void corrupt(void **state)
{
	(void)state;
	assert_int_equal(BROKEN(3, 0xffffff), PAGE_SHORT_EVENT);
	assert_int_equal(BROKEN(4, 0x1d), PAGE_NULL_PADDING);
	assert_int_equal(BROKEN(4, 0x3d), PAGE_SHORT_PADDING);
	assert_int_equal(BROKEN(8, 0x3d, 0), PAGE_BAD_PADDING);
	assert_int_equal(BROKEN(8, 0x3d, 5), PAGE_BAD_PADDING);
	assert_int_equal(BROKEN(8, 0x3d, 0xffffffff), PAGE_BAD_PADDING);
	assert_int_equal(BROKEN(4, 0x3e), PAGE_SHORT_EXTEND);
	assert_int_equal(BROKEN(7, 0x3f, 0), PAGE_SHORT_STAMP);
	assert_int_equal(BROKEN(4, 0x20), PAGE_SHORT_LENGTH);
	assert_int_equal(BROKEN(8, 0, 0), PAGE_ZERO_LENGTH);
	assert_int_equal(BROKEN(8, 0, 3), PAGE_BAD_LENGTH);
	assert_int_equal(BROKEN(8, 0, 4), PAGE_SHORT_ID);
	assert_int_equal(BROKEN(8, 0, 0xfffffffc), PAGE_OVERFLOW);
	/* type 6 with 20 bytes left */
	assert_int_equal(BROKEN(24, 6, 0, 0, 0, 0, 0), PAGE_OVERFLOW);
}

/* Two reads of one page: the second has a header of its own. A larger sub-buffer is one page. */
static void sizes(void **state)
{
	struct record r;
	struct page p;
	u32 n = 0;

	(void)state;
	begin();
	while (used + 24 <= 0x17a4)
		put_data(5, 1, 3);
	p = open_size(8192);
	while (page_next(&p, &r))
		n++;
	assert_int_equal(p.problem, PAGE_FINE);
	assert_int_equal(n, 0x17a4 / 24);
	assert_int_equal(p.stamp, base + n);
	/* of 8 KiB only the first half was read */
	assert_int_equal(page_open(&p, bytes, 4096), PAGE_BAD_HEADER);
}

/* Whatever the bytes are, nothing outside of them is read (ASan), and it ends. Each page is a copy of its own size. */
static void any_bytes(void **state)
{
	u64 random = 88172645463325252ull;

	(void)state;
	for (u32 round = 0; round < 3000; round++) {
		size_t size = random % 300;
		u8 *copy = malloc(size + 1);
		struct record r;
		struct page p;
		u32 n = 0;

		assert_non_null(copy);
		for (size_t i = 0; i < size; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			copy[i] = (u8)random;
		}
		if (size >= PAGE_HEADER)
			memcpy(copy + 8, &(u64){random % size}, 8);
		page_open(&p, copy, size);
		while (page_next(&p, &r)) {
			assert_true(r.data >= copy && r.data + r.size <= copy + size);
			n++;
		}
		assert_true(n <= size / 4);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commit_words),
		cmocka_unit_test(no_header),
		cmocka_unit_test(records),
		cmocka_unit_test(times),
		cmocka_unit_test(corrupt),
		cmocka_unit_test(sizes),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
