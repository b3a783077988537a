#include "test.h"

#include <errno.h>

#include "fake_gpu.h"
#include "tui/keys.h"
#include "tui/view.h"

static struct fake_process some[] = {
	{1, 0, "root", "S", "systemd", "/sbin/init splash", 0.1, 14, 1, false, false, "/init.scope",
		NULL, 100},
	{812, 1, "root", "S", "sshd", "sshd: /usr/sbin/sshd -D", 0, 9, 1, false, false,
		"/system.slice/ssh.service", NULL, 0},
	{2210, 812, "ana", "S", "bash", "-bash", 0, 6, 1, false, false,
		"/user.slice/user-1000.slice/session-3.scope", NULL, 0},
	{4242, 1, "eve", "R", "x\x1b[2J", "\x1b[2J evil", 12, 10, 1, false, false, NULL, NULL, 0},
	{9001, 2210, "ana", "S", "tare", "tare", 0.4, 9, 1, false, true,
		"/user.slice/user-1000.slice/session-3.scope", NULL, 0},
	{28290, 2210, "ana", "R", "python", "python train.py --epochs 30 --data /srv/data/set",
		612.3, 41000, 96, false, false, "/slurm/job-9131", "train", 105000},
	{30114, 1, "raj", "S", "vllm", "/opt/venv/bin/vllm serve --model m", 88, 6000, 17, false,
		false, "/docker/0123456789abcdef", "serve", 15000},
};
static const struct fake_use uses[] = {
	{28290, "0", 999, 72000}, {30114, "2:1", 310, 39800}, {4242, "3", 3, 12}, {0, NULL, 0, 0}};

static struct fake m;
static struct fake_gpus gpus;
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

static const struct schema *const schemas[] = {&fake_schemas[T_PROCESS], &fake_schemas[T_CPU],
	&fake_schemas[T_THREAD], &gpu_table_schema, &gpu_client_table_schema,
	&gpu_engine_table_schema, NULL};

static void start_with(const struct settings *settings, u32 devices, enum charset charset)
{
	const struct view_config config = {.charset = charset,
		.interval_ns = NSEC_PER_SEC,
		.hostname = "gpu-17",
		.utc = true,
		.settings = settings,
		.schemas = schemas};
	struct err err;

	fake_init(&m, 64, some, ARRAY_LEN(some));
	m.uses = uses;
	gpus_fake_init(&gpus, devices);
	assert_int_equal(view_new(&v, &config, &err), 0);
	grid_init(&g);
}

static void start(u32 devices, enum charset charset)
{
	start_with(NULL, devices, charset);
}

static void stop(void)
{
	grid_fini(&g);
	view_free(v);
	gpus_fake_fini(&gpus);
	fake_fini(&m);
}

