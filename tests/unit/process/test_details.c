/* The details of a process, on made-up machines: what is read, what cannot be, and text from strangers. */
#include "test.h"

#include <errno.h>

#include "base/safe.h"
#include "process/details.h"
#include "process/process.h"
#include "unit/base/tree.h"

enum { PID = 4711, START = 5000 };

static struct root root;
static struct clock clock_;
static struct details d;
static struct err said;

static void file(const char *name, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), "proc/%d/%s", PID, name);
	tree_file(path, text);
}

static void points(const char *name, const char *target)
{
	char path[96];

	snprintf(path, sizeof(path), "proc/%d/%s", PID, name);
	tree_link(path, target);
}

static int setup(void **state)
{
	if (tree_setup(state))
		return -1;
	tree_file("clock", "100000000000 100000000000 1790000000000000000\n");
	tree_file("etc/passwd", "root:x:0:0::/root:/bin/sh\nana:x:1000:1000::/home/ana:/bin/sh\n");
	tree_file("etc/group", "root:x:0:\nstaff:x:50:ana\n");
	tree_file("proc/1/stat", "1 (init) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0\n");
	file("stat", "4711 (work) er) S 1 4711 4711 0 -1 0 0 0 0 0 9 9 0 0 -3 5 7 0 5000 1 1 "
		     "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 2 1 0 0 0\n");
	file("status", "Name:\twork\nUid:\t1000\t0\t0\t0\nGid:\t50\t50\t50\t50\n"
		       "NSpid:\t4711\t12\nVmStk:\t     7000 kB\nVmSize:\t 1024 kB\n"
		       "SigQ:\t1/100\nCapEff:\t0000000000003001\nNoNewPrivs:\t1\nSeccomp:\t2\n"
		       "Cpus_allowed_list:\t0-3,8\n");
	file("limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max cpu time              unlimited            unlimited            seconds   \n"
		"Max stack size            8388608              unlimited            bytes     \n"
		"Max open files            4                    4096                 files     \n"
		"Max address space         1073741824           2147483648           bytes     \n"
		"Max realtime priority     3                    7                              \n");
	for (u32 i = 0; i < 4; i++) {
		char name[16];

		snprintf(name, sizeof(name), "fd/%u", i);
		file(name, "");
	}
	points("exe", "/opt/work/er");
	points("cwd", "errno:EACCES");
	file("oom_score", "666\n");
	file("oom_score_adj", "-17\n");
	tree_file("proc/sys/kernel/cap_last_cap", "40\n");
	return 0;
}

static int teardown(void **state)
{
	details_free(&d);
	root_fini(&root);
	return tree_teardown(state);
}

static int look(u64 key, u32 flags)
{
	struct err err;

	details_free(&d);
	root_fini(&root);
	said = (struct err){0};
	clock_init(&clock_);
	assert_int_equal(root_init(&root, tree_dir, &clock_, &err), 0);
	return process_details(&root, &clock_, key, flags | DETAILS_UTC, &d, &said);
}

static void must_look(u32 flags)
{
	assert_int_equal(look(process_key(PID, START), flags), 0);
	for (u32 i = 0; i < d.n; i++)
		assert_true(safe_is(d.items[i].text, strlen(d.items[i].text)));
}

static const struct detail *find(const char *name)
{
	for (u32 i = 0; i < d.n; i++)
		if (!strcmp(d.items[i].name, name) && d.items[i].kind != DETAIL_SECTION)
			return &d.items[i];
	fail_msg("no line %s", name);
	return NULL;
}

static void is(const char *name, enum detail_kind kind, const char *text)
{
	const struct detail *item = find(name);

	assert_string_equal(item->text, text);
	assert_int_equal(item->kind, kind);
}

