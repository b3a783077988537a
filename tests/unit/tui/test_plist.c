#include "test.h"

#include "fake.h"
#include "tui/plist.h"

static struct fake_process processes[] = {
	{1, 0, "root", "S", "init", "/sbin/init", 1, 10, 1, false, false},
	{2, 0, "root", "S", "kthreadd", "", 0, 0, 1, true, false},
	{10, 1, "ana", "S", "bash", "bash", 5, 20, 1, false, false},
	{11, 10, "ana", "R", "cc", "cc -O2", 90, 30, 1, false, false},
	{12, 10, "ana", "R", "ld", "ld x", 40, 5, 1, false, false},
	{20, 21, "eve", "S", "a", "ring a", 2, 1, 1, false, false},
	{21, 20, "eve", "S", "b", "ring b", 3, 1, 1, false, false},
};

static struct fake m;
static struct fields f;
static struct plist p;

static int setup(void **state)
{
	(void)state;
	fake_init(&m, 1, processes, ARRAY_LEN(processes));
	fields_init(&f);
	plist_init(&p);
	fake_tick(&m, 0);
	fields_bind(&f, fake_tick(&m, 0));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	plist_fini(&p);
	fake_fini(&m);
	return 0;
}

static void expect(const u32 *pids, u32 n)
{
	assert_int_equal(plist_update(&p, &f, &m.frame), 0);
	assert_int_equal(p.n, n);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(processes[p.order[i]].pid, pids[i]);
}
#define EXPECT(...) expect((const u32[]){__VA_ARGS__}, ARRAY_LEN(((const u32[]){__VA_ARGS__})))

static void test_sorts(void **state)
{
	(void)state;
	EXPECT(11, 12, 10, 21, 20, 1, 2);
	p.descending = false;
	EXPECT(2, 1, 20, 21, 10, 12, 11);
	p.sort = (u32)pcolumn_find("pid");
	EXPECT(1, 2, 10, 11, 12, 20, 21);
	p.sort = (u32)pcolumn_find("user");
	EXPECT(10, 11, 12, 20, 21, 1, 2);
	p.sort = (u32)pcolumn_find("RES");
	p.descending = true;
	EXPECT(11, 10, 1, 12, 20, 21, 2);
	assert_int_equal(pcolumn_find("nonsense"), -1);
}

static void test_tree_shows_each_once(void **state)
{
	(void)state;
	p.tree = true;
	EXPECT(1, 10, 11, 12, 2, 21, 20); /* 20 and 21 are each other's parent */
	assert_int_equal(p.depth[2], 2);
	assert_int_equal(p.lines[2] >> 2 & 1, 1);
	assert_int_equal(p.lines[3] >> 2 & 1, 0);
	plist_fold(&p, (u64)10 << 42 | 100, true);
	assert_int_equal(plist_update(&p, &f, &m.frame), 0);
	assert_int_equal(processes[p.order[1]].pid, 10);
	assert_int_equal(processes[p.order[2]].pid, 2);
	plist_fold(&p, (u64)10 << 42 | 100, false);
	/* what passes the filter, and those above it */
	strcpy(p.needle, "CC");
	EXPECT(1, 10, 11);
	assert_int_equal(p.matched, 1);
}

static void test_filters(void **state)
{
	(void)state;
	p.hide_kernel = true;
	EXPECT(11, 12, 10, 21, 20, 1);
	strcpy(p.user, "ana");
	EXPECT(11, 12, 10);
	assert_true(p.matched_cpu > 134.9 && p.matched_cpu < 135.1);
	strcpy(p.needle, "12");
	EXPECT(12);
}

static void test_selection_stays_on_its_process(void **state)
{
	(void)state;
	plist_update(&p, &f, &m.frame);
	plist_select(&p, &f, 2, 5);
	assert_int_equal(p.selected_key >> 42, 10);
	p.descending = false;
	plist_update(&p, &f, &m.frame);
	assert_int_equal(p.selected_key >> 42, 10);
	assert_int_equal(p.selected, 4);
	/* filtered out: it is still the one */
	strcpy(p.needle, "ring");
	plist_update(&p, &f, &m.frame);
	assert_int_equal(p.selected, p.n);
	assert_true(plist_row(&p, &f) >= 0);
	p.needle[0] = '\0';
	plist_update(&p, &f, &m.frame);
	assert_int_equal(p.selected, 4);
	assert_true(plist_find(&p, &f, "init", false, 5));
	assert_int_equal(p.selected_key >> 42, 1);
}

static void test_sort_items(void **state)
{
	static struct sort_item a[777], b[777];
	u64 x = 12345;

	(void)state;
	for (u32 n = 0; n <= ARRAY_LEN(a); n += 37) {
		for (u32 i = 0; i < n; i++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			a[i] = (struct sort_item){x >> 58, i};
		}
		sort_items(a, b, n);
		for (u32 i = 1; i < n; i++)
			assert_true(a[i - 1].key < a[i].key ||
				    (a[i - 1].key == a[i].key && a[i - 1].row < a[i].row));
	}
	assert_true(sort_key_number(-2) < sort_key_number(-1));
	assert_true(sort_key_number(-1) < sort_key_number(0));
	assert_true(sort_key_number(0) < sort_key_number(0.5));
	assert_true(sort_key_number(-0.0) == sort_key_number(0.0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sorts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tree_shows_each_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_filters, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_selection_stays_on_its_process, setup, teardown),
		cmocka_unit_test(test_sort_items),
	};

	return cmocka_run_group_tests_name("plist", tests, NULL, NULL);
}
