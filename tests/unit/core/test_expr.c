/* The expression language: grammar, units, three-valued logic, messages, `for`. */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "core/delta.h"
#include "core/expr.h"
#include "core/expr_regex.h"

enum { PID, USER, CPU, RESIDENT, TIME, MEMORY, NICE, GUARD, HALF, PCOLUMNS };
enum { BUSY, NAME, TEMP, CCOLUMNS };
enum { TOTAL, SHARE };

static u8 half(const struct frame_table *t, u32 row, double *out)
{
	if (!frame_num(t, row, RESIDENT, out))
		return REASON_UNKNOWN;
	*out /= 2;
	return REASON_NONE;
}

static const struct column process_columns[PCOLUMNS] = {
	[PID] = {.name = "pid", .unit = UNIT_ID, .kind = COLUMN_GAUGE},
	[USER] = {.name = "user", .unit = UNIT_TEXT, .kind = COLUMN_TEXT},
	[CPU] = {.name = "cpu", .unit = UNIT_NS, .kind = COLUMN_COUNTER, .total = TOTAL_SUM},
	[RESIDENT] = {.name = "resident",
		.unit = UNIT_BYTES,
		.kind = COLUMN_GAUGE,
		.total = TOTAL_SUM},
	[TIME] = {.name = "time", .unit = UNIT_NS, .kind = COLUMN_GAUGE},
	[MEMORY] = {.name = "memory", .unit = UNIT_RATIO, .kind = COLUMN_GAUGE},
	[NICE] = {.name = "nice", .unit = UNIT_ID, .kind = COLUMN_GAUGE, .flags = COLUMN_SIGNED},
	[GUARD] = {.name = "guard", .unit = UNIT_ID, .kind = COLUMN_GAUGE, .flags = COLUMN_HIDDEN},
	[HALF] = {.name = "half", .unit = UNIT_BYTES, .kind = COLUMN_DERIVED, .derive = half},
};
static const struct schema process = {.name = "process",
	.ncolumns = PCOLUMNS,
	.columns = process_columns,
	.label_column = USER,
	.birth_column = -1,
	.counted_column = GUARD};
static const struct column cpu_columns[CCOLUMNS] = {
	[BUSY] = {.name = "busy", .unit = UNIT_NS, .kind = COLUMN_COUNTER, .total = TOTAL_MEAN},
	[NAME] = {.name = "name", .unit = UNIT_TEXT, .kind = COLUMN_TEXT},
	[TEMP] = {.name = "temp", .unit = UNIT_MILLIC, .kind = COLUMN_GAUGE},
};
static const struct schema cpu = {.name = "cpu",
	.ncolumns = CCOLUMNS,
	.columns = cpu_columns,
	.label_column = NAME,
	.birth_column = -1,
	.counted_column = -1};
static const struct column memory_columns[] = {
	[TOTAL] = {.name = "total", .unit = UNIT_BYTES, .kind = COLUMN_GAUGE},
	[SHARE] = {.name = "share", .unit = UNIT_RATIO, .kind = COLUMN_GAUGE},
};
static const struct schema memory = {.name = "memory",
	.ncolumns = 2,
	.columns = memory_columns,
	.label_column = -1,
	.birth_column = -1,
	.counted_column = -1};
static const struct schema *const schemas[] = {&process, &cpu, &memory, NULL};

static struct delta p, c, m;
static const struct frame_table *const tables[] = {&p.frame, &c.frame, &m.frame};
static struct frame frame = {.ntables = 3, .tables = tables};
static u64 busy_ns;

static struct table *begin(struct delta *d, u64 ms)
{
	struct stamp at = {.mono_ns = ms * NSEC_PER_MSEC, .boot_ns = ms * NSEC_PER_MSEC};

	frame.at = at;
	table_begin(delta_spare(d), &at, ~0ull);
	return delta_spare(d);
}

static void end(struct delta *d)
{
	table_end(delta_spare(d));
	assert_int_equal(delta_step(d), 0);
}

