/* Names of NVML's functions. A function that has changed has a name for each version, the newest first. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gpu/nvml_types.h"

enum { NAMES = 3 };

struct symbol {
	size_t at; /* in struct nvml_calls */
	const char *names[NAMES];
	bool needed;
};

#define AT(member) offsetof(struct nvml_calls, member)

static const struct symbol symbols[] = {
	{AT(error_string), {"nvmlErrorString"}, false},
	{AT(init), {"nvmlInit_v2", "nvmlInit"}, true},
	{AT(init_flags), {"nvmlInitWithFlags"}, false},
	{AT(shutdown), {"nvmlShutdown"}, true},
	{AT(driver_version), {"nvmlSystemGetDriverVersion"}, false},
	{AT(count), {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}, true},
	{AT(by_index), {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}, true},
	{AT(by_pci), {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"}, false},
	{AT(name), {"nvmlDeviceGetName"}, false},
	{AT(pci), {"nvmlDeviceGetPciInfo_v3"}, false},
	{AT(utilization), {"nvmlDeviceGetUtilizationRates"}, false},
	{AT(encoder), {"nvmlDeviceGetEncoderUtilization"}, false},
	{AT(decoder), {"nvmlDeviceGetDecoderUtilization"}, false},
	{AT(memory), {"nvmlDeviceGetMemoryInfo"}, false},
	{AT(memory_v2), {"nvmlDeviceGetMemoryInfo_v2"}, false},
	{AT(temperature), {"nvmlDeviceGetTemperature"}, false},
	{AT(power), {"nvmlDeviceGetPowerUsage"}, false},
	{AT(power_limit), {"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"},
		false},
	{AT(energy), {"nvmlDeviceGetTotalEnergyConsumption"}, false},
	{AT(clock), {"nvmlDeviceGetClockInfo"}, false},
	{AT(clock_most), {"nvmlDeviceGetMaxClockInfo"}, false},
	{AT(fan), {"nvmlDeviceGetFanSpeed"}, false},
	{AT(link_generation), {"nvmlDeviceGetCurrPcieLinkGeneration"}, false},
	{AT(link_width), {"nvmlDeviceGetCurrPcieLinkWidth"}, false},
	{AT(link_generation_most), {"nvmlDeviceGetMaxPcieLinkGeneration"}, false},
	{AT(link_width_most), {"nvmlDeviceGetMaxPcieLinkWidth"}, false},
	{AT(slowed),
		{"nvmlDeviceGetCurrentClocksEventReasons",
			"nvmlDeviceGetCurrentClocksThrottleReasons"},
		false},
	{AT(violation), {"nvmlDeviceGetViolationStatus"}, false},
	{AT(ecc), {"nvmlDeviceGetTotalEccErrors"}, false},
	{AT(remapped), {"nvmlDeviceGetRemappedRows"}, false},
	{AT(retired), {"nvmlDeviceGetRetiredPages"}, false},
	{AT(fields), {"nvmlDeviceGetFieldValues"}, false},
	{AT(compute),
		{"nvmlDeviceGetComputeRunningProcesses_v3",
			"nvmlDeviceGetComputeRunningProcesses_v2",
			"nvmlDeviceGetComputeRunningProcesses"},
		false},
	{AT(graphics),
		{"nvmlDeviceGetGraphicsRunningProcesses_v3",
			"nvmlDeviceGetGraphicsRunningProcesses_v2",
			"nvmlDeviceGetGraphicsRunningProcesses"},
		false},
	{AT(mps),
		{"nvmlDeviceGetMPSComputeRunningProcesses_v3",
			"nvmlDeviceGetMPSComputeRunningProcesses_v2",
			"nvmlDeviceGetMPSComputeRunningProcesses"},
		false},
	{AT(samples), {"nvmlDeviceGetProcessUtilization"}, false},
	{AT(event_set), {"nvmlEventSetCreate"}, false},
	{AT(event_register), {"nvmlDeviceRegisterEvents"}, false},
	{AT(event_wait), {"nvmlEventSetWait_v2"}, false},
	{AT(event_free), {"nvmlEventSetFree"}, false},
	{AT(mig_mode), {"nvmlDeviceGetMigMode"}, false},
	{AT(mig_most), {"nvmlDeviceGetMaxMigDeviceCount"}, false},
	{AT(mig_part), {"nvmlDeviceGetMigDeviceHandleByIndex"}, false},
	{AT(gpu_instance), {"nvmlDeviceGetGpuInstanceId"}, false},
	{AT(compute_instance), {"nvmlDeviceGetComputeInstanceId"}, false},
	{AT(vgpus), {"nvmlDeviceGetActiveVgpus"}, false},
	{AT(vgpu_memory), {"nvmlVgpuInstanceGetFbUsage"}, false},
	{AT(vgpu_samples), {"nvmlDeviceGetVgpuUtilization"}, false},
};

static bool look_up(void *library, const struct symbol *s, struct nvml_calls *calls)
{
	void *found = NULL;

	for (u32 i = 0; i < NAMES && s->names[i] && !found; i++)
		found = dlsym(library, s->names[i]);
	/* POSIX has it that a function's address fits */
	memcpy((char *)calls + s->at, &found, sizeof(found));
	return found || !s->needed;
}

void *nvml_load(const char *path, struct nvml_calls *calls, char *why, u32 size)
{
	void *library = dlopen(path ? path : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

	*calls = (struct nvml_calls){0};
	if (!library) {
		snprintf(why, size, "%s", dlerror());
		return NULL;
	}
	for (u32 i = 0; i < ARRAY_LEN(symbols); i++) {
		if (look_up(library, &symbols[i], calls))
			continue;
		snprintf(why, size, "the library has no %s", symbols[i].names[0]);
		dlclose(library);
		return NULL;
	}
	return library;
}

void nvml_unload(void *library)
{
	if (library)
		dlclose(library);
}
