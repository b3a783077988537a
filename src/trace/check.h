/* Is a trace whole, and what is in it? Reads any Perfetto trace; of packets that it does not know it counts the bytes. */
#ifndef TARE_TRACE_CHECK_H
#define TARE_TRACE_CHECK_H

#include <stdio.h>

#include "base/types.h"

enum { CHECK_CPUS = 1024, CHECK_CLOCKS = 64, CHECK_TEXT = 128 };

struct check_cpu {
	u64 events;
	u64 gaps;                     /* bundles that say that something is missing before them */
	u64 lost_before, lost_at_end; /* of the kernel's counts at start and end of the recording */
	bool told;                    /* it has counts of the end */
};

struct check {
	u64 size;  /* bytes of the file */
	u64 whole; /* up to the end of the last packet that is complete */
	u64 packets, bad_packets, events;
	u64 first_ns, last_ns; /* of events, boot time; 0: there are none */
	u64 clocks;            /* bit of each clock of the snapshots, by BuiltinClock */
	u64 boot_ns, real_ns;  /* of the first snapshot; 0: it has none */
	u32 ncpus;             /* highest CPU's number + 1 */
	bool ended;            /* the recorder came to its end: there are counts of it */
	char system[CHECK_TEXT], recorder[CHECK_TEXT]; /* bytes from the file: not safe */
	struct check_cpu cpu[CHECK_CPUS];
};

/* bytes: the whole file. Never fails: what cannot be read is told in *out, zeroed before. */
void check_trace(struct check *out, const u8 *bytes, u64 size);

/* Events that the kernel lost on that CPU while it was recorded; -1: nobody says. */
s64 check_lost(const struct check_cpu *cpu);

#endif
