/* What NVML says of one device, in a fixed order of calls. */
#include <stdio.h>
#include <string.h>

#include "gpu/nvml_internal.h"

enum { MILLI = 1000, MHZ = 1000 * 1000, PERCENT = 10000 };

struct view {
	struct nvml *n;
	struct nvml_device *d;
	struct gpu_record *r;
};

/* Keep what a call said; without a value, why. */
static bool keep(
	const struct view *v, enum nvml_asked what, int code, enum gpu_column column, u64 raw)
{
	if (nvml_said(v->n, v->d, &v->d->unit, what, code)) {
		gpu_set(v->r, column, raw);
		return true;
	}
	gpu_missing(v->r, column, nvml_reason(code));
	return false;
}

/* Shares above all are garbage, and said to be so. */
static void keep_percent(
	const struct view *v, enum nvml_asked what, int code, enum gpu_column column, u32 percent)
{
	if (!code && percent > 100)
		gpu_missing(v->r, column, REASON_INVALID);
	else
		keep(v, what, code, column, (u64)percent * PERCENT);
}

static void fill_use(const struct view *v)
{
	const struct nvml_calls *calls = &v->n->calls;
	const struct nvml_unit *u = &v->d->unit;
	struct nvml_utilization use = {0};
	u32 percent = 0, period;
	int code;

	if (nvml_asks(u, ASK_UTILIZATION, (const void *)calls->utilization)) {
		code = calls->utilization(u->handle, &use);
		keep_percent(v, ASK_UTILIZATION, code, GPU_BUSY_NOW, use.gpu);
		keep_percent(v, ASK_UTILIZATION, code, GPU_MEMORY_BUSY, use.memory);
	}
	if (nvml_asks(u, ASK_ENCODER, (const void *)calls->encoder)) {
		code = calls->encoder(u->handle, &percent, &period);
		keep_percent(v, ASK_ENCODER, code, GPU_ENCODER, percent);
	}
	if (nvml_asks(u, ASK_DECODER, (const void *)calls->decoder)) {
		code = calls->decoder(u->handle, &percent, &period);
		keep_percent(v, ASK_DECODER, code, GPU_DECODER, percent);
	}
}

static void fill_power(const struct view *v)
{
	const struct nvml_calls *calls = &v->n->calls;
	const struct nvml_unit *u = &v->d->unit;
	u32 value = 0;
	u64 millijoules = 0;
	int code;

	if (nvml_asks(u, ASK_TEMPERATURE, (const void *)calls->temperature)) {
		code = calls->temperature(u->handle, NVML_TEMPERATURE_GPU, &value);
		keep(v, ASK_TEMPERATURE, code, GPU_TEMPERATURE, (u64)value * MILLI);
	}
	if (nvml_asks(u, ASK_POWER, (const void *)calls->power)) {
		code = calls->power(u->handle, &value);
		keep(v, ASK_POWER, code, GPU_POWER_NOW, (u64)value * MILLI);
	}
	if (nvml_asks(u, ASK_POWER_LIMIT, (const void *)calls->power_limit)) {
		code = calls->power_limit(u->handle, &value);
		keep(v, ASK_POWER_LIMIT, code, GPU_POWER_CAP, (u64)value * MILLI);
	}
	if (nvml_asks(u, ASK_ENERGY, (const void *)calls->energy)) {
		code = calls->energy(u->handle, &millijoules);
		keep(v, ASK_ENERGY, code, GPU_ENERGY, millijoules * MILLI);
	}
	if (nvml_asks(u, ASK_FAN, (const void *)calls->fan)) {
		code = calls->fan(u->handle, &value);
		keep(v, ASK_FAN, code, GPU_FAN, (u64)value * PERCENT);
	}
}

static void fill_clocks(const struct view *v)
{
	const struct nvml_calls *calls = &v->n->calls;
	const struct nvml_unit *u = &v->d->unit;
	u32 mhz = 0;
	int code;

	if (nvml_asks(u, ASK_CLOCK, (const void *)calls->clock)) {
		code = calls->clock(u->handle, NVML_CLOCK_SM, &mhz);
		keep(v, ASK_CLOCK, code, GPU_CLOCK, (u64)mhz * MHZ);
	}
	if (nvml_asks(u, ASK_CLOCK_MOST, (const void *)calls->clock_most)) {
		code = calls->clock_most(u->handle, NVML_CLOCK_SM, &mhz);
		keep(v, ASK_CLOCK_MOST, code, GPU_CLOCK_MOST, (u64)mhz * MHZ);
	}
	if (nvml_asks(u, ASK_MEMORY_CLOCK, (const void *)calls->clock)) {
		code = calls->clock(u->handle, NVML_CLOCK_MEMORY, &mhz);
		keep(v, ASK_MEMORY_CLOCK, code, GPU_MEMORY_CLOCK, (u64)mhz * MHZ);
	}
}

