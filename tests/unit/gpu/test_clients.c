/* Clients: which descriptors are one, whose it is, and what happens when they go. */
#include "machine.h"

#define CARD  "0000:03:00.0"
#define OTHER "0000:08:00.0"

static const struct gpu_find first = {.fd = 7, .major = 226, .minor = 128};
static const struct gpu_find second = {.fd = 8, .major = 226, .minor = 128};
static const struct gpu_find elsewhere = {.fd = 9, .major = 226, .minor = 129};

static void info(u32 pid, u32 fd, const char *pdev, u32 id, u64 ns)
{
	char text[256];

	snprintf(text, sizeof(text),
		"pos:\t0\ndrm-driver:\tamdgpu\ndrm-pdev:\t%s\ndrm-client-id:\t%u\ndrm-engine-gfx:"
		"\t%llu ns\n",
		pdev, id, (unsigned long long)ns);
	machine_info(pid, fd, text);
}

static void open_two_cards(void)
{
	machine_card(0, CARD, "amdgpu", "active");
	machine_card(1, OTHER, "amdgpu", "active");
	machine_open();
}

static void found(u32 pid, u64 start, const struct gpu_find *finds, u32 n)
{
	assert_int_equal(gpu_clients_found(machine.clients, pid, start, 0, finds, n), 0);
}

static u32 known(void)
{
	u32 descriptors;

	gpu_clients_count(machine.clients, &descriptors);
	return descriptors;
}

static void descriptors_are_one_client(void **state)
{
	const struct gpu_find both[] = {first, second};
	const struct gpu_client_record *c;

	(void)state;
	open_two_cards();
	info(100, 7, CARD, 5, 1000);
	info(100, 8, CARD, 5, 1000);
	info(200, 7, CARD, 5, 1000);
	found(200, 40, &first, 1);
	found(100, 50, both, 2);
	machine_read();
	assert_int_equal(machine.reading.nclients, 1);
	c = &machine.reading.clients[0];
	/* the older process is the owner, whatever its number */
	assert_int_equal(c->value[CLIENT_PID], 200);
	assert_int_equal(c->value[CLIENT_STARTED], 40);
	assert_int_equal(c->value[CLIENT_HOLDERS], 2);
	assert_string_equal(c->command, "app");
	assert_string_equal(c->device, CARD);
	assert_string_equal(c->gpu, "0");
	assert_int_equal(machine.reading.nengines, 1);
	assert_int_equal(machine.reading.engines[0].value[ENGINE_TIME], 1000);
	assert_int_equal(machine.reading.engines[0].client_key, c->key);
}

static void same_id_on_two_cards(void **state)
{
	const struct gpu_find both[] = {first, elsewhere};

	(void)state;
	open_two_cards();
	info(100, 7, CARD, 5, 1);
	machine_info(100, 9, "drm-driver:\tamdgpu\ndrm-client-id:\t5\n");
	found(100, 50, both, 2);
	machine_read();
	assert_int_equal(machine.reading.nclients, 2);
	assert_string_equal(machine.reading.clients[1].device, OTHER);
}

/* The owner ends: the client is the other holder's. */
static void moves_to_another_process(void **state)
{
	(void)state;
	open_two_cards();
	info(100, 7, CARD, 5, 1);
	info(200, 7, CARD, 5, 1);
	found(100, 50, &first, 1);
	found(200, 60, &first, 1);
	machine_read();
	assert_int_equal(machine.reading.clients[0].value[CLIENT_PID], 100);
	assert_int_equal(unlink(tree_path("proc/100/fdinfo/7")), 0);
	found(100, 50, NULL, 0);
	machine_read();
	assert_int_equal(machine.reading.nclients, 1);
	assert_int_equal(machine.reading.clients[0].value[CLIENT_PID], 200);
	assert_int_equal(machine.reading.clients[0].value[CLIENT_HOLDERS], 1);
}

/* Closed, and its number used again, between the look and the read. */
static void another_file_by_now(void **state)
{
	u64 key;

	(void)state;
	open_two_cards();
	info(100, 7, CARD, 5, 1);
	found(100, 50, &first, 1);
	machine_read();
	key = machine.reading.clients[0].key;
	info(100, 7, CARD, 6, 1);
	machine_read();
	assert_int_equal(machine.reading.nclients, 1);
	assert_true(machine.reading.clients[0].key != key);
	assert_int_equal(machine.reading.clients[0].value[CLIENT_ID], 6);
	/* by now no GPU at all: dropped, and not read again until it is found anew */
	machine_info(100, 7, "pos:\t0\nflags:\t02\n");
	machine_read();
	assert_int_equal(machine.reading.nclients, 0);
	info(100, 7, CARD, 7, 1);
	machine_read();
	assert_int_equal(machine.reading.nclients, 0);
	found(100, 50, NULL, 0);
	assert_int_equal(known(), 0);
	found(100, 50, &first, 1);
	machine_read();
	assert_int_equal(machine.reading.nclients, 1);
}

