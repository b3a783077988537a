/* Capabilities of this thread: what it may do, and giving up what it no longer needs. capabilities(7). */
#ifndef TARE_PROCESS_CAPS_H
#define TARE_PROCESS_CAPS_H

#include "base/types.h"

/* Is this capability (CAP_… of linux/capability.h) effective? */
bool caps_has(u32 capability);
/* Switch capabilities (a bit each) off or on, in the effective set only. 0 or -errno. */
int caps_lower(u64 which);
int caps_raise(u64 which);
/* Give them up for good. 0 or -errno. */
int caps_drop(u64 which);

#endif