static void fill_link(const struct view *v)
{
	const struct nvml_calls *calls = &v->n->calls;
	int (*const ask[4])(nvml_handle, u32 *) = {calls->link_generation, calls->link_width,
		calls->link_generation_most, calls->link_width_most};
	struct nvml_unit *u = &v->d->unit;
	u32 value[4] = {0};

	if (u->no >> ASK_LINK & 1)
		return;
	for (u32 i = 0; i < ARRAY_LEN(ask); i++)
		if (!ask[i] || !nvml_said(v->n, v->d, u, ASK_LINK, ask[i](u->handle, &value[i])) ||
			!value[i] || value[i] > 32)
			return;
	if (value[0] < value[2] || value[1] < value[3])
		snprintf(v->r->link, sizeof(v->r->link), "gen%ux%u<gen%ux%u", value[0], value[1],
			value[2], value[3]);
	else
		snprintf(v->r->link, sizeof(v->r->link), "gen%ux%u", value[0], value[1]);
}

static void fill_slowed(const struct view *v)
{
	static const struct {
		u32 bits;
		const char *word;
	} causes[] = {{NVML_SLOW_POWER_CAP, "power-cap"},
		{NVML_SLOW_THERMAL | NVML_SLOW_HARDWARE_THERMAL, "thermal"},
		{NVML_SLOW_POWER_BRAKE, "power-brake"}, {NVML_SLOW_HARDWARE, "hardware"},
		{NVML_SLOW_SYNC, "sync"}, {NVML_SLOW_SETTING | NVML_SLOW_DISPLAY, "setting"}};
	const struct nvml_calls *calls = &v->n->calls;
	struct nvml_unit *u = &v->d->unit;
	u64 bits = 0;

	if (!nvml_asks(u, ASK_SLOWED, (const void *)calls->slowed) ||
		!nvml_said(v->n, v->d, u, ASK_SLOWED, calls->slowed(u->handle, &bits)))
		return;
	v->r->have |= column_bit(GPU_SLOWED);
	for (u32 i = 0; i < ARRAY_LEN(causes); i++) {
		size_t len = strlen(v->r->slowed);

		if (bits & causes[i].bits)
			snprintf(v->r->slowed + len, sizeof(v->r->slowed) - len, "%s%s",
				len ? "," : "", causes[i].word);
	}
}

/* Time under each limit, cumulative. */
static void fill_violations(const struct view *v)
{
	static const struct {
		u8 policy, column;
	} policies[] = {{NVML_POLICY_POWER, GPU_SLOWED_POWER},
		{NVML_POLICY_THERMAL, GPU_SLOWED_THERMAL}, {NVML_POLICY_SYNC, GPU_SLOWED_OTHER},
		{NVML_POLICY_BOARD, GPU_SLOWED_OTHER}, {NVML_POLICY_RELIABILITY, GPU_SLOWED_OTHER}};
	const struct nvml_calls *calls = &v->n->calls;
	struct nvml_unit *u = &v->d->unit;

	for (u32 i = 0; i < ARRAY_LEN(policies); i++) {
		enum gpu_column c = (enum gpu_column)policies[i].column;
		struct nvml_violation time = {0};
		u64 before = v->r->have & column_bit(c) ? v->r->value[c] : 0;

		if (nvml_asks(u, ASK_VIOLATION, (const void *)calls->violation) &&
			nvml_said(v->n, v->d, u, ASK_VIOLATION,
				calls->violation(u->handle, policies[i].policy, &time)))
			gpu_set(v->r, c, before + time.violation_ns);
	}
}

static u64 field_value(const struct nvml_field *f)
{
	return f->type == 1 ? f->value.u32 : f->value.u64;
}

static void fill_fields(const struct view *v)
{
	const struct nvml_calls *calls = &v->n->calls;
	struct nvml_unit *u = &v->d->unit;
	struct nvml_field f[3] = {{.id = NVML_FIELD_MEMORY_TEMPERATURE, .code = NVML_UNKNOWN},
		{.id = NVML_FIELD_PCIE_TX, .code = NVML_UNKNOWN},
		{.id = NVML_FIELD_PCIE_RX, .code = NVML_UNKNOWN}};

	if (!nvml_asks(u, ASK_FIELDS, (const void *)calls->fields) ||
		!nvml_said(
			v->n, v->d, u, ASK_FIELDS, calls->fields(u->handle, (int)ARRAY_LEN(f), f)))
		return;
	/* 0 degrees is how some say that they have no such sensor */
	if (!f[0].code && field_value(&f[0]) && field_value(&f[0]) < 256)
		gpu_set(v->r, GPU_MEMORY_TEMPERATURE, field_value(&f[0]) * MILLI);
	if (!f[1].code)
		gpu_set(v->r, GPU_PCIE_TX, field_value(&f[1]));
	if (!f[2].code)
		gpu_set(v->r, GPU_PCIE_RX, field_value(&f[2]));
}

