/* What test_relocations looks for, in programs that have it: test_checks OBJECT BTF, the object of wrong.bpf.c. */
#include "test.h"

#include "bpf/loading.h"

#include <stdio.h>

static struct loading loading;
static const char *object_path, *btf_path;

static void test_loads(void **state)
{
	(void)state;
	assert_int_equal(loading.result, 0);
	assert_int_equal(loading.relocations.unread, 0);
}

static void test_guard_is_missed(void **state)
{
	(void)state;
	assert_int_equal(loading_unguarded(&loading, "guarded"), 0);
	assert_int_equal(loading_unguarded(&loading, "unguarded"), 1);
	assert_int_equal(loading_unguarded(&loading, "wrong_guard"), 1);
	assert_int_equal(loading_unguarded(&loading, "no_such_one"), -1);
}

static void test_guard_is_missed_in_a_callback(void **state)
{
	(void)state;
	assert_int_equal(loading_unguarded(&loading, "unguarded_call"), 1);
}

/* A member of the same name and another kind is none. */
static void test_other_kind_is_absent(void **state)
{
	(void)state;
	assert_int_equal(loading_unguarded(&loading, "other_kind"), 1);
}

static void test_other_type_is_noticed(void **state)
{
	(void)state;
	assert_int_equal(loading_mistaken(&loading, "guarded"), 0);
	assert_int_equal(loading_mistaken(&loading, "other_pointer"), 1);
	assert_int_equal(loading_mistaken(&loading, "other_size"), 1);
	assert_int_equal(loading_mistaken(&loading, "longer"), 1);
}

static void test_helper_is_missed(void **state)
{
	(void)state;
	assert_int_equal(loading_helpless(&loading, "guarded"), 0);
	assert_int_equal(loading_helpless(&loading, "helpless"), 1);
}

static int load(void **state)
{
	(void)state;
	return loading_run(&loading, object_path, btf_path, (const char *const[]){NULL},
		(const char *const[]){NULL});
}

static int unload(void **state)
{
	(void)state;
	loading_free(&loading);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_guard_is_missed),
		cmocka_unit_test(test_guard_is_missed_in_a_callback),
		cmocka_unit_test(test_other_kind_is_absent),
		cmocka_unit_test(test_other_type_is_noticed),
		cmocka_unit_test(test_helper_is_missed),
	};

	if (argc != 3) {
		fprintf(stderr, "test_checks: expected OBJECT BTF\n");
		return 2;
	}
	object_path = argv[1];
	btf_path = argv[2];
	return cmocka_run_group_tests(tests, load, unload);
}
