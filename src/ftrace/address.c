#include "ftrace/address.h"

#include <errno.h>
#include <stdlib.h>

enum { SLOTS = 1 << 17, ADDRESSES_MOST = SLOTS / 4 * 3 };

int addresses_init(struct addresses *a)
{
	/* what is never touched costs nothing */
	*a = (struct addresses){
		.at = calloc(SLOTS, sizeof(*a->at)), .index = calloc(SLOTS, sizeof(*a->index))};
	if (a->at && a->index)
		return 0;
	addresses_fini(a);
	return -ENOMEM;
}

void addresses_fini(struct addresses *a)
{
	free(a->at);
	free(a->index);
	*a = (struct addresses){0};
}

u32 address_index(struct addresses *a, u64 address)
{
	u32 slot = (u32)(address * 0x9e3779b97f4a7c15ull >> 47);

	for (; a->at[slot]; slot = (slot + 1) & (SLOTS - 1))
		if (a->at[slot] == address)
			return a->index[slot];
	if (a->n == ADDRESSES_MOST)
		return 0;
	a->at[slot] = address;
	return a->index[slot] = ++a->n;
}