static void read_process(u64 ms)
{
	struct table *t = begin(&p, ms);

	for (u32 i = 0; i < 3; i++) {
		u32 row = (u32)table_row(t, i);

		table_set(t, row, PID, 100 + i);
		table_set_text(t, row, USER, i == 1 ? "root\0x" : "Ann.b", i == 1 ? 4 : 5);
		if (i < 2) /* the third one's are absent */
			table_set(t, row, CPU, ms * NSEC_PER_MSEC / 100 * (i ? 50 : 5));
		table_set(t, row, RESIDENT, 1048576u << i);
		table_set(t, row, TIME, 300 * NSEC_PER_SEC);
		table_set(t, row, MEMORY, 250000);
		table_set(t, row, NICE, (u64)(s64)-5);
		table_set(t, row, GUARD, 1);
	}
	end(&p);
}

/* All of one second at `percent` busy. */
static void tick(u64 ms, u32 percent)
{
	struct table *t;

	read_process(ms);
	t = begin(&c, ms);
	busy_ns += percent * NSEC_PER_SEC / 100;
	table_row(t, 0);
	table_set(t, 0, BUSY, busy_ns);
	table_set_text(t, 0, NAME, "cpu0", 4);
	end(&c);
	t = begin(&m, ms);
	table_row(t, 0);
	table_set(t, 0, TOTAL, 8ull << 30);
	table_set(t, 0, SHARE, 400000);
	end(&m);
	frame.seq++;
}

static int setup(void **state)
{
	(void)state;
	busy_ns = 0;
	if (delta_init(&p, &process) || delta_init(&c, &cpu) || delta_init(&m, &memory))
		return -1;
	tick(0, 0);
	tick(1000, 97);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	delta_fini(&p);
	delta_fini(&c);
	delta_fini(&m);
	return 0;
}

/* Bit i: row i matches. */
static u32 rows(const char *text)
{
	struct err err = {0};
	struct expr *e;
	u32 bits = 0;

	if (expr_new(&e, text, &process, schemas, &err))
		fail_msg("%s: %s", text, err.msg);
	for (u32 i = 0; i < 3; i++)
		bits |= (u32)expr_match(e, &frame, &p.frame, i) << i;
	expr_free(e);
	return bits;
}

static void check(const char *text, u32 want)
{
	u32 got = rows(text);

	if (got != want)
		fail_msg("%s: rows %u, not %u", text, got, want);
}

static void test_grammar(void **state)
{
	(void)state;
	check("pid == 101", 2);
	check("pid != 101", 5);
	check("pid < 101", 1);
	check("pid <= 101", 3);
	check("pid > 101", 4);
	check("pid >= 101", 6);
	check("101 < pid", 4);
	check("pid == 100 or pid == 102", 5);
	check("pid==100||pid==102", 5);
	check("pid >= 101 and pid <= 101 or pid == 100", 3); /* and binds closer */
	check("pid == 100 or pid == 101 and pid == 102", 1);
	check("(pid == 100 or pid == 101) and pid != 100", 2);
	check("not pid == 101", 5);
	check("!(pid == 101) && !(pid==100)", 4);
	check("not not pid == 101", 2);
	check("nice == -5", 7);
	check("nice < -4.5", 7);
	check("pid", 7);
	check("guard == 1", 7);
	check("1 < 2", 7);
	check("0", 0);
	check("half == 512Ki", 1);
}

static void test_text(void **state)
{
	(void)state;
	check("user == \"root\"", 2);
	check("user == \"ROOT\"", 0);
	check("user != \"root\"", 5);
	check("user ~ \"^ro+t$\"", 2);
	check("user ~ \"OO\"", 2);
	check("user !~ \"oo\"", 5);
	check("user ~ \"n\\.B\"", 5);
	check("user ~ \"n\\\\.b\"", 5);
	check("user ~ \"roo.\"", 2);
	check("user < \"b\"", 5);
	check("user", 7);
	check("\"\"", 0);
	check("user == \"say \\\"\"", 0);
}

