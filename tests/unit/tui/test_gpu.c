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
		m.scale = 2 + m.tick * 7 % 20;
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
	start(ARRAY_LEN(fake_devices), CHARSET_BRAILLE);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_sizes),
	};

	return cmocka_run_group_tests_name("gpu_view", tests, NULL, NULL);
}
