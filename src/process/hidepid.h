/* Does this mount of /proc hide other users' processes? See hidepid= in
 * Documentation/filesystems/proc.rst. */
#ifndef TARE_PROCESS_HIDEPID_H
#define TARE_PROCESS_HIDEPID_H

#include "base/root.h"

/* Value of hidepid= of the mount on /proc in [p, end), a mountinfo file, into out: "" when there is none or
 * it is off ("0", "off"). */
void hidepid_parse(const char *p, const char *end, char *out, u32 size);
/* The same of a root, and "" too when the mount hides nothing from this user. */
void hidepid_read(const struct root *root, char *out, u32 size);

#endif
