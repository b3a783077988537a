/* Sensors of hwmon chips (Documentation/hwmon/sysfs-interface.rst), and thermal zones where there is no chip with a
 * temperature. Some chips answer over slow buses, which takes milliseconds, so they are read on a thread of their own.
 * Nothing of a device that sleeps is read, and never a disk's own sensor: asking for it keeps the disk from sleeping. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "source/sensor.h"
#include "source/sources_list.h"

enum { SENSORS_MOST = 512 };

/* An input that fails is tried again only this often; so often chips are looked for. */
#define RETRY_NS  (10 * NSEC_PER_SEC)
#define SEARCH_NS (10 * NSEC_PER_SEC)
#define PERIOD_NS (2 * NSEC_PER_SEC)

static const char hwmon_dir[] = "/sys/class/hwmon", zone_dir[] = "/sys/class/thermal";

/* Inputs by the names of their files: the column, and from the file's unit to the column's. */
static const struct {
	const char *pattern, *kind;
	u8 column;
	s64 multiply;
} inputs[] = {
	{"temp[0-9]*_input", "temperature", SENSOR_TEMPERATURE, 1},
	{"fan[0-9]*_input", "fan", SENSOR_FAN, 1},
	{"in[0-9]*_input", "voltage", SENSOR_VOLTAGE, 1000},
	{"curr[0-9]*_input", "current", SENSOR_CURRENT, 1000},
	{"power[0-9]*_input", "power", SENSOR_POWER, 1},
	{"power[0-9]*_average", "power", SENSOR_POWER, 1},
};

struct sensor {
	u64 key;
	char label[80], chip[32], device[48], path[160];
	const char *kind;
	u8 column;
	s64 multiply;
	u32 rank; /* as the CPU's temperature: 1 is best, 0: it is not */
	bool has_high, has_critical, has_status;
	s64 high, critical;        /* thousandths of a degree */
	struct kfile file, status; /* status: whether the device sleeps */
	int error;
	u64 retry_ns;
};

struct source {
	const struct source_env *env;
	struct sensor *sensors;
	u32 n, cap, generation;
	u64 names, searched_ns;
	struct kbuf buf;
	/* while chips are looked for */
	int failed;
	char dir[64], chip[32];
	bool sleeps; /* the chip's device has runtime power management */
};

static void clear(struct source *s)
{
	for (u32 i = 0; i < s->n; i++) {
		kfile_fini(&s->sensors[i].file);
		if (s->sensors[i].has_status)
			kfile_fini(&s->sensors[i].status);
	}
	s->n = 0;
}

static struct sensor *add(struct source *s, const char *path)
{
	struct sensor *d;

	if (s->n >= SENSORS_MOST)
		return NULL;
	if (s->n == s->cap) {
		u32 cap = s->cap ? s->cap * 2 : 16;
		struct sensor *grown = realloc(s->sensors, cap * sizeof(*grown));

		if (!grown)
			goto nomem;
		s->sensors = grown;
		s->cap = cap;
	}
	d = &s->sensors[s->n];
	*d = (struct sensor){.key = key_from_name(path, strlen(path)) | 1ull << 63};
	if (kfile_init(&d->file, path))
		goto nomem;
	s->n++;
	snprintf(d->path, sizeof(d->path), "%s", path);
	return d;
nomem:
	s->failed = -ENOMEM;
	return NULL;
}

/* A limit that nobody set is far from any temperature (absolute zero, all ones). */
static bool read_limit(struct source *s, const char *prefix, const char *suffix, s64 *out)
{
	char path[192];

	snprintf(path, sizeof(path), "%s_%s", prefix, suffix);
	return !root_read_s64(s->env->root, path, out) && *out > -100000 && *out < 250000;
}

/* Of chips that measure the CPU the best one first. */
static u32 rank_of(const char *chip, const char *label)
{
	static const struct {
		const char *chip, *label;
	} cpus[] = {{"coretemp", "Package id *"}, {"k10temp", "Tdie"}, {"zenpower", "Tdie"},
		{"k10temp", "Tctl"}, {"zenpower", "Tctl"}, {"cpu_thermal", "*"},
		{"cpu-thermal", "*"}, {"soc_thermal", "*"}, {"soc-thermal", "*"},
		{"x86_pkg_temp", "*"}, {"k8temp", "*"}, {"coretemp", "*"}};

	for (u32 i = 0; i < ARRAY_LEN(cpus); i++)
		if (!strcmp(chip, cpus[i].chip) && !fnmatch(cpus[i].label, label, 0))
			return i + 1;
	return 0;
}

static void keep_status(struct source *s, struct sensor *d)
{
	char path[160];

	snprintf(path, sizeof(path), "%.60s/device/power/runtime_status", s->dir);
	d->has_status = s->sleeps && !kfile_init(&d->status, path);
}

