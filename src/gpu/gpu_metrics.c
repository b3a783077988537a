#include "gpu/gpu_metrics.h"

#include <stdio.h>
#include <string.h>

enum { HEADER = 4, NONE = 0 };

enum field {
	FIELD_EDGE,
	FIELD_HOTSPOT,
	FIELD_MEMORY,
	FIELD_POWER,
	FIELD_ENERGY, /* 64 bits in units of 2^-16 J */
	FIELD_CLOCK,
	FIELD_MEMORY_CLOCK,
	FIELD_FAN,
	FIELD_VOLTAGE,
	FIELD_THROTTLE, /* 64 bits, the same on every chip */
	FIELDS,
};

/* Where the fields of some revisions are (0: they have none), and the units of temperature and power. */
struct layout {
	u8 format, first, last; /* content revisions */
	u16 size;               /* at least */
	u16 at[FIELDS];
	u32 millic, uw;
};

static const struct layout layouts[] = {
	{1, 0, 0, 76,
		{[FIELD_EDGE] = 16,
			[FIELD_HOTSPOT] = 18,
			[FIELD_MEMORY] = 20,
			[FIELD_POWER] = 34,
			[FIELD_CLOCK] = 54,
			[FIELD_MEMORY_CLOCK] = 58,
			[FIELD_FAN] = 72},
		1000, 1000000},
	{1, 1, 2, 96,
		{[FIELD_EDGE] = 4,
			[FIELD_HOTSPOT] = 6,
			[FIELD_MEMORY] = 8,
			[FIELD_POWER] = 22,
			[FIELD_CLOCK] = 54,
			[FIELD_MEMORY_CLOCK] = 58,
			[FIELD_FAN] = 72},
		1000, 1000000},
	{1, 3, 3, 120,
		{[FIELD_EDGE] = 4,
			[FIELD_HOTSPOT] = 6,
			[FIELD_MEMORY] = 8,
			[FIELD_POWER] = 22,
			[FIELD_CLOCK] = 54,
			[FIELD_MEMORY_CLOCK] = 58,
			[FIELD_FAN] = 72,
			[FIELD_VOLTAGE] = 106,
			[FIELD_THROTTLE] = 112},
		1000, 1000000},
	{1, 4, 4, 284,
		{[FIELD_HOTSPOT] = 4,
			[FIELD_MEMORY] = 6,
			[FIELD_POWER] = 10,
			[FIELD_ENERGY] = 24,
			[FIELD_CLOCK] = 240,
			[FIELD_MEMORY_CLOCK] = 280},
		1000, 1000000},
	{1, 5, 5, 356,
		{[FIELD_HOTSPOT] = 4,
			[FIELD_MEMORY] = 6,
			[FIELD_POWER] = 10,
			[FIELD_ENERGY] = 88,
			[FIELD_CLOCK] = 312,
			[FIELD_MEMORY_CLOCK] = 352},
		1000, 1000000},
	{1, 6, 6, 380,
		{[FIELD_HOTSPOT] = 4,
			[FIELD_MEMORY] = 6,
			[FIELD_POWER] = 10,
			[FIELD_ENERGY] = 88,
			[FIELD_CLOCK] = 336,
			[FIELD_MEMORY_CLOCK] = 376},
		1000, 1000000},
	{2, 0, 0, 120,
		{[FIELD_EDGE] = 16,
			[FIELD_POWER] = 44,
			[FIELD_CLOCK] = 80,
			[FIELD_MEMORY_CLOCK] = 84},
		10, 1000},
	{2, 1, 1, 120,
		{[FIELD_EDGE] = 4,
			[FIELD_POWER] = 40,
			[FIELD_CLOCK] = 76,
			[FIELD_MEMORY_CLOCK] = 80},
		10, 1000},
	{2, 2, 4, 128,
		{[FIELD_EDGE] = 4,
			[FIELD_POWER] = 40,
			[FIELD_CLOCK] = 76,
			[FIELD_MEMORY_CLOCK] = 80,
			[FIELD_THROTTLE] = 120},
		10, 1000},
};