static void test_identity(void **state)
{
	(void)state;
	file("cmdline", "x");
	must_look(0);
	is("process", DETAIL_VALUE, "4711 work) er");
	is("pid by namespace", DETAIL_VALUE, "4711, 12");
	is("parent", DETAIL_VALUE, "1 init");
	is("user", DETAIL_VALUE, "root (0), started by ana (1000)");
	is("group", DETAIL_VALUE, "staff (50)");
	is("started", DETAIL_VALUE, "2026-09-21 14:12:30, 50.0s ago");
	is("program", DETAIL_VALUE, "/opt/work/er");
	is("directory", DETAIL_ABSENT, "permission denied: only its user or root may read this");
	is("command", DETAIL_VALUE, "x");
	is("policy", DETAIL_VALUE, "fifo, real-time priority 2");
	is("CPUs", DETAIL_VALUE, "0-3,8");
	is("threads", DETAIL_VALUE, "7");
	is("OOM score", DETAIL_VALUE, "666, adjusted by -17");
	is("capabilities", DETAIL_VALUE, "chown net_admin net_raw");
	is("seccomp", DETAIL_VALUE, "filter");
	is("new privileges", DETAIL_VALUE, "not with exec");
}

static void test_limits_and_what_is_used_of_them(void **state)
{
	(void)state;
	must_look(0);
	is("cpu time", DETAIL_VALUE, "unlimited");
	is("stack size", DETAIL_WARN, "8.0M, in use 6.8M: 85%, near the limit");
	is("open files", DETAIL_WARN, "4 (hard 4096) files, in use 4: 100%, near the limit");
	is("address space", DETAIL_VALUE, "1.0G (hard 2.0G), in use 1.0M");
	is("realtime priority", DETAIL_VALUE, "3 (hard 7)");
}

static void test_group_that_sets_the_limit(void **state)
{
	(void)state;
	file("cgroup", "0::/a.slice/b/c\n");
	tree_file("sys/fs/cgroup/cgroup.procs", "");
	tree_file("sys/fs/cgroup/cpuset.cpus.effective", "0-15\n");
	tree_file("sys/fs/cgroup/a.slice/cpuset.cpus.effective", "0-3\n");
	tree_file("sys/fs/cgroup/a.slice/b/cpuset.cpus.effective", "0-3\n");
	tree_file("sys/fs/cgroup/a.slice/b/c/cpuset.cpus.effective", "0-3\n");
	tree_file("sys/fs/cgroup/a.slice/cpu.max", "150000 100000\n");
	tree_file("sys/fs/cgroup/a.slice/b/cpu.max", "max 100000\n");
	tree_file("sys/fs/cgroup/a.slice/b/c/cpu.max", "400000 100000\n");
	tree_file("sys/fs/cgroup/a.slice/memory.max", "1073741824\n");
	tree_file("sys/fs/cgroup/a.slice/memory.current", "1063741824\n");
	tree_file("sys/fs/cgroup/a.slice/b/c/memory.max", "max\n");
	tree_file("sys/fs/cgroup/a.slice/b/c/memory.current", "4096\n");
	tree_file("sys/fs/cgroup/a.slice/b/c/memory.high", "max\n");
	tree_file("sys/fs/cgroup/a.slice/b/pids.max", "100\n");
	tree_file("sys/fs/cgroup/a.slice/b/pids.current", "3\n");
	must_look(0);
	is("path", DETAIL_VALUE, "/a.slice/b/c");
	is("CPU time", DETAIL_VALUE, "1.50 CPUs, set by /a.slice");
	is("memory", DETAIL_WARN, "1.0G, set by /a.slice, in use 1.0G: 99%, near the limit");
	is("memory high", DETAIL_VALUE, "no limit, in use 4.0K");
	is("tasks", DETAIL_VALUE, "100, set by /a.slice/b, in use 3");
	is("CPU set", DETAIL_VALUE, "0-3, set by /a.slice");
}

