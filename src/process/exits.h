/* Ended processes: grouped by their command and their parent's, so that a shell loop of thousands is one row.
 * Figures are cumulative while a group lives; it is dropped at the first reading to which nothing was added. */
#ifndef TARE_PROCESS_EXITS_H
#define TARE_PROCESS_EXITS_H

#include "base/types.h"
#include "core/table.h"

/* One ended process or, when approx, what is known of some together. Only what no row of the process table
 * has shown before: a process that was known has its last figures subtracted. */
struct exit_record {
	const char *command, *parent; /* raw, not terminated; valid during the call */
	u32 command_len, parent_len;
	u32 ppid;
	u64 count; /* ended processes; 0: unknown (children, without BPF) */
	u64 cpu_ns, user_ns, system_ns;
	u64 minor_faults, major_faults, disk_read, disk_written;
	bool approx;
	bool has_io; /* disk_* are known */
};

/* 0, or -ENOMEM. */
typedef int exit_fn(void *arg, const struct exit_record *r);

struct exits;

/* 0 or -ENOMEM: room for all groups is taken at once, so that nothing allocates later. */
int exits_new(struct exits **out);
void exits_free(struct exits *e);
/* An exit_fn whose arg is a struct exits. When there is no room for another group it is counted in one that
 * is named "others". Never fails. */
int exits_add(void *exits, const struct exit_record *r);
/* Rows of the groups; t has been begun. Those to which nothing was added since the last call are dropped first;
 * a call less than WINDOW_LEAST_NS after the last one does not count, as it has no difference (core/delta.h). */
int exits_rows(struct exits *e, struct table *t);
/* CPU time of everything that was ever added. */
u64 exits_cpu_ns(const struct exits *e);

extern const struct schema exited_table_schema;

#endif