/* The first number in a name: 12 of "hwmon12". */
static u64 number_in(const char *name)
{
	const char *end = name + strlen(name);
	bool ok = true;
	u64 number = 0;

	scan_u64(name + strcspn(name, "0123456789"), end, &number, &ok);
	return ok ? number & 0xffffff : 0;
}

static int take_input(void *arg, const char *name)
{
	struct source *s = arg;
	char path[160], prefix[160], label[40];
	struct sensor *d;
	u32 i = 0;

	while (i < ARRAY_LEN(inputs) && fnmatch(inputs[i].pattern, name, 0) != 0)
		i++;
	if (i == ARRAY_LEN(inputs) || strlen(name) > 40)
		return 0;
	snprintf(path, sizeof(path), "%.60s/%.40s", s->dir, name);
	snprintf(prefix, sizeof(prefix), "%.60s/%.*s", s->dir, (int)strcspn(name, "_"), name);
	d = add(s, path);
	if (!d)
		return s->failed;
	snprintf(path, sizeof(path), "%.120s_label", prefix);
	if (root_read(s->env->root, path, label, sizeof(label)) <= 0)
		snprintf(label, sizeof(label), "%.*s", (int)strcspn(name, "_"), name);
	snprintf(d->label, sizeof(d->label), "%s %s", s->chip, label);
	snprintf(d->chip, sizeof(d->chip), "%s", s->chip);
	snprintf(d->device, sizeof(d->device), "%.47s", d->path + sizeof(hwmon_dir));
	d->kind = inputs[i].kind;
	d->column = inputs[i].column;
	d->multiply = inputs[i].multiply;
	/* in the order of chips and of their inputs */
	d->key = number_in(s->dir) << 32 | (u64)i << 24 | number_in(name);
	keep_status(s, d);
	if (d->column != SENSOR_TEMPERATURE)
		return s->failed;
	d->rank = rank_of(s->chip, label);
	d->has_high = read_limit(s, prefix, "max", &d->high);
	d->has_critical = read_limit(s, prefix, "crit", &d->critical);
	return s->failed;
}

static int take_chip(void *arg, const char *name)
{
	struct source *s = arg;
	char path[160];

	if (snprintf(s->dir, sizeof(s->dir), "%s/%s", hwmon_dir, name) >= (int)sizeof(s->dir))
		return 0;
	snprintf(path, sizeof(path), "%s/name", s->dir);
	if (root_read(s->env->root, path, s->chip, sizeof(s->chip)) <= 0)
		snprintf(s->chip, sizeof(s->chip), "%.31s", name);
	if (!strcmp(s->chip, "drivetemp"))
		return 0;
	snprintf(path, sizeof(path), "%s/device/power/runtime_status", s->dir);
	s->sleeps = root_exists(s->env->root, path);
	root_list(s->env->root, s->dir, take_input, s);
	return s->failed;
}

