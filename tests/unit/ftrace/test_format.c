/* What format files say: layouts of several kernels, every kind of field, and texts that are none. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ftrace/format.h"

#define COMMON                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
#define EVENT(fields) \
	"name: thing\nID: 372\nformat:\n" COMMON "\n" fields "\nprint fmt: \"x\", REC->x\n"

static struct event_format f;
static struct err err;

static int parse(const char *text)
{
	/* a copy of its own size, for ASan */
	size_t len = strlen(text);
	char *copy = malloc(len ? len : 1);
	int ret;

	assert_non_null(copy);
	memcpy(copy, text, len);
	ret = format_parse(&f, copy, len, &err);
	free(copy);
	return ret;
}

static int free_format(void **state)
{
	(void)state;
	format_free(&f);
	return 0;
}

static void a_plain_event(void **state)
{
	const struct event_field *field;

	(void)state;
	assert_int_equal(parse(EVENT("\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				     "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
				     "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
				     "\tfield:bool on;\toffset:40;\tsize:1;\tsigned:0;\n")),
		0);
	assert_string_equal(f.name, "thing");
	assert_int_equal(f.id, 372);
	assert_int_equal(f.n, 8);
	assert_int_equal(f.ncommon, 4);
	assert_int_equal(f.pid, 3);
	field = format_field(&f, "prev_comm");
	assert_non_null(field);
	assert_string_equal(field->type, "char");
	assert_int_equal(field->kind, FIELD_TEXT);
	assert_int_equal(field->place, PLACE_HERE);
	assert_int_equal(field->offset, 8);
	assert_int_equal(field->size, 16);
	field = format_field(&f, "prev_state");
	assert_int_equal(field->kind, FIELD_NUMBER);
	assert_int_equal(field->element, 8);
	assert_true(field->is_signed);
	assert_false(field->address);
	assert_false(format_field(&f, "on")->is_signed);
	assert_null(format_field(&f, "off"));
}

/* A real-time kernel's: more common fields and a gap before the first of the event. */
static void other_layouts(void **state)
{
	(void)state;
	assert_int_equal(
		parse("name: sched_waking\nID: 9\nformat:\n" COMMON "\tfield:unsigned char "
		      "common_migrate_disable;\toffset:8;\tsize:1;\tsigned:0;\n"
		      "\tfield:unsigned char "
		      "common_preempt_lazy_count;\toffset:9;\tsize:1;\tsigned:0;\n"
		      "\n\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
		      "\tfield:pid_t pid;\toffset:28;\tsize:4;\tsigned:1;\n"
		      "\tfield:int prio;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"),
		0);
	assert_int_equal(f.ncommon, 6);
	assert_int_equal(format_field(&f, "comm")->offset, 12);
	assert_int_equal(format_field(&f, "prio")->offset, 32);
}

static void where_else(void **state)
{
	const struct event_field *field;

	(void)state;
	assert_int_equal(
		parse(EVENT("\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
			    "\tfield:__rel_loc u64[] list;\toffset:12;\tsize:4;\tsigned:0;\n"
			    "\tfield:__data_loc struct thing[] "
			    "things;\toffset:16;\tsize:4;\tsigned:0;\n"
			    "\tfield:char buf[];\toffset:20;\tsize:0;\tsigned:0;\n")),
		0);
	field = format_field(&f, "name");
	assert_int_equal(field->place, PLACE_DATA_LOC);
	assert_int_equal(field->kind, FIELD_TEXT);
	field = format_field(&f, "list");
	assert_int_equal(field->place, PLACE_REL_LOC);
	assert_int_equal(field->kind, FIELD_ARRAY);
	assert_int_equal(field->element, 8);
	assert_int_equal(format_field(&f, "things")->kind, FIELD_UNKNOWN);
	field = format_field(&f, "buf");
	assert_int_equal(field->place, PLACE_REST);
	assert_int_equal(field->kind, FIELD_TEXT);
}

