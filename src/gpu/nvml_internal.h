/* What is known of NVML's devices between readings. Private to nvml*.c. */
#ifndef TARE_GPU_NVML_INTERNAL_H
#define TARE_GPU_NVML_INTERNAL_H

#include "gpu/nvml.h"
#include "gpu/nvml_types.h"

enum { NVML_DEVICES = 64, NVML_PARTS = 16, NVML_PROCESSES = 4096, NVML_WHY = 160 };

/* What this device's driver does not know is not asked again. */
enum nvml_asked {
	ASK_UTILIZATION,
	ASK_ENCODER,
	ASK_DECODER,
	ASK_MEMORY_V2,
	ASK_MEMORY,
	ASK_TEMPERATURE,
	ASK_POWER,
	ASK_POWER_LIMIT,
	ASK_ENERGY,
	ASK_CLOCK,
	ASK_CLOCK_MOST,
	ASK_MEMORY_CLOCK,
	ASK_FAN,
	ASK_LINK,
	ASK_SLOWED,
	ASK_VIOLATION,
	ASK_ECC,
	ASK_REMAPPED,
	ASK_RETIRED,
	ASK_FIELDS,
	ASK_COMPUTE,
	ASK_GRAPHICS,
	ASK_MPS,
	ASK_SAMPLES,
	ASK_MIG,
	ASK_VGPUS,
	ASK_VGPU_SAMPLES,
};

/* A device, or a MIG part of one. */
struct nvml_unit {
	nvml_handle handle;
	u64 no; /* bit per enum nvml_asked */
	u64 key;
	u64 sampled_us; /* newest sample of processes that was seen */
};

struct nvml_part {
	struct nvml_unit unit;
	u32 gpu_instance, compute_instance;
};

struct nvml_device {
	struct nvml_unit unit;
	bool open, lost;
	u64 retry_ns;
	char pci[GPU_TEXT], name[GPU_TEXT];
	u64 xid, xids; /* newest, and how many */
	u64 vgpu_sampled_us;
	struct nvml_part parts[NVML_PARTS];
	u32 nparts;
};

/* A process on one unit, from all lists that it is in. */
struct nvml_process {
	u32 pid;
	bool compute, graphics, has_memory;
	u64 memory;
	u32 sm, encoder, decoder;             /* sums of valid samples */
	u32 nsm, nencoder, ndecoder, samples; /* how many; of all */
};

struct nvml {
	const struct root *root;
	char *path;
	bool pids_are_ours;
	void *library;
	struct nvml_calls calls;
	bool initialised, attaches; /* attaches: initialising touched every device */
	u64 retry_ns;               /* no initialisation before */
	int failed;                 /* -errno of the last one */
	char why[NVML_WHY], version[96];
	nvml_handle events;
	bool has_events, dead; /* dead: the driver went away */
	struct nvml_device devices[NVML_DEVICES];
	u32 n;
	u64 memory_bytes; /* of the machine; 0: not known */
	/* grown when a device has more than ever */
	unsigned char *infos;
	u32 infos_size;
	struct nvml_sample *samples;
	u32 samples_cap;
	struct nvml_process *processes;
	u32 nprocesses, processes_cap;
	struct nvml_name { /* of a pid, as long as it is listed */
		u32 pid;
		u64 started;
		bool seen;
		char command[GPU_TEXT];
	} * names;
	u32 nnames, names_cap;
};

/* Keep in mind what a call's result says of device and driver. true: there is a value. */
bool nvml_said(
	struct nvml *n, struct nvml_device *d, struct nvml_unit *u, enum nvml_asked what, int code);
/* Is it worth asking? */
static inline bool nvml_asks(const struct nvml_unit *u, enum nvml_asked what, const void *call)
{
	return call && !(u->no >> what & 1);
}
enum reason nvml_reason(int code);

/* nvml_device.c: everything of a device but memory that processes tell. */
void nvml_fill_device(struct nvml *n, struct nvml_device *d, struct gpu_record *r);
/* Memory of a device or part; false: it says nothing of it. */
bool nvml_fill_memory(
	struct nvml *n, struct nvml_device *d, struct nvml_unit *u, struct gpu_record *r);
/* nvml_process.c: records of its processes; *memory: bytes that they use together. 0 or -ENOMEM. */
int nvml_fill_processes(struct nvml *n, struct nvml_device *d, struct nvml_unit *u,
	struct gpu_reading *r, u64 *memory);
/* nvml_parts.c. */
void nvml_find_parts(struct nvml *n, struct nvml_device *d);
int nvml_fill_parts(struct nvml *n, struct nvml_device *d, struct gpu_reading *r);
int nvml_fill_vgpus(struct nvml *n, struct nvml_device *d, struct gpu_reading *r);

#endif
