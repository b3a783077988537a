/* Batteries, mains and USB supplies: /sys/class/power_supply (Documentation/ABI/testing/sysfs-class-power). Their
 * controllers are slow to answer, so they are read on a thread of their own. An attribute that fails is absent, the
 * others are kept. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "core/frame.h"
#include "source/sources_list.h"

enum {
	BATTERY_NAME,
	BATTERY_KIND,
	BATTERY_STATUS,
	BATTERY_ONLINE,
	BATTERY_CAPACITY,
	BATTERY_ENERGY,
	BATTERY_FULL,
	BATTERY_DESIGN,
	BATTERY_VOLTAGE,
	BATTERY_CURRENT,
	BATTERY_POWER,
	BATTERY_LEFT,
	BATTERY_HEALTH,
	BATTERY_CYCLES,
	BATTERY_TECHNOLOGY,
	BATTERY_MODEL,
	BATTERY_COLUMNS,
};

enum { SUPPLIES_MOST = 32, NUMBERS = 13, TEXTS = 4, UJ_A_UWH = 3600 };

#define PERIOD_NS (5 * NSEC_PER_SEC)
#define SEARCH_NS (10 * NSEC_PER_SEC)

static const char dir[] = "/sys/class/power_supply";

/* Numbers that a supply may have, in the class's units: micro-watts, volts, amperes, and hours of these. */
enum number {
	ONLINE,
	CAPACITY,
	ENERGY_NOW,
	ENERGY_FULL,
	ENERGY_DESIGN,
	CHARGE_NOW,
	CHARGE_FULL,
	CHARGE_DESIGN,
	VOLTAGE,
	VOLTAGE_DESIGN,
	CURRENT,
	POWER,
	CYCLES,
};

static const char *const number_files[NUMBERS] = {"online", "capacity", "energy_now", "energy_full",
	"energy_full_design", "charge_now", "charge_full", "charge_full_design", "voltage_now",
	"voltage_min_design", "current_now", "power_now", "cycle_count"};
static const struct {
	const char *file;
	u8 column;
} text_files[TEXTS] = {{"type", BATTERY_KIND}, {"status", BATTERY_STATUS},
	{"technology", BATTERY_TECHNOLOGY}, {"model_name", BATTERY_MODEL}};

static bool gauge(const struct frame_table *t, u32 row, u32 column, double *out)
{
	return frame_num(t, row, column, out);
}

static bool is_status(const struct frame_table *t, u32 row, const char *status)
{
	struct cell cell;

	frame_cell(t, row, BATTERY_STATUS, &cell);
	return cell.text_len == strlen(status) && !memcmp(cell.text, status, cell.text_len);
}

/* Seconds until it is empty, or full. */
static u8 time_left(const struct frame_table *t, u32 row, double *out)
{
	double watts, now, full;

	if (row == ROW_TOTAL || !gauge(t, row, BATTERY_POWER, &watts) ||
		!gauge(t, row, BATTERY_ENERGY, &now))
		return REASON_UNSUPPORTED;
	if (watts <= 0)
		return REASON_UNKNOWN;
	if (is_status(t, row, "Discharging")) {
		*out = now / watts;
		return 0;
	}
	if (!is_status(t, row, "Charging") || !gauge(t, row, BATTERY_FULL, &full))
		return REASON_UNSUPPORTED;
	*out = full > now ? (full - now) / watts : 0;
	return 0;
}

static u8 health(const struct frame_table *t, u32 row, double *out)
{
	double full, design;

	if (row == ROW_TOTAL || !gauge(t, row, BATTERY_FULL, &full) ||
		!gauge(t, row, BATTERY_DESIGN, &design) || design <= 0)
		return REASON_UNSUPPORTED;
	*out = full / design;
	return 0;
}

#define COLUMN(n, head, text, u, ...)                                          \
	{                                                                      \
		.name = n, .title = head, .help = text, .unit = u, __VA_ARGS__ \
	}
#define TEXT(n, head, text)     COLUMN(n, head, text, UNIT_TEXT, .kind = COLUMN_TEXT)
#define GAUGE(n, head, text, u) COLUMN(n, head, text, u, .kind = COLUMN_GAUGE)

