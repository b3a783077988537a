#include "process/names.h"

#include <string.h>

u32 name_join_arguments(char *line, u32 len)
{
	while (len && (line[len - 1] == '\0' || line[len - 1] == '\n'))
		len--;
	for (u32 i = 0; i < len; i++)
		if (line[i] == '\0')
			line[i] = ' ';
	return len;
}

static const char *last_part(const char *path, u32 len, u32 *out_len)
{
	const char *slash = len ? memrchr(path, '/', len) : NULL;
	const char *from = slash ? slash + 1 : path;

	*out_len = (u32)(path + len - from);
	return from;
}

const char *name_program(const char *exe, u32 exe_len, const char *comm, u32 comm_len,
	const char *line, u32 line_len, u32 *len)
{
	static const char deleted[] = " (deleted)";
	const u32 tail = sizeof(deleted) - 1;
	const char *name;
	u32 word = 0;

	if (exe_len > tail && !memcmp(exe + exe_len - tail, deleted, tail))
		exe_len -= tail;
	name = last_part(exe, exe_len, len);
	if (*len)
		return name;
	*len = comm_len;
	if (comm_len)
		return comm;
	while (word < line_len && line[word] != ' ')
		word++;
	return last_part(line, word, len);
}
