#include "bench/ladder.h"

#include <errno.h>

int ladder_bpf(struct ladder *l)
{
	(void)l;
	return -EOPNOTSUPP;
}
