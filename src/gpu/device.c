/* Files of sysfs and hwmon that say how a device is. Which of them a driver has is found out once, when the device is
 * awake; of several for one column the first in the list is taken. */
#include "gpu/device.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "gpu/gpu_metrics.h"

/* A file that fails is tried again only this often. */
#define RETRY_NS (10 * NSEC_PER_SEC)

#define MHZ     1000000
#define MS      1000000
#define PERCENT 10000

/* Where a path begins: the device, its entry in class drm, or the first of its devfreq. */
enum place { PLACE_DEVICE, PLACE_CLASS, PLACE_DEVFREQ };

static const struct {
	u8 place, column;
	const char *file;
	u64 multiply;
} files[] = {
	/* amdgpu: Documentation/gpu/amdgpu/thermal.rst, driver-misc.rst */
	{PLACE_DEVICE, GPU_BUSY_NOW, "gpu_busy_percent", PERCENT},
	{PLACE_DEVICE, GPU_MEMORY_BUSY, "mem_busy_percent", PERCENT},
	{PLACE_DEVICE, GPU_MEMORY_USED, "mem_info_vram_used", 1},
	{PLACE_DEVICE, GPU_MEMORY_TOTAL, "mem_info_vram_total", 1},
	{PLACE_DEVICE, GPU_SYSTEM_USED, "mem_info_gtt_used", 1},
	{PLACE_DEVICE, GPU_SYSTEM_TOTAL, "mem_info_gtt_total", 1},
	/* ivpu: Documentation/ABI/testing/sysfs-driver-intel_vpu and its newer files */
	{PLACE_DEVICE, GPU_BUSY_TIME, "npu_busy_time_us", 1000},
	{PLACE_DEVICE, GPU_MEMORY_USED, "npu_memory_utilization", 1},
	{PLACE_DEVICE, GPU_CLOCK, "npu_current_frequency_mhz", MHZ},
	{PLACE_DEVICE, GPU_CLOCK, "freq/current_freq", MHZ},
	{PLACE_DEVICE, GPU_CLOCK_MOST, "npu_max_frequency_mhz", MHZ},
	{PLACE_DEVICE, GPU_CLOCK_MOST, "freq/hw_max_freq", MHZ},
	/* i915, by tile and before there were tiles */
	{PLACE_CLASS, GPU_CLOCK, "gt/gt0/rps_act_freq_mhz", MHZ},
	{PLACE_CLASS, GPU_CLOCK, "gt_act_freq_mhz", MHZ},
	{PLACE_CLASS, GPU_CLOCK_MOST, "gt/gt0/rps_RP0_freq_mhz", MHZ},
	{PLACE_CLASS, GPU_CLOCK_MOST, "gt_RP0_freq_mhz", MHZ},
	{PLACE_CLASS, GPU_IDLE_TIME, "gt/gt0/rc6_residency_ms", MS},
	{PLACE_CLASS, GPU_IDLE_TIME, "power/rc6_residency_ms", MS},
	/* xe */
	{PLACE_DEVICE, GPU_CLOCK, "tile0/gt0/freq0/act_freq", MHZ},
	{PLACE_DEVICE, GPU_CLOCK_MOST, "tile0/gt0/freq0/rp0_freq", MHZ},
	{PLACE_DEVICE, GPU_IDLE_TIME, "tile0/gt0/gtidle/idle_residency_ms", MS},
	/* msm, panfrost, panthor, lima: Documentation/ABI/testing/sysfs-class-devfreq */
	{PLACE_DEVFREQ, GPU_CLOCK, "cur_freq", 1},
	{PLACE_DEVFREQ, GPU_CLOCK_MOST, "max_freq", 1},
};

/* hwmon: Documentation/hwmon/sysfs-interface.rst. label: of the input, NULL: whatever it is called or not. */
static const struct {
	const char *file, *label;
	u8 column;
	u64 multiply, divide;
} meters[] = {
	{"temp*_input", "edge", GPU_TEMPERATURE, 1, 1},
	{"temp*_input", "pkg", GPU_TEMPERATURE, 1, 1},
	{"temp*_input", "junction", GPU_HOTSPOT, 1, 1},
	{"temp*_input", "mem", GPU_MEMORY_TEMPERATURE, 1, 1},
	{"temp*_input", "vram", GPU_MEMORY_TEMPERATURE, 1, 1},
	{"temp1_input", NULL, GPU_TEMPERATURE, 1, 1},
	{"power1_average", NULL, GPU_POWER_NOW, 1, 1},
	{"power1_input", NULL, GPU_POWER_NOW, 1, 1},
	{"power1_cap", NULL, GPU_POWER_CAP, 1, 1},
	{"power1_max", NULL, GPU_POWER_CAP, 1, 1},
	/* the card's meter holds the package's */
	{"energy*_input", "card", GPU_ENERGY, 1, 1},
	{"energy*_input", "pkg", GPU_ENERGY, 1, 1},
	{"energy1_input", NULL, GPU_ENERGY, 1, 1},
	{"freq*_input", "sclk", GPU_CLOCK, 1, 1},
	{"freq*_input", "mclk", GPU_MEMORY_CLOCK, 1, 1},
	{"fan1_input", NULL, GPU_FAN_SPEED, 1, 1},
	{"pwm1", NULL, GPU_FAN, 1000000, 255},
	{"in0_input", NULL, GPU_VOLTAGE, 1000, 1},
};