static void test_suffixes_and_units(void **state)
{
	(void)state;
	check("resident == 1Mi", 1);
	check("resident == 1048576", 1);
	check("resident > 2M", 6);
	check("resident >= 2048Ki", 6);
	check("resident > 0.002G and resident < 1T and resident < 1Gi and resident < 1Ti", 6);
	check("resident > 2097.1K", 6);
	check("cpu == 5", 1);
	check("cpu > 49.9 and cpu < 50.1", 2);
	check("cpu >= 50%", 2);
	check("memory == 25", 7);
	check("memory == 25%", 7);
	check("time == 5m", 7);
	check("time == 300s and time == 300000ms and time > 1us", 7);
	check("time < 1h", 7);
}

static void test_other_tables(void **state)
{
	(void)state;
	check("cpu.busy > 0.95", 7);
	check("cpu.busy > 98%", 0);
	check("cpu.busy > 95% and pid == 101", 2);
	check("memory.share == 0.4", 7);
	check("memory.share == 40%", 7);
	check("memory.total == 8Gi", 7);
	check("process.resident == 7Mi", 7);
	check("cpu.busy > memory.share", 7);
	check("cpu < cpu.busy", 3); /* both as shown: 5 and 50 are under 97 */
	check("memory < memory.share", 7);
}

static void test_absent_is_neither(void **state)
{
	struct err err;
	struct expr *e;

	(void)state;
	check("cpu == 0", 0);
	check("cpu != 0", 3);
	check("not cpu == 0", 3);
	check("not cpu == 5", 2);
	check("not not cpu == 5", 1);
	check("cpu", 3);
	check("cpu > 1 or pid == 102", 7);  /* absent or true */
	check("cpu > 1 or pid == 0", 3);    /* absent or false */
	check("cpu > 1 and pid == 102", 0); /* absent and true */
	check("not (cpu > 1 and pid == 0)", 7);
	check("not (cpu > 1 and pid == 102)", 3);
	check("not (cpu > 1 or pid == 102)", 0);
	assert_int_equal(expr_new(&e, "not cpu.busy > 0", &process, schemas, &err), 0);
	assert_false(expr_match(e, NULL, &p.frame, 0));
	expr_free(e);
	assert_int_equal(expr_new(&e, "not cpu.busy > 0 for 1s", &process, schemas, &err), 0);
	assert_false(expr_match(e, NULL, &p.frame, 0));
	expr_free(e);
}

static void test_for(void **state)
{
	static const struct {
		u32 percent;
		bool match;
	} steps[] = {{97, false}, {97, false}, {97, true}, {97, true}, {50, false}, {97, false},
		{97, false}, {97, true}};
	struct err err;
	struct expr *e;

	(void)state;
	assert_int_equal(expr_new(&e, "cpu.busy > 0.95 for 2s", &process, schemas, &err), 0);
	for (u32 i = 0; i < ARRAY_LEN(steps); i++) {
		tick(2000 + 1000 * i, steps[i].percent);
		/* asking again, or for another row, changes nothing */
		for (u32 row = 0; row < 3; row++)
			assert_int_equal(expr_match(e, &frame, &p.frame, row), steps[i].match);
	}
	expr_free(e);
}

static void test_for_is_followed_behind_a_short_cut(void **state)
{
	struct err err;
	struct expr *e;

	(void)state;
	assert_int_equal(expr_new(&e, "pid == 0 or cpu.busy > 95% for 1s and pid == 102", &process,
				 schemas, &err),
		0);
	tick(2000, 97);
	assert_false(expr_match(e, &frame, &p.frame, 0));
	tick(3000, 97);
	assert_false(expr_match(e, &frame, &p.frame, 0));
	assert_true(expr_match(e, &frame, &p.frame, 2));
	/* frames that nobody showed to it may have been otherwise */
	tick(4000, 97);
	tick(5000, 97);
	assert_false(expr_match(e, &frame, &p.frame, 2));
	expr_free(e);
}