static void run(u32 ticks)
{
	for (u32 i = 0; i < ticks; i++) {
		m.scale = 20 + m.tick * 7 % 80;
		view_frame(v, gpus_fake_tick(&gpus, fake_tick(&m, 0)), NULL);
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
	static const u32 sizes[][2] = {{200, 50}, {100, 30}, {80, 24}, {60, 20}, {40, 12}};
	static const u32 alone[][2] = {{100, 30}, {80, 24}};
	char name[32];

	(void)state;
	start(FAKE_GPUS, CHARSET_BRAILLE);
	run(90);
	for (u32 i = 0; i < ARRAY_LEN(sizes); i++) {
		draw(sizes[i][0], sizes[i][1]);
		snprintf(name, sizeof(name), "gpu-%ux%u", sizes[i][0], sizes[i][1]);
		golden(name);
	}
	gpus.own_only = true;
	run(1);
	for (u32 i = 0; i < ARRAY_LEN(alone); i++) {
		draw(alone[i][0], alone[i][1]);
		if (!i)
			assert_int_equal(key('g'), VIEW_REDRAW);
		snprintf(name, sizeof(name), "gpu-only-%ux%u", alone[i][0], alone[i][1]);
		golden(name);
	}
	stop();
}

/* Which columns of a table are read, 0 for none. */
static u64 need(const char *table)
{
	return view_need(v, table);
}

static void test_only_what_is_looked_at_is_needed(void **state)
{
	int gpu = schema_find(&fake_schemas[T_PROCESS], "gpu_busy");

	(void)state;
	start(FAKE_GPUS, CHARSET_BLOCK);
	gpus.no_clients = true;
	assert_true(need("gpu") && need("gpu_client")); /* to know whether there are any */
	run(2);
	draw(100, 30);
	assert_true(need("gpu") && need("gpu_client") && need("gpu_engine"));
	assert_false(need("process") & column_bit((u32)gpu));
	assert_false(shows("GPUMEM"));
	view_needs_anew(v);
	run(1);
	assert_false(view_needs_anew(v));
	gpus.no_clients = false;
	run(1);
	assert_true(view_needs_anew(v) && !view_needs_anew(v));
	draw(100, 30);
	assert_true(need("process") & column_bit((u32)gpu));
	assert_true(shows("GPUMEM"));
	/* the last one gone, they stay */
	gpus.no_clients = true;
	run(1);
	draw(100, 30);
	assert_true(shows("GPUMEM"));
	key('g');
	assert_true(need("gpu_client") && need("gpu_engine"));
	key(KEY_ESCAPE);
	/* chosen columns, none of them a GPU's */
	key('C');
	key('v');
	key(' ');
	for (u32 i = 0; i < 3; i++) {
		key('g');
		key(' ');
	}
	key(KEY_ESCAPE);
	assert_false(shows("GPUMEM"));
	assert_true(need("gpu") && !need("gpu_client") && !need("gpu_engine"));
	/* but where only they say how busy a device is */
	gpus.no_busy = true;
	run(1);
	assert_true(need("gpu_client") && need("gpu_engine"));
	/* nor the panel */
	key(KEY_F2_);
	key(KEY_END_);
	key(KEY_UP_);
	key(KEY_ENTER_);
	key(KEY_ESCAPE);
	assert_true(!need("gpu"));
	assert_false(shows("slowed,health"));
	stop();
}

static void test_a_machine_without(void **state)
{
	(void)state;
	start(0, CHARSET_BLOCK);
	for (u32 i = 0; i < 3; i++)
		view_frame(v, fake_tick(&m, 0), NULL);
	draw(120, 40);
	assert_false(shows("GPU"));
	key('g'); /* the next graph, as ever */
	assert_true(shows("NETr") && !shows("CLIENTS"));
	stop();
	/* its source has found none yet, then one */
	start(0, CHARSET_BLOCK);
	run(2);
	draw(120, 40);
	assert_false(shows("GPU  "));
	gpus.devices = 1;
	run(2);
	draw(120, 40);
	assert_true(shows("GPU  100%") && shows("H100"));
	stop();
}

static void test_keys_of_the_view(void **state)
{
	static const char *const lines[] = {"28290 ana", "30114 raj", " 4242 eve"};
	char *out;

	(void)state;
	start(FAKE_GPUS, CHARSET_BLOCK);
	run(3);
	draw(100, 30);
	key('g');
	assert_true(shows("GPU%▼") && shows("CLIENTS 4") && !shows("own processes only"));
	assert_false(shows("USER        RES"));
	out = grid_to_text(&g);
	assert_true(strstr(out, lines[0]) < strstr(out, lines[1]));
	assert_true(strstr(out, lines[1]) < strstr(out, lines[2]));
	free(out);
	key('I');
	assert_true(shows("GPU%▲"));
	out = grid_to_text(&g);
	assert_true(strstr(out, lines[0]) > strstr(out, lines[1]));
	free(out);
	key('M');
	assert_true(shows("GPUMEM▼"));
	key('N');
	assert_true(shows("PID▲"));
	assert_int_equal(key('k'), VIEW_NOTHING); /* nobody is selected here */
	assert_int_equal(key('q'), VIEW_QUIT);
	key('?');
	assert_true(shows("this help") && !shows("CLIENTS"));
	key(KEY_ESCAPE);
	assert_true(shows("CLIENTS"));
	key(' ');
	assert_true(shows("PAUSED") && shows("CLIENTS 4"));
	gpus.no_clients = true;
	run(2);
	draw(100, 30);
	assert_true(shows("CLIENTS 4"));
	key(' ');
	assert_true(shows("nobody uses a GPU"));
	key('g');
	assert_true(shows("CPU%") && !shows("CLIENTS"));
	key('g');
	key(KEY_ESCAPE);
	assert_false(shows("CLIENTS"));
	stop();
}

static void test_it_scrolls(void **state)
{
	(void)state;
	start(72, CHARSET_BLOCK);
	run(3);
	draw(80, 24);
	key('g');
	assert_true(shows("0 NVIDIA H100") && shows("28290") && shows("4242"));
	for (u32 i = 0; i < 600; i++)
		key(KEY_DOWN_);
	assert_true(shows("81 NVIDIA H100"));
	assert_false(shows("0000:5d:00.0"));
	key(KEY_HOME_);
	assert_true(shows("power-cap:31%"));
	/* too little room for either: Tab changes which one the arrows move */
	draw(80, 10);
	assert_true(shows(": arrows") && shows("28290") && !shows("4242 eve"));
	key(KEY_TAB);
	assert_true(shows(": Tab, arrows"));
	key(KEY_END_);
	assert_true(shows("4242 eve"));
	key(KEY_TAB);
	key(KEY_END_);
	assert_false(shows("0 NVIDIA H100 80GB HBM3  ██"));
	stop();
}

static void test_few_rows(void **state)
{
	u64 seen[64];

	(void)state;
	start(72, CHARSET_BLOCK);
	run(2);
	draw(100, 30);
	assert_true(shows("+63 more"));
	for (u32 rows = 12; rows < 60; rows++) {
		draw(rows % 2 ? 40 : 100, rows);
		assert_true(view_visible(v, seen, 64) >= 5);
		assert_true(shows("GPU"));
	}
	stop();
	/* what is hidden and broken is told */
	start(FAKE_GPUS, CHARSET_BLOCK);
	run(2);
	draw(100, 15);
	assert_true(shows("+3 more, 2 bad") && shows("power-cap:31%"));
	draw(100, 12);
	assert_true(shows("GPU 5") && shows("1 lost") && shows("XID79 on 3"));
	stop();
	start(FAKE_GPUS + 1, CHARSET_BLOCK);
	run(2);
	draw(100, 40);
	assert_true(shows("11 PRO W7900") && shows("late: no answer") && shows("thermal"));
	draw(44, 12);
	assert_true(shows("2 in trouble"));
	draw(100, 40);
	key('g');
	key(KEY_END_);
	assert_true(shows("AMD Radeon PRO W7900") && shows("late: no answer") && shows("gen4x16"));
	stop();
}

/* A card that the energy table meters too is in the total once. */
static void test_power_counts_once(void **state)
{
	(void)state;
	start(FAKE_GPUS, CHARSET_BLOCK);
	for (u32 i = 0; i < 3; i++)
		view_frame(v, gpus_fake_tick(&gpus, fake_tick(&m, 0)), NULL);
	draw(100, 30);
	assert_true(shows("package-0 212W") && shows("gpu 1060W") && shows("known 1272W"));
	m.meter = "other"; /* something else with a meter */
	run(1);
	for (u32 i = 0; i < 2; i++) {
		m.scale = 100;
		view_frame(v, gpus_fake_tick(&gpus, fake_tick(&m, 0)), NULL);
	}
	draw(100, 30);
	assert_true(shows("card 100W") && shows("known 1372W"));
	m.meter = "nvidia"; /* the three cards' own */
	view_frame(v, gpus_fake_tick(&gpus, fake_tick(&m, 0)), NULL);
	draw(100, 30);
	assert_true(!shows("card") && shows("gpu 1060W") && shows("known 312W"));
	m.meter = "0000:18:00.0"; /* of one of them */
	view_frame(v, gpus_fake_tick(&gpus, fake_tick(&m, 0)), NULL);
	draw(100, 30);
	assert_true(!shows("card") && shows("gpu 1060W") && shows("known 684W"));
	stop();
}

static void test_list_sorts_and_sums(void **state)
{
	char *out;

	(void)state;
	start(FAKE_GPUS, CHARSET_BLOCK);
	run(2);
	draw(100, 50);
	assert_true(shows("131   109G")); /* TOTAL */
	key(KEY_F6_);
	for (u32 i = 0; i < 64 && !shows(">  GPU%"); i++)
		key(KEY_DOWN_);
	key(KEY_ENTER_);
	assert_true(shows("GPU%▼"));
	key('I');
	out = grid_to_text(&g);
	assert_true(strstr(out, "\n 4242 eve") < strstr(out, "\n30114 raj"));
	assert_true(strstr(out, "\n30114 raj") < strstr(out, "\n28290 ana"));
	free(out);
	stop();
}

static void test_it_is_kept(void **state)
{
	struct settings before, after, kept;

	(void)state;
	start(FAKE_GPUS, CHARSET_BLOCK);
	run(2);
	draw(80, 24);
	view_settings(v, &before);
	assert_false(before.gpus);
	key('g');
	view_settings(v, &after);
	assert_true(after.gpus && !settings_equal(&before, &after));
	settings_init(&kept);
	settings_merge(&kept, &before, &after);
	assert_true(kept.gpus);
	stop();
	start_with(&kept, FAKE_GPUS, CHARSET_BLOCK);
	draw(80, 24);
	run(2);
	draw(80, 24);
	assert_true(shows("CLIENTS 4"));
	stop();
}

static void test_any_size_any_state(void **state)
{
	static const u32 keys[] = {'g', 'g', KEY_ESCAPE, KEY_UP_, KEY_DOWN_, KEY_PAGE_DOWN, KEY_TAB,
		KEY_END_, KEY_HOME_, 'M', 'P', 'N', 'I', '2', 'p', 'b', ' ', KEY_F2_, KEY_ENTER_,
		KEY_F6_, 'G', 't', 'C'};
	u64 x = 7;

	(void)state;
	start(FAKE_GPUS, CHARSET_BRAILLE);
	draw(80, 24);
	for (u32 cols = 1; cols <= 110; cols += cols < 60 ? 1 : 7) {
		for (u32 rows = 1; rows <= 40; rows += rows < 16 ? 1 : 3) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			if (rows % 8 == 0) {
				gpus.devices = (u32)(x >> 40) % 90;
				gpus.no_clients = x >> 50 & 1;
				run(1);
			}
			key(keys[(x >> 33) % ARRAY_LEN(keys)]);
			draw(cols, rows);
		}
	}
	stop();
}

