/* The table `attribution`: what the machine's busy time is made of, and what nobody accounts for. */
#ifndef TARE_PROCESS_ATTRIBUTION_H
#define TARE_PROCESS_ATTRIBUTION_H

#include "core/table.h"

/* Cumulative since the start, ns. busy_ns 0: it is not known. */
struct attribution {
	u64 processes_ns, exited_ns, interrupts_ns, busy_ns;
};

extern const struct schema attribution_table_schema;

/* Its rows; t has been begun. 0 or -ENOMEM. */
int attribution_rows(struct table *t, const struct attribution *a);

#endif
