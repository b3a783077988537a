/* Kernel addresses do not leave the machine: each becomes a small number, the same one as long as a trace lasts. */
#ifndef TARE_FTRACE_ADDRESS_H
#define TARE_FTRACE_ADDRESS_H

#include "base/types.h"

struct addresses {
	u64 *at;    /* open addressing; 0: free */
	u32 *index; /* the number of each */
	u32 n;
};

int addresses_init(struct addresses *a); /* 0 or -ENOMEM */
void addresses_fini(struct addresses *a);
/* From 1; 0: there were too many different ones. */
u32 address_index(struct addresses *a, u64 address);

/* Upper half of the address space, but for the last page: those are error numbers. */
static inline bool is_address(u64 v)
{
	return v - 0xffff800000000000ull < 0x00007ffffffff000ull;
}

#endif
