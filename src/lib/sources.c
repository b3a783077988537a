#include "lib/sources.h"

#include <stddef.h>

const struct source_ops *const tare_sources[] = {
	NULL,
};
