/* Energy counters: RAPL domains (Documentation/power/powercap/powercap.rst) of any vendor, and hwmon
 * energyN_input (Documentation/hwmon/sysfs-interface.rst) of graphics cards and CPUs. Each domain wraps at a
 * range of its own. A domain that cannot be read is an absent row; the others are kept. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "core/frame.h"
#include "source/sources_list.h"

enum {
	ENERGY_NAME,
	ENERGY_DEVICE,
	ENERGY_KIND,
	ENERGY_COUNTED,
	ENERGY_RANGE,
	ENERGY_POWER,
	ENERGY_JOULES,
	ENERGY_COLUMNS,
};

enum { NAME_SIZE = 64, PATH_SIZE = 192, MAX_DOMAINS = 256 };

/* A file that fails is tried again only this often. */
#define RETRY_NS (10 * NSEC_PER_SEC)

static u8 joules(const struct frame_table *t, u32 row, double *out)
{
	struct cell cell;

	frame_cell(t, row, ENERGY_POWER, &cell);
	if (cell.state == CELL_ABSENT)
		return (u8)cell.reason;
	*out = (double)cell.diff / 1e6;
	return 0;
}

static const struct column columns[ENERGY_COLUMNS] = {
	[ENERGY_NAME] = {.name = "name",
		.title = "DOMAIN",
		.help = "what is measured",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[ENERGY_DEVICE] = {.name = "device",
		.title = "DEVICE",
		.help = "the kernel's name of the meter",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[ENERGY_KIND] = {.name = "kind",
		.title = "KIND",
		.help = "rapl or hwmon",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[ENERGY_COUNTED] = {.name = "counted",
		.title = "COUNTED",
		.help = "in the total",
		.unit = UNIT_BOOL,
		.flags = COLUMN_HIDDEN},
	[ENERGY_RANGE] = {.name = "range",
		.title = "RANGE",
		.help = "where the counter starts again",
		.unit = UNIT_UJ,
		.flags = COLUMN_HIDDEN},
	[ENERGY_POWER] = {.name = "power",
		.title = "POWER",
		.help = "mean power of the window",
		.unit = UNIT_UJ,
		.kind = COLUMN_COUNTER,
		.wrap = WRAP_COLUMN,
		.wrap_column = ENERGY_RANGE,
		.total = TOTAL_SUM},
	[ENERGY_JOULES] = {.name = "energy",
		.title = "ENERGY",
		.help = "energy used in the window",
		.unit = UNIT_UJ,
		.kind = COLUMN_DERIVED,
		.total = TOTAL_SUM,
		.derive = joules},
};

static const struct schema energy_schema = {.name = "energy",
	.title = "Energy",
	.help = "energy meters; the total is of CPU packages, their memory, and cards",
	.version = 1,
	.ncolumns = ENERGY_COLUMNS,
	.columns = columns,
	.label_column = ENERGY_NAME,
	.birth_column = -1,
	.counted_column = ENERGY_COUNTED};

struct domain {
	u64 key;
	char name[NAME_SIZE];
	char device[NAME_SIZE];
	char path[PATH_SIZE]; /* of the counter */
	bool rapl, counted;
	u64 range; /* 0: not known */
	struct kfile file;
	struct kfile power_state; /* hwmon: reading must not wake the device; path NULL: none */
	int error;
	u64 retry_ns;
};

struct source {
	const struct source_env *env;
	struct domain *domains;
	u32 n, cap;
	u32 generation;
	int failed; /* of the search */
	char dir[NAME_SIZE];
	struct kbuf buf;
};

static void clear(struct source *s)
{
	for (u32 i = 0; i < s->n; i++) {
		kfile_fini(&s->domains[i].file);
		if (s->domains[i].power_state.path)
			kfile_fini(&s->domains[i].power_state);
	}
	s->n = 0;
}

static struct domain *add(struct source *s, const char *device, const char *path)
{
	struct domain *d;

	if (s->n >= MAX_DOMAINS)
		return NULL;
	if (s->n == s->cap) {
		u32 cap = s->cap ? s->cap * 2 : 8;
		struct domain *grown = realloc(s->domains, cap * sizeof(*grown));

		if (!grown)
			goto nomem;
		s->domains = grown;
		s->cap = cap;
	}
	d = &s->domains[s->n];
	memset(d, 0, sizeof(*d));
	if (kfile_init(&d->file, path))
		goto nomem;
	s->n++;
	snprintf(d->device, sizeof(d->device), "%s", device);
	snprintf(d->path, sizeof(d->path), "%s", path);
	d->key = key_from_name(path, strlen(path));
	return d;

nomem:
	s->failed = -ENOMEM;
	return NULL;
}

/* The same package is also met as intel-rapl-mmio: only the first counts. */
static bool package_seen(const struct source *s, const char *name)
{
	for (u32 i = 0; i < s->n; i++)
		if (s->domains[i].counted && strcmp(s->domains[i].name, name) == 0)
			return true;
	return false;
}

static int take_zone(void *arg, const char *zone)
{
	struct source *s = arg;
	char path[PATH_SIZE], name[NAME_SIZE];
	struct domain *d;
	bool counted;

	if (fnmatch("*rapl*:*", zone, 0) != 0 || strlen(zone) >= NAME_SIZE)
		return 0;
	snprintf(path, sizeof(path), "/sys/class/powercap/%s/name", zone);
	if (root_read(s->env->root, path, name, sizeof(name)) <= 0)
		snprintf(name, sizeof(name), "%s", zone);
	/* a package holds its cores and graphics; dram is beside it, one of that name below each package */
	counted = strcmp(name, "dram") == 0
			  ? strncmp(zone, "intel-rapl-mmio", 15) != 0
			  : strncmp(name, "package", 7) == 0 && !package_seen(s, name);
	snprintf(path, sizeof(path), "/sys/class/powercap/%s/energy_uj", zone);
	d = add(s, zone, path);
	if (!d)
		return s->failed;
	memcpy(d->name, name, sizeof(d->name));
	d->rapl = true;
	d->counted = counted;
	snprintf(path, sizeof(path), "/sys/class/powercap/%s/max_energy_range_uj", zone);
	if (root_read_u64(s->env->root, path, &d->range))
		d->range = 0;
	return 0;
}

static int take_input(void *arg, const char *file)
{
	struct source *s = arg;
	char path[PATH_SIZE], chip[NAME_SIZE];
	struct domain *d;
	int number = 0;

	if (fnmatch("energy[0-9]*_input", file, 0) != 0 || strlen(file) >= NAME_SIZE)
		return 0;
	number = (int)strcspn(file, "_");
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s/name", s->dir);
	if (root_read(s->env->root, path, chip, sizeof(chip)) <= 0)
		snprintf(chip, sizeof(chip), "%s", s->dir);
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s/%s", s->dir, file);
	d = add(s, chip, path);
	if (!d)
		return s->failed;
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s/%.*s_label", s->dir, number, file);
	if (root_read(s->env->root, path, d->name, sizeof(d->name)) <= 0)
		snprintf(d->name, sizeof(d->name), "%s", chip);
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s/device/power/runtime_status", s->dir);
	if (root_exists(s->env->root, path) && kfile_init(&d->power_state, path))
		s->failed = -ENOMEM;
	return s->failed;
}

/* Of one chip's meters the one that holds the others counts: the card, else a socket, else the only one. */
static void count_chip(struct source *s, u32 first)
{
	bool any_package = false;
	u32 card = s->n;

	for (u32 i = 0; i < first; i++)
		any_package |= s->domains[i].rapl && s->domains[i].counted;
	for (u32 i = first; i < s->n; i++)
		if (strcmp(s->domains[i].name, "card") == 0)
			card = i;
	for (u32 i = first; i < s->n; i++) {
		struct domain *d = &s->domains[i];

		if (card < s->n)
			d->counted = i == card;
		else if (strncmp(d->name, "Esocket", 7) == 0)
			d->counted = !any_package;
		else
			d->counted = strcmp(d->name, "pkg") == 0 ||
				     (s->n - first == 1 && !strstr(d->device, "_gt"));
	}
}

static int take_chip(void *arg, const char *name)
{
	struct source *s = arg;
	char path[PATH_SIZE];
	u32 first = s->n;

	if (strlen(name) >= NAME_SIZE)
		return 0;
	snprintf(s->dir, sizeof(s->dir), "%s", name);
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s", name);
	root_list(s->env->root, path, take_input, s);
	count_chip(s, first);
	return s->failed;
}

static int search(struct source *s)
{
	clear(s);
	s->failed = 0;
	root_list(s->env->root, "/sys/class/powercap", take_zone, s);
	if (!s->failed)
		root_list(s->env->root, "/sys/class/hwmon", take_chip, s);
	s->generation = s->env->root->generation;
	return s->failed;
}

static void energy_close(struct source *s)
{
	if (!s)
		return;
	clear(s);
	free(s->domains);
	kbuf_fini(&s->buf);
	free(s);
}

static int energy_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	kbuf_init(&s->buf);
	ret = search(s);
	if (!ret && !s->n)
		ret = -ENOENT;
	if (ret) {
		energy_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static bool is_asleep(struct source *s, struct domain *d)
{
	return d->power_state.path && !kfile_read(&d->power_state, s->env->root, &s->buf) &&
	       scan_starts(s->buf.data, kbuf_end(&s->buf), "suspended");
}

static void set_power(struct source *s, struct table *t, u32 row, struct domain *d, u64 now)
{
	u64 uj;

	if (is_asleep(s, d)) {
		table_absent(t, row, ENERGY_POWER, REASON_OFFLINE);
		return;
	}
	if (!d->error || now >= d->retry_ns) {
		d->error = kfile_read_u64(&d->file, s->env->root, &uj);
		d->retry_ns = now + RETRY_NS;
		if (!d->error) {
			table_set(t, row, ENERGY_POWER, uj);
			return;
		}
	}
	table_absent(t, row, ENERGY_POWER,
		d->error == -EACCES || d->error == -EPERM ? REASON_PERMISSION : REASON_ERROR);
}

static int emit(struct source *s, struct table *t, struct domain *d, u64 now)
{
	const char *kind = d->rapl ? "rapl" : "hwmon";
	int row = table_row(t, d->key), ret;

	if (row < 0)
		return row;
	ret = table_set_text(t, (u32)row, ENERGY_NAME, d->name, strlen(d->name));
	if (!ret)
		ret = table_set_text(t, (u32)row, ENERGY_DEVICE, d->device, strlen(d->device));
	if (!ret)
		ret = table_set_text(t, (u32)row, ENERGY_KIND, kind, strlen(kind));
	if (ret)
		return ret;
	table_set(t, (u32)row, ENERGY_COUNTED, d->counted);
	if (d->range)
		table_set(t, (u32)row, ENERGY_RANGE, d->range);
	set_power(s, t, (u32)row, d, now);
	return 0;
}

static int energy_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret = 0;

	if (s->generation != s->env->root->generation)
		ret = search(s);
	if (ret)
		return ret;
	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	for (u32 i = 0; i < s->n && !ret; i++)
		ret = emit(s, t, &s->domains[i], at.mono_ns);
	return ret ? ret : table_end(t);
}

static void energy_explain(struct source *s, struct findings *out)
{
	bool told = false;

	for (u32 i = 0; i < s->n; i++) {
		struct domain *d = &s->domains[i];
		char what[128], why[256];
		u64 uj;
		int error = is_asleep(s, d) ? 0 : kfile_read_u64(&d->file, s->env->root, &uj);
		bool denied = error == -EACCES || error == -EPERM;

		/* one command mends them all: one hint */
		if (!error || (denied && told))
			continue;
		told |= denied;
		snprintf(what, sizeof(what), "energy of %s", d->name);
		snprintf(why, sizeof(why), "%s: %s", d->path, strerror(-error));
		findings_add(out, "energy", denied ? REASON_PERMISSION : REASON_ERROR, what, why,
			!denied   ? ""
			: d->rapl ? "sudo chmod a+r /sys/class/powercap/*rapl*:*/energy_uj"
				  : "sudo chmod a+r /sys/class/hwmon/hwmon*/energy*_input");
	}
}

const struct source_ops energy_source = {.schema = &energy_schema,
	.open = energy_open,
	.read = energy_read,
	.explain = energy_explain,
	.close = energy_close,
	.absent_fix = "sudo modprobe intel_rapl_msr (bare metal; virtual machines have no meter)"};