static const char *const links[4] = {
	"current_link_speed", "current_link_width", "max_link_speed", "max_link_width"};

/* Names of files that begin so tell what slows: i915 below the class's gt, xe below the tile. */
static const struct {
	const char *dir, *prefix;
	bool class;
} cause_dirs[] = {
	{"gt/gt0", "throttle_reason_", true},
	{"tile0/gt0/freq0/throttle", "reason_", false},
};

struct search {
	struct device *d;
	const struct root *root;
	const char *dir, *prefix;
	char found[DEVICE_PATH];
	int failed;
};

void device_fini(struct device *d)
{
	if (d->has_status)
		kfile_fini(&d->status);
	for (u32 i = 0; i < d->nvalues; i++)
		kfile_fini(&d->values[i].file);
	for (u32 i = 0; i < d->ncauses; i++)
		kfile_fini(&d->causes[i].file);
	if (d->has_metrics)
		kfile_fini(&d->metrics);
	for (u32 i = 0; i < ARRAY_LEN(d->link) && d->has_link; i++)
		kfile_fini(&d->link[i]);
	*d = (struct device){.integrated = -1};
}

static bool has_column(const struct device *d, u32 column)
{
	for (u32 i = 0; i < d->nvalues; i++)
		if (d->values[i].column == column)
			return true;
	return false;
}

static int add_value(struct device *d, const char *path, u8 column, u64 multiply, u64 divide)
{
	struct device_value *v = &d->values[d->nvalues];

	if (d->nvalues == DEVICE_VALUES)
		return 0;
	*v = (struct device_value){.column = column, .multiply = multiply, .divide = divide};
	if (kfile_init(&v->file, path))
		return -ENOMEM;
	d->nvalues++;
	return 0;
}

/* The first name in a directory. */
static int take_first(void *arg, const char *name)
{
	struct search *s = arg;

	snprintf(s->found, sizeof(s->found), "%.80s/%.100s", s->dir, name);
	return 1;
}

static int find_files(struct device *d, const struct root *root)
{
	char dir[DEVICE_PATH + 16], path[2 * DEVICE_PATH];
	struct search devfreq = {.dir = dir};
	int ret = 0;

	snprintf(dir, sizeof(dir), "%.90s/devfreq", d->path);
	if (root_list(root, dir, take_first, &devfreq) != 1)
		devfreq.found[0] = '\0';
	for (u32 i = 0; i < ARRAY_LEN(files) && !ret; i++) {
		const char *base = files[i].place == PLACE_DEVICE  ? d->path
				   : files[i].place == PLACE_CLASS ? d->class_path
								   : devfreq.found;

		if (!base[0] || has_column(d, files[i].column))
			continue;
		snprintf(path, sizeof(path), "%s/%s", base, files[i].file);
		if (root_exists(root, path))
			ret = add_value(d, path, files[i].column, files[i].multiply, 1);
	}
	return ret;
}

/* Is `name` the meter's file, and its label the one that is wanted? */
static bool is_meter(const struct search *s, u32 meter, const char *name)
{
	char path[2 * DEVICE_PATH], label[32];
	int number = (int)strcspn(name, "_");

	if (fnmatch(meters[meter].file, name, 0) != 0)
		return false;
	if (!meters[meter].label)
		return true;
	snprintf(path, sizeof(path), "%s/%.*s_label", s->dir, number, name);
	return root_read(s->root, path, label, sizeof(label)) > 0 &&
	       !strcmp(label, meters[meter].label);
}

struct meter_search {
	struct search base;
	u32 meter;
};

static int take_meter(void *arg, const char *name)
{
	struct meter_search *m = arg;
	char path[2 * DEVICE_PATH];

	if (has_column(m->base.d, meters[m->meter].column) || !is_meter(&m->base, m->meter, name))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", m->base.dir, name);
	m->base.failed = add_value(m->base.d, path, meters[m->meter].column,
		meters[m->meter].multiply, meters[m->meter].divide);
	return 1;
}

