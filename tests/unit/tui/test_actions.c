/* What the user does to processes in the live view: tags, prompts, outcomes, the pane of details, follow. */
#include "test.h"

#include <errno.h>

#include "fake.h"
#include "tui/keys.h"
#include "tui/view.h"

static struct fake_process some[] = {
	{1, 0, "root", "S", "systemd", "/sbin/init splash", 0.1, 14, 1, false, false, NULL, NULL,
		0},
	{812, 1, "root", "S", "sshd", "sshd: /usr/sbin/sshd -D", 0, 9, 1, false, false, NULL, NULL,
		0},
	{2210, 812, "ana", "S", "bash", "-bash", 0, 6, 1, false, false, NULL, NULL, 0},
	{28290, 2210, "ana", "R", "python", "python train.py", 20.5, 41000, 96, false, false, NULL,
		NULL, 0},
	{28291, 28290, "ana", "S", "python", "python worker", 2, 410, 9, false, false, NULL, NULL,
		0},
	{30114, 1, "raj", "S", "x\x1b[2J", "/opt/venv/bin/vllm serve", 8, 6000, 17, false, false,
		NULL, NULL, 0},
};

static struct fake m;
static struct view *v;
static struct grid g;

static void draw(u32 cols, u32 rows)
{
	assert_int_equal(grid_resize(&g, cols, rows), 0);
	view_draw(v, &g);
}

static void tick(void)
{
	view_frame(v, fake_tick(&m, 0), NULL);
	view_draw(v, &g);
}

static int start(bool recorded)
{
	static const struct schema *const schemas[] = {&fake_schemas[T_PROCESS], NULL};
	const struct view_config config = {.charset = CHARSET_BLOCK,
		.interval_ns = NSEC_PER_SEC,
		.utc = true,
		.recorded = recorded,
		.sort = "pid",
		.schemas = schemas};
	struct err err;

	fake_init(&m, 1, some, ARRAY_LEN(some));
	if (view_new(&v, &config, &err))
		return -1;
	grid_init(&g);
	grid_resize(&g, 100, 24);
	for (u32 i = 0; i < 3; i++)
		tick();
	return 0;
}

static int setup(void **state)
{
	(void)state;
	return start(false);
}

static int teardown(void **state)
{
	(void)state;
	some[3].cpu = 20.5;
	grid_fini(&g);
	view_free(v);
	fake_fini(&m);
	return 0;
}

static enum view_request key(u32 k)
{
	struct input in = {.key = k};
	enum view_request request = view_input(v, &in);

	view_draw(v, &g);
	return request;
}

static enum view_request keys(const char *text)
{
	enum view_request request = VIEW_NOTHING;

	for (; *text; text++)
		request = key((u8)*text);
	return request;
}

static bool shows(const char *what)
{
	char *text = grid_to_text(&g);
	bool found = strstr(text, what) != NULL;

	free(text);
	return found;
}

static void golden(const char *name)
{
	char path[512], *got = grid_to_text(&g), *want;
	const char *folder = getenv("TARE_GOLDEN");
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/tui/%s.txt", folder ? folder : GOLDEN_DIR, name);
	if (getenv("TARE_UPDATE_GOLDEN")) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(got, file);
		fclose(file);
	}
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s is missing; TARE_UPDATE_GOLDEN=1 makes it", path);
	want = malloc(1 << 20);
	n = fread(want, 1, (1 << 20) - 1, file);
	want[n] = '\0';
	fclose(file);
	assert_string_equal(got, want);
	free(want);
	free(got);
}

/* Role of the first cell of the row that shows this text. */
static enum role role_of(const char *what)
{
	char *text = grid_to_text(&g), *found = strstr(text, what), *p = text;
	u32 y = 0;

	assert_non_null(found);
	for (; p < found; p++)
		y += *p == '\n';
	free(text);
	for (u32 x = 0; x < g.cols; x++)
		if (g.cell[y * g.cols + x].cp[0] != ' ')
			return (enum role)g.cell[y * g.cols + x].role;
	return ROLE_NORMAL;
}

