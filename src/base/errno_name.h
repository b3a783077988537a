/* Symbolic names of the errors that /proc and /sys reads give. */
#ifndef TARE_BASE_ERRNO_NAME_H
#define TARE_BASE_ERRNO_NAME_H

/* Number of "EINVAL" and its like; 0 when unknown. */
int errno_from_name(const char *name);

#endif
