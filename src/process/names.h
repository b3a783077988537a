/* What a process is called: rules over comm, the exe link and the command line. Pure, over bytes from
 * strangers that stay as they are; sinks make them safe. */
#ifndef TARE_PROCESS_NAMES_H
#define TARE_PROCESS_NAMES_H

#include "base/types.h"

/* Join the NUL-separated arguments of /proc/PID/cmdline by one blank, in place; trailing NULs (programs
 * that rewrite their title) go. Returns the new length. */
u32 name_join_arguments(char *line, u32 len);
/* The program: the exe link's last part (without " (deleted)"), else comm, else the last part of the first
 * word of the command line. Returns a pointer into one of the three and its length. */
const char *name_program(const char *exe, u32 exe_len, const char *comm, u32 comm_len,
	const char *line, u32 line_len, u32 *len);

#endif
