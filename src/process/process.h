/* The process table from /proc/PID. */
#ifndef TARE_PROCESS_PROCESS_H
#define TARE_PROCESS_PROCESS_H

#include "core/source.h"

/* Every process that the caller may see; threads are not rows. Key: pid << 42 | start in ticks. */
extern const struct source_ops process_source;

#endif
