/* A bit for each descriptor, so that a walk over the own table can leave them out. */
#include "process/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Numbers above `most` that are remembered: others' descriptors lie between. */
enum { BEYOND = 1024 };

int kept_init(struct kept *kept, u32 most)
{
	u32 words = (most + BEYOND) / 64;

	*kept = (struct kept){.most = most, .words = words};
	kept->bits = calloc(words, sizeof(*kept->bits));
	return kept->bits ? 0 : -ENOMEM;
}

void kept_fini(struct kept *kept)
{
	free(kept->bits);
	*kept = (struct kept){0};
}

void kept_add(struct kept *kept, int fd)
{
	u32 at = (u32)fd;

	kept->n++;
	if (at / 64 >= kept->words)
		return;
	kept->known++;
	kept->bits[at / 64] |= 1ull << at % 64;
}

void kept_close(struct kept *kept, int *fd)
{
	u32 at = (u32)*fd;

	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	kept->n--;
	if (at / 64 >= kept->words)
		return;
	kept->known--;
	kept->bits[at / 64] &= ~(1ull << at % 64);
}