static void test_messages(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"cpu > cpuu",
			"column 7: unknown name \"cpuu\"; columns: pid, user, cpu, resident"},
		{"", "column 1: expected a column"},
		{"pid = 1", "column 5: unknown \"=\"; equal is written =="},
		{"pid ==", "column 7: expected a column, a number or a \"text\", not the end"},
		{"(pid == 1", "column 10: expected \")\""},
		{"pid == 1)", "column 9: expected and, or"},
		{"pid pid", "column 5: expected and, or"},
		{"pid == 5x", "column 9: unknown suffix \"x\"; suffixes: K M G T"},
		{"pid == \"a\"", "column 8: pid is a number"},
		{"user == 5", "column 9: user is text"},
		{"user == pid", "column 9: user is text"},
		{"pid ~ \"a\"", "column 1: ~ is for columns of text"},
		{"user ~ user", "column 8: ~ wants a regular expression"},
		{"user ~ \"a(\"", "column 8: ( without )"},
		{"user == \"é\" and x", "column 17: unknown name \"x\""},
		{"user == \"a", "column 9: text without its closing \""},
		{"disk.read > 1", "column 1: unknown table \"disk\"; tables: process, cpu, memory"},
		{"cpu.buzy > 1", "column 5: unknown name \"buzy\"; columns: busy, name, temp"},
		{"cpu. > 1", "column 6: expected the name of a column"},
		{"cpu.temp > 1", "column 5: cpu.temp has no total"},
		{"cpu.name == \"x\"", "column 5: cpu.name has no total"},
		{"cpu > 1 for 2s", "column 9: for needs TABLE.NAME"},
		{"1 > 0 for 2s", "column 7: for needs TABLE.NAME"},
		{"cpu.busy > 1 for", "column 17: expected a duration"},
		{"cpu.busy > 1 for 2K", "column 18: expected a duration"},
		{"resident > 5%", "column 12: % is for columns that are percentages"},
		{"cpu > 5m", "column 7: a duration is for columns in seconds; cpu is not"},
		{"pid == 1 # 2", "column 10: unexpected \"#\""},
		{"pid == 1 \x1b[2J", "column 10: unexpected"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = {0};
		struct expr *e;

		assert_int_equal(expr_new(&e, bad[i].text, &process, schemas, &err), -EINVAL);
		assert_null(e);
		if (strncmp(err.msg, bad[i].message, strlen(bad[i].message)) != 0)
			fail_msg("%s: %s", bad[i].text, err.msg);
		for (const char *q = err.msg; *q; q++)
			assert_true((u8)*q >= 0x20 && *q != 0x7f);
		/* nobody wants the message */
		assert_int_equal(expr_new(&e, bad[i].text, &process, schemas, NULL), -EINVAL);
	}
}

static int depth(u32 n, char open, char close)
{
	char text[8192];
	struct err err;
	struct expr *e;
	u32 len = 0;
	int ret;

	for (u32 i = 0; i < n; i++)
		text[len++] = open;
	text[len++] = '1';
	for (u32 i = 0; close && i < n; i++)
		text[len++] = close;
	text[len] = '\0';
	ret = expr_new(&e, text, &process, schemas, &err);
	expr_free(e);
	return ret;
}

static void test_limits(void **state)
{
	char text[5000];
	struct err err;
	struct expr *e;

	(void)state;
	assert_int_equal(depth(64, '(', ')'), 0);
	assert_int_equal(depth(65, '(', ')'), -EINVAL);
	assert_int_equal(depth(64, '!', 0), 0);
	assert_int_equal(depth(65, '!', 0), -EINVAL);
	assert_int_equal(depth(2000, '(', ')'), -EINVAL);
	memset(text, ' ', sizeof(text));
	text[0] = '1';
	text[4096] = '\0';
	assert_int_equal(expr_new(&e, text, &process, NULL, &err), 0);
	expr_free(e);
	text[4096] = ' ';
	text[4097] = '\0';
	assert_int_equal(expr_new(&e, text, &process, NULL, &err), -EINVAL);
	/* a long list is wide, not deep */
	for (u32 i = 0; i < 1000; i++)
		memcpy(text + 4 * i, i == 999 ? "1   " : "1 &&", 4);
	text[4000] = '\0';
	check(text, 7);
}

