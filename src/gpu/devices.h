/* The GPUs and accelerators of a machine: /sys/class/drm, /sys/class/accel, and NVIDIA's on the PCI bus; what their
 * drivers say in sysfs and hwmon; and the gate: nothing of a device that sleeps is touched, so that it goes on sleeping.
 * Formats: Documentation/ABI/testing/sysfs-devices-power and sysfs-class-drm, Documentation/gpu of each driver. */
#ifndef TARE_GPU_DEVICES_H
#define TARE_GPU_DEVICES_H

#include "base/root.h"
#include "core/source.h"
#include "gpu/reading.h"

struct gpu_devices;

/* How a device may be looked at now. */
enum gpu_gate {
	GATE_OPEN,   /* active, or without runtime power management */
	GATE_ASLEEP, /* suspended, or on its way there or back: leave it alone */
	GATE_GONE,   /* not on this machine (any more) */
};

/* Search the machine. -ENOENT: it has none (looked for again at most every few seconds by gpu_devices_refresh). */
int gpu_devices_new(struct gpu_devices **out, const struct root *root);
void gpu_devices_free(struct gpu_devices *d);
/* At the start of a reading: look at each device's power/runtime_status and nothing else of it; search again when the
 * root moved on or a device vanished, and every few seconds for new ones. now: CLOCK_MONOTONIC. 0 or -errno. */
int gpu_devices_refresh(struct gpu_devices *d, u64 now_ns);
u32 gpu_devices_count(const struct gpu_devices *d);
/* As found by the last refresh; i below the count. */
enum gpu_gate gpu_devices_gate(const struct gpu_devices *d, u32 i);
/* Key, address ("0000:01:00.0"), number ("0") and driver of device i; valid until the next refresh. */
u64 gpu_devices_key(const struct gpu_devices *d, u32 i);
const char *gpu_devices_name(const struct gpu_devices *d, u32 i);
const char *gpu_devices_number(const struct gpu_devices *d, u32 i);
const char *gpu_devices_driver(const struct gpu_devices *d, u32 i);
/* Its memory is the machine's? -1: not known. */
int gpu_devices_integrated(const struct gpu_devices *d, u32 i);
/* Index of the device behind a character device, or of that address; -1: none. */
int gpu_devices_by_number(const struct gpu_devices *d, u32 major, u32 minor);
int gpu_devices_by_name(const struct gpu_devices *d, const char *pdev);
/* A record for every device into r, of one that sleeps only what is known without touching it. Allocates and opens
 * nothing in the steady state. 0 or -errno. */
int gpu_devices_read(struct gpu_devices *d, struct gpu_reading *r);
/* For doctor. */
void gpu_devices_explain(const struct gpu_devices *d, struct findings *out);

/* Does this machine have character devices of GPUs at all ("226 drm", "261 accel" in /proc/devices)? Without, no
 * descriptor can be of one. */
bool gpu_majors_present(const struct root *root);
/* The majors whose descriptors may be of GPUs: data, replaced in tests. */
enum { GPU_MAJORS = 4 };
struct gpu_majors {
	u32 major[GPU_MAJORS];
	u32 n;
};
extern const struct gpu_majors gpu_majors_default;

#endif