static void test_groups_of_version_1(void **state)
{
	(void)state;
	file("cgroup", "4:memory:/m\n3:cpu,cpuacct:/c\n2:cpuset:/\n0::/\n");
	tree_file("sys/fs/cgroup/memory/cgroup.procs", "");
	tree_file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	tree_file("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "2097152\n");
	tree_file("sys/fs/cgroup/memory/m/memory.usage_in_bytes", "1048576\n");
	tree_file("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "50000\n");
	tree_file("sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "200000\n");
	tree_file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
	tree_file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
	tree_file("sys/fs/cgroup/cpuset/cpuset.effective_cpus", "0-1\n");
	must_look(0);
	is("path", DETAIL_VALUE, "/m");
	is("memory", DETAIL_VALUE, "2.0M, set by /m, in use 1.0M");
	is("CPU time", DETAIL_VALUE, "0.25 CPUs, set by /c");
	is("CPU set", DETAIL_VALUE, "0-1, no limit");
}

/* No file is not the same as no limit. */
static void test_groups_that_are_not_seen(void **state)
{
	(void)state;
	must_look(0);
	is("path", DETAIL_ABSENT, "not there");
	file("cgroup", "0::/../other\n");
	must_look(0);
	is("path", DETAIL_VALUE, "/../other");
	assert_int_equal(find("limits")->kind, DETAIL_ABSENT);
	file("cgroup", "0::/x\n");
	must_look(0);
	is("limits", DETAIL_ABSENT, "no control groups at /sys/fs/cgroup");
	tree_file("sys/fs/cgroup/cgroup.procs", "");
	tree_link("sys/fs/cgroup/memory.max", "errno:EACCES");
	must_look(0);
	assert_true(strstr(find("")->text, "not seen from here") != NULL);
	assert_int_equal(find("memory")->kind, DETAIL_ABSENT);
}

static void test_environment_only_when_asked(void **state)
{
	static const char hostile[] =
		"A=1\0EVIL=\x1b[2J\x1b]0;x\x07\nnext\0\xff\xfe=\xe2\x80\xae\0T=\t";
	const struct detail *item;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "proc/%d/environ", PID);
	tree_bytes(path, hostile, sizeof(hostile));
	must_look(0);
	for (u32 i = 0; i < d.n; i++)
		assert_null(strstr(d.items[i].text, "EVIL"));
	item = &d.items[d.n - 1];
	assert_int_equal(item->kind, DETAIL_HINT);
	assert_true(strstr(item->text, "press e") != NULL);
	must_look(DETAILS_ENVIRONMENT);
	assert_string_equal(d.items[d.n - 4].text, "A=1");
	assert_string_equal(d.items[d.n - 3].text, "EVIL=?[2J?]0;x??next");
	assert_string_equal(d.items[d.n - 2].text, "?\?=?");
	assert_string_equal(d.items[d.n - 1].text, "T=?");
	assert_int_equal(unlink(tree_path(path)), 0);
	tree_link(path, "errno:read:EACCES");
	must_look(DETAILS_ENVIRONMENT);
	item = &d.items[d.n - 1];
	assert_int_equal(item->kind, DETAIL_ABSENT);
	assert_true(strstr(item->text, "permission denied") != NULL);
}

static void test_command_of_any_length(void **state)
{
	enum { HUGE = 3 << 20 };
	char *text = malloc(HUGE);
	const struct detail *item;
	char path[64];

	(void)state;
	assert_non_null(text);
	memset(text, 'a', HUGE);
	memcpy(text, "prog\0\x1b[31m\0last", 16);
	snprintf(path, sizeof(path), "proc/%d/cmdline", PID);
	tree_bytes(path, text, 16);
	must_look(0);
	is("command", DETAIL_VALUE, "prog ?[31m last");
	text[4] = text[10] = text[15] = ' ';
	tree_bytes(path, text, 100000);
	must_look(0);
	assert_int_equal(strlen(find("command")->text), 100000);
	tree_bytes(path, text, HUGE);
	must_look(0);
	item = find("command");
	assert_true(strlen(item->text) < DETAIL_TEXT_MOST + 64);
	assert_true(strstr(item->text, " … and 2883584 bytes more") != NULL);
	free(text);
}

/* The list of CPUs of a large machine is not cut. */
static void test_status_of_any_length(void **state)
{
	char *text = malloc(64 << 10);
	u32 len = (u32)sprintf(text, "Uid:\t0\t0\t0\t0\nCpus_allowed_list:\t0");

	(void)state;
	for (u32 cpu = 2; cpu < 8192; cpu += 2)
		len += (u32)sprintf(text + len, ",%u", cpu);
	strcpy(text + len, "\nMems_allowed_list:\t0-7\n");
	file("status", text);
	must_look(0);
	assert_true(strlen(find("CPUs")->text) > 19000);
	assert_non_null(strstr(find("CPUs")->text, ",8188,8190"));
	is("memory nodes", DETAIL_VALUE, "0-7");
	free(text);
}

static void test_nothing_else_to_read(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "proc/%d/status", PID);
	assert_int_equal(unlink(tree_path(path)), 0);
	tree_link(path, "errno:EACCES");
	snprintf(path, sizeof(path), "proc/%d/limits", PID);
	assert_int_equal(unlink(tree_path(path)), 0);
	must_look(DETAILS_ENVIRONMENT);
	assert_int_equal(find("user")->kind, DETAIL_ABSENT);
	assert_true(strstr(find("user")->text, "permission denied") != NULL);
	is("limits", DETAIL_ABSENT, "not there");
	is("command", DETAIL_ABSENT, "not there");
	is("namespaces", DETAIL_ABSENT, "not there");
	assert_int_equal(find("capabilities")->kind, DETAIL_ABSENT);
}

static void test_namespaces_that_are_not_ours(void **state)
{
	(void)state;
	tree_link("proc/self/ns/net", "net:[1]");
	tree_link("proc/self/ns/mnt", "mnt:[2]");
	points("ns/net", "net:[1]");
	points("ns/mnt", "mnt:[3]");
	must_look(0);
	is("namespaces", DETAIL_VALUE, "not ours: mnt");
	points("ns/pid", "errno:EACCES");
	must_look(0);
	assert_int_equal(find("namespaces")->kind, DETAIL_ABSENT);
}

static void test_ended_or_another(void **state)
{
	(void)state;
	assert_int_equal(look(process_key(PID, START + 1), 0), -ESRCH);
	assert_string_equal(said.msg, "ended meanwhile");
	assert_int_equal(d.n, 0);
	assert_int_equal(look(process_key(4712, START), 0), -ESRCH);
}

static void test_live(void **state)
{
	struct root live;
	struct err err;
	char text[2048];
	struct process_stat st;
	int len;

	(void)state;
	clock_init(&clock_);
	assert_int_equal(root_init(&live, NULL, &clock_, &err), 0);
	len = root_read(&live, "/proc/self/stat", text, sizeof(text));
	assert_true(len > 0);
	assert_int_equal(process_parse_stat(text, text + len, 1ull << STAT_START_TICKS, &st), 0);
	assert_int_equal(process_details(&live, &clock_,
				 process_key((u32)getpid(), st.value[STAT_START_TICKS]),
				 DETAILS_ENVIRONMENT, &d, &said),
		0);
	assert_true(strstr(find("command")->text, "test_details") != NULL);
	is("namespaces", DETAIL_VALUE, "the same as ours");
	assert_int_equal(find("open files")->kind, DETAIL_VALUE);
	root_fini(&live);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_identity),
		T(test_limits_and_what_is_used_of_them),
		T(test_group_that_sets_the_limit),
		T(test_groups_of_version_1),
		T(test_groups_that_are_not_seen),
		T(test_environment_only_when_asked),
		T(test_command_of_any_length),
		T(test_status_of_any_length),
		T(test_nothing_else_to_read),
		T(test_namespaces_that_are_not_ours),
		T(test_ended_or_another),
		T(test_live),
	};

	root.fd = -1;
	return cmocka_run_group_tests_name("details", tests, NULL, NULL);
}
