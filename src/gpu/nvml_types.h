/* What NVML's functions take and give, by NVIDIA's API reference for libnvidia-ml. Only what is called. Private to this
 * room, and used by the library's stand-in in the tests. */
#ifndef TARE_GPU_NVML_TYPES_H
#define TARE_GPU_NVML_TYPES_H

#include "base/types.h"

typedef void *nvml_handle;

/* nvmlReturn_t. */
enum nvml_code {
	NVML_SUCCESS = 0,
	NVML_UNINITIALIZED = 1,
	NVML_INVALID_ARGUMENT = 2,
	NVML_NOT_SUPPORTED = 3,
	NVML_NO_PERMISSION = 4,
	NVML_NOT_FOUND = 6,
	NVML_INSUFFICIENT_SIZE = 7,
	NVML_DRIVER_NOT_LOADED = 9,
	NVML_TIMEOUT = 10,
	NVML_FUNCTION_NOT_FOUND = 13,
	NVML_GPU_IS_LOST = 15,
	NVML_RESET_REQUIRED = 16,
	NVML_VERSION_MISMATCH = 18,
	NVML_UNKNOWN = 999,
};

enum {
	NVML_NO_ATTACH =
		2, /* flag of nvmlInitWithFlags: do not touch devices that nobody asks for */
	NVML_PCI_TEXT = 32,
	NVML_EVENT_XID = 8,
	NVML_FIELD_MEMORY_TEMPERATURE = 82,
	NVML_FIELD_PCIE_TX = 197,
	NVML_FIELD_PCIE_RX = 198,
	NVML_NO_INSTANCE = -1, /* 0xffffffff: not of a MIG instance */
};

/* Not available. */
#define NVML_NO_VALUE UINT64_MAX

/* nvmlClockType_t, nvmlTemperatureSensors_t, nvmlPerfPolicyType_t, nvmlMemoryErrorType_t. */
enum { NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEMORY };
enum { NVML_TEMPERATURE_GPU };
enum {
	NVML_POLICY_POWER,
	NVML_POLICY_THERMAL,
	NVML_POLICY_SYNC,
	NVML_POLICY_BOARD,
	NVML_POLICY_LOW_USE,
	NVML_POLICY_RELIABILITY,
};
enum { NVML_CORRECTED, NVML_UNCORRECTED };

/* Bits of nvmlDeviceGetCurrentClocksThrottleReasons. */
enum {
	NVML_SLOW_IDLE = 1 << 0,
	NVML_SLOW_SETTING = 1 << 1,
	NVML_SLOW_POWER_CAP = 1 << 2,
	NVML_SLOW_HARDWARE = 1 << 3,
	NVML_SLOW_SYNC = 1 << 4,
	NVML_SLOW_THERMAL = 1 << 5,
	NVML_SLOW_HARDWARE_THERMAL = 1 << 6,
	NVML_SLOW_POWER_BRAKE = 1 << 7,
	NVML_SLOW_DISPLAY = 1 << 8,
};

struct nvml_utilization {
	u32 gpu, memory;
};

struct nvml_memory {
	u64 total, free, used;
};

struct nvml_memory_v2 {
	u32 version; /* NVML_MEMORY_V2 */
	u64 total, reserved, free, used;
};
#define NVML_MEMORY_V2 ((u32)sizeof(struct nvml_memory_v2) | 2u << 24)

struct nvml_pci {
	char legacy[16];
	u32 domain, bus, device, ids, subsystem;
	char bus_id[NVML_PCI_TEXT];
};

struct nvml_violation {
	u64 reference_us, violation_ns;
};

struct nvml_field {
	u32 id, scope;
	s64 timestamp_us, latency_us;
	u32 type; /* 0 double, 1 u32, 2 unsigned long, 3 u64, 4 s64, 5 s32, 6 u16 */
	u32 code;
	union {
		double number;
		u32 u32;
		u64 u64;
	} value;
};

/* Of versions 2 and 3; version 1 has no instances. Drivers have been seen to write larger ones. */
struct nvml_process_info {
	u32 pid;
	u64 memory; /* NVML_NO_VALUE */
	u32 gpu_instance, compute_instance;
};

struct nvml_sample {
	u32 pid;
	u64 timestamp_us;
	u32 sm, memory, encoder, decoder; /* percent */
};

struct nvml_event {
	nvml_handle device;
	u64 type, data;
	u32 gpu_instance, compute_instance;
};

struct nvml_vgpu_sample {
	u32 instance;
	u64 timestamp_us;
	union {
		double number;
		u32 u32;
		u64 u64;
	} sm, memory, encoder, decoder;
};