static void test_tag_marks_and_moves_down(void **state)
{
	(void)state;
	key('x');
	assert_true(shows("select a process first"));
	key(KEY_DOWN_);
	key('x');
	assert_true(shows("    1*root"));
	key('x');
	assert_true(shows("  812*root") && shows(" 2210 ana"));
	assert_int_equal(role_of("812*root"), ROLE_TAGGED);
	assert_int_equal(role_of("2210 ana"), ROLE_SELECTED);
	for (u32 i = 0; i < 6; i++)
		tick(); /* until the message is gone */
	assert_true(shows("2 tagged"));
	/* a second time: no longer */
	key(KEY_UP_);
	assert_int_equal(role_of("812*root"), ROLE_SELECTED);
	key('x');
	assert_true(shows("  812 root") && shows("    1*root"));
	key('X');
	assert_false(shows("*root"));
}

static void test_tags_stay_on_processes(void **state)
{
	(void)state;
	key(KEY_DOWN_);
	keys("xx");
	key('I');
	tick();
	assert_true(shows("    1*root") && shows("  812*root"));
	key('t');
	assert_true(shows("    1*root") && shows("  812*root"));
	key('t');
	/* one that ends takes its tag along, also from a process with the same pid */
	key(' ');
	m.processes = some + 1;
	m.nprocesses--;
	tick();
	m.processes = some;
	m.nprocesses++;
	tick();
	key(' ');
	assert_true(shows("    1 root") && shows("  812*root"));
}

static void test_signal_goes_to_all_tagged(void **state)
{
	const struct intent *intent;

	(void)state;
	key(KEY_DOWN_);
	keys("xxx");
	key('k');
	assert_true(shows("Signal to 3 tagged processes"));
	key(KEY_ENTER_);
	assert_true(shows("Send SIGTERM to 3 tagged processes? y/n"));
	/* what is tagged later is not meant */
	assert_int_equal(key('y'), VIEW_ACT);
	intent = view_intent(v);
	assert_int_equal(intent->n, 3);
	assert_int_equal(intent->number, 15);
	assert_int_equal(intent->target[0].pid, 1);
	assert_int_equal(intent->target[2].pid, 2210);
	assert_int_equal(intent->target[2].key, 2210ull << 42 | 100);
	assert_string_equal(intent->target[1].name, "sshd");
	/* a filter does not make them fewer */
	keys("/zz\r\\python\r");
	key('k');
	assert_true(shows("Signal to 3 tagged"));
	key(KEY_ESCAPE);
	assert_int_equal(key('n'), VIEW_REDRAW);
}

static void test_nice_values(void **state)
{
	const struct intent *intent;

	(void)state;
	assert_int_equal(key(KEY_F8_), VIEW_REDRAW);
	assert_true(shows("select a process first"));
	key(KEY_END_);
	assert_int_equal(key(KEY_F8_), VIEW_ACT);
	intent = view_intent(v);
	assert_int_equal(intent->kind, INTENT_NICE_STEP);
	assert_int_equal(intent->number, 1);
	assert_int_equal(intent->target[0].pid, 30114);
	assert_string_equal(intent->target[0].name, "x?[2J");
	assert_int_equal(key(KEY_F7_), VIEW_ACT);
	assert_int_equal(view_intent(v)->number, -1);
	key('r');
	assert_true(shows("Nice of 30114 x?[2J (now 0): _"));
	keys("-2x\r");
	assert_true(shows("-2x_ -20 to 19"));
	key(KEY_ERASE);
	assert_false(shows("-20 to 19"));
	keys("1\r");
	assert_true(shows("-20 to 19"));
	key(KEY_ERASE);
	assert_int_equal(key(KEY_ENTER_), VIEW_ACT);
	assert_int_equal(view_intent(v)->kind, INTENT_NICE);
	assert_int_equal(view_intent(v)->number, -2);
	/* nothing typed, nothing done */
	key('r');
	assert_int_equal(key(KEY_ENTER_), VIEW_REDRAW);
	key('r');
	keys("5");
	assert_int_equal(key(KEY_ESCAPE), VIEW_REDRAW);
}

static void test_cpus(void **state)
{
	(void)state;
	key(KEY_DOWN_);
	assert_int_equal(key('a'), VIEW_CPUS);
	assert_int_equal(view_intent(v)->target[0].pid, 1);
	view_set_cpus(v, "0-3,8", "");
	view_draw(v, &g);
	assert_true(shows("CPUs of 1 systemd (now 0-3,8): _"));
	assert_int_equal(keys("2-3\r"), VIEW_ACT);
	assert_int_equal(view_intent(v)->kind, INTENT_CPUS);
	assert_string_equal(view_intent(v)->cpus, "2-3");
	key('a');
	view_set_cpus(v, NULL, "ended meanwhile");
	view_draw(v, &g);
	assert_true(shows("ended meanwhile"));
	keys("xx");
	assert_int_equal(key('a'), VIEW_REDRAW);
	assert_true(shows("CPUs of 2 tagged processes: _"));
}

