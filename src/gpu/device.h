/* One device: what identifies it, and the files that say how it is. Private to this room. */
#ifndef TARE_GPU_DEVICE_H
#define TARE_GPU_DEVICE_H

#include "base/kfile.h"
#include "core/source.h"
#include "gpu/devices.h"

enum { DEVICE_PATH = 192, DEVICE_NODES = 6, DEVICE_VALUES = 32, DEVICE_CAUSES = 16 };

/* A number in a file and the column that it is. */
struct device_value {
	struct kfile file;
	u8 column;
	u64 multiply, divide;
	u64 retry_ns;
	int error;
};

/* A file that is 1 while something slows the device. */
struct device_cause {
	struct kfile file;
	char word[24];
};

struct device {
	u64 key;
	char name[GPU_TEXT], number[16], driver[32], label[GPU_TEXT], kind[8];
	char class_path[DEVICE_PATH]; /* /sys/class/drm/card0; "": a PCI device without a node */
	char path[DEVICE_PATH];       /* of the device itself */
	struct {
		u32 major, minor;
	} nodes[DEVICE_NODES];
	u32 nnodes;
	enum gpu_gate gate;
	bool has_status; /* runtime power management */
	struct kfile status;

	/* found when it is awake for the first time */
	bool discovered, has_metrics, has_link, profiling_off;
	int integrated;
	struct device_value values[DEVICE_VALUES];
	u32 nvalues;
	struct device_cause causes[DEVICE_CAUSES];
	u32 ncauses;
	struct kfile metrics, link[4]; /* current speed, current width, most of both */
};

/* Find the files of a device that is awake. 0 or -ENOMEM. */
int device_discover(struct device *d, const struct root *root);
void device_fini(struct device *d);
/* Fill r, which has what identifies the device. */
void device_read(struct device *d, const struct root *root, struct kbuf *buf, u64 now_ns,
	struct gpu_record *r);
void device_explain(const struct device *d, struct findings *out);

/* What pci.ids calls the device of these numbers, or "". vendor, device: as "1002", "744c". */
void pci_name(const struct root *root, const char *vendor, const char *device, char *out, u32 size);

#endif
