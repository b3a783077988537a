#include "test.h"

#include <errno.h>

#include "fake.h"
#include "tui/keys.h"
#include "tui/view.h"

static struct fake_process some[] = {
	{1, 0, "root", "S", "systemd", "/sbin/init splash", 0.1, 14, 1, false, false, "/init.scope",
		NULL, 100},
	{2, 0, "root", "S", "kthreadd", "", 0, 0, 1, true, false, NULL, NULL, 0},
	{13, 2, "root", "S", "ksoftirqd/0", "", 0.3, 0, 1, true, false, NULL, NULL, 0},
	{812, 1, "root", "S", "sshd", "sshd: /usr/sbin/sshd -D", 0, 9, 1, false, false,
		"/system.slice/ssh.service", NULL, 0},
	{2210, 812, "ana", "S", "bash", "-bash", 0, 6, 1, false, false,
		"/user.slice/user-1000.slice/session-3.scope", NULL, 0},
	{4242, 1, "eve", "R", "x\x1b[2J",
		"\x1b[2J\x1b]0;x\x07 evil \xc2\x9b"
		"31m \x9b name",
		12, 10, 1, false, false, NULL, NULL, 0},
	{4243, 1, "eve", "D", "日本", "日本語プロセス --all e\xcc\x81t\xc3\xa9 שלום", 3, 100, 2,
		false, false, "/system.slice/app.service", NULL, 0},
	{9001, 2210, "ana", "S", "tare", "tare", 0.4, 9, 1, false, true,
		"/user.slice/user-1000.slice/session-3.scope", NULL, 0},
	{28290, 2210, "ana", "R", "python", "python train.py --epochs 30 --data /srv/data/set",
		20.5, 41000, 96, false, false, "/slurm/job-9131", "train", 105000},
	{28291, 28290, "ana", "S", "python", "python worker", 2, 410, 9, false, false,
		"/slurm/job-9131", "train", 0},
	{30114, 1, "raj", "S", "vllm", "/opt/venv/bin/vllm serve --model m", 8, 6000, 17, false,
		false, "/docker/0123456789abcdef", "serve", 15000},
};

static struct fake m;
static struct view *v;
static struct grid g;

static u64 allocations;
#ifndef __SANITIZE_ADDRESS__
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#else
#define SANITIZED
#endif
#ifdef __SANITIZE_THREAD__
#define SANITIZED
#endif
#ifndef SANITIZED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	allocations++;
	return __libc_realloc(p, size);
}
#endif

static void start(u32 cpus, const struct fake_process *p, u32 n, enum charset charset)
{
	static const struct schema *const schemas[] = {
		&fake_schemas[T_PROCESS], &fake_schemas[T_CPU], &fake_schemas[T_THREAD], NULL};
	const struct view_config config = {.charset = charset,
		.interval_ns = NSEC_PER_SEC,
		.hostname = "gpu-17",
		.utc = true,
		.schemas = schemas};
	struct err err;

	fake_init(&m, cpus, p, n);
	assert_int_equal(view_new(&v, &config, &err), 0);
	grid_init(&g);
}

static void stop(void)
{
	grid_fini(&g);
	view_free(v);
	fake_fini(&m);
}

static void run(u32 ticks)
{
	for (u32 i = 0; i < ticks; i++) {
		m.scale = 20 + m.tick * 7 % 80;
		view_frame(v, fake_tick(&m, m.tick == 40 ? 5 * NSEC_PER_SEC : 0), NULL);
	}
}

static void draw(u32 cols, u32 rows)
{
	assert_int_equal(grid_resize(&g, cols, rows), 0);
	view_draw(v, &g);
}

static enum view_request key(u32 k)
{
	struct input in = {.key = k};
	enum view_request request = view_input(v, &in);

	view_draw(v, &g);
	return request;
}

