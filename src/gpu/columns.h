/* Columns of the tables `gpu`, `gpu_client` and `gpu_engine`, in raw units (core/schema.h). A column is one row in
 * schema.c, an entry here, and its fill where the value is read. */
#ifndef TARE_GPU_COLUMNS_H
#define TARE_GPU_COLUMNS_H

#include "core/schema.h"

/* A device: a card, an accelerator, or a part of one that is handed out by itself (MIG). */
enum gpu_column {
	GPU_NUMBER, /* "0"; of a part "0:1" */
	GPU_NAME,
	GPU_DEVICE, /* "0000:01:00.0", or the platform device's name */
	GPU_DRIVER,
	GPU_PARENT,  /* GPU_NUMBER of the device that this is a part of */
	GPU_KIND,    /* "card", "accel", "mig", "vgpu" */
	GPU_STATE,   /* "active", "asleep", "lost", "late" (its driver does not answer) */
	GPU_COUNTED, /* BOOL: in totals: not a part of another row */
	/* how busy: what the driver says of now, its own counter of busy time, the busiest engine of the clients */
	GPU_BUSY_NOW,     /* RATIO ppm */
	GPU_BUSY_TIME,    /* counter NS */
	GPU_BUSY_CLIENTS, /* RATIO ppm; set when all tables are read */
	GPU_BUSY,         /* derived: the first of these that there is */
	GPU_MEMORY_BUSY,  /* RATIO ppm: of the memory's bandwidth */
	GPU_ENCODER,      /* RATIO ppm */
	GPU_DECODER,      /* RATIO ppm */
	GPU_IDLE_TIME,    /* counter NS: in its deepest idle state */
	GPU_MEMORY_USED, /* bytes of its own memory; of an integrated one of what it takes of the machine's */
	GPU_MEMORY_TOTAL,
	GPU_MEMORY,        /* derived: used of total */
	GPU_MEMORY_SHARED, /* BOOL: its memory is the machine's */
	GPU_SYSTEM_USED, /* bytes of the machine's memory that it can reach (GTT), beside its own */
	GPU_SYSTEM_TOTAL,
	GPU_TEMPERATURE, /* MILLIC: edge, or the only one */
	GPU_HOTSPOT,     /* MILLIC */
	GPU_MEMORY_TEMPERATURE,
	GPU_POWER_NOW, /* UW */
	GPU_ENERGY,    /* counter UJ */
	GPU_POWER, /* derived, watts: mean of the window by the counter, else what the driver says */
	GPU_POWER_CAP,    /* UW */
	GPU_CLOCK,        /* HZ */
	GPU_CLOCK_MOST,   /* HZ */
	GPU_MEMORY_CLOCK, /* HZ */
	GPU_FAN,          /* RATIO ppm */
	GPU_FAN_SPEED,    /* COUNT, turns a minute */
	GPU_VOLTAGE,      /* UV */
	GPU_LINK,    /* TEXT "gen4x16", or "gen3x8<gen5x16" when it is less than both ends can */
	GPU_PCIE_RX, /* counter BYTES */
	GPU_PCIE_TX,
	GPU_SLOWED,         /* TEXT: what slows it now: "power-cap,thermal"; "" when nothing does */
	GPU_SLOWED_POWER,   /* counter NS: slowed by its power limit */
	GPU_SLOWED_THERMAL, /* counter NS */
	GPU_SLOWED_OTHER,   /* counter NS: by a limit of the board, its supply, or others in sync */
	GPU_XID,    /* ID: the newest error code of the driver; absent: none since the start */
	GPU_ERRORS, /* counter COUNT: such errors seen */
	GPU_ECC_CORRECTED, /* counter COUNT, since the driver was loaded */
	GPU_ECC_UNCORRECTED,
	GPU_RETIRED, /* gauge COUNT: pages or rows of memory that were taken out of use */
	GPU_HEALTH, /* TEXT: "ok", or what is wrong: "XID 79", "reset needed", "rows to be remapped" */
	GPU_PROCESSES, /* gauge COUNT: processes that have it open; set when all tables are read */
	GPU_COLUMNS,
};

/* A client: what one process does on one device under one open file of it, or by one NVML entry. */
enum gpu_client_column {
	CLIENT_COMMAND, /* name of the process; of one in another pid namespace: "pid 28290 (other namespace)" */
	CLIENT_GPU,    /* GPU_NUMBER of its device (or MIG part) */
	CLIENT_DEVICE, /* GPU_DEVICE */
	CLIENT_DRIVER,
	CLIENT_ID,  /* drm-client-id; absent by NVML */
	CLIENT_PID, /* owner: of the processes that hold it the one that started first */
	CLIENT_TID, /* a thread with a table of descriptors of its own; absent: the whole process */
	CLIENT_STARTED, /* ID, hidden: the owner's start in clock ticks, as in /proc/PID/stat */
	CLIENT_KIND, /* TEXT: "G" graphics, "C" compute, "G+C"; absent when the driver does not say */
	CLIENT_BUSY, /* RATIO ppm: all engines together (100 %: one whole engine class); set when all tables are read,
	                   but by NVML as its samples say (SM) */
	CLIENT_GFX, /* RATIO ppm, of each class of engines: as CLIENT_BUSY */
	CLIENT_COMPUTE,
	CLIENT_MEDIA, /* encoders, decoders */
	CLIENT_COPY,
	CLIENT_OTHER,
	CLIENT_MEMORY, /* bytes: of a card with memory of its own that, else all */
	CLIENT_LOCAL,  /* bytes resident in the device's own memory */
	CLIENT_SYSTEM, /* bytes resident in the machine's memory */
	CLIENT_SHARED, /* bytes shared with other clients, part of the above */
	CLIENT_PURGEABLE,
	CLIENT_ACTIVE,  /* bytes in use by work under way */
	CLIENT_HOLDERS, /* COUNT: processes that hold it */
	CLIENT_COLUMNS,
};

/* One engine class of one client, by the name that its driver gives it. */
enum gpu_engine_column {
	ENGINE_NAME,
	ENGINE_CLASS, /* TEXT: "gfx", "compute", "media", "copy", "other" */
	ENGINE_GPU,
	ENGINE_DEVICE,
	ENGINE_COMMAND,
	ENGINE_PID,
	ENGINE_CLIENT,   /* ID, hidden: key of the row in `gpu_client` */
	ENGINE_CAPACITY, /* COUNT: engines of this class, at least 1 */
	ENGINE_TIME,     /* counter NS, of all of them; a step back is held */
	ENGINE_CYCLES,   /* counter COUNT; a step back is held */
	ENGINE_CYCLES_TOTAL,
	ENGINE_BUSY,       /* derived RATIO: of the class's whole capacity */
	ENGINE_CLOCK_MOST, /* HZ */
	ENGINE_COLUMNS,
};

/* Classes of engines, as people sort them; names are the drivers' own and any is accepted. */
enum engine_class { CLASS_GFX, CLASS_COMPUTE, CLASS_MEDIA, CLASS_COPY, CLASS_OTHER, CLASSES };

extern const struct schema gpu_table_schema, gpu_client_table_schema, gpu_engine_table_schema;

/* "gfx" … */
extern const char *const engine_class_names[CLASSES];

#endif
