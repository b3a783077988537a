#include "gpu/client_record.h"

#include <stdio.h>
#include <string.h>

void client_device_of(struct client_device *out, const struct gpu_devices *devices,
	const struct fdinfo *f, u32 major, u32 minor)
{
	out->index = f->pdev[0] ? gpu_devices_by_name(devices, f->pdev) : -1;
	if (out->index < 0)
		out->index = gpu_devices_by_number(devices, major, minor);
	if (out->index >= 0) {
		out->key = gpu_devices_key(devices, (u32)out->index);
		snprintf(out->name, sizeof(out->name), "%s",
			gpu_devices_name(devices, (u32)out->index));
		return;
	}
	if (f->pdev[0])
		gpu_pci_name(f->pdev, out->name);
	else
		snprintf(out->name, sizeof(out->name), "%u:%u", major, minor);
	out->key = gpu_device_key(out->name);
}

static void sum(u64 *to, u64 more)
{
	if (__builtin_add_overflow(*to, more, to))
		*to = UINT64_MAX;
}

/* Bytes of a region that are there; drivers that do not say have all of it. */
static bool resident(const struct fdinfo_region *region, u64 *out)
{
	for (u32 i = 0; i < 2; i++) {
		static const u8 kinds[2] = {MEMORY_RESIDENT, MEMORY_TOTAL};

		if (!(region->have & 1u << kinds[i]))
			continue;
		*out = region->bytes[kinds[i]];
		return true;
	}
	return false;
}

static void fill_memory(struct gpu_client_record *c, const struct fdinfo *f, bool own_memory)
{
	static const u8 kinds[][2] = {{MEMORY_SHARED, CLIENT_SHARED},
		{MEMORY_PURGEABLE, CLIENT_PURGEABLE}, {MEMORY_ACTIVE, CLIENT_ACTIVE}};
	u64 local = 0, system = 0, bytes;
	bool any_local = false, any = false;

	for (u32 i = 0; i < f->nregions; i++) {
		const struct fdinfo_region *region = &f->regions[i];
		bool is_local = region_is_local(region->name);

		if (resident(region, &bytes)) {
			any = true;
			any_local |= is_local;
			sum(is_local ? &local : &system, bytes);
		}
		for (u32 k = 0; k < ARRAY_LEN(kinds); k++) {
			if (!(region->have & 1u << kinds[k][0]))
				continue;
			bytes = c->have & column_bit(kinds[k][1]) ? c->value[kinds[k][1]] : 0;
			sum(&bytes, region->bytes[kinds[k][0]]);
			client_set(c, kinds[k][1], bytes);
		}
	}
	if (!any)
		return;
	if (any_local)
		client_set(c, CLIENT_LOCAL, local);
	client_set(c, CLIENT_SYSTEM, system);
	/* a card's own memory is what is compared with its size */
	if (any_local && own_memory)
		system = 0;
	sum(&local, system);
	client_set(c, CLIENT_MEMORY, local);
}

static bool add_engine(
	struct gpu_reading *r, struct gpu_client_record *c, const struct fdinfo_engine *from)
{
	u64 client_key = c->key;
	struct gpu_engine_record *e = gpu_reading_engine(
		r, gpu_engine_key(client_key, from->name), client_key);

	if (!e)
		return false;
	e->class = (u8)engine_class_of(from->name);
	snprintf(e->name, sizeof(e->name), "%s", from->name);
	engine_set(e, ENGINE_CAPACITY, from->capacity);
	if (from->has_time)
		engine_set(e, ENGINE_TIME, from->time_ns);
	if (from->has_cycles && from->has_total) {
		engine_set(e, ENGINE_CYCLES, from->cycles);
		engine_set(e, ENGINE_CYCLES_TOTAL, from->total_cycles);
	}
	if (from->max_hz)
		engine_set(e, ENGINE_CLOCK_MOST, from->max_hz);
	return true;
}

static struct gpu_client_record *start(struct gpu_reading *r, u64 key,
	const struct gpu_devices *devices, int index, u64 device_key, const char *name)
{
	struct gpu_client_record *c = gpu_reading_client(r, key);

	if (!c)
		return NULL;
	c->device_key = device_key;
	snprintf(c->device, sizeof(c->device), "%s", name);
	if (index >= 0)
		snprintf(c->gpu, sizeof(c->gpu), "%s", gpu_devices_number(devices, (u32)index));
	return c;
}

struct gpu_client_record *client_record_add(struct gpu_reading *r, u64 key,
	const struct client_device *device, const struct gpu_devices *devices,
	const struct fdinfo *f)
{
	struct gpu_client_record *c = start(
		r, key, devices, device->index, device->key, device->name);

	if (!c)
		return NULL;
	snprintf(c->driver, sizeof(c->driver), "%s", f->driver);
	if (f->has_id)
		client_set(c, CLIENT_ID, f->client_id);
	fill_memory(c, f,
		device->index < 0 || gpu_devices_integrated(devices, (u32)device->index) == 0);
	for (u32 i = 0; i < f->nengines; i++)
		/* a name with nothing that counts is not shown */
		if ((f->engines[i].has_time || f->engines[i].has_cycles) &&
			!add_engine(r, c, &f->engines[i]))
			return NULL;
	return c;
}

struct gpu_client_record *client_record_asleep(
	struct gpu_reading *r, u64 key, const struct gpu_devices *devices, u32 index)
{
	struct gpu_client_record *c = start(r, key, devices, (int)index,
		gpu_devices_key(devices, index), gpu_devices_name(devices, index));

	if (!c)
		return NULL;
	snprintf(c->driver, sizeof(c->driver), "%s", gpu_devices_driver(devices, index));
	for (u32 i = CLIENT_BUSY; i < CLIENT_HOLDERS; i++)
		c->reason[i] = REASON_ASLEEP;
	return c;
}
