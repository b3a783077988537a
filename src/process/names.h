/* What a process is called: its program's name and its command line, from what /proc says. Pure. The
 * results are raw bytes from strangers; whoever writes them to a terminal makes them safe. */
#ifndef TARE_PROCESS_NAMES_H
#define TARE_PROCESS_NAMES_H

#include "base/types.h"

struct name_slice {
	const char *text;
	u32 len;
};

/* A cmdline file as one line, in place: trailing NULs go (titles that a program wrote over its
 * arguments leave many), those between arguments become blanks. Returns the length. */
u32 name_cmdline(char *text, u32 len);

/* Is comm as long as the kernel keeps it (TASK_COMM_LEN - 1 bytes), so that its end may be missing? */
bool name_is_cut(struct name_slice comm);

/* Name of a user process's program: last part of the path that runs it (without " (deleted)"), else
 * comm, else last part of the first word of the command line. A comm that the kernel may have cut is
 * completed from that last part when it begins so. exe and comm may be empty. The slice is of one of
 * the three. */
struct name_slice name_program(
	struct name_slice exe, struct name_slice comm, struct name_slice cmdline);

#endif
