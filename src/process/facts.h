/* Constants of the machine that both scanners count in. */
#ifndef TARE_PROCESS_FACTS_H
#define TARE_PROCESS_FACTS_H

#include "base/root.h"

struct process_facts {
	u64 tick_ns, page_bytes;
	u64 memory_bytes; /* of the machine; 0: unknown */
	u32 own_pid;      /* as /proc counts; 0: none, recorded */
};

void process_facts_read(struct process_facts *facts, const struct root *root);

/* Saturating product: what strangers' files say may be any number. */
static inline u64 times_u64(u64 a, u64 b)
{
	u64 v;

	return __builtin_mul_overflow(a, b, &v) ? UINT64_MAX : v;
}

/* Share of the machine's memory in millionths; memory_bytes is not 0. */
static inline u64 process_memory_share(const struct process_facts *facts, u64 bytes)
{
	return (u64)((double)bytes * 1e6 / (double)facts->memory_bytes + 0.5);
}

#endif