static int find_meters(struct device *d, const struct root *root)
{
	char dir[DEVICE_PATH + 16];
	struct search hwmon = {.dir = dir};

	snprintf(dir, sizeof(dir), "%.90s/hwmon", d->path);
	if (root_list(root, dir, take_first, &hwmon) != 1)
		return 0;
	for (u32 i = 0; i < ARRAY_LEN(meters); i++) {
		struct meter_search m = {
			.base = {.d = d, .root = root, .dir = hwmon.found}, .meter = i};

		root_list(root, hwmon.found, take_meter, &m);
		if (m.base.failed)
			return m.base.failed;
	}
	return 0;
}

static int take_cause(void *arg, const char *name)
{
	struct search *s = arg;
	struct device *d = s->d;
	struct device_cause *c = &d->causes[d->ncauses];
	char path[2 * DEVICE_PATH];
	const char *word = name + strlen(s->prefix);

	/* "status" is whether there is any */
	if (strncmp(name, s->prefix, strlen(s->prefix)) != 0 || !strcmp(word, "status") ||
		d->ncauses == DEVICE_CAUSES)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	*c = (struct device_cause){.word = ""};
	if (kfile_init(&c->file, path)) {
		s->failed = -ENOMEM;
		return 1;
	}
	snprintf(c->word, sizeof(c->word), "%s", word);
	d->ncauses++;
	return 0;
}

static int find_causes(struct device *d, const struct root *root)
{
	for (u32 i = 0; i < ARRAY_LEN(cause_dirs) && !d->ncauses; i++) {
		const char *base = cause_dirs[i].class ? d->class_path : d->path;
		char dir[2 * DEVICE_PATH];
		struct search s = {
			.d = d, .root = root, .dir = dir, .prefix = cause_dirs[i].prefix};

		snprintf(dir, sizeof(dir), "%s/%s", base, cause_dirs[i].dir);
		root_list(root, dir, take_cause, &s);
		if (s.failed)
			return s.failed;
	}
	return 0;
}

static int find_link(struct device *d, const struct root *root)
{
	char path[DEVICE_PATH + 32];

	for (u32 i = 0; i < ARRAY_LEN(links); i++) {
		snprintf(path, sizeof(path), "%s/%s", d->path, links[i]);
		if (!root_exists(root, path))
			return 0;
	}
	for (u32 i = 0; i < ARRAY_LEN(links); i++) {
		snprintf(path, sizeof(path), "%s/%s", d->path, links[i]);
		if (kfile_init(&d->link[i], path)) {
			while (i--)
				kfile_fini(&d->link[i]);
			return -ENOMEM;
		}
	}
	d->has_link = true;
	return 0;
}

/* Drivers of GPUs without memory of their own. */
static bool always_integrated(const char *driver)
{
	static const char *const drivers[] = {"msm", "msm_dpu", "panfrost", "panthor", "lima",
		"v3d", "vc4", "etnaviv", "intel_vpu", "amdxdna", "tegra", "asahi"};

	for (u32 i = 0; i < ARRAY_LEN(drivers); i++)
		if (!strcmp(driver, drivers[i]))
			return true;
	return false;
}

int device_discover(struct device *d, const struct root *root)
{
	char path[DEVICE_PATH + 32], text[16];
	int ret = find_files(d, root);

	if (!ret)
		ret = find_meters(d, root);
	if (!ret)
		ret = find_causes(d, root);
	if (!ret)
		ret = find_link(d, root);
	snprintf(path, sizeof(path), "%s/gpu_metrics", d->path);
	if (!ret && root_exists(root, path)) {
		ret = kfile_init(&d->metrics, path);
		d->has_metrics = !ret;
	}
	snprintf(path, sizeof(path), "%s/profiling", d->path);
	d->profiling_off = root_read(root, path, text, sizeof(text)) == 1 && text[0] == '0';
	d->integrated = always_integrated(d->driver) ? 1 : -1;
	d->discovered = !ret;
	return ret;
}

static void read_value(
	struct device_value *v, const struct root *root, u64 now_ns, struct gpu_record *r)
{
	u64 raw;

	if (!v->error || now_ns >= v->retry_ns) {
		v->error = kfile_read_u64(&v->file, root, &raw);
		v->retry_ns = now_ns + RETRY_NS;
		/* a share of more than all */
		if (!v->error && v->multiply == PERCENT && raw > 100) {
			gpu_missing(r, (enum gpu_column)v->column, REASON_INVALID);
			return;
		}
		if (!v->error) {
			gpu_set(r, (enum gpu_column)v->column, raw * v->multiply / v->divide);
			return;
		}
	}
	gpu_missing(r, (enum gpu_column)v->column, reason_from_errno(v->error));
}

