#include "process/names.h"

#include <string.h>

static const char deleted[] = " (deleted)";

u32 name_cmdline(char *text, u32 len)
{
	while (len && !text[len - 1])
		len--;
	for (u32 i = 0; i < len; i++)
		if (!text[i])
			text[i] = ' ';
	return len;
}

static struct name_slice last_part(struct name_slice path)
{
	const char *slash = path.len ? memrchr(path.text, '/', path.len) : NULL;

	if (!slash)
		return path;
	path.len -= (u32)(slash + 1 - path.text);
	path.text = slash + 1;
	return path;
}

enum { COMM_KEPT = 15 }; /* TASK_COMM_LEN of include/linux/sched.h, less the NUL */

bool name_is_cut(struct name_slice comm)
{
	return comm.len == COMM_KEPT;
}

struct name_slice name_program(
	struct name_slice exe, struct name_slice comm, struct name_slice cmdline)
{
	const u32 tail = sizeof(deleted) - 1;
	const char *blank;

	if (exe.len > tail && !memcmp(exe.text + exe.len - tail, deleted, tail))
		exe.len -= tail;
	exe = last_part(exe);
	if (exe.len)
		return exe;
	blank = cmdline.len ? memchr(cmdline.text, ' ', cmdline.len) : NULL;
	if (blank)
		cmdline.len = (u32)(blank - cmdline.text);
	cmdline = last_part(cmdline);
	if (name_is_cut(comm) && cmdline.len > comm.len &&
		!memcmp(cmdline.text, comm.text, comm.len))
		return cmdline;
	return comm.len ? comm : cmdline;
}
