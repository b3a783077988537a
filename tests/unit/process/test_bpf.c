/* Parts of the BPF scanner that need no kernel: records that are made by hand are read as if a walk had written them. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/bpf_scanner.h"
#include "unit/base/tree.h"

static int walk_fd;

/* Linked in place of the one that asks the kernel. */
int __wrap_bpf_programs_walk(struct bpf_programs *p);

int __wrap_bpf_programs_walk(struct bpf_programs *p)
{
	(void)p;
	return walk_fd;
}

static void expect_split(u64 run, u64 user, u64 system, u64 want_user)
{
	u64 user_ns = 0, system_ns = 0;

	bpf_split(run, user, system, &user_ns, &system_ns);
	assert_int_equal(user_ns, want_user);
	assert_int_equal(system_ns, run - want_user);
}

static void test_split(void **state)
{
	(void)state;
	expect_split(1000, 3, 1, 750);
	expect_split(1000, 0, 0, 1000);
	expect_split(1000, 4, 0, 1000);
	expect_split(1000, 0, 4, 0);
	/* centuries on many CPUs */
	expect_split(1ull << 62, 1ull << 63, 0, 1ull << 62);
	expect_split(1ull << 62, 1ull << 61, 1ull << 61, 1ull << 61);
}

static void test_split_never_steps_back(void **state)
{
	u64 run = 0, user = 0, system = 0, user_ns = 0, system_ns = 0, seed = 1;

	(void)state;
	for (u32 i = 0; i < 100000; i++) {
		u64 user_was = user_ns, system_was = system_ns;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		/* ticks come late and in bursts, to the one or the other */
		run += (seed >> 33) % 3000000;
		if (seed >> 40 & 4)
			user += (seed >> 48) % 4 * 1000000;
		if ((seed >> 50 & 15) == 3)
			system += 10000000;
		if ((seed >> 54 & 31) == 7)
			user = user > 5000000 ? user - 5000000 : 0;
		bpf_split(run, user, system, &user_ns, &system_ns);
		assert_true(user_ns >= user_was && system_ns >= system_was);
		assert_int_equal(user_ns + system_ns, run);
	}
	assert_true(user_ns > run / 5 && system_ns > run / 5);
	/* a sum that is smaller for once changes nothing */
	seed = user_ns;
	bpf_split(run - 1, 0, system, &user_ns, &system_ns);
	assert_int_equal(user_ns, seed);
	assert_int_equal(user_ns + system_ns, run);
}

static void test_split_goes_on_from_what_was_shown(void **state)
{
	/* shown when no tick had met it yet: all is user time; the first tick met it in the kernel */
	struct task_record rec = {.shown_user_ns = 130, .shown_system_ns = 20};
	u64 user_ns = 0, system_ns = 0;

	(void)state;
	bpf_split_as_shown(1000, &rec, &user_ns, &system_ns);
	bpf_split(1000, 0, 10, &user_ns, &system_ns);
	assert_int_equal(user_ns, 130);
	assert_int_equal(system_ns, 870);
	user_ns = system_ns = 0;
	bpf_split_as_shown(149, &rec, &user_ns, &system_ns);
	assert_int_equal(user_ns + system_ns, 0);
}

/* One read of the walk. */
struct packet {
	char bytes[4096];
	u32 len;
};

static struct task_record *put(struct packet *to, enum task_kind kind, u32 tgid, u32 tid)
{
	struct task_record r = {.task = {.kind = (u8)kind,
					.tgid = tgid,
					.tid = tid,
					.run_ns = tid,
					.user_ns = 2,
					.minor_faults = 10,
					.io_read = 1000 * tid,
					.ended_run_ns = 500 - tid}};
	u32 size = kind == TASK_THREAD ? sizeof(r.task) : sizeof(r);
	char *at = to->bytes + to->len;

	assert_true(to->len + size <= sizeof(to->bytes));
	memcpy(at, &r, size);
	to->len += size;
	return (void *)at;
}

/* Each packet is what one read brings. */
static int pass_read(struct bpf_pass *pass, const struct packet *packets, u32 n)
{
	struct clock clock;
	int ends[2];

	clock_init(&clock);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(
			send(ends[1], packets[i].bytes, packets[i].len, 0), packets[i].len);
	close(ends[1]);
	walk_fd = ends[0];
	return bpf_pass_read(pass, NULL, &clock);
}

