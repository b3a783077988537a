/* uid to name: from the machine's own list, numbers for the rest, read again when the file changed. */
#include "test.h"

#include "process/users.h"
#include "unit/base/tree.h"

static const struct column columns[] = {{.name = "user", .unit = UNIT_TEXT, .kind = COLUMN_TEXT}};
static const struct schema schema = {.name = "users",
	.ncolumns = 1,
	.columns = columns,
	.label_column = -1,
	.birth_column = -1,
	.counted_column = -1};

struct fixture {
	struct root root;
	struct clock clock;
	struct users users;
	struct table table;
	u64 reading;
};

static void open_tree(struct fixture *f)
{
	struct err err = {0};

	*f = (struct fixture){.reading = 1};
	clock_init(&f->clock);
	assert_int_equal(root_init(&f->root, tree_dir, &f->clock, &err), 0);
	users_init(&f->users, &f->root, "/etc/passwd");
	assert_int_equal(table_init(&f->table, &schema), 0);
}

static void close_tree(struct fixture *f)
{
	users_fini(&f->users);
	table_fini(&f->table);
	root_fini(&f->root);
}

static void name_is(struct fixture *f, u32 uid, const char *want)
{
	text_ref ref;
	u32 len;
	int row = table_row(&f->table, f->table.n);
	const char *text;

	assert_int_equal(users_text(&f->users, uid, f->reading, &f->table, &ref), 0);
	table_set(&f->table, (u32)row, 0, ref);
	text = table_get_text(&f->table, (u32)row, 0, &len);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(text, want, len);
}

static void test_names_and_numbers(void **state)
{
	struct fixture f;
	u32 len;

	(void)state;
	tree_file("etc/passwd",
		"# comment\nroot:x:0:0:root:/root:/bin/sh\n\nbad:x\n:x:5:5:::\nnum:x:y:1:::\n"
		"+::::::\nanna:x:1000:1000:A,,,:/home/anna:/bin/sh\ntwin:x:1000:1:::\n"
		"big:x:4294967296:1:::\naverylongname_of_more_than_thirtytwo_bytes:x:77:1:::\n"
		"last:x:4294967294:1::");
	open_tree(&f);
	assert_int_equal(users_refresh(&f.users, 0), 0);
	name_is(&f, 0, "root");
	name_is(&f, 1000, "anna");
	name_is(&f, 4294967294u, "last");
	name_is(&f, 5, "5");
	name_is(&f, 1, "1");
	name_is(&f, 4294967295u, "4294967295");
	name_is(&f, 77, "averylongname_of_more_than_thirt");
	/* stored once a reading */
	len = f.table.text_len;
	name_is(&f, 1000, "anna");
	name_is(&f, 5, "5");
	assert_int_equal(f.table.text_len, len);
	table_begin(&f.table, &(struct stamp){0}, ~0ull);
	f.reading++;
	name_is(&f, 1000, "anna");
	assert_int_equal(f.table.text_len, 4);
	close_tree(&f);
}

static void test_changes_are_seen_after_a_while(void **state)
{
	const u64 s = NSEC_PER_SEC;
	struct fixture f;

	(void)state;
	tree_file("etc/passwd", "one:x:7:7:::\n");
	open_tree(&f);
	assert_int_equal(users_refresh(&f.users, 100 * s), 0);
	name_is(&f, 7, "one");
	name_is(&f, 8, "8");
	tree_file("etc/passwd", "three:x:7:7:::\neight:x:8:8:::\n");
	assert_int_equal(users_refresh(&f.users, 129 * s), 0);
	name_is(&f, 7, "one");
	assert_int_equal(users_refresh(&f.users, 131 * s), 0);
	name_is(&f, 7, "three");
	name_is(&f, 8, "eight");
	close_tree(&f);
}

static void test_no_list(void **state)
{
	struct fixture f;

	(void)state;
	tree_file("proc/x", "");
	open_tree(&f);
	assert_int_equal(users_refresh(&f.users, 0), 0);
	name_is(&f, 0, "0");
	name_is(&f, 1000, "1000");
	close_tree(&f);
}

static void test_next_moment(void **state)
{
	struct fixture f;
	struct err err;

	(void)state;
	tree_file("t0/etc/passwd", "old:x:7:7:::\n");
	tree_file("t1/etc/passwd", "new:x:7:7:::\n");
	open_tree(&f);
	assert_int_equal(users_refresh(&f.users, 0), 0);
	name_is(&f, 7, "old");
	assert_int_equal(root_next(&f.root, &f.clock, &err), 0);
	assert_int_equal(users_refresh(&f.users, 1), 0);
	name_is(&f, 7, "new");
	close_tree(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names_and_numbers, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(
			test_changes_are_seen_after_a_while, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_no_list, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_next_moment, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests_name("users", tests, NULL, NULL);
}