static void test_recorded_machine_refuses(void **state)
{
	(void)state;
	teardown(state);
	assert_int_equal(start(true), 0);
	key(KEY_DOWN_);
	for (const char *k = "kra"; *k; k++) {
		assert_int_equal(key((u8)*k), VIEW_REDRAW);
		assert_true(shows("a recorded machine"));
		key(KEY_ESCAPE);
	}
	assert_int_equal(key(KEY_F7_), VIEW_REDRAW);
	assert_int_equal(key('i'), VIEW_DETAILS);
}

static int by_pid(const struct root *root, u64 process, int value, struct err *said)
{
	(void)root;
	switch (process) {
	case 1:
		return err_set(said, EPERM, "permission denied");
	case 2:
		return err_set(said, ESRCH, "ended meanwhile");
	default:
		return err_set(said, 0, "did %d", value);
	}
}

static int renice(const struct root *root, u64 process, int value, bool step, struct err *said)
{
	(void)step;
	return by_pid(root, process, value, said);
}

static int set_cpus(const struct root *root, u64 process, const char *list, struct err *said)
{
	(void)root;
	(void)process;
	err_set(said, 0, "CPUs 0 of %s", list);
	return 1;
}

static void test_outcomes_in_words(void **state)
{
	static const struct process_ops ops = {by_pid, renice, set_cpus, NULL, NULL};
	static const struct target t[] = {
		{1, 1, "systemd"}, {2, 4711, "x"}, {3, 30, "a"}, {4, 40, "b"}, {5, 50, "c"}};
	struct intent in = {.kind = INTENT_NICE_STEP, .number = -1, .target = t, .n = 1};
	char text[160];

	(void)state;
#define SAYS(want)                                               \
	do {                                                     \
		intent_run(&in, &ops, NULL, text, sizeof(text)); \
		assert_string_equal(text, want);                 \
	} while (0)
	SAYS("cannot renice 1 (systemd): permission denied");
	in.target = t + 2;
	SAYS("30 (a): did -1");
	in.n = 3;
	SAYS("3 of 3 done; nice -1");
	in.target = t + 1;
	in.n = 4;
	SAYS("3 of 4 done; 4711 (x): ended meanwhile");
	in = (struct intent){.kind = INTENT_SIGNAL, .number = 9, .target = t, .n = 5};
	SAYS("3 of 5 done; 1 (systemd): permission denied; and 1 more");
	in.n = 1;
	SAYS("cannot signal 1 (systemd): permission denied");
	in = (struct intent){.kind = INTENT_CPUS, .cpus = "0-1", .target = t + 2, .n = 2};
	SAYS("2 of 2 done; 30 (a): CPUs 0 of 0-1; and 1 more");
#undef SAYS
	/* a short buffer is not overrun */
	in.n = 2;
	intent_run(&in, &ops, NULL, text, 12);
	assert_string_equal(text, "2 of 2 done");
}

static void lines(struct details *d, u32 n)
{
	char name[16];

	*d = (struct details){0};
	details_add(d, DETAIL_SECTION, "identity", "", 0);
	details_printf(d, DETAIL_VALUE, "command",
		"/usr/bin/python3 train.py --epochs 30 --data /srv/data/set/with/a/path/that/"
		"is/longer/than/the/screen/is/wide 日本語プロセス\x1b[2J end");
	details_printf(
		d, DETAIL_WARN, "open files", "1024 files, in use 1000: 97%%, near the limit");
	details_printf(d, DETAIL_ABSENT, "directory", "permission denied");
	for (u32 i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "line %u", i);
		details_printf(d, DETAIL_VALUE, name, "%u", i);
	}
	details_add(d, DETAIL_SECTION, "environment", "", 0);
	details_printf(d, DETAIL_HINT, "", "not read: press e");
}