static void expect_threads(const struct bpf_pass *pass, u32 tgid, const u32 *tids, u32 n)
{
	const struct pass_process *p = bpf_pass_find(pass, tgid);
	u32 at;

	assert_non_null(p);
	assert_int_not_equal(p->sum, PASS_NONE);
	at = pass->sums[p->sum].first;
	for (u32 i = 0; i < n; i++) {
		assert_int_not_equal(at, PASS_NONE);
		assert_int_equal(pass_part(pass, pass->threads[at].at)->tid, tids[i]);
		at = pass->threads[at].next;
	}
	assert_int_equal(at, PASS_NONE);
}

static void test_pass(void **state)
{
	const u32 of_20[] = {21, 22, 50}, of_40[] = {15, 30, 41};
	struct bpf_pass pass = {0};
	struct packet packets[2] = {0};
	const struct pass_process *p;

	(void)state;
	put(&packets[0], TASK_PROCESS, 10, 10);
	put(&packets[0], TASK_THREAD, 40, 15);
	put(&packets[0], TASK_PROCESS, 20, 20);
	put(&packets[0], TASK_THREAD, 20, 21);
	put(&packets[0], TASK_THREAD, 20, 22);
	put(&packets[0], TASK_THREAD, 40, 30);
	put(&packets[1], TASK_PROCESS, 40, 40);
	put(&packets[1], TASK_THREAD, 40, 41);
	put(&packets[1], TASK_THREAD, 20, 50);
	/* of another namespace; its process is not there */
	put(&packets[1], TASK_PROCESS, 0, 0);
	put(&packets[1], TASK_THREAD, 0, 0);
	put(&packets[1], TASK_THREAD, 60, 61);
	/* twice: what the first one left is forgotten */
	for (u32 round = 0; round < 2; round++) {
		assert_int_equal(pass_read(&pass, packets, 2), 0);
		assert_int_equal(pass.nprocesses, 3);
		assert_int_equal(pass.nchunks, 2);
		assert_int_equal(pass.nthreads, 6);
		p = bpf_pass_find(&pass, 10);
		assert_non_null(p);
		assert_int_equal(p->sum, PASS_NONE);
		assert_int_equal(p->chunk, 0);
		assert_int_equal(bpf_pass_find(&pass, 40)->chunk, 1);
		assert_null(bpf_pass_find(&pass, 15));
		assert_null(bpf_pass_find(&pass, 60));
		expect_threads(&pass, 20, of_20, ARRAY_LEN(of_20));
		expect_threads(&pass, 40, of_40, ARRAY_LEN(of_40));
	}
	assert_true(pass.chunks[0].at.mono_ns &&
		    pass.chunks[1].at.mono_ns >= pass.chunks[0].at.mono_ns);
	p = bpf_pass_find(&pass, 20);
	assert_int_equal(pass.sums[p->sum].run_ns, 20 + 21 + 22 + 50);
	assert_int_equal(pass.sums[p->sum].user_ns, 8);
	assert_int_equal(pass.sums[p->sum].minor_faults, 40);
	assert_int_equal(pass.sums[p->sum].io_read, 113000);
	/* ended threads' time as it was before any of these was read */
	assert_int_equal(pass.sums[p->sum].ended_run_ns, 450);
	assert_int_equal(pass.sums[p->sum].stand_in, PASS_NONE);
	bpf_pass_free(&pass);
}

/* The first thread has ended: a live one has the memory and the files. */
static void test_pass_stand_in(void **state)
{
	struct bpf_pass pass = {0};
	struct packet packet = {0};
	const struct pass_process *p;

	(void)state;
	put(&packet, TASK_PROCESS, 20, 20)->task.exit_state = 32;
	put(&packet, TASK_STAND_IN, 20, 21)->task.exit_state = 32;
	put(&packet, TASK_STAND_IN, 20, 22);
	put(&packet, TASK_STAND_IN, 20, 23);
	assert_int_equal(pass_read(&pass, &packet, 1), 0);
	assert_int_equal(pass.nprocesses, 1);
	p = bpf_pass_find(&pass, 20);
	assert_int_not_equal(p->sum, PASS_NONE);
	assert_int_equal(pass_part(&pass, pass.sums[p->sum].stand_in)->tid, 22);
	assert_int_equal(pass.sums[p->sum].run_ns, 86);
	bpf_pass_free(&pass);
}

