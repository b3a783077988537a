/* A frame of two readings that are made by hand, as JSON and as text. */
#include "test.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/delta.h"
#include "sink/frame_json.h"
#include "sink/frame_text.h"

enum { NAME, READ, POWER, HIDDEN, SHARE, NCOLUMNS };

static u8 derive_nan(const struct frame_table *t, u32 row, double *out)
{
	(void)t;
	(void)row;
	*out = 0.0 / (row == ROW_TOTAL ? 1.0 : 0.0);
	return REASON_NONE;
}

static const struct column columns[NCOLUMNS] = {
	[NAME] = {.name = "name", .title = "NAME", .unit = UNIT_TEXT, .kind = COLUMN_TEXT},
	[READ] = {.name = "read",
		.title = "READ",
		.unit = UNIT_BYTES,
		.kind = COLUMN_COUNTER,
		.total = TOTAL_SUM},
	[POWER] = {.name = "power",
		.title = "POWER",
		.unit = UNIT_UJ,
		.kind = COLUMN_COUNTER,
		.flags = COLUMN_DELTA},
	[HIDDEN] = {.name = "raw",
		.title = "RAW",
		.unit = UNIT_COUNT,
		.kind = COLUMN_GAUGE,
		.flags = COLUMN_HIDDEN},
	[SHARE] = {.name = "share",
		.title = "SHARE",
		.unit = UNIT_RATIO,
		.kind = COLUMN_DERIVED,
		.derive = derive_nan},
};

static const struct schema disk_schema = {.name = "disk",
	.title = "Disks",
	.help = "",
	.version = 1,
	.ncolumns = NCOLUMNS,
	.columns = columns,
	.label_column = NAME,
	.birth_column = -1,
	.counted_column = -1};

struct scene {
	struct delta delta;
	struct frame frame;
	const struct frame_table *tables[1];
};

static void reading(struct scene *s, u64 second, u64 read)
{
	const struct stamp at = {
		second * NSEC_PER_SEC, second * NSEC_PER_SEC, second * NSEC_PER_SEC};
	static const char evil[] = "a\xff\x1b[31m\"";
	struct table *t = delta_spare(&s->delta);
	int row;

	table_begin(t, &at, ~0ull);
	row = table_row(t, 1);
	assert_true(row >= 0);
	table_set_text(t, (u32)row, NAME, evil, sizeof(evil) - 1);
	table_set(t, (u32)row, READ, read);
	table_set(t, (u32)row, POWER, second * 5000000);
	table_set(t, (u32)row, HIDDEN, 1);
	assert_int_equal(table_end(t), 0);
	assert_int_equal(delta_step(&s->delta), 0);
	s->frame.seq++;
	s->frame.window_ns = s->frame.seq > 1 ? 2 * NSEC_PER_SEC : 0;
	s->frame.at = at;
	s->frame.interval_ns = NSEC_PER_SEC;
}

static void scene_init(struct scene *s)
{
	memset(s, 0, sizeof(*s));
	assert_int_equal(delta_init(&s->delta, &disk_schema), 0);
	s->tables[0] = &s->delta.frame;
	s->frame.tables = s->tables;
	s->frame.ntables = 1;
	reading(s, 10, 1000);
}

static json_t *to_json(struct scene *s, char **text)
{
	struct selection selection = {.sort_column = -1};
	json_error_t error;
	size_t size;
	FILE *out = open_memstream(text, &size);
	json_t *root;

	assert_int_equal(sink_json_frame(out, &s->frame, NULL, "h", &selection), 0);
	fclose(out);
	select_fini(&selection);
	assert_ptr_equal(strchr(*text, '\n'), *text + size - 1);
	root = json_loads(*text, JSON_REJECT_DUPLICATES, &error);
	assert_non_null(root);
	return root;
}

static json_t *first_row(json_t *root)
{
	json_t *tables = json_object_get(root, "tables");
	json_t *rows = json_object_get(json_object_get(tables, "disk"), "rows");

	return json_array_get(rows, 0);
}

static const char *why(json_t *object, const char *key)
{
	assert_true(json_is_null(json_object_get(object, key)));
	return json_string_value(json_object_get(json_object_get(object, "reasons"), key));
}

static void test_json_first(void **state)
{
	struct scene s;
	char *text = NULL;
	json_t *root, *table;

	(void)state;
	scene_init(&s);
	root = to_json(&s, &text);
	table = json_object_get(json_object_get(root, "tables"), "disk");
	assert_string_equal(why(root, "window_seconds"), "first");
	assert_string_equal(why(json_object_get(table, "window"), "seconds"), "first");
	assert_string_equal(why(first_row(root), "read_bytes_per_second"), "first");
	json_decref(root);
	free(text);
	delta_fini(&s.delta);
}

static void test_json_values(void **state)
{
	struct scene s;
	char *text = NULL;
	json_t *root, *row, *total;

	(void)state;
	scene_init(&s);
	reading(&s, 12, 5000);
	root = to_json(&s, &text);
	row = first_row(root);
	assert_string_equal(
		json_string_value(json_object_get(root, "time")), "1970-01-01T00:00:12.000Z");
	assert_true(json_number_value(json_object_get(row, "read_bytes_per_second")) == 2000);
	assert_true(json_number_value(json_object_get(row, "power_watts")) == 5);
	assert_true(json_number_value(json_object_get(row, "power_joules")) == 10);
	assert_string_equal(
		json_string_value(json_object_get(row, "name")), "a\xef\xbf\xbd\x1b[31m\"");
	assert_null(json_object_get(row, "raw"));
	assert_string_equal(why(row, "share_percent"), "invalid");
	total = json_object_get(json_object_get(json_object_get(root, "tables"), "disk"), "total");
	assert_true(json_number_value(json_object_get(total, "read_bytes_per_second")) == 2000);
	assert_null(json_object_get(total, "power_watts"));
	json_decref(root);
	free(text);
	delta_fini(&s.delta);
}

static void test_json_reset(void **state)
{
	struct scene s;
	char *text = NULL;
	json_t *root;

	(void)state;
	scene_init(&s);
	reading(&s, 12, 10);
	root = to_json(&s, &text);
	assert_string_equal(why(first_row(root), "read_bytes_per_second"), "reset");
	json_decref(root);
	free(text);
	delta_fini(&s.delta);
}

static void test_text(void **state)
{
	const struct text_config config = {.asked = true};
	struct selection selection = {.sort_column = -1};
	struct scene s;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	scene_init(&s);
	assert_int_equal(sink_text_frame(out, &s.frame, NULL, "h", &selection, &config), 0);
	fflush(out);
	assert_non_null(strstr(text, "READ B/s"));
	assert_non_null(strstr(text, "n/a"));
	assert_non_null(strstr(text, "disk.read"));
	assert_null(strchr(text, '\x1b'));
	assert_non_null(strstr(text, "a??[31m\""));
	fclose(out);
	free(text);
	select_fini(&selection);
	delta_fini(&s.delta);
}

static void test_full(void **state)
{
	struct selection selection = {.sort_column = -1};
	FILE *out = fopen("/dev/full", "w");
	struct scene s;

	(void)state;
	if (!out) {
		print_message("no /dev/full\n");
		skip();
	}
	scene_init(&s);
	assert_int_equal(sink_json_frame(out, &s.frame, NULL, "h", &selection), -ENOSPC);
	fclose(out);
	select_fini(&selection);
	delta_fini(&s.delta);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_first),
		cmocka_unit_test(test_json_values),
		cmocka_unit_test(test_json_reset),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
