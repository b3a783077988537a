#include "source/cpu_topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"

/* A list of 8,192 CPUs in the worst form. */
enum { LIST_SIZE = 49152 };

static void count_cpu(void *arg, u32 cpu)
{
	struct cpu_topology *t = arg;

	if (cpu >= t->n)
		t->n = cpu + 1;
}

static void mark_present(void *arg, u32 cpu)
{
	struct cpu_topology *t = arg;

	if (cpu < t->n)
		t->cpu[cpu].present = true;
}

static void mark_p(void *arg, u32 cpu)
{
	struct cpu_topology *t = arg;

	if (cpu < t->n)
		t->cpu[cpu].type = "P";
}

static void mark_e(void *arg, u32 cpu)
{
	struct cpu_topology *t = arg;

	if (cpu < t->n)
		t->cpu[cpu].type = "E";
}

static int each_cpu(const struct root *root, const char *path, char *list,
	void (*fn)(void *arg, u32 cpu), void *arg)
{
	int len = root_read(root, path, list, LIST_SIZE);

	return len < 0 ? len : scan_cpu_list(list, list + len, fn, arg);
}

/* ARM: capacities differ between clusters; the largest is big. */
static void types_by_capacity(struct cpu_topology *t, const struct root *root)
{
	u64 least = UINT64_MAX, most = 0;
	char path[96];

	for (u32 i = 0; i < t->n; i++) {
		struct cpu_info *c = &t->cpu[i];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpu_capacity", i);
		if (!c->present || root_read_u64(root, path, &c->capacity))
			continue;
		least = min_u64(least, c->capacity);
		most = max_u64(most, c->capacity);
	}
	for (u32 i = 0; i < t->n && least < most; i++)
		if (t->cpu[i].present && t->cpu[i].capacity)
			t->cpu[i].type = t->cpu[i].capacity == most ? "big" : "little";
}

static int open_frequencies(struct cpu_topology *t, const struct root *root)
{
	char path[96];

	for (u32 i = 0; i < t->n; i++) {
		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", i);
		if (!t->cpu[i].present || !root_exists(root, path))
			continue;
		if (kfile_init(&t->cpu[i].frequency, path))
			return -ENOMEM;
		t->cpu[i].has_frequency = true;
	}
	return 0;
}

int cpu_topology_open(struct cpu_topology *t, const struct root *root)
{
	char *list = malloc(LIST_SIZE);
	bool hybrid;
	int ret = 0;

	*t = (struct cpu_topology){0};
	if (!list)
		return -ENOMEM;
	if (each_cpu(root, "/sys/devices/system/cpu/present", list, count_cpu, t) || !t->n)
		goto out; /* no sysfs: those that /proc/stat lists are all there is */
	t->cpu = calloc(t->n, sizeof(*t->cpu));
	if (!t->cpu) {
		t->n = 0;
		ret = -ENOMEM;
		goto out;
	}
	each_cpu(root, "/sys/devices/system/cpu/present", list, mark_present, t);
	hybrid = !each_cpu(root, "/sys/devices/cpu_core/cpus", list, mark_p, t);
	if (!each_cpu(root, "/sys/devices/cpu_atom/cpus", list, mark_e, t))
		hybrid = true;
	if (!hybrid)
		types_by_capacity(t, root);
	ret = open_frequencies(t, root);
out:
	free(list);
	if (ret)
		cpu_topology_close(t);
	return ret;
}

void cpu_topology_close(struct cpu_topology *t)
{
	for (u32 i = 0; i < t->n; i++)
		kfile_fini(&t->cpu[i].frequency);
	free(t->cpu);
	*t = (struct cpu_topology){0};
}

void cpu_topology_rescan(struct cpu_topology *t, const struct root *root)
{
	struct cpu_topology fresh;

	if (cpu_topology_open(&fresh, root))
		return;
	cpu_topology_close(t);
	*t = fresh;
}

u32 cpu_topology_limit(const struct cpu_topology *t)
{
	return t->n;
}

bool cpu_topology_present(const struct cpu_topology *t, u32 cpu)
{
	return cpu < t->n && t->cpu[cpu].present;
}

const char *cpu_topology_type(const struct cpu_topology *t, u32 cpu)
{
	return cpu < t->n ? t->cpu[cpu].type : NULL;
}

bool cpu_topology_clocked(const struct cpu_topology *t, u32 cpu)
{
	return cpu < t->n && t->cpu[cpu].has_frequency;
}

bool cpu_topology_has_frequency(const struct cpu_topology *t)
{
	for (u32 i = 0; i < t->n; i++)
		if (t->cpu[i].has_frequency)
			return true;
	return false;
}

int cpu_topology_frequency(
	struct cpu_topology *t, const struct root *root, u32 cpu, bool held, u64 *hz)
{
	struct cpu_info *c = cpu < t->n ? &t->cpu[cpu] : NULL;
	u64 khz;
	int ret;

	if (!c || !c->has_frequency || (held && !c->hz))
		return -ENOENT;
	if (!held) {
		ret = kfile_read_u64(&c->frequency, root, &khz);
		if (ret)
			return ret;
		c->hz = khz * 1000;
	}
	*hz = c->hz;
	return 0;
}
