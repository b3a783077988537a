/* Kernel events that Perfetto knows by name. */
#ifndef TARE_FTRACE_KNOWN_EVENTS_H
#define TARE_FTRACE_KNOWN_EVENTS_H

#include "base/types.h"

struct known_event {
	const char *group, *name;
	u32 field;          /* of FtraceEvent */
	const char *fields; /* "NAME:NUMBERTYPE …" */
};

/* NULL: Perfetto has none of it. */
const struct known_event *known_event(const char *group, const char *name);
/* Number of the field of that name, and its type; 0: it has none. */
u32 known_field(const struct known_event *event, const char *name, char *type);

#endif