static const struct layout *layout_of(const unsigned char *data, u32 len)
{
	if (len < HEADER)
		return NULL;
	for (u32 i = 0; i < ARRAY_LEN(layouts); i++)
		if (data[2] == layouts[i].format && data[3] >= layouts[i].first &&
			data[3] <= layouts[i].last)
			return len >= layouts[i].size ? &layouts[i] : NULL;
	return NULL;
}

int gpu_metrics_integrated(const unsigned char *data, u32 len)
{
	if (len < HEADER || data[2] < 1 || data[2] > 3)
		return -1;
	return data[2] >= 2;
}

/* A number of so many bytes, little-endian. false: the layout has none, or the chip does not say. */
static bool field(
	const struct layout *l, const unsigned char *data, enum field f, u32 bytes, u64 *out)
{
	u64 v = 0;
	bool said = false;

	if (l->at[f] == NONE)
		return false;
	for (u32 i = 0; i < bytes; i++) {
		v |= (u64)data[l->at[f] + i] << 8 * i;
		said |= data[l->at[f] + i] != 0xff;
	}
	*out = v;
	return said;
}

/* What a file of its own says is better. */
static void offer(struct gpu_record *r, enum gpu_column c, u64 raw)
{
	if (!(r->have & column_bit(c)))
		gpu_set(r, c, raw);
}

/* Bits by cause, as SMU_THROTTLER_… of the driver groups them. */
static void slowed(u64 bits, struct gpu_record *r)
{
	static const struct {
		u64 mask;
		const char *word;
	} causes[] = {{0xffffull, "power-cap"}, {0xffffull << 16, "current"},
		{0xffffffull << 32, "thermal"}, {0xffull << 56, "other"}};

	if (r->have & column_bit(GPU_SLOWED))
		return;
	for (u32 i = 0; i < ARRAY_LEN(causes); i++) {
		size_t len = strlen(r->slowed);

		if (bits & causes[i].mask)
			snprintf(r->slowed + len, sizeof(r->slowed) - len, "%s%s", len ? "," : "",
				causes[i].word);
	}
	r->have |= column_bit(GPU_SLOWED);
}

void gpu_metrics_take(const unsigned char *data, u32 len, struct gpu_record *r)
{
	enum { MHZ = 1000 * 1000, MV = 1000 };
	const struct layout *l = layout_of(data, len);
	const struct {
		u8 field, column;
		u64 unit;
	} simple[] = {
		{FIELD_EDGE, GPU_TEMPERATURE, l ? l->millic : 0},
		{FIELD_HOTSPOT, GPU_HOTSPOT, l ? l->millic : 0},
		{FIELD_MEMORY, GPU_MEMORY_TEMPERATURE, l ? l->millic : 0},
		{FIELD_POWER, GPU_POWER_NOW, l ? l->uw : 0},
		{FIELD_CLOCK, GPU_CLOCK, MHZ},
		{FIELD_MEMORY_CLOCK, GPU_MEMORY_CLOCK, MHZ},
		{FIELD_FAN, GPU_FAN_SPEED, 1},
		{FIELD_VOLTAGE, GPU_VOLTAGE, MV},
	};
	u64 v;

	if (!l)
		return;
	for (u32 i = 0; i < ARRAY_LEN(simple); i++)
		if (field(l, data, (enum field)simple[i].field, 2, &v))
			offer(r, (enum gpu_column)simple[i].column, v * simple[i].unit);
	if (field(l, data, FIELD_ENERGY, 8, &v))
		offer(r, GPU_ENERGY, (v >> 16) * 1000000 + ((v & 0xffff) * 1000000 >> 16));
	if (field(l, data, FIELD_THROTTLE, 8, &v))
		slowed(v, r);
}