static int take_zone(void *arg, const char *name)
{
	struct source *s = arg;
	char path[160], type[32];
	struct sensor *d;

	if (strncmp(name, "thermal_zone", 12) != 0 || strlen(name) > 40)
		return 0;
	snprintf(path, sizeof(path), "%s/%s/type", zone_dir, name);
	if (root_read(s->env->root, path, type, sizeof(type)) <= 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%s/temp", zone_dir, name);
	d = add(s, path);
	if (!d)
		return s->failed;
	snprintf(d->label, sizeof(d->label), "%s", type);
	snprintf(d->chip, sizeof(d->chip), "%s", type);
	snprintf(d->device, sizeof(d->device), "%.47s", name);
	d->kind = "temperature";
	d->column = SENSOR_TEMPERATURE;
	d->multiply = 1;
	d->rank = rank_of(type, type);
	return s->failed;
}

static int hash_name(void *arg, const char *name)
{
	u64 *hash = arg;

	*hash = *hash * 31 + key_from_name(name, strlen(name));
	return 0;
}

static u64 hash_names(const struct source *s)
{
	u64 hash = 0;

	root_list(s->env->root, hwmon_dir, hash_name, &hash);
	return hash;
}

static int search(struct source *s)
{
	bool any = false;

	clear(s);
	s->failed = 0;
	s->names = hash_names(s);
	s->generation = s->env->root->generation;
	root_list(s->env->root, hwmon_dir, take_chip, s);
	for (u32 i = 0; i < s->n; i++)
		any |= s->sensors[i].column == SENSOR_TEMPERATURE;
	if (!any && !s->failed)
		root_list(s->env->root, zone_dir, take_zone, s);
	return s->failed;
}

static void sensor_close(struct source *s)
{
	if (!s)
		return;
	clear(s);
	free(s->sensors);
	kbuf_fini(&s->buf);
	free(s);
}

static int sensor_open(struct source **out, const struct source_env *env)
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
		sensor_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static bool is_asleep(struct source *s, struct sensor *d)
{
	if (!d->has_status || kfile_read(&d->status, s->env->root, &s->buf))
		return false;
	return !scan_starts(s->buf.data, kbuf_end(&s->buf), "active") &&
	       !scan_starts(s->buf.data, kbuf_end(&s->buf), "unsupported");
}

/* What chips give for an input to which nothing is connected, and what no part of a machine has. */
static bool is_sentinel(s64 millic)
{
	static const s64 values[] = {127000, 127500, -128000, 255000, 255500, 511000, 511500};

	for (u32 i = 0; i < ARRAY_LEN(values); i++)
		if (millic == values[i])
			return true;
	return millic < -60000 || millic > 200000;
}

/* 0, or why there is no value. */
static enum reason read_value(struct source *s, struct sensor *d, u64 now, s64 *out)
{
	if (is_asleep(s, d))
		return REASON_ASLEEP;
	if (d->error && now < d->retry_ns)
		return reason_from_errno(d->error);
	d->error = kfile_read_s64(&d->file, s->env->root, out);
	d->retry_ns = now + RETRY_NS;
	if (d->error)
		return reason_from_errno(d->error);
	*out *= d->multiply;
	return REASON_NONE;
}

static const char *set_value(
	struct source *s, struct table *t, u32 row, struct sensor *d, u64 now, s64 *value)
{
	enum reason reason = read_value(s, d, now, value);

	if (reason) {
		table_absent(t, row, d->column, reason);
		return reason == REASON_ASLEEP ? "asleep" : "failed";
	}
	if (d->column == SENSOR_TEMPERATURE && is_sentinel(*value)) {
		table_absent(t, row, d->column, REASON_INVALID);
		return "no sensor";
	}
	table_set(t, row, d->column, (u64)*value);
	if (d->column != SENSOR_TEMPERATURE)
		return "ok";
	if (d->has_critical && *value >= d->critical)
		return "critical";
	return d->has_high && *value >= d->high ? "high" : "ok";
}

static int emit(
	struct source *s, struct table *t, struct sensor *d, u64 now, s64 *value, bool *good)
{
	int row = table_row(t, d->key), ret;
	const char *state;

	if (row < 0)
		return row;
	state = set_value(s, t, (u32)row, d, now, value);
	*good = strcmp(state, "failed") != 0 && strcmp(state, "no sensor") != 0 &&
		strcmp(state, "asleep") != 0;
	if (d->has_high)
		table_set(t, (u32)row, SENSOR_HIGH, (u64)d->high);
	if (d->has_critical)
		table_set(t, (u32)row, SENSOR_CRITICAL, (u64)d->critical);
	table_set(t, (u32)row, SENSOR_CPU, 0);
	ret = table_set_text(t, (u32)row, SENSOR_LABEL, d->label, strlen(d->label));
	if (!ret)
		ret = table_set_text(t, (u32)row, SENSOR_CHIP, d->chip, strlen(d->chip));
	if (!ret)
		ret = table_set_text(t, (u32)row, SENSOR_DEVICE, d->device, strlen(d->device));
	if (!ret)
		ret = table_set_text(t, (u32)row, SENSOR_KIND, d->kind, strlen(d->kind));
	return ret ? ret : table_set_text(t, (u32)row, SENSOR_STATE, state, strlen(state));
}

static int read_all(struct source *s, struct table *t, u64 now)
{
	u32 best = 0, rank = UINT32_MAX;
	s64 value = 0, hottest = INT64_MIN;
	bool good;
	int ret = 0;

	for (u32 i = 0; i < s->n && !ret; i++) {
		const struct sensor *d = &s->sensors[i];

		ret = emit(s, t, &s->sensors[i], now, &value, &good);
		if (ret || !good || !d->rank || d->rank > rank ||
			(d->rank == rank && value <= hottest))
			continue;
		rank = d->rank;
		hottest = value;
		best = i;
	}
	/* rows are in the order in which they were added until the end of the reading */
	if (!ret && rank != UINT32_MAX)
		table_set(t, best, SENSOR_CPU, 1);
	return ret;
}

static int sensor_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret = 0;

	clock_read(s->env->clock, &at);
	if (s->generation != s->env->root->generation ||
		(at.mono_ns - s->searched_ns >= SEARCH_NS && s->searched_ns &&
			hash_names(s) != s->names))
		ret = search(s);
	if (!s->searched_ns || at.mono_ns - s->searched_ns >= SEARCH_NS)
		s->searched_ns = at.mono_ns;
	if (ret)
		return ret;
	table_begin(t, &at, need);
	ret = read_all(s, t, at.mono_ns);
	return ret ? ret : table_end(t);
}

const struct source_ops sensor_source = {.schema = &sensor_table_schema,
	.open = sensor_open,
	.read = sensor_read,
	.close = sensor_close,
	.period_ns = PERIOD_NS,
	.slow = true};