static const struct column columns[BATTERY_COLUMNS] = {
	[BATTERY_NAME] = TEXT("name", "SUPPLY", "the kernel's name of it"),
	[BATTERY_KIND] = TEXT("kind", "KIND", "Battery, Mains, USB or UPS"),
	[BATTERY_STATUS] = TEXT("status", "STATUS", "Charging, Discharging, Full, Not charging"),
	[BATTERY_ONLINE] = GAUGE("online", "ONLINE", "mains: is it connected", UNIT_BOOL),
	[BATTERY_CAPACITY] = GAUGE("capacity", "CHARGE", "charge, as the battery says", UNIT_RATIO),
	[BATTERY_ENERGY] = GAUGE("energy", "ENERGY", "energy in it", UNIT_UJ),
	[BATTERY_FULL] = GAUGE("full", "FULL", "energy in it when it was full last", UNIT_UJ),
	[BATTERY_DESIGN] = GAUGE(
		"design", "DESIGN", "energy that it held when it was new", UNIT_UJ),
	[BATTERY_VOLTAGE] = GAUGE("voltage", "VOLT", "voltage", UNIT_UV),
	[BATTERY_CURRENT] = COLUMN("current", "AMP", "current, out of it when discharging", UNIT_UA,
		.flags = COLUMN_SIGNED),
	[BATTERY_POWER] = GAUGE("power", "POWER", "power into or out of it", UNIT_UW),
	[BATTERY_LEFT] = COLUMN("time_left", "LEFT", "until it is empty, or full", UNIT_NS,
		.kind = COLUMN_DERIVED, .derive = time_left),
	[BATTERY_HEALTH] = COLUMN("health", "HEALTH", "what it holds of what it held when new",
		UNIT_RATIO, .kind = COLUMN_DERIVED, .derive = health),
	[BATTERY_CYCLES] = GAUGE("cycles", "CYCLES", "times that it was charged", UNIT_COUNT),
	[BATTERY_TECHNOLOGY] = TEXT("technology", "TECH", "its chemistry"),
	[BATTERY_MODEL] = TEXT("model", "MODEL", "what its maker calls it"),
};

static const struct schema battery_schema = {.name = "battery",
	.title = "Batteries and supplies",
	.help = "batteries, mains and USB supplies",
	.version = 1,
	.ncolumns = BATTERY_COLUMNS,
	.columns = columns,
	.label_column = BATTERY_NAME,
	.birth_column = -1,
	.counted_column = -1};

struct supply {
	u64 key;
	char name[48];
	bool has_number[NUMBERS], has_text[TEXTS];
	struct kfile numbers[NUMBERS], texts[TEXTS];
};

struct source {
	const struct source_env *env;
	struct supply supplies[SUPPLIES_MOST];
	u32 n, generation;
	u64 names, searched_ns;
	struct kbuf buf;
	int failed;
};

static void clear(struct source *s)
{
	for (u32 i = 0; i < s->n; i++) {
		for (u32 k = 0; k < NUMBERS; k++)
			if (s->supplies[i].has_number[k])
				kfile_fini(&s->supplies[i].numbers[k]);
		for (u32 k = 0; k < TEXTS; k++)
			if (s->supplies[i].has_text[k])
				kfile_fini(&s->supplies[i].texts[k]);
	}
	s->n = 0;
}

static bool keep(struct source *s, const char *name, const char *file, struct kfile *out)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%.60s/%s", dir, name, file);
	if (!root_exists(s->env->root, path))
		return false;
	if (!kfile_init(out, path))
		return true;
	s->failed = -ENOMEM;
	return false;
}

static int take(void *arg, const char *name)
{
	struct source *s = arg;
	struct supply *p = &s->supplies[s->n];

	if (s->n == SUPPLIES_MOST || strlen(name) >= sizeof(p->name))
		return 0;
	*p = (struct supply){.key = key_from_name(name, strlen(name))};
	snprintf(p->name, sizeof(p->name), "%.47s", name);
	s->n++;
	for (u32 k = 0; k < NUMBERS; k++)
		p->has_number[k] = keep(s, name, number_files[k], &p->numbers[k]);
	for (u32 k = 0; k < TEXTS; k++)
		p->has_text[k] = keep(s, name, text_files[k].file, &p->texts[k]);
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

	root_list(s->env->root, dir, hash_name, &hash);
	return hash;
}

static int search(struct source *s)
{
	clear(s);
	s->failed = 0;
	s->names = hash_names(s);
	s->generation = s->env->root->generation;
	root_list(s->env->root, dir, take, s);
	return s->failed;
}

static void battery_close(struct source *s)
{
	if (!s)
		return;
	clear(s);
	kbuf_fini(&s->buf);
	free(s);
}

static int battery_open(struct source **out, const struct source_env *env)
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
		battery_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

/* What one reading of a supply gave. */
struct values {
	s64 value[NUMBERS];
	bool have[NUMBERS];
};