static void test_pane(void **state)
{
	struct details d;
	u32 flags;

	(void)state;
	key('i');
	assert_true(shows("select a process first"));
	key(KEY_DOWN_);
	assert_int_equal(key(KEY_ENTER_), VIEW_DETAILS);
	assert_int_equal(view_details(v, &flags), 1ull << 42 | 100);
	assert_int_equal(flags, DETAILS_UTC);
	lines(&d, 30);
	view_set_details(v, &d, "");
	assert_int_equal(d.n, 0);
	draw(80, 24);
	golden("details");
	/* ticks go on, the pane stays */
	tick();
	golden("details");
	key(KEY_END_);
	assert_true(shows("not read: press e") && shows("line 29") && !shows("command"));
	key(KEY_PAGE_UP);
	key(KEY_PAGE_UP);
	assert_true(shows("command") && !shows("not read"));
	key(KEY_DOWN_);
	assert_true(!shows("identity") && shows("command"));
	draw(40, 16);
	key(KEY_HOME_);
	golden("details-narrow");
	for (u32 i = 0; i < 60 && !shows("press e"); i++)
		key(KEY_DOWN_);
	assert_true(shows("press e"));
	assert_int_equal(key('e'), VIEW_DETAILS);
	view_details(v, &flags);
	assert_int_equal(flags, DETAILS_UTC | DETAILS_ENVIRONMENT);
	/* it begins at the top of the pane */
	lines(&d, 3);
	for (u32 i = 0; i < 40; i++)
		details_printf(&d, DETAIL_VALUE, "", "VARIABLE=%u", i);
	view_set_details(v, &d, "");
	view_draw(v, &g);
	assert_true(shows("\nenvironment\n") && shows("VARIABLE=0\n") && !shows("line 2"));
	lines(&d, 3);
	view_set_details(v, &d, "");
	assert_int_equal(key('r'), VIEW_DETAILS);
	view_set_details(v, NULL, "ended meanwhile");
	key(KEY_END_);
	assert_true(shows("ended meanwhile") && shows("press e"));
	key(KEY_ESCAPE);
	assert_true(shows("PID") && !shows("press e"));
	/* opened again it does not show what was there */
	key('i');
	assert_false(shows("press e"));
	view_details(v, &flags);
	assert_int_equal(flags, DETAILS_UTC);
}

static void test_pane_at_any_size(void **state)
{
	struct details d;

	(void)state;
	key(KEY_DOWN_);
	key('i');
	lines(&d, 8);
	view_set_details(v, &d, "");
	for (u32 cols = 1; cols < 130; cols += 3) {
		for (u32 rows = 1; rows < 20; rows += 4) {
			draw(cols, rows);
			key(KEY_DOWN_);
			key(KEY_END_);
			key(KEY_PAGE_UP);
		}
	}
}

/* Screen line of this text. */
static u32 line_of(const char *what)
{
	char *text = grid_to_text(&g), *found = strstr(text, what);
	u32 y = 0;

	assert_non_null(found);
	for (char *p = text; p < found; p++)
		y += *p == '\n';
	free(text);
	return y;
}

static void test_follow(void **state)
{
	(void)state;
	key('F');
	assert_true(shows("select a process first"));
	for (u32 i = 0; i < 4; i++)
		key(KEY_DOWN_);
	key('F');
	assert_true(shows("following the selected process"));
	/* a list of few lines; its place moves from the first to the last */
	draw(80, 9);
	key('P');
	assert_int_equal(role_of("python train.py"), ROLE_SELECTED);
	some[3].cpu = 0;
	for (u32 i = 0; i < 3; i++)
		tick();
	assert_int_equal(role_of("python train.py"), ROLE_SELECTED);
	key('t');
	assert_int_equal(role_of("python train.py"), ROLE_SELECTED);
	key('t');
	draw(80, 24);
	assert_true(line_of("python train.py") > line_of("vllm"));
	/* out of the filter and back */
	keys("\\sshd\r");
	assert_false(shows("python"));
	tick();
	key(KEY_ESCAPE);
	assert_int_equal(role_of("python train.py"), ROLE_SELECTED);
	/* what ended is not replaced by another */
	m.nprocesses = 3;
	tick();
	assert_true(shows("the process that was followed has ended"));
	key('F');
	assert_true(shows("following the selected process"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_tag_marks_and_moves_down),
		T(test_tags_stay_on_processes),
		T(test_signal_goes_to_all_tagged),
		T(test_nice_values),
		T(test_cpus),
		T(test_recorded_machine_refuses),
		T(test_outcomes_in_words),
		T(test_pane),
		T(test_pane_at_any_size),
		T(test_follow),
	};

	return cmocka_run_group_tests_name("actions", tests, NULL, NULL);
}