static void number_of_an_ended_process(void **state)
{
	(void)state;
	open_two_cards();
	info(100, 7, CARD, 5, 1);
	found(100, 50, &first, 1);
	machine_read();
	/* another process has the pid */
	found(100, 99, NULL, 0);
	assert_int_equal(known(), 0);
	machine_read();
	assert_int_equal(machine.reading.nclients, 0);
}

static void vanished_process(void **state)
{
	(void)state;
	open_two_cards();
	info(100, 7, CARD, 5, 1);
	found(100, 50, &first, 1);
	assert_int_equal(unlink(tree_path("proc/100/fdinfo/7")), 0);
	machine_read();
	assert_int_equal(machine.reading.nclients, 0);
	assert_int_equal(known(), 0);
}

/* Of a card that sleeps nothing is read, the first look at a descriptor included. */
static void asleep(void **state)
{
	(void)state;
	open_two_cards();
	machine_card(0, CARD, "amdgpu", "suspended");
	info(100, 7, CARD, 5, 1);
	found(100, 50, &first, 1);
	assert_int_equal(chmod(tree_path("proc/100/fdinfo/7"), 0), 0);
	machine_read();
	assert_int_equal(machine.reading.nclients, 0);
	assert_false(machine.reading.own_only);
	machine_card(0, CARD, "amdgpu", "active");
	machine_read();
	assert_int_equal(machine.reading.nclients, 1);
	machine_card(0, CARD, "amdgpu", "suspended");
	machine_read();
	/* it is known whose it is, and no more */
	assert_int_equal(machine.reading.nclients, 1);
	assert_int_equal(machine.reading.clients[0].value[CLIENT_PID], 100);
	assert_int_equal(machine.reading.clients[0].reason[CLIENT_MEMORY], REASON_ASLEEP);
	assert_int_equal(machine.reading.nengines, 0);
}

static void denied(void **state)
{
	(void)state;
	open_two_cards();
	assert_int_equal(symlink("errno:EACCES", tree_path("proc/100/fdinfo/7")), 0);
	found(100, 50, &first, 1);
	machine_read();
	assert_int_equal(machine.reading.nclients, 0);
	assert_true(machine.reading.own_only);
	/* tried again after a while */
	assert_int_equal(unlink(tree_path("proc/100/fdinfo/7")), 0);
	info(100, 7, CARD, 5, 1);
	machine_read();
	assert_true(machine.reading.own_only);
	for (u32 i = 0; i < 10; i++)
		machine_read();
	assert_false(machine.reading.own_only);
	assert_int_equal(machine.reading.nclients, 1);
}

static void threads_with_their_own_table(void **state)
{
	(void)state;
	open_two_cards();
	info(100, 7, CARD, 5, 1);
	tree_file("proc/100/task/101/fdinfo/9",
		"drm-driver:\tamdgpu\ndrm-pdev:\t" OTHER "\ndrm-client-id:\t6\n");
	found(100, 50, &first, 1);
	assert_int_equal(gpu_clients_found(machine.clients, 100, 50, 101, &elsewhere, 1), 0);
	/* the process's own table is looked at again: the thread's stays */
	found(100, 50, &first, 1);
	machine_read();
	assert_int_equal(machine.reading.nclients, 2);
	assert_false(machine.reading.clients[0].have & column_bit(CLIENT_TID));
	assert_int_equal(machine.reading.clients[1].value[CLIENT_TID], 101);
	assert_int_equal(gpu_clients_found(machine.clients, 100, 50, 101, NULL, 0), 0);
	assert_int_equal(known(), 1);
}

/* Without ids each descriptor is a client of its own. */
static void no_ids(void **state)
{
	const struct gpu_find both[] = {first, second};

	(void)state;
	open_two_cards();
	machine_info(100, 7, "drm-driver:\told\ndrm-engine-render:\t1 ns\n");
	machine_info(100, 8, "drm-driver:\told\ndrm-engine-render:\t2 ns\n");
	found(100, 50, both, 2);
	machine_read();
	assert_int_equal(machine.reading.nclients, 2);
}

static void many(void **state)
{
	(void)state;
	open_two_cards();
	for (u32 pid = 1000; pid < 1600; pid++) {
		info(pid, 7, CARD, pid, pid);
		found(pid, 50, &first, 1);
	}
	machine_read();
	machine_read();
	assert_int_equal(machine.reading.nclients, 600);
	assert_int_equal(known(), 600);
	for (u32 pid = 1000; pid < 1600; pid += 2)
		found(pid, 50, NULL, 0);
	machine_read();
	assert_int_equal(machine.reading.nclients, 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(descriptors_are_one_client),
		MACHINE_TEST(same_id_on_two_cards),
		MACHINE_TEST(moves_to_another_process),
		MACHINE_TEST(another_file_by_now),
		MACHINE_TEST(number_of_an_ended_process),
		MACHINE_TEST(vanished_process),
		MACHINE_TEST(asleep),
		MACHINE_TEST(denied),
		MACHINE_TEST(threads_with_their_own_table),
		MACHINE_TEST(no_ids),
		MACHINE_TEST(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