static void test_pass_of_many(void **state)
{
	enum { MANY = 3000, AT_ONCE = 8 };
	struct bpf_pass pass = {0};
	struct clock clock;
	int ends[2], status;
	pid_t writer;

	(void)state;
	clock_init(&clock);
	assert_int_equal(pipe(ends), 0);
	writer = fork();
	assert_true(writer >= 0);
	if (!writer) {
		close(ends[0]);
		for (u32 i = 0; i < MANY; i += AT_ONCE) {
			struct packet packet = {0};

			for (u32 k = 0; k < AT_ONCE; k++)
				put(&packet, TASK_PROCESS, i + k + 1, i + k + 1);
			if (write(ends[1], packet.bytes, packet.len) != (ssize_t)packet.len)
				_exit(1);
		}
		_exit(0);
	}
	close(ends[1]);
	walk_fd = ends[0];
	assert_int_equal(bpf_pass_read(&pass, NULL, &clock), 0);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	assert_int_equal(status, 0);
	assert_int_equal(pass.nprocesses, MANY);
	for (u32 i = 1; i <= MANY; i++)
		assert_int_equal(pass_record(&pass, bpf_pass_find(&pass, i)->at)->task.tid, i);
	bpf_pass_free(&pass);
}

static void test_pass_cut_off(void **state)
{
	struct bpf_pass pass = {0};
	struct packet packet = {0};

	(void)state;
	put(&packet, TASK_PROCESS, 10, 10);
	put(&packet, TASK_PROCESS, 20, 20);
	packet.len -= 8;
	assert_int_equal(pass_read(&pass, &packet, 1), -EIO);
	/* nothing of what failed is in the next one */
	packet.len = sizeof(struct task_record);
	assert_int_equal(pass_read(&pass, &packet, 1), 0);
	assert_int_equal(pass.nprocesses, 1);
	bpf_pass_free(&pass);
}

static void test_pass_fails(void **state)
{
	struct bpf_pass pass = {0};
	struct clock clock;

	(void)state;
	clock_init(&clock);
	walk_fd = -EPERM;
	assert_int_equal(bpf_pass_read(&pass, NULL, &clock), -EPERM);
	/* one that cannot be read */
	walk_fd = open("/", O_RDONLY | O_CLOEXEC);
	assert_int_equal(bpf_pass_read(&pass, NULL, &clock), -EISDIR);
	bpf_pass_free(&pass);
}

static struct known *know(struct known_list *list, u32 pid, u32 global_pid, u64 start_ns)
{
	struct known *k = known_take(list, pid);

	assert_non_null(k);
	k->global_pid = global_pid;
	k->start_ns = start_ns;
	list->now[list->n++] = k;
	return k;
}

static void test_known_find(void **state)
{
	struct known_list list = {0};
	struct known *first, *second, *last;

	(void)state;
	assert_null(known_find(&list, 5, 1, true));
	assert_int_equal(known_turn(&list, 300), 0);
	for (u32 pid = 1; pid < 100; pid++)
		know(&list, pid, pid, 1000 + pid);
	/* one that has ended, and who has its number now */
	first = know(&list, 100, 100, 50);
	second = know(&list, 100, 100, 90);
	last = know(&list, 101, 101, 60);
	for (int same = 0; same < 2; same++) {
		assert_ptr_equal(known_find(&list, 100, 50, same), first);
		assert_ptr_equal(known_find(&list, 100, 90, same), second);
		assert_ptr_equal(known_find(&list, 101, 60, same), last);
		assert_ptr_equal(known_find(&list, 1, 1001, same), list.now[0]);
		assert_null(known_find(&list, 100, 91, same));
		assert_null(known_find(&list, 102, 60, same));
		assert_null(known_find(&list, 0, 0, same));
	}
	known_free(&list);
}

/* Other numbers than the first namespace's, in another order. */
static void test_known_find_in_a_namespace(void **state)
{
	struct known_list list = {0};
	struct known *a, *b;

	(void)state;
	assert_int_equal(known_turn(&list, 2), 0);
	a = know(&list, 1, 9000, 10);
	b = know(&list, 2, 400, 20);
	assert_ptr_equal(known_find(&list, 9000, 10, false), a);
	assert_ptr_equal(known_find(&list, 400, 20, false), b);
	assert_null(known_find(&list, 1, 10, false));
	known_free(&list);
}

