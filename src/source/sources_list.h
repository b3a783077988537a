/* Every machine-wide source; src/lib/sources.c puts them in order. */
#ifndef TARE_SOURCE_SOURCES_LIST_H
#define TARE_SOURCE_SOURCES_LIST_H

#include "core/source.h"

extern const struct source_ops cpu_source;
extern const struct source_ops system_source;
extern const struct source_ops cpuidle_source;
extern const struct source_ops memory_source;
extern const struct source_ops swap_source;
extern const struct source_ops pressure_source;
extern const struct source_ops cgroup_source;
extern const struct source_ops disk_source;
extern const struct source_ops filesystem_source;
extern const struct source_ops network_source;
extern const struct source_ops energy_source;
extern const struct source_ops gpu_source;
extern const struct source_ops sensor_source;
extern const struct source_ops battery_source;
extern const struct source_ops self_source;

#endif