static void test_ascii_and_nothing_raw(void **state)
{
	(void)state;
	start(FAKE_GPUS, CHARSET_ASCII);
	run(70);
	for (u32 i = 0; i < 4; i++) {
		draw(i % 2 ? 80 : 100, 30);
		for (u32 c = 0; c < g.cols * g.rows; c++)
			assert_in_range(g.cell[c].cp[0], 0x20, 0x7e);
		if (i == 1)
			key('g');
	}
	stop();
}

static void test_steady_state_allocates_nothing(void **state)
{
	u64 before;

	(void)state;
	start(FAKE_GPUS, CHARSET_BRAILLE);
	run(3);
	draw(200, 50);
	run(2);
	for (u32 i = 0; i < 2; i++) {
		view_draw(v, &g);
		before = allocations;
		for (u32 k = 0; k < 5; k++) {
			run(1);
			view_draw(v, &g);
		}
		assert_int_equal(allocations, before);
		key('g');
		run(1);
	}
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_sizes),
		cmocka_unit_test(test_only_what_is_looked_at_is_needed),
		cmocka_unit_test(test_a_machine_without),
		cmocka_unit_test(test_keys_of_the_view),
		cmocka_unit_test(test_it_scrolls),
		cmocka_unit_test(test_few_rows),
		cmocka_unit_test(test_power_counts_once),
		cmocka_unit_test(test_list_sorts_and_sums),
		cmocka_unit_test(test_it_is_kept),
		cmocka_unit_test(test_any_size_any_state),
		cmocka_unit_test(test_ascii_and_nothing_raw),
		cmocka_unit_test(test_steady_state_allocates_nothing),
	};

	return cmocka_run_group_tests_name("gpu_view", tests, NULL, NULL);
}
