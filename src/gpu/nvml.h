/* NVIDIA's devices through libnvidia-ml.so.1, which is loaded when it is needed and never linked: prototypes and
 * structures are our own, after NVIDIA's published API reference. All calls are made by one thread. */
#ifndef TARE_GPU_NVML_H
#define TARE_GPU_NVML_H

#include "base/root.h"
#include "core/source.h"
#include "gpu/devices.h"
#include "gpu/reading.h"

struct nvml;

/* path: of the library; NULL: "libnvidia-ml.so.1" by the loader's own search. Loads nothing yet. initial_pid_namespace:
 * its pids are ours. */
int nvml_new(
	struct nvml **out, const char *path, const struct root *root, bool initial_pid_namespace);
void nvml_free(struct nvml *n);
/* Fill r with devices (MIG parts and vGPUs too) and clients. Loads and initialises the library at the first call for
 * which a device is awake; asks nothing of devices that sleep by `asleep` (PCI addresses, NULL-terminated). May block for
 * as long as the driver does. 0, -ENOENT: there is no library, or -errno with the reason in nvml_why(). */
int nvml_read(struct nvml *n, const char *const *asleep, struct gpu_reading *r);
/* Why the last nvml_read failed, in words; "" when it did not. */
const char *nvml_why(const struct nvml *n);
/* Version of driver and library for doctor, "" when not loaded. */
const char *nvml_version(const struct nvml *n);

#endif
