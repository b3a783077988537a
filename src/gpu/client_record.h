/* From what an fdinfo says to the records of a client and its engines. Private to this room. */
#ifndef TARE_GPU_CLIENT_RECORD_H
#define TARE_GPU_CLIENT_RECORD_H

#include "gpu/devices.h"
#include "gpu/fdinfo.h"
#include "gpu/reading.h"

/* The device of a client: one of `devices`, or only a name. */
struct client_device {
	int index; /* -1: not known to sysfs */
	u64 key;
	char name[GPU_TEXT];
};

/* By the address that the fdinfo gives, else by the character device. */
void client_device_of(struct client_device *out, const struct gpu_devices *devices,
	const struct fdinfo *f, u32 major, u32 minor);
/* Add the records of a client and its engines. NULL for lack of memory. */
struct gpu_client_record *client_record_add(struct gpu_reading *r, u64 key,
	const struct client_device *device, const struct gpu_devices *devices,
	const struct fdinfo *f);
/* A client of a device that sleeps: nothing is known but whose it is. NULL for lack of memory. */
struct gpu_client_record *client_record_asleep(
	struct gpu_reading *r, u64 key, const struct gpu_devices *devices, u32 index);

#endif
