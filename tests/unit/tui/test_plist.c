#include "test.h"

#include "fake.h"
#include "tui/plist.h"

static struct fake_process processes[] = {
	{1, 0, "root", "S", "init", "/sbin/init", 1, 10, 1, false, false, NULL, NULL, 0},
	{2, 0, "root", "S", "kthreadd", "", 0, 0, 1, true, false, NULL, NULL, 0},
	{10, 1, "ana", "S", "bash", "bash", 5, 20, 1, false, false, NULL, NULL, 3500},
	{11, 10, "ana", "R", "cc", "cc -O2", 90, 30, 1, false, false, "/job", NULL, 0},
	{12, 10, "ana", "R", "ld", "ld x", 40, 5, 1, false, false, "/job", NULL, 0},
	{20, 21, "eve", "S", "a", "ring a", 2, 1, 1, false, false, NULL, NULL, 0},
	{21, 20, "eve", "S", "b", "ring b", 3, 1, 1, false, false, NULL, NULL, 0},
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

static double shown(u32 index, const char *column, enum cell_state state)
{
	struct cell cell;

	plist_cell(&p, &f, index, &pcolumns[pcolumn_find(column)], &cell);
	assert_int_equal(cell.state, state);
	return cell.num;
}

static void test_folded_rows_are_sums(void **state)
{
	(void)state;
	p.tree = true;
	plist_fold(&p, (u64)1 << 42 | 100, true);
	EXPECT(1, 2);
	assert_float_equal(shown(0, "cpu", CELL_VALUE), 136, 0.01);
	assert_float_equal(shown(0, "threads", CELL_VALUE), 4, 0);
	assert_float_equal(shown(0, "resident", CELL_VALUE), (65 * 1048576.0), 0);
	/* one part of it is approximate and others are absent */
	assert_float_equal(shown(0, "energy", CELL_APPROX), 3.5, 1e-9);
	/* what does not add up is the row's own */
	assert_float_equal(shown(0, "pid", CELL_VALUE), 1, 0);
	assert_int_equal(plist_rows(&p, f.table[TAB_PROCESS], 0), 4);
	/* each other's parents: each row once */
	plist_fold(&p, (u64)1 << 42 | 100, false);
	plist_fold(&p, (u64)21 << 42 | 100, true);
	p.nfolded = 1;
	plist_update(&p, &f, &m.frame);
	for (u32 i = 0; i < p.n; i++)
		if (processes[p.order[i]].pid == 21)
			assert_int_equal(plist_rows(&p, f.table[TAB_PROCESS], i), 2);
}

static void test_groups_are_sums(void **state)
{
	u32 len;

	(void)state;
	p.group = GROUP_USER;
	assert_int_equal(plist_update(&p, &f, &m.frame), 0);
	assert_int_equal(p.n, 3);
	assert_memory_equal(plist_group_name(&f, GROUP_USER, p.order[0], &len), "ana", 3);
	assert_float_equal(shown(0, "cpu", CELL_VALUE), 135, 0.01);
	assert_float_equal(shown(1, "cpu", CELL_VALUE), 5, 0.01);
	assert_float_equal(shown(2, "cpu", CELL_VALUE), 1, 0.01);
	assert_float_equal(shown(0, "pid", CELL_VALUE), 3, 0);
	shown(0, "nice", CELL_ABSENT);
	shown(2, "energy", CELL_ABSENT);
	p.descending = false;
	p.sort = (u32)pcolumn_find("pid");
	plist_update(&p, &f, &m.frame);
	assert_float_equal(shown(2, "pid", CELL_VALUE), 3, 0);
	p.sort = (u32)pcolumn_find("user");
	plist_update(&p, &f, &m.frame);
	assert_memory_equal(plist_group_name(&f, GROUP_USER, p.order[2], &len), "root", 4);
	/* the filter is for processes: what passes is put together */
	strcpy(p.needle, "cc");
	plist_update(&p, &f, &m.frame);
	assert_int_equal(p.n, 1);
	assert_float_equal(shown(0, "cpu", CELL_VALUE), 90, 0.01);
}

static void test_into_a_group_and_back(void **state)
{
	(void)state;
	p.group = GROUP_CGROUP;
	plist_update(&p, &f, &m.frame);
	assert_int_equal(p.n, 2); /* /job, and those in none */
	assert_false(plist_enter(&p, &f));
	assert_true(plist_find(&p, &f, "JOB", false, 5));
	assert_true(plist_row(&p, &f) < 0); /* a group is no process */
	assert_true(plist_enter(&p, &f));
	EXPECT(11, 12);
	assert_true(plist_leave(&p));
	assert_false(plist_leave(&p));
	plist_update(&p, &f, &m.frame);
	assert_int_equal(p.n, 2);
	assert_true(p.selected < 2 && processes[p.order[p.selected]].pid == 11);
}

static void test_columns(void **state)
{
	struct columns c;
	struct err err = {0};
	char text[768];
	u32 at;

	(void)state;
	columns_init(&c);
	assert_true(columns_shows(&c, (u32)pcolumn_find("user"), 48));
	assert_false(columns_shows(&c, (u32)pcolumn_find("user"), 47));
	assert_false(columns_shows(&c, (u32)pcolumn_find("pss"), 5000));
	assert_int_equal(columns_set(&c, "cmdline,PID CPU% cpu", NULL), 0);
	columns_text(&c, text, sizeof(text));
	assert_string_equal(text, "cmdline pid cpu");
	assert_true(columns_set(&c, "pid nonsense", &err) < 0);
	assert_non_null(strstr(err.msg, "nonsense"));
	columns_text(&c, text, sizeof(text));
	assert_string_equal(text, "cmdline pid cpu");
	at = columns_move(&c, 1, -1, 80);
	assert_int_equal(at, 0);
	assert_int_equal(columns_move(&c, 0, -1, 80), 0);
	columns_toggle(&c, (u32)pcolumn_find("cmdline"), 80);
	columns_text(&c, text, sizeof(text));
	assert_string_equal(text, "pid cpu");
	/* all of them in one text, and back */
	for (u32 i = 0; i < pcolumn_count; i++)
		if (!columns_shows(&c, i, 80))
			columns_toggle(&c, i, 80);
	columns_text(&c, text, sizeof(text));
	assert_int_equal(columns_set(&c, text, NULL), 0);
	for (u32 i = 0; i < pcolumn_count; i++)
		assert_true(columns_shows(&c, i, 0));
	assert_int_equal(columns_set(&c, "", NULL), 0);
	assert_false(c.chosen);
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
		cmocka_unit_test_setup_teardown(test_folded_rows_are_sums, setup, teardown),
		cmocka_unit_test_setup_teardown(test_groups_are_sums, setup, teardown),
		cmocka_unit_test_setup_teardown(test_into_a_group_and_back, setup, teardown),
		cmocka_unit_test(test_columns),
	};

	return cmocka_run_group_tests_name("plist", tests, NULL, NULL);
}
