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
	PROCESS_REAL_USER,
	PROCESS_REAL_UID,
	PROCESS_GROUP,
	PROCESS_GID,
	PROCESS_STATE,
	PROCESS_CPU,
	PROCESS_USER_CPU,
	PROCESS_SYSTEM_CPU,
	PROCESS_TIME,
	PROCESS_SCHED_WAIT,
	PROCESS_ENERGY,
	PROCESS_THREADS,
	PROCESS_PRIORITY,
	PROCESS_NICE,
	PROCESS_POLICY,
	PROCESS_PROCESSOR,
	PROCESS_VIRTUAL,
	PROCESS_RESIDENT,
	PROCESS_SHARED,
	PROCESS_SWAP,
	PROCESS_PSS,
	PROCESS_MEMORY,
	PROCESS_MINOR_FAULTS,
	PROCESS_MAJOR_FAULTS,
	PROCESS_DISK_READ,
	PROCESS_DISK_WRITTEN,
	PROCESS_IO_READ,
	PROCESS_IO_WRITTEN,
	PROCESS_VOLUNTARY,
	PROCESS_INVOLUNTARY,
	PROCESS_FILES,
	/* set when all tables are read (gpu_use.c) */
	PROCESS_GPU,
	PROCESS_GPU_BUSY,
	PROCESS_GPU_GFX,
	PROCESS_GPU_COMPUTE,
	PROCESS_GPU_MEDIA,
	PROCESS_GPU_COPY,
	PROCESS_GPU_MEMORY,
	PROCESS_STARTED,
	PROCESS_KERNEL,
	PROCESS_OWN,
	PROCESS_CGROUP,
	PROCESS_CONTAINER,
	PROCESS_EXE,
	PROCESS_CWD,
	PROCESS_COMMAND,
	PROCESS_CMDLINE,
	PROCESS_COLUMNS,
	/* of the table of threads only */
	PROCESS_OF_THREAD = PROCESS_COLUMNS,
	THREAD_COLUMNS,
};

/* Columns that are text of a stranger's making, each with its bytes in the record. */
enum process_text {
	PROCESS_TEXT_CGROUP,
	PROCESS_TEXT_CONTAINER,
	PROCESS_TEXT_EXE,
	PROCESS_TEXT_CWD,
	PROCESS_TEXT_COMMAND,
	PROCESS_TEXT_CMDLINE,
	PROCESS_TEXTS,
};

struct process_text_slice {
	const char *text; /* raw, not terminated; valid during the call */
	u32 len;
	bool have; /* false: absent; an empty text is a value */
};

struct process_record {
	u64 key;
	struct stamp at;
	u64 have; /* bit per column with a number; none for the text columns, which follow from others */
	u64 approx;   /* of them: values that are not exact */
	u64 denied;   /* bit per column that needs more rights */
	u64 fresh_ns; /* CPU time that no earlier scan has handed over */
	u64 value[THREAD_COLUMNS];
	char state;
	u8 policy; /* SCHED_… of sched(7), when has_policy */
	bool has_policy;
	struct process_text_slice text[PROCESS_TEXTS];
};

static inline void record_set(struct process_record *r, enum process_column column, u64 raw)
{
	r->value[column] = raw;
	r->have |= column_bit(column);
}

static inline void record_text(
	struct process_record *r, enum process_text which, const char *text, u32 len)
{
	r->text[which] = (struct process_text_slice){text, len, true};
}

/* Called for each process (or thread) in order of keys. 0, or -errno to end the scan with it. */
typedef int process_fn(void *arg, const struct process_record *r);

#endif