static u64 magnitude(s64 v)
{
	return v < 0 ? 0 - (u64)v : (u64)v;
}

/* Micro-ampere-hours at so many microvolts, in microjoules. */
static u64 charge_uj(s64 uah, s64 uv)
{
	return (u64)((double)magnitude(uah) * UJ_A_UWH * (double)magnitude(uv) / 1e6);
}

/* Some tell energy, some charge: that at the voltage of their design, or of now. */
static void set_energy(struct table *t, u32 row, const struct values *v)
{
	static const struct {
		u8 energy, charge, column;
	} kinds[] = {{ENERGY_NOW, CHARGE_NOW, BATTERY_ENERGY},
		{ENERGY_FULL, CHARGE_FULL, BATTERY_FULL},
		{ENERGY_DESIGN, CHARGE_DESIGN, BATTERY_DESIGN}};
	u32 volts = v->have[VOLTAGE_DESIGN] && v->value[VOLTAGE_DESIGN] > 0 ? VOLTAGE_DESIGN
									    : VOLTAGE;

	for (u32 i = 0; i < ARRAY_LEN(kinds); i++) {
		if (v->have[kinds[i].energy])
			table_set(t, row, kinds[i].column,
				magnitude(v->value[kinds[i].energy]) * UJ_A_UWH);
		else if (v->have[kinds[i].charge] && v->have[volts])
			table_set(t, row, kinds[i].column,
				charge_uj(v->value[kinds[i].charge], v->value[volts]));
	}
}

static void set_numbers(struct table *t, u32 row, const struct values *v)
{
	if (v->have[ONLINE])
		table_set(t, row, BATTERY_ONLINE, v->value[ONLINE] != 0);
	if (v->have[CAPACITY] && v->value[CAPACITY] >= 0)
		table_set(t, row, BATTERY_CAPACITY, (u64)v->value[CAPACITY] * 10000);
	if (v->have[VOLTAGE])
		table_set(t, row, BATTERY_VOLTAGE, magnitude(v->value[VOLTAGE]));
	if (v->have[CURRENT])
		table_set(t, row, BATTERY_CURRENT, (u64)v->value[CURRENT]);
	if (v->have[CYCLES] && v->value[CYCLES] > 0)
		table_set(t, row, BATTERY_CYCLES, (u64)v->value[CYCLES]);
	/* some sign their current, some their power */
	if (v->have[POWER])
		table_set(t, row, BATTERY_POWER, magnitude(v->value[POWER]));
	else if (v->have[CURRENT] && v->have[VOLTAGE])
		table_set(t, row, BATTERY_POWER,
			(u64)((double)magnitude(v->value[CURRENT]) *
				(double)magnitude(v->value[VOLTAGE]) / 1e6));
	set_energy(t, row, v);
}

static int emit(struct source *s, struct table *t, struct supply *p)
{
	int row = table_row(t, p->key), ret;
	struct values v = {.have = {false}};

	if (row < 0)
		return row;
	ret = table_set_text(t, (u32)row, BATTERY_NAME, p->name, strlen(p->name));
	for (u32 k = 0; k < TEXTS && !ret; k++) {
		const char *end;

		if (!p->has_text[k] || kfile_read(&p->texts[k], s->env->root, &s->buf))
			continue;
		end = scan_line_end(s->buf.data, kbuf_end(&s->buf));
		ret = table_set_text(t, (u32)row, text_files[k].column, s->buf.data,
			(size_t)(end - s->buf.data));
	}
	for (u32 k = 0; k < NUMBERS; k++)
		v.have[k] = p->has_number[k] &&
			    !kfile_read_s64(&p->numbers[k], s->env->root, &v.value[k]);
	set_numbers(t, (u32)row, &v);
	return ret;
}

static int battery_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret = 0;

	clock_read(s->env->clock, &at);
	if (s->generation != s->env->root->generation ||
		(s->searched_ns && at.mono_ns - s->searched_ns >= SEARCH_NS &&
			hash_names(s) != s->names))
		ret = search(s);
	if (!s->searched_ns || at.mono_ns - s->searched_ns >= SEARCH_NS)
		s->searched_ns = at.mono_ns;
	if (ret)
		return ret;
	table_begin(t, &at, need);
	for (u32 i = 0; i < s->n && !ret; i++)
		ret = emit(s, t, &s->supplies[i]);
	return ret ? ret : table_end(t);
}

const struct source_ops battery_source = {.schema = &battery_schema,
	.open = battery_open,
	.read = battery_read,
	.close = battery_close,
	.period_ns = PERIOD_NS,
	.slow = true};
