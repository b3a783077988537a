/* What /proc/PID/fdinfo/FD says of a GPU client, for any driver, by keys.
 * Format: Documentation/gpu/drm-usage-stats.rst of the kernel. */
#ifndef TARE_GPU_FDINFO_H
#define TARE_GPU_FDINFO_H

#include "gpu/columns.h"

enum { FDINFO_ENGINES = 16, FDINFO_REGIONS = 12, FDINFO_NAME = 24 };

struct fdinfo_engine {
	char name[FDINFO_NAME]; /* cut to size, NUL-terminated; raw bytes from strangers */
	bool has_time, has_cycles, has_total;
	u64 time_ns, cycles, total_cycles;
	u64 capacity; /* 0 or missing in the file: 1 */
	u64 max_hz;   /* 0: not said */
};

enum fdinfo_memory {
	MEMORY_TOTAL,
	MEMORY_SHARED,
	MEMORY_RESIDENT,
	MEMORY_PURGEABLE,
	MEMORY_ACTIVE,
	MEMORY_KINDS
};

struct fdinfo_region {
	char name[FDINFO_NAME];
	u32 have; /* bit per enum fdinfo_memory; drm-memory-* is resident */
	u64 bytes[MEMORY_KINDS];
};

struct fdinfo {
	bool is_client; /* there is a drm-driver line */
	bool has_id;
	u64 client_id;
	char driver[FDINFO_NAME], pdev[FDINFO_NAME]; /* "": not said */
	u32 nengines, nregions;
	bool too_many; /* more engines or regions than there is room for */
	struct fdinfo_engine engines[FDINFO_ENGINES];
	struct fdinfo_region regions[FDINFO_REGIONS];
};

/* Parse a whole fdinfo [p, end). Lines that are not understood are skipped; one that is cut short at the end of the
 * file is left out. Never fails: what is no GPU client has is_client false. */
void fdinfo_parse(const char *p, const char *end, struct fdinfo *out);

/* Class of an engine by the name that a driver gives it: any name has one. */
enum engine_class engine_class_of(const char *name);
/* Is a memory region of this name the device's own ("vram", "vram0", "local0"), not the machine's ("gtt", "system",
 * "cpu", "memory", "stolen-system")? */
bool region_is_local(const char *name);

#endif