_Static_assert(sizeof(struct nvml_memory_v2) == 40, "nvmlMemory_v2_t");
_Static_assert(sizeof(struct nvml_pci) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(struct nvml_field) == 40, "nvmlFieldValue_t");
_Static_assert(sizeof(struct nvml_process_info) == 24, "nvmlProcessInfo_v2_t");
_Static_assert(sizeof(struct nvml_sample) == 32, "nvmlProcessUtilizationSample_t");
_Static_assert(sizeof(struct nvml_event) == 32, "nvmlEventData_t");
_Static_assert(sizeof(struct nvml_vgpu_sample) == 48, "nvmlVgpuInstanceUtilizationSample_t");

/* The functions, NULL where the library has none. All return an enum nvml_code but the first. */
struct nvml_calls {
	const char *(*error_string)(int code);
	int (*init)(void);
	int (*init_flags)(u32 flags);
	int (*shutdown)(void);
	int (*driver_version)(char *out, u32 size);
	int (*count)(u32 *out);
	int (*by_index)(u32 index, nvml_handle *out);
	int (*by_pci)(const char *bus_id, nvml_handle *out);
	int (*name)(nvml_handle d, char *out, u32 size);
	int (*pci)(nvml_handle d, struct nvml_pci *out);
	int (*utilization)(nvml_handle d, struct nvml_utilization *out);
	int (*encoder)(nvml_handle d, u32 *percent, u32 *period_us);
	int (*decoder)(nvml_handle d, u32 *percent, u32 *period_us);
	int (*memory)(nvml_handle d, struct nvml_memory *out);
	int (*memory_v2)(nvml_handle d, struct nvml_memory_v2 *out);
	int (*temperature)(nvml_handle d, u32 sensor, u32 *celsius);
	int (*power)(nvml_handle d, u32 *milliwatts);
	int (*power_limit)(nvml_handle d, u32 *milliwatts);
	int (*energy)(nvml_handle d, u64 *millijoules);
	int (*clock)(nvml_handle d, u32 type, u32 *mhz);
	int (*clock_most)(nvml_handle d, u32 type, u32 *mhz);
	int (*fan)(nvml_handle d, u32 *percent);
	int (*link_generation)(nvml_handle d, u32 *out);
	int (*link_width)(nvml_handle d, u32 *out);
	int (*link_generation_most)(nvml_handle d, u32 *out);
	int (*link_width_most)(nvml_handle d, u32 *out);
	int (*slowed)(nvml_handle d, u64 *bits);
	int (*violation)(nvml_handle d, u32 policy, struct nvml_violation *out);
	int (*ecc)(nvml_handle d, u32 type, u32 since, u64 *out);
	int (*remapped)(nvml_handle d, u32 *corrected, u32 *uncorrected, u32 *pending, u32 *failed);
	int (*retired)(nvml_handle d, u32 cause, u32 *count, u64 *addresses);
	int (*fields)(nvml_handle d, int n, struct nvml_field *out);
	int (*compute)(nvml_handle d, u32 *count, void *infos);
	int (*graphics)(nvml_handle d, u32 *count, void *infos);
	int (*mps)(nvml_handle d, u32 *count, void *infos);
	int (*samples)(nvml_handle d, struct nvml_sample *out, u32 *count, u64 since_us);
	int (*event_set)(nvml_handle *out);
	int (*event_register)(nvml_handle d, u64 types, nvml_handle set);
	int (*event_wait)(nvml_handle set, struct nvml_event *out, u32 timeout_ms);
	int (*event_free)(nvml_handle set);
	int (*mig_mode)(nvml_handle d, u32 *now, u32 *pending);
	int (*mig_most)(nvml_handle d, u32 *out);
	int (*mig_part)(nvml_handle d, u32 index, nvml_handle *out);
	int (*gpu_instance)(nvml_handle d, u32 *out);
	int (*compute_instance)(nvml_handle d, u32 *out);
	int (*vgpus)(nvml_handle d, u32 *count, u32 *instances);
	int (*vgpu_memory)(u32 instance, u64 *bytes);
	int (*vgpu_samples)(
		nvml_handle d, u64 since_us, u32 *type, u32 *count, struct nvml_vgpu_sample *out);
};

/* Open the library and look its functions up. NULL when it cannot be opened or lacks what nothing works without;
 * why: in words. */
void *nvml_load(const char *path, struct nvml_calls *calls, char *why, u32 size);
void nvml_unload(void *library);

#endif
