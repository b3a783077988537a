/* Energy counters in microjoules: RAPL domains below /sys/class/powercap of any vendor
 * (Documentation/power/powercap/powercap.rst), each with its own range, and hwmon energy*_input
 * (Documentation/hwmon/sysfs-interface.rst). Watts are differences of these, never samples of power. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "core/frame.h"
#include "source/sources_list.h"

enum { E_NAME, E_DEVICE, E_KIND, E_POWER, E_ENERGY, E_RANGE, E_COUNTED, E_COLUMNS };

static u8 joules(const struct frame_table *t, u32 row, double *out)
{
	struct cell cell;

	frame_cell(t, row, E_POWER, &cell);
	if (cell.state == CELL_ABSENT)
		return (u8)cell.reason;
	*out = (double)cell.diff * 1e-6;
	return 0;
}

static const struct column columns[E_COLUMNS] = {
	[E_NAME] = {.name = "name",
		.title = "POWER",
		.help = "domain: package-0, dram, card",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[E_DEVICE] = {.name = "device",
		.title = "DEVICE",
		.help = "where the counter is",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[E_KIND] = {.name = "kind",
		.title = "KIND",
		.help = "rapl or hwmon",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[E_POWER] = {.name = "power",
		.title = "POWER",
		.help = "mean power over the window",
		.unit = UNIT_UJ,
		.kind = COLUMN_COUNTER,
		.total = TOTAL_SUM,
		.wrap = WRAP_COLUMN,
		.wrap_column = E_RANGE},
	[E_ENERGY] = {.name = "energy",
		.title = "ENERGY",
		.help = "energy in the window",
		.unit = UNIT_UJ,
		.kind = COLUMN_DERIVED,
		.total = TOTAL_SUM,
		.derive = joules},
	[E_RANGE] = {.name = "range",
		.title = "RANGE",
		.help = "value at which the counter wraps",
		.unit = UNIT_UJ,
		.flags = COLUMN_HIDDEN},
	[E_COUNTED] = {.name = "counted",
		.title = "SUM",
		.help = "1: in the total",
		.unit = UNIT_BOOL,
		.flags = COLUMN_HIDDEN},
};

static const struct schema energy_schema = {.name = "energy",
	.title = "Power",
	.help = "power from energy counters; the total is that of the packages and cards",
	.version = 1,
	.ncolumns = E_COLUMNS,
	.columns = columns,
	.label_column = E_NAME,
	.birth_column = -1,
	.counted_column = E_COUNTED};

struct domain {
	char name[48], device[80], path[160];
	bool rapl, counted, has_range;
	u64 range, key;
	struct kfile energy;
	enum reason failing; /* of the newest reading */
};

struct source {
	const struct source_env *env;
	struct domain *domain;
	u32 n, cap;
	u32 generation;
};

static struct domain *add(struct source *s, const char *path)
{
	struct domain *d;

	if (s->n == s->cap) {
		u32 cap = s->cap ? s->cap * 2 : 8;

		d = realloc(s->domain, cap * sizeof(*d));
		if (!d)
			return NULL;
		s->domain = d;
		s->cap = cap;
	}
	d = &s->domain[s->n];
	*d = (struct domain){0};
	snprintf(d->path, sizeof(d->path), "%s", path);
	if (kfile_init(&d->energy, path))
		return NULL;
	d->key = key_from_name(path, strlen(path));
	s->n++;
	return d;
}

/* The same package may show twice, by MSR and by memory-mapped registers: the first counts. */
static bool counted_before(const struct source *s, const char *name)
{
	for (u32 i = 0; i + 1 < s->n; i++)
		if (s->domain[i].counted && !strcmp(s->domain[i].name, name))
			return true;
	return false;
}

static int add_rapl(void *arg, const char *name)
{
	struct source *s = arg;
	const struct root *root = s->env->root;
	char path[160];
	struct domain *d;
	bool package;

	if (!strstr(name, "rapl") || !strchr(name, ':'))
		return 0;
	snprintf(path, sizeof(path), "/sys/class/powercap/%.40s/energy_uj", name);
	if (!root_exists(root, path))
		return 0;
	d = add(s, path);
	if (!d)
		return -ENOMEM;
	d->rapl = true;
	snprintf(d->device, sizeof(d->device), "%s", name);
	snprintf(path, sizeof(path), "/sys/class/powercap/%.40s/name", name);
	if (root_read(root, path, d->name, sizeof(d->name)) <= 0)
		snprintf(d->name, sizeof(d->name), "%s", name);
	snprintf(path, sizeof(path), "/sys/class/powercap/%.40s/max_energy_range_uj", name);
	d->has_range = !root_read_u64(root, path, &d->range) && d->range;
	/* package-N holds its core and uncore; dram is beside it; psys holds all */
	package = !strncmp(d->name, "package", 7) || !strcmp(d->name, "dram");
	d->counted = package && !counted_before(s, d->name);
	if (!strcmp(d->name, "dram"))
		d->counted = true; /* one below each package, all of the same name */
	return 0;
}

