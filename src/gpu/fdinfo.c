/* One pass over the lines. A key is "drm-KIND-NAME"; longer kinds stand before those that they begin with. */
#include "gpu/fdinfo.h"

#include <string.h>

#include "base/scan.h"

enum key_kind {
	KEY_CAPACITY,
	KEY_TIME,
	KEY_TOTAL_CYCLES,
	KEY_CYCLES,
	KEY_CLOCK,
	KEY_TOTAL,
	KEY_SHARED,
	KEY_RESIDENT,
	KEY_MEMORY,
	KEY_PURGEABLE,
	KEY_ACTIVE,
	KEY_KINDS,
};

static const struct {
	const char *prefix;
	u8 len, memory;
} keys[KEY_KINDS] = {
	[KEY_CAPACITY] = {"engine-capacity-", 16, 0},
	[KEY_TIME] = {"engine-", 7, 0},
	[KEY_TOTAL_CYCLES] = {"total-cycles-", 13, 0},
	[KEY_CYCLES] = {"cycles-", 7, 0},
	[KEY_CLOCK] = {"maxfreq-", 8, 0},
	[KEY_TOTAL] = {"total-", 6, MEMORY_TOTAL},
	[KEY_SHARED] = {"shared-", 7, MEMORY_SHARED},
	[KEY_RESIDENT] = {"resident-", 9, MEMORY_RESIDENT},
	[KEY_MEMORY] = {"memory-", 7, MEMORY_RESIDENT},
	[KEY_PURGEABLE] = {"purgeable-", 10, MEMORY_PURGEABLE},
	[KEY_ACTIVE] = {"active-", 7, MEMORY_ACTIVE},
};

static u64 times(u64 value, u64 unit)
{
	u64 product;

	return __builtin_mul_overflow(value, unit, &product) ? UINT64_MAX : product;
}

/* A number with its unit ("3772 KiB", "800 MHz", "5 ns"). */
static bool value_of(const char *p, const char *end, u64 *out)
{
	static const struct {
		const char *name;
		u64 unit;
	} units[] = {{"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30}, {"KHz", 1000},
		{"kHz", 1000}, {"MHz", 1000 * 1000}, {"GHz", 1000 * 1000 * 1000}};
	bool ok = true;

	p = scan_u64(p, end, out, &ok);
	if (!ok)
		return false;
	p = scan_blank(p, end);
	for (u32 i = 0; i < ARRAY_LEN(units) && p < end; i++)
		if (scan_starts(p, end, units[i].name))
			*out = times(*out, units[i].unit);
	return true;
}

/* Raw bytes, cut to size; blanks around them are not part of it. */
static void text_of(const char *p, const char *end, char out[FDINFO_NAME])
{
	size_t len;

	p = scan_blank(p, end);
	while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	len = (size_t)(end - p);
	if (len >= FDINFO_NAME)
		len = FDINFO_NAME - 1;
	memcpy(out, p, len);
	out[len] = '\0';
}

/* The key's own name between prefix and colon. */
static bool same_name(const char *name, const char *p, size_t len)
{
	return !memcmp(name, p, len) && !name[len];
}

static struct fdinfo_engine *engine_of(struct fdinfo *f, const char *p, const char *end)
{
	size_t len = (size_t)(end - p);
	struct fdinfo_engine *e;

	if (len >= FDINFO_NAME)
		len = FDINFO_NAME - 1;
	for (u32 i = 0; i < f->nengines; i++)
		if (same_name(f->engines[i].name, p, len))
			return &f->engines[i];
	if (f->nengines == FDINFO_ENGINES) {
		f->too_many = true;
		return NULL;
	}
	e = &f->engines[f->nengines++];
	*e = (struct fdinfo_engine){.capacity = 1};
	memcpy(e->name, p, len);
	return e;
}

static struct fdinfo_region *region_of(struct fdinfo *f, const char *p, const char *end)
{
	size_t len = (size_t)(end - p);
	struct fdinfo_region *r;

	if (len >= FDINFO_NAME)
		len = FDINFO_NAME - 1;
	for (u32 i = 0; i < f->nregions; i++)
		if (same_name(f->regions[i].name, p, len))
			return &f->regions[i];
	if (f->nregions == FDINFO_REGIONS) {
		f->too_many = true;
		return NULL;
	}
	r = &f->regions[f->nregions++];
	*r = (struct fdinfo_region){.have = 0};
	memcpy(r->name, p, len);
	return r;
}

static void set_engine(struct fdinfo_engine *e, enum key_kind kind, u64 value)
{
	switch (kind) {
	case KEY_CAPACITY:
		e->capacity = value ? value : 1;
		break;
	case KEY_TIME:
		e->time_ns = value;
		e->has_time = true;
		break;
	case KEY_CYCLES:
		e->cycles = value;
		e->has_cycles = true;
		break;
	case KEY_TOTAL_CYCLES:
		e->total_cycles = value;
		e->has_total = true;
		break;
	default:
		e->max_hz = value;
		break;
	}
}

static void set_region(struct fdinfo_region *r, enum key_kind kind, u64 value)
{
	u32 memory = keys[kind].memory;

	/* an alias says nothing new where the name itself is there */
	if (kind == KEY_MEMORY && r->have & 1u << memory)
		return;
	r->bytes[memory] = value;
	r->have |= 1u << memory;
}

/* "KIND-NAME" of [p, key_end), its value of [text, end). */
static void take_key(
	struct fdinfo *f, const char *p, const char *key_end, const char *text, const char *end)
{
	u64 value;

	for (u32 kind = 0; kind < KEY_KINDS; kind++) {
		const char *name = p + keys[kind].len;

		if (name >= key_end || memcmp(p, keys[kind].prefix, keys[kind].len) != 0)
			continue;
		if (!value_of(text, end, &value))
			return;
		if (kind < KEY_TOTAL) {
			struct fdinfo_engine *e = engine_of(f, name, key_end);

			if (e)
				set_engine(e, (enum key_kind)kind, value);
		} else {
			struct fdinfo_region *r = region_of(f, name, key_end);

			if (r)
				set_region(r, (enum key_kind)kind, value);
		}
		return;
	}
}

static void take_line(struct fdinfo *f, const char *p, const char *end)
{
	const char *colon = memchr(p, ':', (size_t)(end - p)), *key_end;

	if (!colon)
		return;
	key_end = colon;
	while (key_end > p && (key_end[-1] == ' ' || key_end[-1] == '\t'))
		key_end--;
	if (key_end - p == 6 && !memcmp(p, "driver", 6)) {
		f->is_client = true;
		text_of(colon + 1, end, f->driver);
	} else if (key_end - p == 4 && !memcmp(p, "pdev", 4)) {
		text_of(colon + 1, end, f->pdev);
	} else if (key_end - p == 9 && !memcmp(p, "client-id", 9)) {
		f->has_id = value_of(colon + 1, end, &f->client_id);
	} else {
		take_key(f, p, key_end, colon + 1, end);
	}
}

void fdinfo_parse(const char *p, const char *end, struct fdinfo *out)
{
	static const char prefix[] = "drm-";

	out->is_client = out->has_id = out->too_many = false;
	out->client_id = 0;
	out->driver[0] = out->pdev[0] = '\0';
	out->nengines = out->nregions = 0;
	while (p < end) {
		const char *line = scan_line_end(p, end);

		/* a line that is cut off may lack digits */
		if (line == end)
			break;
		if (scan_starts(p, line, prefix))
			take_line(out, p + sizeof(prefix) - 1, line);
		p = line + 1;
	}
}
