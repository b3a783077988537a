/* NVML on a thread of its own: its calls may hang for as long as the driver likes. Private to this room. */
#ifndef TARE_GPU_NVML_THREAD_H
#define TARE_GPU_NVML_THREAD_H

#include "base/root.h"
#include "gpu/reading.h"

enum { NVML_ASLEEP_MOST = 64 };

struct nvml_thread;

/* path as for nvml_new. The root and clock are copied. 0 or -errno. */
int nvml_thread_start(struct nvml_thread **out, const char *path, const struct root *root,
	const struct clock *clock);
/* Ask for a reading that leaves the devices named in `asleep` alone (PCI addresses, n of them), and wait for it at most
 * wait_ns. clock: of the moment, where it is scripted. The newest reading, or NULL: there was none yet. *late: it was
 * handed over before, or asked for so long ago that its values are not of now. Valid until the next call. */
const struct gpu_reading *nvml_thread_read(struct nvml_thread *t, const struct clock *clock,
	const char *const *asleep, u32 n, u64 wait_ns, bool *late);
/* Why there is no reading, in words; "" when there is one. -errno of the newest look, -EAGAIN before the first and while
 * one does not come back. Between calls of nvml_thread_read. */
int nvml_thread_error(struct nvml_thread *t, char *why, u32 size);
void nvml_thread_stop(struct nvml_thread *t);

/* Add what NVML says to the devices and clients of r: a device that is in both is one row. late: NVML does not answer,
 * so its values and texts are STALE but for what identifies a device; what the kernel says stays. 0 or -ENOMEM. */
int nvml_merge(struct gpu_reading *r, const struct gpu_reading *nvml, bool late);

#endif