struct hwmon_walk {
	struct source *s;
	char hwmon[32];
	char chip[32];
	bool counted; /* one of this chip's counters is in the total */
};

static int add_hwmon_file(void *arg, const char *name)
{
	struct hwmon_walk *w = arg;
	char path[160], label[48];
	struct domain *d;
	u32 number;

	if (sscanf(name, "energy%u_input", &number) != 1 || !strstr(name, "_input"))
		return 0;
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s/%.40s", w->hwmon, name);
	d = add(w->s, path);
	if (!d)
		return -ENOMEM;
	snprintf(d->device, sizeof(d->device), "%s %s", w->hwmon, w->chip);
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s/energy%u_label", w->hwmon, number);
	if (root_read(w->s->env->root, path, label, sizeof(label)) <= 0)
		snprintf(label, sizeof(label), "%.30s %u", w->chip, number);
	snprintf(d->name, sizeof(d->name), "%s", label);
	/* a card's counter holds those of its parts; of the same chip only one is summed */
	d->counted = !w->counted;
	w->counted = true;
	return 0;
}

static int add_hwmon(void *arg, const char *name)
{
	struct source *s = arg;
	struct hwmon_walk w = {.s = s};
	char path[96];
	int ret;

	snprintf(w.hwmon, sizeof(w.hwmon), "%s", name);
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s/name", w.hwmon);
	if (root_read(s->env->root, path, w.chip, sizeof(w.chip)) < 0)
		snprintf(w.chip, sizeof(w.chip), "%s", w.hwmon);
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s", w.hwmon);
	ret = root_list(s->env->root, path, add_hwmon_file, &w);
	return ret == -ENOMEM ? ret : 0;
}

static void clear(struct source *s)
{
	for (u32 i = 0; i < s->n; i++)
		kfile_fini(&s->domain[i].energy);
	s->n = 0;
}

static int find_domains(struct source *s)
{
	int ret;

	s->generation = s->env->root->generation;
	ret = root_list(s->env->root, "/sys/class/powercap", add_rapl, s);
	if (ret == -ENOMEM)
		return ret;
	ret = root_list(s->env->root, "/sys/class/hwmon", add_hwmon, s);
	if (ret == -ENOMEM)
		return ret;
	return s->n ? 0 : -ENOENT;
}

static void energy_close(struct source *s)
{
	if (!s)
		return;
	clear(s);
	free(s->domain);
	free(s);
}

static int energy_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	ret = find_domains(s);
	if (ret) {
		energy_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static int fill(struct source *s, struct table *t, struct domain *d)
{
	const char *kind = d->rapl ? "rapl" : "hwmon";
	int row = table_row(t, d->key), ret;
	struct stamp at;
	u64 uj;

	if (row < 0)
		return row;
	clock_read_row(s->env->clock, &at);
	t->mono_ns[row] = at.mono_ns;
	t->boot_ns[row] = at.boot_ns;
	ret = kfile_read_u64(&d->energy, s->env->root, &uj);
	/* that a domain refuses is an error of that domain alone, the others go on */
	d->failing = ret ? reason_from_errno(ret) : REASON_NONE;
	if (ret)
		table_absent(t, (u32)row, E_POWER, d->failing);
	else
		table_set(t, (u32)row, E_POWER, uj);
	if (d->has_range)
		table_set(t, (u32)row, E_RANGE, d->range);
	table_set(t, (u32)row, E_COUNTED, d->counted);
	ret = table_set_text(t, (u32)row, E_NAME, d->name, strlen(d->name));
	if (!ret)
		ret = table_set_text(t, (u32)row, E_DEVICE, d->device, strlen(d->device));
	return ret ? ret : table_set_text(t, (u32)row, E_KIND, kind, strlen(kind));
}

static int energy_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret = 0;

	if (s->generation != s->env->root->generation) {
		clear(s);
		ret = find_domains(s);
		if (ret)
			return ret;
	}
	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	for (u32 i = 0; i < s->n && !ret; i++)
		ret = fill(s, t, &s->domain[i]);
	return ret ? ret : table_end(t);
}

static void energy_explain(struct source *s, struct findings *out)
{
	char why[192];
	u64 uj;

	for (u32 i = 0; i < s->n; i++) {
		struct domain *d = &s->domain[i];
		int ret = kfile_read_u64(&d->energy, s->env->root, &uj);

		if (!ret)
			continue;
		snprintf(why, sizeof(why), "%.120s: %s", d->path, strerror(-ret));
		findings_add(out, "energy", reason_from_errno(ret), d->name, why,
			ret == -EACCES || ret == -EPERM
				? "run as root, or: sudo chmod a+r /sys/class/powercap/*/energy_uj"
				: "");
		if (ret == -EACCES)
			return; /* one hint for all of them */
	}
}

const struct source_ops energy_source = {.schema = &energy_schema,
	.open = energy_open,
	.read = energy_read,
	.explain = energy_explain,
	.close = energy_close};
