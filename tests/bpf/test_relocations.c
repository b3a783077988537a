/* The process scanner's BPF programs against the types of one kernel: test_relocations OBJECT BTF KERNEL, where KERNEL
 * is its version, or "running" for one of which nothing is known beforehand. Each place that is adapted to the
 * kernel must be found in it and be what the programs take it for, or be left out by a guard. */
#include "test.h"

#include "bpf/loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVER = 1 << 30 };

static const char *const programs[] = {
	"walk_tasks", "walk_tasks_called", "walk_tasks_plain", "process_free"};
static const char *const looping[] = {"walk_tasks", "walk_tasks_called", NULL};
static const char *const casting[] = {"walk_tasks", NULL};
enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

static struct loading loading;
static const char *object_path, *btf_path, *version_name;
static int version; /* 5010 for 5.10 */

/* What kernels do not have from one version until another, and the programs do without. All else must be there. */
static const struct absence {
	const char *spec;
	int from, until;
} absences[] = {
	{"task_struct.__state", 0, 5014},
	{"task_struct___before_5_14.state", 5014, EVER},
	{"task_struct.thread_info.cpu", 0, 5016},
	{"task_struct___own_cpu.cpu", 5016, EVER},
	{"mm_struct___array_flags.flags.__mm_flags", 0, 6018},
	{"mm_struct___array_flags.flags.__mm_flags[0]", 0, 6018},
	{"mm_struct___word_flags.flags", 6018, EVER},
	{"mm_rss_stat___before_6_2", 6002, EVER},
	{"mm_struct___before_6_2.rss_stat.count[0].counter", 6002, EVER},
	{"mm_struct___before_6_2.rss_stat.count[1].counter", 6002, EVER},
	{"mm_struct___before_6_2.rss_stat.count[2].counter", 6002, EVER},
	{"mm_struct___before_6_2.rss_stat.count[3].counter", 6002, EVER},
	{"mm_struct.rss_stat[0].count", 0, 6002},
	{"mm_struct.rss_stat[1].count", 0, 6002},
	{"mm_struct.rss_stat[2].count", 0, 6002},
	{"mm_struct.rss_stat[3].count", 0, 6002},
	{"mm_struct.rss_stat[0].counters", 0, 6002},
	{"mm_struct.rss_stat[1].counters", 0, 6002},
	{"mm_struct.rss_stat[2].counters", 0, 6002},
	{"mm_struct.rss_stat[3].counters", 0, 6002},
};

/* Where some lie in the kernels that the facts are from, as bpftool's dump of their BTF has it. */
static const struct known_place {
	const char *spec;
	int version, byte;
} known_places[] = {
	{"task_struct.signal", 5010, 2832},
	{"task_struct.signal", 5015, 2952},
	{"task_struct.signal", 6001, 3072},
	{"task_struct.signal", 6006, 1960},
	{"task_struct.signal", 6012, 3072},
	{"task_struct.se.sum_exec_runtime", 5010, 200},
	{"task_struct.se.sum_exec_runtime", 5015, 264},
	{"task_struct.se.sum_exec_runtime", 6001, 200},
	{"task_struct.se.sum_exec_runtime", 6006, 216},
	{"task_struct.se.sum_exec_runtime", 6012, 224},
	{"task_struct___before_5_14.state", 5010, 16},
	{"task_struct.__state", 5015, 24},
	{"task_struct.__state", 6001, 24},
	{"task_struct.__state", 6006, 24},
	{"task_struct.__state", 6012, 24},
	{"mm_struct.total_vm", 5010, 192},
	{"mm_struct.total_vm", 5015, 192},
	{"mm_struct.total_vm", 6001, 184},
	{"mm_struct.total_vm", 6006, 256},
	{"mm_struct.total_vm", 6012, 256},
	{"signal_struct.sum_sched_runtime", 5010, 664},
	{"signal_struct.sum_sched_runtime", 5015, 664},
	{"signal_struct.sum_sched_runtime", 6001, 680},
	{"signal_struct.sum_sched_runtime", 6006, 664},
	{"signal_struct.sum_sched_runtime", 6012, 672},
	{"kernfs_node.id", 5010, 104},
	{"kernfs_node.id", 5015, 104},
	{"kernfs_node.id", 6001, 104},
	{"kernfs_node.id", 6006, 104},
	{"kernfs_node.id", 6012, 96},
};

static bool is_one_of(const char *program, const char *const *names)
{
	while (*names && strcmp(program, *names) != 0)
		names++;
	return *names;
}

static bool is_loaded(const char *program)
{
	return (loading.loops || !is_one_of(program, looping)) &&
	       (loading.casts || !is_one_of(program, casting));
}

static const struct relocation *find(const char *spec)
{
	const struct relocations *r = &loading.relocations;

	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->all[i].spec, spec))
			return &r->all[i];
	return NULL;
}

/* That the load succeeds includes that the iterator and the tracepoint exist. */
static void test_loads(void **state)
{
	(void)state;
	assert_int_equal(loading.result, 0);
	assert_string_equal(
		loading.relocations.unresolved, loading.casts ? "" : "bpf_rdonly_cast ");
	for (int i = 0; i < PROGRAMS; i++)
		assert_int_equal(kernel_program(programs[i]) != NULL, is_loaded(programs[i]));
}

/* What the tests below know is what libbpf said; the instructions bear it out. */
static void test_is_understood(void **state)
{
	(void)state;
	assert_int_equal(loading.relocations.unread, 0);
	for (int i = 0; i < PROGRAMS; i++) {
		size_t n = 0;

		for (size_t j = 0; j < loading.relocations.n; j++)
			n += !strcmp(loading.relocations.all[j].program, programs[i]);
		if (is_loaded(programs[i]))
			assert_true(n > 20);
		assert_int_equal(loading_unapplied(&loading, programs[i]), 0);
	}
}

