#include "lib/sources.h"

#include <stddef.h>

#include "process/process.h"
#include "source/sources_list.h"

const struct source_ops *const tare_sources[] = {
	&cpu_source,
	&system_source,
	&memory_source,
	&swap_source,
	&pressure_source,
	&cgroup_source,
	&disk_source,
	&filesystem_source,
	&network_source,
	&energy_source,
	&sensor_source,
	&battery_source,
	&process_source,
	&thread_source,
	&exited_source,
	&attribution_source,
	/* read after the scan that finds their descriptors */
	&gpu_client_source,
	&gpu_engine_source,
	&gpu_source,
	&self_source,
	&cpuidle_source,
	NULL,
};