/* What is put back is taken again, with its memory and without what it knew. */
static void test_known_again(void **state)
{
	struct known_list list = {0};
	struct known *k;

	(void)state;
	assert_int_equal(known_turn(&list, 1), 0);
	k = know(&list, 7, 7, 70);
	k->cpu_ns = 5;
	k->waits = malloc(32);
	k->waits_cap = 2;
	k->text.heap = malloc(16);
	k->text.heap_size = 16;
	k->text.looked = true;
	assert_int_equal(known_turn(&list, 1), 0);
	assert_int_equal(list.n, 0);
	assert_int_equal(list.nbefore, 1);
	assert_ptr_equal(list.before[0], k);
	known_put_back(&list, k);
	assert_ptr_equal(known_take(&list, 8), k);
	assert_int_equal(k->pid, 8);
	assert_int_equal(k->cpu_ns, 0);
	assert_int_equal(k->start_ns, 0);
	assert_false(k->text.looked);
	assert_int_equal(k->waits_cap, 2);
	assert_non_null(k->text.heap);
	known_free(&list);
}

static void cgroup_file(u32 pid, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%u/cgroup", pid);
	tree_file(path, text);
}

static const struct cgroup_path *path_of(struct cgroups *c, u64 id, u32 pid)
{
	return cgroups_path(c, id, pid, "cgroup", process_key(pid, 1));
}

static void open_tree(struct root *root, struct piddir *dir)
{
	struct clock clock;
	struct err err = {0};

	tree_file("proc/stat", "cpu\n");
	clock_init(&clock);
	assert_int_equal(root_init(root, tree_dir, &clock, &err), 0);
	assert_int_equal(piddir_open(dir, root), 0);
}

static void test_cgroups_forget(void **state)
{
	enum { GROUPS = 400 };
	struct root root;
	struct piddir dir;
	struct cgroups c;

	(void)state;
	open_tree(&root, &dir);
	cgroups_init(&c, &dir);
	for (u32 i = 1; i <= GROUPS; i++) {
		char text[64];

		snprintf(text, sizeof(text), "0::/group-%u\n", i);
		cgroup_file(i, text);
	}
	for (u32 i = 1; i <= GROUPS; i++)
		assert_int_equal(
			path_of(&c, 7000 + i, i)->len, strlen("/group-") + 1 + (i > 9) + (i > 99));
	assert_int_equal(c.n, GROUPS);
	/* one of them lives on; its file is not looked at again */
	cgroup_file(3, "0::/elsewhere\n");
	for (u32 turn = 0; turn < 200; turn++) {
		const struct cgroup_path *at;

		cgroups_turn(&c);
		at = path_of(&c, 7003, 3);
		assert_non_null(at);
		assert_int_equal(at->len, strlen("/group-3"));
		assert_memory_equal(at->path, "/group-3", at->len);
	}
	assert_int_equal(c.n, 1);
	/* and one that was forgotten is read anew */
	assert_memory_equal(path_of(&c, 7004, 4)->path, "/group-4", 8);
	assert_null(path_of(&c, 9999, 9999));
	cgroups_fini(&c);
	piddir_close(&dir);
	root_fini(&root);
}

/* Where there are hierarchies of version 1, one number of version 2 stands for many paths. */
static void test_cgroups_of_version_1(void **state)
{
	struct root root;
	struct piddir dir;
	struct cgroups c;
	bool moved = false;

	(void)state;
	open_tree(&root, &dir);
	cgroups_init(&c, &dir);
	cgroup_file(1, "3:cpu:/\n1:name=systemd:/one\n0::/\n");
	cgroup_file(2, "3:cpu:/\n1:name=systemd:/two\n0::/\n");
	path_of(&c, 1, 1);
	assert_memory_equal(path_of(&c, 1, 1)->path, "/one", 4);
	assert_memory_equal(path_of(&c, 1, 2)->path, "/two", 4);
	cgroup_file(2, "3:cpu:/\n1:name=systemd:/three\n0::/\n");
	for (u32 turn = 0; turn < 20; turn++) {
		cgroups_turn(&c);
		moved |= !memcmp(path_of(&c, 1, 2)->path, "/thr", 4);
	}
	assert_true(moved);
	cgroups_fini(&c);
	piddir_close(&dir);
	root_fini(&root);
}

#define TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_split_never_steps_back),
		cmocka_unit_test(test_split_goes_on_from_what_was_shown),
		cmocka_unit_test(test_pass),
		cmocka_unit_test(test_pass_stand_in),
		cmocka_unit_test(test_pass_of_many),
		cmocka_unit_test(test_pass_cut_off),
		cmocka_unit_test(test_pass_fails),
		cmocka_unit_test(test_known_find),
		cmocka_unit_test(test_known_find_in_a_namespace),
		cmocka_unit_test(test_known_again),
		TREE(test_cgroups_forget),
		TREE(test_cgroups_of_version_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