static void test_guards_what_is_absent(void **state)
{
	(void)state;
	for (int i = 0; i < PROGRAMS; i++)
		if (is_loaded(programs[i]))
			assert_int_equal(loading_unguarded(&loading, programs[i]), 0);
}

static void test_takes_nothing_for_something_else(void **state)
{
	(void)state;
	for (int i = 0; i < PROGRAMS; i++)
		assert_int_equal(loading_mistaken(&loading, programs[i]), 0);
}

static bool may_be_absent(const char *spec)
{
	for (size_t i = 0; i < sizeof(absences) / sizeof(absences[0]); i++)
		if (!strcmp(absences[i].spec, spec) && version >= absences[i].from &&
			version < absences[i].until)
			return true;
	return false;
}

static void test_absent_is_what_is_known_to_be(void **state)
{
	int surprises = 0;

	(void)state;
	for (size_t i = 0; i < loading.relocations.n; i++) {
		const struct relocation *r = &loading.relocations.all[i];

		if (r->found == may_be_absent(r->spec)) {
			print_message("# %s: %s: %s %s\n", r->program, r->kind, r->spec,
				r->found ? "is there" : "is absent");
			surprises++;
		}
	}
	if (surprises)
		print_message("# after a change to kernel_types.h: see tests/bpf/README.md, Add a "
			      "kernel\n");
	assert_int_equal(surprises, 0);
}

static void test_places_are_known_ones(void **state)
{
	int looked_at = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(known_places) / sizeof(known_places[0]); i++) {
		const struct known_place *p = &known_places[i];
		const struct relocation *r = find(p->spec);

		if (p->version != version)
			continue;
		assert_non_null(r);
		assert_true(r->found);
		assert_int_equal(r->kernel.byte, p->byte);
		looked_at++;
	}
	if (!looked_at) {
		print_message("# none are known of %s\n", version_name);
		skip();
	}
}

static void test_calls_what_the_kernel_has(void **state)
{
	(void)state;
	assert_true(loading_enumerator(&loading, "bpf_func_id", "__BPF_FUNC_MAX_ID") > 100);
	for (int i = 0; i < PROGRAMS; i++)
		assert_int_equal(loading_helpless(&loading, programs[i]), 0);
}

/* Numbers that are not adapted, but written in kernel_types.h as they are. */
static void test_numbers_are_the_kernels(void **state)
{
	(void)state;
	assert_int_equal(loading_enumerator(&loading, "pid_type", "PIDTYPE_TGID"), 1);
	assert_int_equal(
		loading_enumerator(&loading, "bpf_map_type", "BPF_MAP_TYPE_PERCPU_ARRAY"), 6);
	assert_int_equal(loading_enumerator(&loading, "bpf_map_type", "BPF_MAP_TYPE_RINGBUF"), 27);
	if (version)
		assert_int_equal(loading.casts, version >= 6002);
	if (loading.loops)
		assert_int_equal(loading_enumerator(&loading, "bpf_func_id", "BPF_FUNC_loop"), 181);
}

/* After the one that all tracepoints have. */
static void test_tracepoint_tells_of_a_task(void **state)
{
	int id = btf__find_by_name_kind(
		loading.kernel, "btf_trace_sched_process_free", BTF_KIND_TYPEDEF);
	const struct btf_type *t;

	(void)state;
	assert_true(id > 0);
	t = btf__type_by_id(loading.kernel, (unsigned)id);
	t = btf__type_by_id(loading.kernel, t->type);
	t = btf__type_by_id(loading.kernel, t->type);
	assert_true(btf_is_func_proto(t));
	assert_int_equal(btf_vlen(t), 2);
	t = btf__type_by_id(loading.kernel, btf_params(t)[1].type);
	assert_true(btf_is_ptr(t));
	t = btf__type_by_id(loading.kernel, t->type);
	assert_string_equal(btf__name_by_offset(loading.kernel, t->name_off), "task_struct");
}

static int load(void **state)
{
	(void)state;
	return loading_run(&loading, object_path, btf_path, looping, casting);
}

static int unload(void **state)
{
	(void)state;
	loading_free(&loading);
	return 0;
}

int main(int argc, char **argv)
{
#define OF_ANY_KERNEL                                                       \
	cmocka_unit_test(test_loads), cmocka_unit_test(test_is_understood), \
		cmocka_unit_test(test_guards_what_is_absent),               \
		cmocka_unit_test(test_takes_nothing_for_something_else),    \
		cmocka_unit_test(test_calls_what_the_kernel_has),           \
		cmocka_unit_test(test_numbers_are_the_kernels),             \
		cmocka_unit_test(test_tracepoint_tells_of_a_task)
	const struct CMUnitTest any[] = {OF_ANY_KERNEL};
	const struct CMUnitTest known[] = {
		OF_ANY_KERNEL,
		cmocka_unit_test(test_absent_is_what_is_known_to_be),
		cmocka_unit_test(test_places_are_known_ones),
	};
	int major, minor;

	if (argc != 4) {
		fprintf(stderr, "test_relocations: expected OBJECT BTF KERNEL\n");
		return 2;
	}
	object_path = argv[1];
	btf_path = argv[2];
	version_name = argv[3];
	if (sscanf(version_name, "%d.%d", &major, &minor) == 2) {
		version = major * 1000 + minor;
		return cmocka_run_group_tests(known, load, unload);
	}
	if (access(btf_path, R_OK)) {
		printf("1..0 # SKIP %s: the running kernel has no BTF to read\n", btf_path);
		return 0;
	}
	return cmocka_run_group_tests(any, load, unload);
}