static void test_need(void **state)
{
	static const struct {
		const char *text;
		u64 need;
	} cases[] = {
		{"pid == 1 and user ~ \"x\"", 1ull << PID | 1ull << USER},
		{"cpu.busy > 0.5", 0},
		{"process.resident > 1", 1ull << RESIDENT | 1ull << GUARD},
		{"half > 1", ~0ull},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err;
		struct expr *e;

		assert_int_equal(expr_new(&e, cases[i].text, &process, schemas, &err), 0);
		assert_true(expr_need(e) == cases[i].need);
		expr_free(e);
	}
}

static bool like(const char *re, const char *text)
{
	const char *why;
	struct regex *r;
	bool match;

	if (regex_new(&r, re, strlen(re), &why))
		fail_msg("%s: %s", re, why);
	match = regex_match(r, text, strlen(text));
	/* the state of one match does not reach the next */
	assert_int_equal(regex_match(r, text, strlen(text)), match);
	regex_free(r);
	return match;
}

static void test_regex(void **state)
{
	static const char *const yes[][2] = {{"", ""}, {"", "x"}, {"b", "abc"}, {"^abc$", "ABC"},
		{"a|b|c", "xc"}, {"^(a|b|c)+$", "abcba"}, {"^a{3}$", "aaa"}, {"^a{2,3}$", "aa"},
		{"^a{2,}$", "aaaaa"}, {"^a{0,2}b", "b"}, {"^(ab){2}$", "abab"}, {"^a?b$", "b"},
		{"x*", ""}, {"(a*)*b", "aaab"}, {"[a-c]+$", "xxB"}, {"[^a-c]", "d"}, {"[]x]", "]"},
		{"[^]x]", "a"}, {"[a-]", "-"}, {"[[:digit:]]{2}", "a12"}, {"^[[:upper:]]$", "q"},
		{"\\.", "."}, {"a\\|b", "a|b"}, {".", "é"}, {"^.$", "é"}, {"^..$", "\xff\xfe"},
		{"a{x", "a{x"}, {"(^a|b$)", "xb"}, {"a||b", ""}, {"^a{0}b$", "b"}, {"()", ""},
		{"É|é", "é"}, {"(|a)b", "b"}, {"^(a|ab)(c|bcd)$", "abcd"}};
	static const char *const no[][2] = {{"b", "acd"}, {"^abc$", "abcd"}, {"^a{3}$", "aa"},
		{"^a{2,3}$", "aaaa"}, {"^a{0}b$", "ab"}, {"[^a-c]", "ABC"}, {"^.$", "ab"},
		{"[[:digit:]]", "x"}, {"a\\.b", "axb"}, {"^$", "x"}, {"a+b", "b"}, {"[^x]", "X"}};
	static const char *const bad[] = {"(", ")", "a)", "[", "[a", "[b-a]", "*a", "+", "a|*",
		"a{3,2}", "a{256}", "a{1", "a{1,x}", "[[:what:]]", "[[.a.]]", "\\", "\\d", "\\1"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		if (!like(yes[i][0], yes[i][1]))
			fail_msg("%s should match %s", yes[i][0], yes[i][1]);
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		if (like(no[i][0], no[i][1]))
			fail_msg("%s should not match %s", no[i][0], no[i][1]);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const char *why = NULL;
		struct regex *r;

		assert_int_equal(regex_new(&r, bad[i], strlen(bad[i]), &why), -EINVAL);
		assert_null(r);
		assert_non_null(why);
	}
}

static void test_regex_is_linear(void **state)
{
	static char text[20001];
	const char *why;
	struct regex *r;

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(regex_new(&r, "(a*)*(a|aa)+$b", 14, &why), 0);
	assert_false(regex_match(r, text, 20000));
	regex_free(r);
	assert_int_equal(regex_new(&r, "((a{255}){255}){255}", 20, &why), -EINVAL);
	assert_int_equal(regex_new(&r, "(((){255}){255}){255}", 21, &why), 0);
	regex_free(r);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_grammar),
		T(test_text),
		T(test_suffixes_and_units),
		T(test_other_tables),
		T(test_absent_is_neither),
		T(test_for),
		T(test_for_is_followed_behind_a_short_cut),
		T(test_messages),
		T(test_limits),
		T(test_need),
		T(test_regex),
		T(test_regex_is_linear),
	};

	return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
