/* Counts this process's allocations: malloc and its kin are wrapped at link time (-Wl,--wrap). */
#ifndef TARE_BENCH_ALLOC_H
#define TARE_BENCH_ALLOC_H

#include "base/types.h"

/* Calls of malloc, calloc and realloc since the start. */
u64 alloc_count(void);
/* Bytes those calls asked for; nothing is taken off when they are freed. */
u64 alloc_bytes(void);

#endif
