#include "gpu/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 8 };

void gpu_reading_begin(struct gpu_reading *r, const struct stamp *at)
{
	r->at = *at;
	r->ndevices = r->nclients = r->nengines = 0;
	r->own_only = false;
}

void gpu_reading_fini(struct gpu_reading *r)
{
	free(r->devices);
	free(r->clients);
	free(r->engines);
	*r = (struct gpu_reading){0};
}

/* The next of *n elements of this size, zeroed; NULL for lack of memory. */
static void *append(void *array, u32 *n, u32 *cap, size_t size)
{
	void **items = array;
	char *at;

	if (*n == *cap) {
		u32 room = *cap ? *cap * 2 : FIRST_ROOM;
		void *grown = realloc(*items, room * size);

		if (!grown)
			return NULL;
		*items = grown;
		*cap = room;
	}
	at = (char *)*items + (*n)++ * size;
	memset(at, 0, size);
	return at;
}

struct gpu_record *gpu_reading_device(struct gpu_reading *r, u64 key)
{
	struct gpu_record *d = append(
		&r->devices, &r->ndevices, &r->devices_cap, sizeof(*r->devices));

	if (d) {
		d->key = key;
		d->at = r->at;
	}
	return d;
}

struct gpu_client_record *gpu_reading_client(struct gpu_reading *r, u64 key)
{
	struct gpu_client_record *c = append(
		&r->clients, &r->nclients, &r->clients_cap, sizeof(*r->clients));

	if (c) {
		c->key = key;
		c->at = r->at;
	}
	return c;
}

struct gpu_engine_record *gpu_reading_engine(struct gpu_reading *r, u64 key, u64 client_key)
{
	struct gpu_engine_record *e = append(
		&r->engines, &r->nengines, &r->engines_cap, sizeof(*r->engines));

	if (e) {
		e->key = key;
		e->client_key = client_key;
		e->at = r->at;
	}
	return e;
}

struct gpu_record *gpu_reading_find(struct gpu_reading *r, u64 key)
{
	for (u32 i = 0; i < r->ndevices; i++)
		if (r->devices[i].key == key)
			return &r->devices[i];
	return NULL;
}

/* "1.0" of a MIG part, or any other name, in 16 bits that are not 0. */
static u64 part_number(const char *part)
{
	unsigned int gpu_instance, compute_instance;

	if (sscanf(part, "%u.%u", &gpu_instance, &compute_instance) == 2)
		return 1 + ((gpu_instance & 0x7f) << 7 | (compute_instance & 0x7f));
	return 0x8000 | (key_from_name(part, strlen(part)) & 0x7fff);
}

u64 gpu_device_key(const char *device)
{
	unsigned int domain, bus, slot, function;
	const char *part = strchr(device, '/');
	int len = 0;

	if (sscanf(device, "%x:%x:%x.%x%n", &domain, &bus, &slot, &function, &len) != 4 ||
		(device[len] && device[len] != '/'))
		return key_from_name(device, strlen(device)) | 1ull << 63;
	return ((u64)(domain & 0x7fffffff) << 32 | (u64)(bus & 0xff) << 24 |
		       (u64)(slot & 0x1f) << 19 | (u64)(function & 7) << 16) |
	       (part ? part_number(part + 1) : 0);
}

u64 gpu_client_key(u64 device_key, u64 id)
{
	const u64 parts[2] = {device_key, id};

	return key_from_name((const char *)parts, sizeof(parts));
}

u64 gpu_engine_key(u64 client_key, const char *name)
{
	return gpu_client_key(client_key, key_from_name(name, strlen(name)));
}

void gpu_pci_name(const char *text, char out[GPU_TEXT])
{
	unsigned int domain = 0, bus, device, function;
	char rest;

	if (sscanf(text, "%x:%x:%x.%x%c", &domain, &bus, &device, &function, &rest) != 4) {
		domain = 0;
		if (sscanf(text, "%x:%x.%x%c", &bus, &device, &function, &rest) != 3) {
			snprintf(out, GPU_TEXT, "%s", text);
			return;
		}
	}
	snprintf(out, GPU_TEXT, "%04x:%02x:%02x.%x", domain, bus & 0xff, device & 0x1f,
		function & 7);
}
