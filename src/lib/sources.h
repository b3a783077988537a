/* The list of sources, in the order in which tables are shown. */
#ifndef TARE_LIB_SOURCES_H
#define TARE_LIB_SOURCES_H

#include "core/source.h"

/* NULL-terminated. */
extern const struct source_ops *const tare_sources[];

#endif