/* Generation of PCIe with this speed ("16.0 GT/s PCIe"); 0: not known. */
static u32 generation(const char *text, const char *end)
{
	static const u32 tenths[] = {25, 50, 80, 160, 320, 640, 1280};
	bool ok = true;
	u64 speed = 0;

	scan_fixed(text, end, 1, &speed, &ok);
	for (u32 i = 0; ok && i < ARRAY_LEN(tenths); i++)
		if (speed == tenths[i])
			return i + 1;
	return 0;
}

/* "gen4x16", and what both ends can do when that is more. */
static void read_link(
	struct device *d, const struct root *root, struct kbuf *buf, struct gpu_record *r)
{
	u64 value[4];

	for (u32 i = 0; i < ARRAY_LEN(value); i++) {
		bool ok = true;

		if (kfile_read(&d->link[i], root, buf))
			return;
		if (i % 2 == 0)
			value[i] = generation(buf->data, kbuf_end(buf));
		else
			scan_u64(buf->data, kbuf_end(buf), &value[i], &ok);
		/* 63 lanes, 0 or 255: the slot does not say */
		if (!ok || !value[i] || value[i] > 32)
			return;
	}
	if (value[0] < value[2] || value[1] < value[3])
		snprintf(r->link, sizeof(r->link), "gen%ux%u<gen%ux%u", (u32)value[0],
			(u32)value[1], (u32)value[2], (u32)value[3]);
	else
		snprintf(r->link, sizeof(r->link), "gen%ux%u", (u32)value[0], (u32)value[1]);
}

static void read_causes(struct device *d, const struct root *root, struct gpu_record *r)
{
	for (u32 i = 0; i < d->ncauses; i++) {
		size_t len = strlen(r->slowed);
		u64 is;

		if (kfile_read_u64(&d->causes[i].file, root, &is))
			continue;
		r->have |= column_bit(GPU_SLOWED);
		if (is)
			snprintf(r->slowed + len, sizeof(r->slowed) - len, "%s%s", len ? "," : "",
				d->causes[i].word);
	}
}

/* An integrated GPU's memory is the machine's: what is set aside for it and what it takes beside that. */
static void join_memory(struct gpu_record *r)
{
	static const u8 columns[2][2] = {
		{GPU_MEMORY_USED, GPU_SYSTEM_USED}, {GPU_MEMORY_TOTAL, GPU_SYSTEM_TOTAL}};

	gpu_set(r, GPU_MEMORY_SHARED, 1);
	for (u32 i = 0; i < ARRAY_LEN(columns); i++)
		if (r->have & column_bit(columns[i][0]) && r->have & column_bit(columns[i][1]))
			r->value[columns[i][0]] += r->value[columns[i][1]];
}

void device_read(struct device *d, const struct root *root, struct kbuf *buf, u64 now_ns,
	struct gpu_record *r)
{
	for (u32 i = 0; i < d->nvalues; i++)
		read_value(&d->values[i], root, now_ns, r);
	read_causes(d, root, r);
	if (d->has_link)
		read_link(d, root, buf, r);
	if (d->has_metrics && !kfile_read(&d->metrics, root, buf)) {
		const unsigned char *data = (const unsigned char *)buf->data;

		gpu_metrics_take(data, buf->len, r);
		d->integrated = gpu_metrics_integrated(data, buf->len);
	}
	if (d->integrated == 1)
		join_memory(r);
	else if (d->integrated == 0)
		gpu_set(r, GPU_MEMORY_SHARED, 0);
}

void device_explain(const struct device *d, struct findings *out)
{
	char what[128], fix[192];

	if (d->gate == GATE_ASLEEP) {
		snprintf(what, sizeof(what), "GPU %s %s", d->number, d->name);
		findings_add(out, "gpu", REASON_ASLEEP, what,
			"it sleeps, and looking at it would wake it", "");
	}
	if (d->profiling_off) {
		snprintf(what, sizeof(what), "how busy GPU %s is", d->number);
		snprintf(fix, sizeof(fix), "echo 1 | sudo tee %.120s/profiling", d->path);
		findings_add(out, "gpu", REASON_UNSUPPORTED, what,
			"profiling is off: the driver does not count engine time", fix);
	}
	for (u32 i = 0; i < d->nvalues; i++) {
		const struct device_value *v = &d->values[i];

		if (v->error != -EACCES && v->error != -EPERM)
			continue;
		snprintf(what, sizeof(what), "%s of GPU %s",
			gpu_table_schema.columns[v->column].name, d->number);
		snprintf(fix, sizeof(fix), "sudo chmod a+r %.160s", v->file.path);
		findings_add(out, "gpu", REASON_PERMISSION, what, strerror(-v->error), fix);
	}
}
