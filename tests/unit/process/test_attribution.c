/* The account of busy time: five rows that add up, and a residual that may be below zero. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/delta.h"
#include "process/attribution.h"
#include "sink/frame_json.h"

static struct delta d;
static u64 now_ns;

static int setup(void **state)
{
	(void)state;
	now_ns = 1000 * NSEC_PER_SEC;
	return delta_init(&d, &attribution_table_schema);
}

static int teardown(void **state)
{
	(void)state;
	delta_fini(&d);
	return 0;
}

static void reading(const struct attribution *a)
{
	struct stamp at = {now_ns, now_ns, now_ns};
	struct table *t = delta_spare(&d);

	table_begin(t, &at, ~0ull);
	assert_int_equal(attribution_rows(t, a), 0);
	assert_int_equal(table_end(t), 0);
	assert_int_equal(delta_step(&d), 0);
	now_ns += NSEC_PER_SEC;
}

static struct cell part(const char *name)
{
	struct cell cell;

	for (u32 row = 0; row < d.frame.n; row++) {
		frame_cell(&d.frame, row, 0, &cell);
		if (cell.text_len == strlen(name) && !memcmp(cell.text, name, cell.text_len)) {
			frame_cell(&d.frame, row, 1, &cell);
			return cell;
		}
	}
	fail_msg("no row %s", name);
	return cell;
}

static void expect(const char *name, double percent)
{
	struct cell cell = part(name);

	assert_int_equal(cell.state, CELL_VALUE);
	if (cell.num < percent - 1e-9 || cell.num > percent + 1e-9)
		fail_msg("%s: %f", name, cell.num);
}

static void test_parts_add_up(void **state)
{
	struct attribution a = {100, 200, 300, 1000};

	(void)state;
	reading(&a);
	assert_int_equal(part("busy").state, CELL_ABSENT);
	a.processes_ns += 400 * NSEC_PER_MSEC;
	a.exited_ns += 300 * NSEC_PER_MSEC;
	a.interrupts_ns += 50 * NSEC_PER_MSEC;
	a.busy_ns += 900 * NSEC_PER_MSEC;
	reading(&a);
	expect("processes", 40);
	expect("exited", 30);
	expect("interrupts", 5);
	expect("unattributed", 15);
	expect("busy", 90);
}

static void test_the_residual_is_signed(void **state)
{
	struct attribution a = {100, 200, 300, 1000};

	(void)state;
	reading(&a);
	a.processes_ns += 500 * NSEC_PER_MSEC;
	a.busy_ns += 480 * NSEC_PER_MSEC;
	reading(&a);
	expect("unattributed", -2);
	/* and back, past what it was */
	a.busy_ns += 50 * NSEC_PER_MSEC;
	reading(&a);
	expect("unattributed", 5);
}

/* The row of this name in the JSON of the frame; the whole is the caller's to put back. */
static json_t *json_part(json_t **whole, const char *name)
{
	const struct frame_table *const tables[] = {&d.frame};
	const struct frame frame = {.seq = 2, .ntables = 1, .tables = tables};
	struct selection selection = {.sort_column = -1};
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);
	json_t *rows, *row;

	assert_int_equal(sink_json_frame(out, &frame, NULL, "h", &selection), 0);
	fclose(out);
	select_fini(&selection);
	*whole = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	rows = json_object_get(json_object_get(*whole, "tables"), "attribution");
	rows = json_object_get(rows, "rows");
	assert_int_equal(json_array_size(rows), 5);
	for (i = 0; i < 5; i++) {
		row = json_array_get(rows, i);
		if (!strcmp(json_string_value(json_object_get(row, "name")), name))
			return row;
	}
	fail_msg("no row %s", name);
	return NULL;
}

static void test_below_zero_in_json(void **state)
{
	struct attribution a = {100, 200, 300, 1000};
	json_t *whole;

	(void)state;
	reading(&a);
	a.processes_ns += 500 * NSEC_PER_MSEC;
	a.interrupts_ns += 5 * NSEC_PER_MSEC;
	a.busy_ns += 480 * NSEC_PER_MSEC;
	reading(&a);
	expect("unattributed", -2.5);
	assert_float_equal(json_number_value(json_object_get(
				   json_part(&whole, "unattributed"), "cpu_percent")),
		-2.5, 1e-9);
	json_decref(whole);
	assert_float_equal(
		json_number_value(json_object_get(json_part(&whole, "busy"), "cpu_percent")), 48,
		1e-9);
	json_decref(whole);
}

static void test_not_known_in_json(void **state)
{
	struct attribution a = {100, 0, 0, 0};
	json_t *whole, *row;

	(void)state;
	reading(&a);
	reading(&a);
	row = json_part(&whole, "unattributed");
	assert_true(json_is_null(json_object_get(row, "cpu_percent")));
	row = json_object_get(row, "reasons");
	assert_string_equal(json_string_value(json_object_get(row, "cpu_percent")), "unknown");
	json_decref(whole);
}

static void test_busy_is_not_known(void **state)
{
	struct attribution a = {100, 0, 0, 0};

	(void)state;
	reading(&a);
	a.processes_ns += 100 * NSEC_PER_MSEC;
	reading(&a);
	expect("processes", 10);
	assert_int_equal(part("unattributed").state, CELL_ABSENT);
	assert_int_equal(part("unattributed").reason, REASON_UNKNOWN);
	assert_int_equal(part("busy").reason, REASON_UNKNOWN);
	assert_int_equal(part("interrupts").reason, REASON_UNKNOWN);
	assert_int_equal(d.frame.n, 5);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_parts_add_up),
		T(test_the_residual_is_signed),
		T(test_below_zero_in_json),
		T(test_busy_is_not_known),
		T(test_not_known_in_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
