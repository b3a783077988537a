/* From raw values to the units that schema.h promises. Only frame.c and delta.c use it. */
#ifndef TARE_CORE_UNIT_H
#define TARE_CORE_UNIT_H

#include "core/schema.h"

/* Base unit to what people see: 100 for ratios. */
static inline double unit_factor(enum unit unit)
{
	return unit == UNIT_RATIO ? 100.0 : 1.0;
}

/* Rate of a counter over a window, in display units. 0 for an empty window. */
static inline double unit_rate(enum unit unit, u64 diff, u64 window_ns)
{
	double per_ns;

	if (!window_ns)
		return 0;
	per_ns = (double)diff / (double)window_ns;
	switch (unit) {
	case UNIT_NS:
		return per_ns * 100.0;
	case UNIT_UJ:
		return per_ns * 1e3;
	default:
		return per_ns * 1e9;
	}
}

static inline double unit_gauge(const struct column *c, u64 raw, u64 boot_ns)
{
	double v = c->flags & COLUMN_SIGNED ? (double)(s64)raw : (double)raw;

	switch (c->unit) {
	case UNIT_NS:
		return v * 1e-9;
	case UNIT_UJ:
	case UNIT_UW:
	case UNIT_UV:
	case UNIT_UA:
		return v * 1e-6;
	case UNIT_CENTI:
		return v * 0.01;
	case UNIT_MILLIC:
		return v * 0.001;
	case UNIT_RATIO:
		return v * 1e-4;
	case UNIT_BOOTTIME:
		return raw < boot_ns ? (double)(boot_ns - raw) * 1e-9 : 0;
	default:
		return v;
	}
}

#endif
