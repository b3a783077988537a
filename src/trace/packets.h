/* What a reader of a trace has to know besides events: clocks, the machine, who the processes are. Each writes packets
 * and returns 0 or the writer's error. Field numbers: protos/perfetto/trace. */
#ifndef TARE_TRACE_PACKETS_H
#define TARE_TRACE_PACKETS_H

#include "base/clock.h"
#include "base/root.h"
#include "trace/writer.h"

/* Our packets' sequence. */
enum { TRACE_SEQUENCE = 1 };

/* Boot, monotonic and real time of one moment: events are in boot time. */
int trace_clocks(struct trace_writer *w, const struct clock *clock);
/* Kernel and machine: without the release task states and system calls are read wrongly. */
int trace_system(struct trace_writer *w);
/* Every process of /proc with its threads, and command lines. What ends meanwhile is left out. */
int trace_processes(struct trace_writer *w, const struct root *root);

#endif
