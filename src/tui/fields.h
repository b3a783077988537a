/* The columns that the live view looks at, found by name once and kept as indices. */
#ifndef TARE_TUI_FIELDS_H
#define TARE_TUI_FIELDS_H

#include "core/frame.h"

enum tab {
	TAB_CPU,
	TAB_SYSTEM,
	TAB_MEMORY,
	TAB_SWAP,
	TAB_PRESSURE,
	TAB_CGROUP,
	TAB_DISK,
	TAB_FILESYSTEM,
	TAB_NETWORK,
	TAB_ENERGY,
	TAB_SENSOR,
	TAB_BATTERY,
	TAB_PROCESS, /* the rows of the list: of `process`, or of fields.rows */
	TAB_SELF,
	TAB_EXITED,
	TAB_ATTRIBUTION,
	TAB_GPU,
	TAB_CLIENT, /* gpu_client */
	TAB_ENGINE, /* gpu_engine */
	TAB_COUNT,
};

/* table, column */
#define FIELD_LIST(X)                    \
	X(CPU, name)                     \
	X(CPU, online)                   \
	X(CPU, busy)                     \
	X(CPU, user)                     \
	X(CPU, nice)                     \
	X(CPU, system)                   \
	X(CPU, irq)                      \
	X(CPU, softirq)                  \
	X(CPU, steal)                    \
	X(CPU, guest)                    \
	X(CPU, guest_nice)               \
	X(CPU, iowait)                   \
	X(CPU, frequency)                \
	X(SYSTEM, hostname)              \
	X(SYSTEM, uptime)                \
	X(SYSTEM, load1)                 \
	X(SYSTEM, load5)                 \
	X(SYSTEM, load15)                \
	X(SYSTEM, running)               \
	X(SYSTEM, blocked)               \
	X(MEMORY, total)                 \
	X(MEMORY, free)                  \
	X(MEMORY, used)                  \
	X(MEMORY, available)             \
	X(MEMORY, buffers)               \
	X(MEMORY, cache)                 \
	X(MEMORY, shared)                \
	X(MEMORY, anon)                  \
	X(MEMORY, kernel)                \
	X(MEMORY, hugepages)             \
	X(MEMORY, other)                 \
	X(MEMORY, swap_total)            \
	X(MEMORY, swap_used)             \
	X(MEMORY, used_share)            \
	X(MEMORY, oom_kills)             \
	X(PRESSURE, name)                \
	X(PRESSURE, some)                \
	X(CGROUP, cpu_limit)             \
	X(CGROUP, memory_limit)          \
	X(CGROUP, memory_used)           \
	X(DISK, name)                    \
	X(DISK, counted)                 \
	X(DISK, read)                    \
	X(DISK, written)                 \
	X(DISK, busy)                    \
	X(DISK, latency)                 \
	X(FILESYSTEM, mount)             \
	X(FILESYSTEM, type)              \
	X(FILESYSTEM, size)              \
	X(FILESYSTEM, used)              \
	X(FILESYSTEM, used_share)        \
	X(NETWORK, name)                 \
	X(NETWORK, counted)              \
	X(NETWORK, rx)                   \
	X(NETWORK, tx)                   \
	X(NETWORK, rx_dropped)           \
	X(NETWORK, tx_dropped)           \
	X(NETWORK, rx_errors)            \
	X(NETWORK, tx_errors)            \
	X(SENSOR, temperature)           \
	X(SENSOR, limit_high)            \
	X(SENSOR, limit_critical)        \
	X(SENSOR, cpu)                   \
	X(BATTERY, name)                 \
	X(BATTERY, kind)                 \
	X(BATTERY, status)               \
	X(BATTERY, capacity)             \
	X(BATTERY, power)                \
	X(BATTERY, time_left)            \
	X(ENERGY, name)                  \
	X(ENERGY, device)                \
	X(ENERGY, kind)                  \
	X(ENERGY, counted)               \
	X(ENERGY, power)                 \
	X(PROCESS, pid)                  \
	X(PROCESS, ppid)                 \
	X(PROCESS, user)                 \
	X(PROCESS, state)                \
	X(PROCESS, cpu)                  \
	X(PROCESS, user_cpu)             \
	X(PROCESS, system_cpu)           \
	X(PROCESS, time)                 \
	X(PROCESS, threads)              \
	X(PROCESS, priority)             \
	X(PROCESS, nice)                 \
	X(PROCESS, virtual)              \
	X(PROCESS, resident)             \
	X(PROCESS, shared)               \
	X(PROCESS, memory)               \
	X(PROCESS, minor_faults)         \
	X(PROCESS, major_faults)         \
	X(PROCESS, started)              \
	X(PROCESS, processor)            \
	X(PROCESS, kernel)               \
	X(PROCESS, own)                  \
	X(PROCESS, command)              \
	X(PROCESS, cmdline)              \
	X(PROCESS, process)              \
	X(PROCESS, uid)                  \
	X(PROCESS, real_user)            \
	X(PROCESS, real_uid)             \
	X(PROCESS, group)                \
	X(PROCESS, gid)                  \
	X(PROCESS, policy)               \
	X(PROCESS, swap)                 \
	X(PROCESS, pss)                  \
	X(PROCESS, disk_read)            \
	X(PROCESS, disk_written)         \
	X(PROCESS, io_read)              \
	X(PROCESS, io_written)           \
	X(PROCESS, voluntary_switches)   \
	X(PROCESS, involuntary_switches) \
	X(PROCESS, sched_wait)           \
	X(PROCESS, cgroup)               \
	X(PROCESS, container)            \
	X(PROCESS, exe)                  \
	X(PROCESS, cwd)                  \
	X(PROCESS, files)                \
	X(PROCESS, energy)               \
	X(PROCESS, gpu)                  \
	X(PROCESS, gpu_busy)             \
	X(PROCESS, gpu_gfx)              \
	X(PROCESS, gpu_compute)          \
	X(PROCESS, gpu_media)            \
	X(PROCESS, gpu_copy)             \
	X(PROCESS, gpu_memory)           \
	X(SELF, cpu)                     \
	X(SELF, resident)                \
	X(SELF, scan)                    \
	X(EXITED, name)                  \
	X(EXITED, parent)                \
	X(EXITED, exits)                 \
	X(EXITED, cpu)                   \
	X(ATTRIBUTION, name)             \
	X(ATTRIBUTION, cpu)              \
	X(GPU, number)                   \
	X(GPU, name)                     \
	X(GPU, device)                   \
	X(GPU, driver)                   \
	X(GPU, parent)                   \
	X(GPU, kind)                     \
	X(GPU, state)                    \
	X(GPU, counted)                  \
	X(GPU, busy)                     \
	X(GPU, memory_busy)              \
	X(GPU, encoder)                  \
	X(GPU, decoder)                  \
	X(GPU, memory_used)              \
	X(GPU, memory_total)             \
	X(GPU, memory_shared)            \
	X(GPU, system_used)              \
	X(GPU, system_total)             \
	X(GPU, temperature)              \
	X(GPU, hotspot)                  \
	X(GPU, memory_temperature)       \
	X(GPU, power)                    \
	X(GPU, power_cap)                \
	X(GPU, clock)                    \
	X(GPU, clock_most)               \
	X(GPU, memory_clock)             \
	X(GPU, fan)                      \
	X(GPU, fan_speed)                \
	X(GPU, voltage)                  \
	X(GPU, link)                     \
	X(GPU, pcie_rx)                  \
	X(GPU, pcie_tx)                  \
	X(GPU, slowed)                   \
	X(GPU, slowed_power)             \
	X(GPU, slowed_thermal)           \
	X(GPU, slowed_other)             \
	X(GPU, xid)                      \
	X(GPU, errors)                   \
	X(GPU, ecc_corrected)            \
	X(GPU, ecc_uncorrected)          \
	X(GPU, retired)                  \
	X(GPU, health)                   \
	X(GPU, processes)                \
	X(GPU, busy_now)                 \
	X(GPU, busy_time)                \
	X(GPU, idle)                     \
	X(CLIENT, command)               \
	X(CLIENT, gpu)                   \
	X(CLIENT, pid)                   \
	X(CLIENT, kind)                  \
	X(CLIENT, busy)                  \
	X(CLIENT, gfx)                   \
	X(CLIENT, compute)               \
	X(CLIENT, media)                 \
	X(CLIENT, copy)                  \
	X(CLIENT, other)                 \
	X(CLIENT, memory)                \
	X(CLIENT, shared)                \
	X(CLIENT, holders)               \
	X(ENGINE, engine)                \
	X(ENGINE, class)                 \
	X(ENGINE, gpu)                   \
	X(ENGINE, busy)

#define FIELD_ENUM(table, column) FIELD_##table##_##column,
enum field { FIELD_LIST(FIELD_ENUM) FIELD_COUNT };
#undef FIELD_ENUM

struct fields {
	const char *rows; /* table behind TAB_PROCESS; NULL: "process" */
	const struct frame_table
		*table[TAB_COUNT];              /* of the frame that is shown; NULL: not there */
	const struct schema *schema[TAB_COUNT]; /* that col[] was found in */
	s8 col[FIELD_COUNT];
};

void fields_init(struct fields *f);
/* Look at this frame (may be NULL) from here on. */
void fields_bind(struct fields *f, const struct frame *frame);
const char *field_name(enum field field);
/* Rows of a table, 0 when it is not there. */
u32 fields_rows(const struct fields *f, enum tab tab);
/* As frame_cell; a table or column that is not there is absent UNSUPPORTED. */
void field_cell(const struct fields *f, enum field field, u32 row, struct cell *out);
/* Its display number; false: absent. */
bool field_num(const struct fields *f, enum field field, u32 row, double *out);
/* Its display number, 0 when absent: only for sums whose other parts are shown as absent. */
double field_or_zero(const struct fields *f, enum field field, u32 row);

#endif
