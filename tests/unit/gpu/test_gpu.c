/* The handle: nothing is looked for until somebody wants clients; what scanners found reaches the reading; every caller
 * within a tick gets the same one. */
#include "machine.h"

#include "gpu/gpu.h"

#define CARD "0000:03:00.0"

static struct source_shared shared;
static struct source_env env = {.root = &machine.root, .clock = &machine.clock, .shared = &shared};

static struct gpu *open_gpu(void)
{
	struct gpu *g;
	struct err err;

	shared = (struct source_shared){.tick = 0};
	machine_card(0, CARD, "amdgpu", "active");
	tree_file("proc/devices", "Character devices:\n226 drm\n\nBlock devices:\n");
	tree_file("clock", "1000000000 1000000000 1000000000\n");
	assert_int_equal(root_init(&machine.root, tree_dir, &machine.clock, &err), 0);
	assert_int_equal(gpu_get(&g, &env), 0);
	return g;
}

static void finds_reach_the_reading(void **state)
{
	const struct gpu_find find = {.fd = 7, .major = 226, .minor = 128};
	const struct gpu_reading *r;
	struct gpu *g = open_gpu(), *same;

	(void)state;
	machine_info(100, 7, "drm-driver:\tamdgpu\ndrm-pdev:\t" CARD "\ndrm-client-id:\t5\n");
	assert_int_equal(gpu_get(&same, &env), 0);
	assert_ptr_equal(same, g);
	shared.tick = 1;
	gpu_begin(g, &env);
	assert_false(gpu_wants_finds(g));
	gpu_want_clients(g, &env, false);
	assert_false(gpu_wants_finds(g));
	r = gpu_newest(g, &env);
	assert_non_null(r);
	assert_int_equal(r->nclients, 0);
	shared.tick = 2;
	gpu_begin(g, &env);
	gpu_want_clients(g, &env, true);
	assert_true(gpu_wants_finds(g));
	gpu_found(g, 100, 50, 0, &find, 1);
	gpu_found(g, 101, 50, 0, NULL, 0);
	r = gpu_newest(g, &env);
	assert_int_equal(r->nclients, 1);
	assert_int_equal(r->clients[0].value[CLIENT_PID], 100);
	assert_ptr_equal(gpu_newest(g, &env), r);
	assert_false(r->own_only);
	shared.tick = 3;
	gpu_begin(g, &env);
	gpu_want_clients(g, &env, true);
	gpu_hidden(g, true);
	gpu_found(g, 100, 50, 0, NULL, 0);
	r = gpu_newest(g, &env);
	assert_int_equal(r->nclients, 0);
	assert_true(r->own_only);
	/* nobody wants them any more */
	shared.tick = 5;
	gpu_begin(g, &env);
	assert_false(gpu_wants_finds(g));
	shared.free_gpu(shared.gpu);
}

static void no_gpu(void **state)
{
	struct gpu *g;
	struct err err;

	(void)state;
	shared = (struct source_shared){.tick = 0};
	tree_file("proc/devices", "Character devices:\n  1 mem\n");
	assert_int_equal(root_init(&machine.root, tree_dir, &machine.clock, &err), 0);
	assert_int_equal(gpu_get(&g, &env), -ENOENT);
	assert_null(shared.gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(finds_reach_the_reading),
		MACHINE_TEST(no_gpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