static void fill_errors(const struct view *v, u32 *pending)
{
	const struct nvml_calls *calls = &v->n->calls;
	struct nvml_unit *u = &v->d->unit;
	u32 corrected = 0, uncorrected = 0, failed = 0, pages[2] = {0};
	u64 errors = 0;

	if (nvml_asks(u, ASK_ECC, (const void *)calls->ecc)) {
		keep(v, ASK_ECC, calls->ecc(u->handle, NVML_CORRECTED, 0, &errors),
			GPU_ECC_CORRECTED, errors);
		keep(v, ASK_ECC, calls->ecc(u->handle, NVML_UNCORRECTED, 0, &errors),
			GPU_ECC_UNCORRECTED, errors);
	}
	if (nvml_asks(u, ASK_REMAPPED, (const void *)calls->remapped) &&
		nvml_said(v->n, v->d, u, ASK_REMAPPED,
			calls->remapped(u->handle, &corrected, &uncorrected, pending, &failed))) {
		gpu_set(v->r, GPU_RETIRED, (u64)corrected + uncorrected);
		return;
	}
	/* older cards retire pages: by one or by two bit errors */
	for (u32 cause = 0; cause < 2; cause++) {
		int code;

		if (!nvml_asks(u, ASK_RETIRED, (const void *)calls->retired))
			return;
		code = calls->retired(u->handle, cause, &pages[cause], NULL);
		if (code != NVML_INSUFFICIENT_SIZE && !nvml_said(v->n, v->d, u, ASK_RETIRED, code))
			return;
	}
	gpu_set(v->r, GPU_RETIRED, (u64)pages[0] + pages[1]);
}

static void fill_health(const struct view *v, u32 pending)
{
	const struct nvml_device *d = v->d;

	gpu_set(v->r, GPU_ERRORS, d->xids);
	if (d->xids)
		gpu_set(v->r, GPU_XID, d->xid);
	if (d->xids)
		snprintf(
			v->r->health, sizeof(v->r->health), "XID %llu", (unsigned long long)d->xid);
	else if (pending)
		snprintf(v->r->health, sizeof(v->r->health), "rows to be remapped: reset it");
	else
		snprintf(v->r->health, sizeof(v->r->health), "ok");
}

bool nvml_fill_memory(
	struct nvml *n, struct nvml_device *d, struct nvml_unit *u, struct gpu_record *r)
{
	struct nvml_memory_v2 v2 = {.version = NVML_MEMORY_V2};
	struct nvml_memory v1 = {0};
	u64 used, total;

	if (nvml_asks(u, ASK_MEMORY_V2, (const void *)n->calls.memory_v2) &&
		nvml_said(n, d, u, ASK_MEMORY_V2, n->calls.memory_v2(u->handle, &v2))) {
		used = v2.used;
		total = v2.total;
	} else if (nvml_asks(u, ASK_MEMORY, (const void *)n->calls.memory) &&
		   nvml_said(n, d, u, ASK_MEMORY, n->calls.memory(u->handle, &v1))) {
		used = v1.used;
		total = v1.total;
	} else {
		/* a device that failed says no more of others than one that has none */
		return !(u->no >> ASK_MEMORY & 1) && n->calls.memory;
	}
	if (!total || used > total) {
		gpu_missing(r, GPU_MEMORY_USED, REASON_INVALID);
		gpu_missing(r, GPU_MEMORY_TOTAL, REASON_INVALID);
		return true;
	}
	gpu_set(r, GPU_MEMORY_USED, used);
	gpu_set(r, GPU_MEMORY_TOTAL, total);
	gpu_set(r, GPU_MEMORY_SHARED, 0);
	return true;
}

void nvml_fill_device(struct nvml *n, struct nvml_device *d, struct gpu_record *r)
{
	const struct view v = {n, d, r};
	u32 pending = 0;

	fill_use(&v);
	if (!d->lost)
		fill_power(&v);
	if (!d->lost)
		fill_clocks(&v);
	if (!d->lost)
		fill_link(&v);
	if (!d->lost)
		fill_slowed(&v);
	if (!d->lost)
		fill_violations(&v);
	if (!d->lost)
		fill_fields(&v);
	if (!d->lost)
		fill_errors(&v, &pending);
	fill_health(&v, pending);
}
