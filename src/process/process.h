/* The table of processes, and the parsers of what /proc says about one.
 * Formats: Documentation/filesystems/proc.rst of the kernel, tables 1-3 (statm) and 1-4 (stat). */
#ifndef TARE_PROCESS_PROCESS_H
#define TARE_PROCESS_PROCESS_H

#include "base/types.h"
#include "core/source.h"

extern const struct source_ops process_source, thread_source, exited_source, attribution_source;
extern const struct source_ops gpu_client_source, gpu_engine_source;

/* Key of a row: the pid with the start in clock ticks behind it, so that keys are in order of pids and a pid
 * that is used again is another row. */
enum { PROCESS_KEY_SHIFT = 42 };

static inline u64 process_key(u32 pid, u64 start_ticks)
{
	return (u64)pid << PROCESS_KEY_SHIFT | (start_ticks & ((1ull << PROCESS_KEY_SHIFT) - 1));
}
static inline u32 process_key_pid(u64 key)
{
	return (u32)(key >> PROCESS_KEY_SHIFT);
}

/* Fields of /proc/PID/stat by their number in the kernel's table, from 1. */
enum stat_field {
	STAT_PPID = 4,
	STAT_FLAGS = 9,
	STAT_MINOR_FAULTS = 10,
	STAT_CHILD_MINOR_FAULTS =
		11, /* of children that were waited for, and theirs; as all STAT_CHILD_… */
	STAT_MAJOR_FAULTS = 12,
	STAT_CHILD_MAJOR_FAULTS = 13,
	STAT_USER_TICKS = 14,
	STAT_SYSTEM_TICKS = 15,
	STAT_CHILD_USER_TICKS = 16,
	STAT_CHILD_SYSTEM_TICKS = 17,
	STAT_PRIORITY = 18,
	STAT_NICE = 19,
	STAT_THREADS = 20,
	STAT_START_TICKS = 22,
	STAT_VIRTUAL_BYTES = 23,
	STAT_RESIDENT_PAGES = 24,
	STAT_PROCESSOR = 39,
	STAT_POLICY = 41,
	STAT_FIELDS = 42,
};

struct process_stat {
	const char *comm; /* into the line; raw bytes from strangers, not terminated */
	u32 comm_len;
	char state;
	u64 have;               /* bit per field that has a value */
	u64 value[STAT_FIELDS]; /* by field number; a negative one as s64; saturated to 64 bits */
};

/* Parse a whole stat line [p, end). comm is what stands between the first '(' and the last ')'. Only
 * fields whose bit is in want are read, the rest is skipped and what follows the last is not looked at.
 * A line that is cut short, or has a word that is no number, gives the fields before that. 0, or
 * -EINVAL when there is no comm or state. */
int process_parse_stat(const char *p, const char *end, u64 want, struct process_stat *out);

/* Pages of [p, end), a statm line: size, resident, shared. 0 or -EINVAL. */
int process_parse_statm(const char *p, const char *end, u64 out[3]);

/* What of a status file is wanted; a line that is not there leaves its bit in have unset. */
enum status_have {
	STATUS_UIDS = 1 << 0,
	STATUS_GIDS = 1 << 1,
	STATUS_SWAP = 1 << 2,
	STATUS_VOLUNTARY = 1 << 3,
	STATUS_INVOLUNTARY = 1 << 4,
};

struct process_status {
	u32 have;
	u32 uid[2], gid[2]; /* real, effective */
	u64 swap_kib;
	u64 voluntary, involuntary; /* switches, of this thread alone */
};

void process_parse_status(const char *p, const char *end, struct process_status *out);

/* An io file (section 3.3 of proc.rst). A line that is not there leaves its bit in have unset. */
enum io_field { IO_READ_CALLS, IO_WRITTEN_CALLS, IO_READ_DISK, IO_WRITTEN_DISK, IO_FIELDS };

struct process_io {
	u32 have; /* bit per enum io_field */
	u64 bytes[IO_FIELDS];
};

void process_parse_io(const char *p, const char *end, struct process_io *out);

/* A schedstat file (Documentation/scheduler/sched-stats.rst): time on a CPU, time runnable without one, both in ns,
 * and turns. 0, or -EINVAL also for "0 0 0", by which a kernel says that it does not count. */
int process_parse_schedstat(const char *p, const char *end, u64 out[3]);

/* Effective uid from the "Uid:" line of a status file. 0 or -EINVAL. */
int process_parse_uid(const char *p, const char *end, u32 *out);

#endif
