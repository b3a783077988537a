/* Descriptors of files that are kept open from one scan to the next: how many, how many there may be, and which. */
#ifndef TARE_PROCESS_KEPT_H
#define TARE_PROCESS_KEPT_H

#include "base/types.h"

struct kept {
	u32 n, most;
	u32 known; /* of the n: those whose bits are set */
	u32 words;
	u64 *bits; /* by descriptor, below words * 64 */
};

/* At most `most` of them. 0 or -ENOMEM. */
int kept_init(struct kept *kept, u32 most);
/* All have been closed. */
void kept_fini(struct kept *kept);
/* fd is one of them from now on; there has to be room. */
void kept_add(struct kept *kept, int fd);
/* Close *fd, if it is one; then it is -1. */
void kept_close(struct kept *kept, int *fd);

static inline bool kept_is_full(const struct kept *kept)
{
	return kept->n >= kept->most;
}

static inline bool kept_has(const struct kept *kept, u32 fd)
{
	return fd / 64 < kept->words && kept->bits[fd / 64] >> fd % 64 & 1;
}

#endif