static void arrays_and_pointers(void **state)
{
	const struct event_field *field;

	(void)state;
	assert_int_equal(
		parse(EVENT("\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"
			    "\tfield:u8 mac[32];\toffset:64;\tsize:32;\tsigned:0;\n"
			    "\tfield:unsigned char raw[8];\toffset:96;\tsize:8;\tsigned:0;\n"
			    "\tfield:const char * type;\toffset:104;\tsize:8;\tsigned:0;\n"
			    "\tfield:struct page *page;\toffset:112;\tsize:8;\tsigned:0;\n"
			    "\tfield:struct timespec64 at;\toffset:120;\tsize:16;\tsigned:0;\n"
			    "\tfield:char comm[TASK_COMM_LEN];\toffset:136;\tsize:16;\tsigned:0;\n"
			    "\tfield:u32 odd[NUMBER];\toffset:152;\tsize:12;\tsigned:0;\n")),
		0);
	field = format_field(&f, "args");
	assert_int_equal(field->kind, FIELD_ARRAY);
	assert_int_equal(field->element, 8);
	assert_int_equal(format_field(&f, "mac")->element, 1);
	assert_int_equal(format_field(&f, "mac")->kind, FIELD_ARRAY);
	assert_int_equal(format_field(&f, "raw")->kind, FIELD_ARRAY);
	field = format_field(&f, "type");
	assert_true(field->address);
	assert_int_equal(field->kind, FIELD_NUMBER);
	field = format_field(&f, "page");
	assert_non_null(field);
	assert_true(field->address);
	assert_string_equal(field->type, "struct page *");
	assert_int_equal(format_field(&f, "at")->kind, FIELD_UNKNOWN);
	assert_int_equal(format_field(&f, "comm")->kind, FIELD_TEXT);
	assert_int_equal(format_field(&f, "odd")->element, 4);
}

static void no_formats(void **state)
{
	static const char *const texts[] = {
		"",
		"name: thing\n",
		"name: thing\nID: 1\n",
		"name: thing\nID: 99999\nformat:\n" COMMON,
		"ID: 1\nformat:\n" COMMON,
		EVENT("\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n"),
		EVENT("\tfield:int;\toffset:8;\tsize:4;\tsigned:1;\n"),
		EVENT("\tfield:int a;\toffset:x;\tsize:4;\tsigned:1;\n"),
		EVENT("\tfield:int a;\toffset:8;\tsize:99999999999;\tsigned:1;\n"),
		EVENT("\tfield:int a\n"),
		EVENT("\tfield:]\toffset:8;\tsize:4;\tsigned:1;\n"),
		EVENT("\tfield:__data_loc char[] a;\toffset:8;\tsize:2;\tsigned:1;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		assert_int_equal(parse(texts[i]), -EINVAL);
		assert_true(err.msg[0] != '\0');
	}
}

/* Every beginning of a good one is good or refused. */
static void truncated(void **state)
{
	static const char text[] = EVENT(
		"\tfield:char *a;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[] b;\toffset:16;\tsize:4;\tsigned:0;\n");
	u32 good = 0;

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		int ret = format_parse(&f, text, len, &err);

		assert_true(ret == 0 || ret == -EINVAL);
		good += ret == 0;
		format_free(&f);
	}
	assert_true(good > 0);
}

static void page_header(void **state)
{
#define HEADER(commit, data)                                                        \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t " \
	"commit;\t" commit                                                          \
	";\tsigned:1;\n\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"    \
	"\tfield: char data;\toffset:16;\tsize:" data ";\tsigned:0;\n"
	static const char page[] = HEADER("offset:8;\tsize:8", "4080"),
			  large[] = HEADER("offset:8;\tsize:8", "65520"),
			  narrow[] = HEADER("offset:8;\tsize:4", "4080");

	(void)state;
	assert_int_equal(format_page_data(page, strlen(page)), 4080);
	assert_int_equal(format_page_data(large, strlen(large)), 65520);
	/* of a 32-bit kernel */
	assert_int_equal(format_page_data(narrow, strlen(narrow)), 0);
	assert_int_equal(format_page_data("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_plain_event, free_format),
		cmocka_unit_test_teardown(other_layouts, free_format),
		cmocka_unit_test_teardown(where_else, free_format),
		cmocka_unit_test_teardown(arrays_and_pointers, free_format),
		cmocka_unit_test(no_formats),
		cmocka_unit_test(truncated),
		cmocka_unit_test(page_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
