/* One look at all GPUs and their clients: what the tables `gpu`, `gpu_client` and `gpu_engine` are filled from. Made by
 * a thread (or in line, of a recorded machine), handed over whole. Records are plain data: no pointers to outside. */
#ifndef TARE_GPU_READING_H
#define TARE_GPU_READING_H

#include "base/clock.h"
#include "core/table.h"
#include "gpu/columns.h"

enum { GPU_TEXT = 64, GPU_HEALTH_TEXT = 96 };

/* A value, or why there is none: have and reason by column. Texts: "" is absent unless have has its bit. */
struct gpu_record {
	u64 key; /* gpu_device_key() of the device; a part's: of "DEVICE/PART" */
	struct stamp at;
	u64 have;               /* bit per column with a value, texts included */
	u64 value[GPU_COLUMNS]; /* numbers */
	u8 reason[GPU_COLUMNS]; /* enum reason of a column without a value; 0: UNSUPPORTED */
	char number[16], name[GPU_TEXT], device[GPU_TEXT], driver[32], parent[16], kind[8],
		state[16], link[32], slowed[GPU_TEXT], health[GPU_HEALTH_TEXT];
};

struct gpu_client_record {
	u64 key; /* gpu_client_key() */
	struct stamp at;
	u64 have;
	u64 value[CLIENT_COLUMNS];
	u8 reason[CLIENT_COLUMNS];
	u64 device_key; /* key of its struct gpu_record */
	char command[GPU_TEXT], gpu[16], device[GPU_TEXT], driver[32], kind[8];
};

struct gpu_engine_record {
	u64 key;        /* gpu_engine_key() */
	u64 client_key; /* its client's */
	struct stamp at;
	u64 have;
	u64 value[ENGINE_COLUMNS];
	u8 reason[ENGINE_COLUMNS];
	u8 class; /* enum engine_class */
	char name[32];
};

struct gpu_reading {
	struct stamp at;
	u64 seq;
	u64 question; /* NVML's: number of the question that it answers */
	struct gpu_record *devices;
	u32 ndevices, devices_cap;
	struct gpu_client_record *clients;
	u32 nclients, clients_cap;
	struct gpu_engine_record *engines;
	u32 nengines, engines_cap;
	bool own_only; /* clients of other users could not be read */
};

/* Empty it and keep its memory. */
void gpu_reading_begin(struct gpu_reading *r, const struct stamp *at);
void gpu_reading_fini(struct gpu_reading *r);
/* A zeroed record at the end, stamped with r->at; NULL for lack of memory. Valid until the next one is added. */
struct gpu_record *gpu_reading_device(struct gpu_reading *r, u64 key);
struct gpu_client_record *gpu_reading_client(struct gpu_reading *r, u64 key);
struct gpu_engine_record *gpu_reading_engine(struct gpu_reading *r, u64 key, u64 client_key);
/* The device with this key, or NULL. */
struct gpu_record *gpu_reading_find(struct gpu_reading *r, u64 key);

static inline void gpu_set(struct gpu_record *r, enum gpu_column c, u64 raw)
{
	r->value[c] = raw;
	r->have |= column_bit(c);
}
static inline void gpu_missing(struct gpu_record *r, enum gpu_column c, enum reason reason)
{
	r->have &= ~column_bit(c);
	r->reason[c] = (u8)reason;
}
static inline void client_set(struct gpu_client_record *r, enum gpu_client_column c, u64 raw)
{
	r->value[c] = raw;
	r->have |= column_bit(c);
}
static inline void engine_set(struct gpu_engine_record *r, enum gpu_engine_column c, u64 raw)
{
	r->value[c] = raw;
	r->have |= column_bit(c);
}

/* Keys. device: GPU_DEVICE's text ("0000:01:00.0"; PCI addresses in lower case with a domain of four digits), of a part with
 * "/GI.CI" behind it. In order of PCI addresses, parts behind their device. */
u64 gpu_device_key(const char *device);
/* By drm-client-id; by NVML the pid with bit 63 set. */
u64 gpu_client_key(u64 device_key, u64 id);
u64 gpu_engine_key(u64 client_key, const char *name);
/* "00000000:81:00.0" or "81:00.0" to "0000:81:00.0", lower case; other names stay. */
void gpu_pci_name(const char *text, char out[GPU_TEXT]);

#endif
