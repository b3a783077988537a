/* Columns of the process table, and one process as a scanner hands it over: a value and a bit for
 * every column that it found, in the table's raw units. Private to this room. */
#ifndef TARE_PROCESS_COLUMNS_H
#define TARE_PROCESS_COLUMNS_H

#include "core/table.h"

enum process_column {
	PROCESS_PID,
	PROCESS_PPID,
	PROCESS_USER,
	PROCESS_UID,
	PROCESS_STATE,
	PROCESS_CPU,
	PROCESS_USER_CPU,
	PROCESS_SYSTEM_CPU,
	PROCESS_TIME,
	PROCESS_THREADS,
	PROCESS_PRIORITY,
	PROCESS_NICE,
	PROCESS_VIRTUAL,
	PROCESS_RESIDENT,
	PROCESS_SHARED,
	PROCESS_MEMORY,
	PROCESS_MINOR_FAULTS,
	PROCESS_MAJOR_FAULTS,
	PROCESS_STARTED,
	PROCESS_PROCESSOR,
	PROCESS_KERNEL,
	PROCESS_OWN,
	PROCESS_COMMAND,
	PROCESS_CMDLINE,
	PROCESS_COLUMNS,
};

struct process_record {
	u64 key;
	struct stamp at;
	u64 have;   /* bit per column with a value; text columns and PROCESS_USER have none */
	u64 denied; /* bit per column that needs more rights */
	u64 value[PROCESS_COLUMNS];
	char state;
	const char *command, *cmdline; /* raw; valid during the call */
	u32 command_len, cmdline_len;
	bool has_cmdline;
};

static inline void record_set(struct process_record *r, enum process_column column, u64 raw)
{
	r->value[column] = raw;
	r->have |= column_bit(column);
}

/* Called for each process in order of keys. 0, or -errno to end the scan with it. */
typedef int process_fn(void *arg, const struct process_record *r);

#endif