static void keys(const char *text)
{
	for (; *text; text++)
		key((u8)*text);
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

static void test_golden_sizes(void **state)
{
	static const u32 sizes[][2] = {
		{20, 5}, {38, 10}, {80, 24}, {100, 30}, {200, 50}, {250, 80}};
	static const u32 cpus[] = {1, 2, 64, 512};
	char name[64];

	(void)state;
	for (u32 c = 0; c < ARRAY_LEN(cpus); c++) {
		start(cpus[c], some, ARRAY_LEN(some), CHARSET_BRAILLE);
		run(90);
		for (u32 i = 0; i < ARRAY_LEN(sizes); i++) {
			draw(sizes[i][0], sizes[i][1]);
			snprintf(name, sizeof(name), "%ux%u-cpus-%u", sizes[i][0], sizes[i][1],
				cpus[c]);
			golden(name);
		}
		stop();
	}
}

static void test_golden_states(void **state)
{
	(void)state;
	start(4, some, ARRAY_LEN(some), CHARSET_BLOCK);
	m.no_energy_permission = m.starting_files = true;
	run(1);
	draw(80, 24);
	golden("first-frame");
	run(3);
	draw(100, 40);
	golden("absent-and-starting");
	assert_true(shows("FS starting"));
	draw(80, 24);
	key('D');
	key('t');
	golden("tree");
	key('h');
	draw(100, 60);
	golden("help");
	stop();
	start(2, some, ARRAY_LEN(some), CHARSET_ASCII);
	run(60);
	draw(80, 24);
	golden("ascii");
	stop();
}

static void test_help_names_every_key(void **state)
{
	(void)state;
	start(1, some, ARRAY_LEN(some), CHARSET_BLOCK);
	run(2);
	draw(100, 80);
	key('?');
	for (u32 i = 0; i < key_entry_count; i++) {
		assert_true(shows(key_entries[i].names));
		assert_true(shows(key_entries[i].help));
		for (u32 k = 0; k < 4 && key_entries[i].keys[k]; k++)
			assert_int_equal(key_action(key_entries[i].keys[k]), key_entries[i].action);
	}
	stop();
}

/* C10: with 512 CPUs the table keeps its lines and the menus can be reached. */
static void test_512_cpus_leave_room(void **state)
{
	(void)state;
	start(512, some, ARRAY_LEN(some), CHARSET_BLOCK);
	run(3);
	draw(80, 24);
	assert_true(shows("448-511"));
	assert_true(shows("python train.py") && shows("vllm serve") && shows("evil"));
	assert_true(shows("日本語") && shows("python worker") && shows("F10Quit"));
	stop();
}

static void random_keys(u32 seed)
{
	static const u32 special[] = {KEY_UP_, KEY_DOWN_, KEY_LEFT_, KEY_RIGHT_, KEY_PAGE_UP,
		KEY_PAGE_DOWN, KEY_HOME_, KEY_END_, KEY_F2_, KEY_F4_, KEY_F6_, KEY_F9_, KEY_ESCAPE,
		KEY_ENTER_, KEY_ERASE, KEY_CLICK, KEY_WHEEL_DOWN, KEY_WHEEL_UP};
	struct input in = {.x = seed % 71, .y = seed % 23};

	in.key = seed % 3 ? special[seed / 3 % ARRAY_LEN(special)] : ' ' + seed / 3 % 95;
	view_input(v, &in);
}

static void test_any_size_any_state(void **state)
{
	u64 x = 7;

	(void)state;
	start(67, some, ARRAY_LEN(some), CHARSET_BRAILLE);
	draw(80, 24); /* before the first frame */
	for (u32 cols = 1; cols <= 60; cols++) {
		for (u32 rows = 1; rows <= 30; rows++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			if (rows % 8 == 0) {
				m.nprocesses = (u32)(x >> 40) % (ARRAY_LEN(some) + 1);
				m.cpus = 1 + (u32)(x >> 33) % 67;
				run(1);
			}
			random_keys((u32)(x >> 35));
			draw(cols, rows);
		}
	}
	for (u32 i = 0; i < 300; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		random_keys((u32)(x >> 35));
		draw(1 + (u32)(x >> 40) % 300, 1 + (u32)(x >> 50) % 100);
	}
	stop();
	start(1, NULL, 0, CHARSET_ASCII);
	draw(8, 2);
	assert_true(shows("8x2 too"));
	stop();
}

static void test_ascii_is_ascii(void **state)
{
	(void)state;
	start(64, some, ARRAY_LEN(some), CHARSET_ASCII);
	run(60);
	for (u32 i = 0; i < 3; i++) {
		draw(i == 0 ? 200 : i == 1 ? 80 : 38, i == 0 ? 50 : 24);
		for (u32 c = 0; c < g.cols * g.rows; c++) {
			assert_in_range(g.cell[c].cp[0], 0x20, 0x7e);
			assert_int_equal(g.cell[c].cp[1], 0);
			assert_int_equal(g.cell[c].width, 1);
		}
		key(i == 0 ? 't' : 'h');
	}
	stop();
}

static void test_nothing_raw_reaches_the_grid(void **state)
{
	(void)state;
	start(1, some, ARRAY_LEN(some), CHARSET_BRAILLE);
	run(3);
	draw(120, 40);
	keys("t");
	key(KEY_F4_);
	keys("evil");
	for (u32 c = 0; c < g.cols * g.rows; c++)
		assert_true(!g.cell[c].cp[0] ||
			    (g.cell[c].cp[0] >= 0x20 &&
				    (g.cell[c].cp[0] < 0x7f || g.cell[c].cp[0] > 0x9f)));
	stop();
}

/* machine's busy time = processes + interrupts + unattributed, also without tare's own */
static void test_rows_add_up(void **state)
{
	(void)state;
	start(1, some, ARRAY_LEN(some), CHARSET_BLOCK);
	m.scale = 100;
	for (u32 i = 0; i < 3; i++)
		view_frame(v, fake_tick(&m, 0), NULL);
	/* busy 0.4 % (interrupts), processes 46.3 %: the difference has its sign */
	draw(100, 40);
	assert_true(shows("-46.3"));
	assert_true(shows("= 1×0.4%"));
	key('o');
	/* it goes from both sides, so that the rest stays as it is */
	assert_true(shows("-46.3") && shows("= 1×0.0%, without tare's 0.4"));
	stop();
}

static void test_pause_keeps_the_screen(void **state)
{
	char *before, *after;

	(void)state;
	start(8, some, ARRAY_LEN(some), CHARSET_BRAILLE);
	run(30);
	draw(120, 40);
	key(' ');
	assert_true(shows("PAUSED"));
	before = grid_to_text(&g);
	some[0].cpu = 99;
	run(5);
	draw(120, 40);
	after = grid_to_text(&g);
	assert_string_equal(before, after);
	key(' ');
	assert_true(shows("LIVE"));
	some[0].cpu = 0.1;
	free(before);
	free(after);
	stop();
}

static void test_kill_asks_and_knows_the_dead(void **state)
{
	const struct intent *intent;

	(void)state;
	start(1, some, ARRAY_LEN(some), CHARSET_BLOCK);
	run(3);
	draw(80, 24);
	assert_int_equal(key('k'), VIEW_REDRAW);
	assert_true(shows("select a process first"));
	key(KEY_DOWN_);
	key(KEY_F9_);
	key('9');
	assert_int_equal(key(KEY_ENTER_), VIEW_REDRAW);
	assert_true(shows("Send SIGKILL to 28290 python? y/n"));
	assert_int_equal(key('y'), VIEW_ACT);
	intent = view_intent(v);
	assert_int_equal(intent->kind, INTENT_SIGNAL);
	assert_int_equal(intent->n, 1);
	assert_int_equal(intent->target[0].pid, 28290);
	assert_int_equal(intent->target[0].key >> 42, 28290);
	assert_int_equal(intent->number, 9);
	key(KEY_F9_);
	key(KEY_ENTER_);
	m.nprocesses = 8; /* it ends before the answer */
	run(1);
	assert_int_equal(key('y'), VIEW_REDRAW);
	assert_true(shows("has ended"));
	stop();
}

static void test_mouse(void **state)
{
	struct input in = {.key = KEY_CLICK};
	u32 heading = 0;

	(void)state;
	start(1, some, ARRAY_LEN(some), CHARSET_BLOCK);
	run(3);
	draw(80, 24);
	while (g.cell[heading * g.cols + 2].role != ROLE_HEADER)
		heading++;
	in.y = heading;
	in.x = 3;
	assert_int_equal(view_input(v, &in), VIEW_REDRAW);
	draw(80, 24);
	assert_true(shows("PID▲"));
	in.y = heading + 2;
	view_input(v, &in);
	draw(80, 24);
	assert_int_equal(g.cell[(heading + 2) * g.cols].role, ROLE_SELECTED);
	in.y = g.rows - 1;
	in.x = 1;
	view_input(v, &in);
	draw(80, 24);
	assert_true(shows("this help"));
	stop();
}

static void test_filter_by_expression(void **state)
{
	(void)state;
	start(1, some, ARRAY_LEN(some), CHARSET_BLOCK);
	run(3);
	draw(100, 30);
	key(KEY_F4_);
	keys("cpu > 10 and user == \"ana\"");
	key(KEY_ENTER_);
	assert_true(shows("python train.py"));
	assert_false(shows("vllm"));
	assert_true(shows("1 of 11"));
	key(KEY_ESCAPE);
	assert_true(shows("vllm"));
	key(KEY_F4_);
	keys("nonsense > 1");
	key(KEY_ENTER_);
	assert_true(shows("nonsense"));
	stop();
}

static void test_steady_state_allocates_nothing(void **state)
{
	struct fake_process *many = calloc(2000, sizeof(*many));
	struct details d = {0};
	u64 before;

	(void)state;
	for (u32 i = 0; i < 2000; i++)
		many[i] = (struct fake_process){100 + i, 1, "user", "S", "worker",
			"/usr/bin/worker --number", (i * 7919 % 2000) / 100.0, i, 1, false, i == 7,
			NULL, NULL, 0};
	start(64, many, 2000, CHARSET_BRAILLE);
	run(3);
	draw(200, 50);
	run(1);
	view_draw(v, &g);
	before = allocations;
	for (u32 i = 0; i < 5; i++) {
		run(1);
		view_draw(v, &g);
	}
	assert_int_equal(allocations, before);
	key('t');
	key('*');
	run(1);
	view_draw(v, &g);
	key('G');
	run(1);
	view_draw(v, &g);
	assert_int_equal(allocations, before);
	key('G');
	key('G');
	key('G');
	run(1);
	view_draw(v, &g);
	/* nor with tags, nor behind the pane of details */
	key(KEY_DOWN_);
	keys("xxx");
	key('i');
	details_printf(&d, DETAIL_VALUE, "command", "/usr/bin/worker --number");
	view_set_details(v, &d, "");
	view_draw(v, &g);
	before = allocations;
	for (u32 i = 0; i < 5; i++) {
		run(1);
		view_draw(v, &g);
	}
	assert_int_equal(allocations, before);
	assert_true(shows("worker --number"));
	stop();
	free(many);
}

/* A column that nobody shows, sorts by or filters by is not asked for. */
static bool needed(const char *table, const char *column)
{
	int c = schema_find(&fake_schemas[T_PROCESS], column);

	assert_true(c >= 0);
	return view_need(v, table) & column_bit((u32)c);
}

static void test_only_what_is_looked_at_is_needed(void **state)
{
	(void)state;
	start(1, some, ARRAY_LEN(some), CHARSET_BLOCK);
	assert_false(needed("process", "disk_read")); /* from the first reading on */
	assert_true(needed("process", "virtual"));
	run(2);
	draw(80, 24);
	assert_true(needed("process", "cpu") && needed("process", "started"));
	assert_true(needed("process", "user") && needed("process", "cmdline"));
	assert_false(needed("process", "disk_read") || needed("process", "energy"));
	assert_false(needed("process", "cgroup") || needed("process", "container"));
	assert_false(needed("process", "ppid") || needed("process", "virtual"));
	assert_true(view_need(v, "cpu") == ~0ull);
	assert_true(view_need(v, "thread") == 0);
	draw(160, 24);
	assert_true(needed("process", "ppid") && needed("process", "virtual"));
	draw(80, 24);
	key('t');
	assert_true(needed("process", "ppid"));
	key('t');
	key(KEY_F4_);
	keys("disk_read > 5 and cgroup ~ \"job\"");
	key(KEY_ENTER_);
	assert_true(needed("process", "disk_read") && needed("process", "cgroup"));
	key(KEY_ESCAPE);
	assert_false(needed("process", "disk_read") || needed("process", "cgroup"));
	key('G');
	key('G');
	assert_true(needed("process", "cgroup") && !needed("process", "container"));
	key('G');
	key('G');
	key('C');
	key('d'); /* DISK_R */
	key(' ');
	assert_true(needed("process", "disk_read"));
	key(' ');
	assert_false(needed("process", "disk_read"));
	key(KEY_ESCAPE);
	/* sorted by, it is shown */
	key(KEY_F6_);
	key('d');
	key(KEY_ENTER_);
	assert_true(needed("process", "disk_read") && shows("DISK_R▼"));
	stop();
}

static void test_columns_are_chosen_and_kept(void **state)
{
	struct settings before, after, kept;
	const char *what;

	(void)state;
	start(1, some, ARRAY_LEN(some), CHARSET_BLOCK);
	run(3);
	draw(80, 24);
	view_settings(v, &before);
	assert_string_equal(before.columns, "");
	key('C');
	assert_true(shows("those that fit the screen"));
	golden("columns-menu");
	key('v'); /* VIRT */
	key(' ');
	key('[');
	key('p');
	key(KEY_HOME_);
	key(KEY_DOWN_);
	key(KEY_ENTER_); /* PID off */
	key(KEY_ESCAPE);
	assert_true(shows("VIRT"));
	assert_false(shows("PID"));
	assert_false(needed("process", "priority"));
	key('M');
	key('t');
	view_settings(v, &after);
	assert_string_equal(
		after.columns, "user virtual resident state cpu threads memory time cmdline");
	assert_int_equal(settings_check(&after, &what), 0);
	/* an option of this run is not kept, what was changed is */
	settings_init(&kept);
	before.hide_kernel = after.hide_kernel = true;
	settings_merge(&kept, &before, &after);
	assert_string_equal(kept.sort, "memory");
	assert_true(kept.tree && !kept.hide_kernel && kept.charset_auto);
	key('C');
	key(KEY_ENTER_);
	key(KEY_ESCAPE);
	view_settings(v, &after);
	assert_string_equal(after.columns, "");
	stop();
}

static void test_threads(void **state)
{
	u64 seen[64];

	(void)state;
	start(1, some, ARRAY_LEN(some), CHARSET_BLOCK);
	run(2);
	draw(100, 30);
	key('H');
	assert_true(shows("no threads here"));
	m.has_threads = true;
	run(2);
	assert_int_equal(view_visible(v, seen, 64), 11);
	assert_int_equal(view_visible(v, seen, 4), 4);
	assert_int_equal(seen[0] >> 42, 28290);
	key('H');
	assert_true(shows("TID") && shows("TGID") && shows("78290"));
	assert_true(needed("thread", "process") && needed("thread", "cmdline"));
	assert_true(needed("process", "cpu") && !needed("process", "cmdline"));
	assert_int_equal(view_visible(v, seen, 64), 0);
	golden("threads");
	key(KEY_F4_);
	keys("pid == 78290");
	key(KEY_ENTER_);
	assert_true(shows("1 of 15"));
	assert_false(shows("vllm"));
	key('H');
	assert_true(shows("0 of 11"));
	assert_true(view_need(v, "thread") == 0);
	stop();
}

static void test_groups(void **state)
{
	(void)state;
	start(4, some, ARRAY_LEN(some), CHARSET_BLOCK);
	run(4);
	draw(100, 30);
	key('G');
	assert_true(shows("sums by user") && shows("PROCS"));
	draw(100, 40);
	golden("groups-user");
	key('G');
	draw(100, 40);
	golden("groups-cgroup");
	key(KEY_DOWN_);
	key(KEY_ENTER_);
	assert_true(shows("python worker") && shows("cgroup /slurm/job-9131"));
	assert_true(shows("Esc: the groups again"));
	assert_false(shows("vllm"));
	key(KEY_ESCAPE);
	assert_true(shows("PROCS") && shows("/slurm/job-9131"));
	key('G');
	draw(100, 40);
	golden("groups-container");
	key('G');
	assert_true(shows("PID"));
	stop();
}

static void test_exited(void **state)
{
	static const u32 sizes[][2] = {{80, 24}, {80, 40}, {200, 50}};
	char name[32];

	(void)state;
	start(4, some, ARRAY_LEN(some), CHARSET_BLOCK);
	m.has_exits = true;
	run(3);
	m.scale = 100;
	for (u32 i = 0; i < ARRAY_LEN(sizes); i++) {
		draw(sizes[i][0], sizes[i][1]);
		snprintf(name, sizeof(name), "exited-%ux%u", sizes[i][0], sizes[i][1]);
		golden(name);
	}
	/* of 165 % busy, processes 90, exited 71.7, interrupts 4 */
	assert_true(shows("attributed 100% of busy") || shows("attributed 100.4% of busy"));
	assert_true(shows("cc1 ← make  1.8k/s  71.4%") && shows("exited 1.9k/s"));
	stop();
}

static void test_chosen_columns(void **state)
{
	static const char *const lists[] = {"pid,disk_read,energy,cgroup,cmdline",
		"cmdline,cpu,container,energy,pid", "pid,cpu,memory"};
	static const struct schema *const schemas[] = {&fake_schemas[T_PROCESS], NULL};
	struct view_config config = {.charset = CHARSET_BLOCK,
		.interval_ns = NSEC_PER_SEC,
		.hostname = "gpu-17",
		.utc = true,
		.tree = true,
		.schemas = schemas};
	struct err err;
	char name[32];

	(void)state;
	for (u32 i = 0; i < ARRAY_LEN(lists); i++) {
		fake_init(&m, 2, some, ARRAY_LEN(some));
		config.columns = lists[i];
		assert_int_equal(view_new(&v, &config, &err), 0);
		grid_init(&g);
		run(3);
		draw(80, 24);
		key(KEY_DOWN_);
		key('-'); /* PID 1 and all below it are one line */
		snprintf(name, sizeof(name), "columns-%u", i + 1);
		golden(name);
		stop();
	}
	config.columns = "pid,what";
	assert_int_equal(view_new(&v, &config, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "what"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_sizes),
		cmocka_unit_test(test_golden_states),
		cmocka_unit_test(test_help_names_every_key),
		cmocka_unit_test(test_512_cpus_leave_room),
		cmocka_unit_test(test_any_size_any_state),
		cmocka_unit_test(test_ascii_is_ascii),
		cmocka_unit_test(test_nothing_raw_reaches_the_grid),
		cmocka_unit_test(test_rows_add_up),
		cmocka_unit_test(test_pause_keeps_the_screen),
		cmocka_unit_test(test_kill_asks_and_knows_the_dead),
		cmocka_unit_test(test_mouse),
		cmocka_unit_test(test_filter_by_expression),
		cmocka_unit_test(test_steady_state_allocates_nothing),
		cmocka_unit_test(test_only_what_is_looked_at_is_needed),
		cmocka_unit_test(test_columns_are_chosen_and_kept),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_exited),
		cmocka_unit_test(test_chosen_columns),
	};

	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
