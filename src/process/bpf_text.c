#include "process/bpf_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "process/names.h"
#include "process/procfs.h"

enum { KERNEL_THREAD = 0x00200000 };

int text_reader_init(struct text_reader *reader, struct piddir *dir, struct cgroups *cgroups)
{
	*reader = (struct text_reader){.dir = dir, .cgroups = cgroups};
	reader->bytes = malloc(TEXT_CMDLINE_MOST + TEXT_PATH_MOST);
	return reader->bytes ? 0 : -ENOMEM;
}

void text_reader_fini(struct text_reader *reader)
{
	free(reader->bytes);
	*reader = (struct text_reader){0};
}

static const char *text_of(const struct known_text *t)
{
	return t->heap ? t->heap : t->text;
}

static int store(struct known_text *t, struct name_slice command, struct name_slice cmdline,
	struct name_slice exe)
{
	u32 len = command.len + cmdline.len + exe.len;
	char *text;

	if (len > (t->heap ? t->heap_size : TEXT_INLINE)) {
		text = realloc(t->heap, len);
		if (!text)
			return -ENOMEM;
		t->heap = text;
		t->heap_size = len;
	}
	text = t->heap ? t->heap : t->text;
	if (command.len)
		memcpy(text, command.text, command.len);
	if (cmdline.len)
		memcpy(text + command.len, cmdline.text, cmdline.len);
	if (exe.len)
		memcpy(text + command.len + cmdline.len, exe.text, exe.len);
	t->command_len = command.len;
	t->cmdline_len = cmdline.len;
	t->exe_len = exe.len;
	return 0;
}

static bool denied(int error)
{
	return error == -EACCES || error == -EPERM;
}

/* It is gone, or about to be. */
static bool ending(int error)
{
	return error == -ESRCH || error == -ENOENT;
}

const char *text_path(char out[48], const struct task_part *part, const char *name)
{
	return part->kind == TASK_STAND_IN ? procfs_task_path(out, part->tid, name) : name;
}

static int look(
	struct text_reader *reader, struct known_text *t, u32 pid, const struct task_part *part)
{
	struct name_slice comm = {t->comm, (u32)strnlen(t->comm, RECORD_COMM)};
	struct name_slice line = {reader->bytes, 0}, exe = {reader->bytes + TEXT_CMDLINE_MOST, 0};
	bool known = t->looked;
	char path[48];
	int len;

	t->looked = true;
	if (part->flags & KERNEL_THREAD) {
		/* a worker's name tells what it works on, which only this file has */
		len = piddir_read(reader->dir, pid, "comm", reader->bytes, TEXT_CMDLINE_MOST);
		if (len > 1)
			comm = (struct name_slice){reader->bytes, (u32)len - 1};
		t->has_cmdline = true;
		return store(t, comm, line, exe);
	}
	len = piddir_link(reader->dir, pid, text_path(path, part, "exe"),
		reader->bytes + TEXT_CMDLINE_MOST, TEXT_PATH_MOST);
	if (known && ending(len))
		return 0;
	t->has_exe = len > 0;
	t->exe_denied = denied(len);
	exe.len = len > 0 ? (u32)len : 0;
	len = piddir_read(reader->dir, pid, text_path(path, part, "cmdline"), reader->bytes,
		TEXT_CMDLINE_MOST);
	if (known && ending(len))
		return 0;
	t->has_cmdline = len >= 0;
	t->cmdline_denied = denied(len);
	if (len > 0)
		line.len = name_cmdline(reader->bytes, (u32)len);
	return store(t, name_program(exe, comm, line), line, exe);
}

void text_keep(const struct known_text *t, struct process_record *r)
{
	const char *text = text_of(t);

	if (!t->looked)
		return;
	record_text(r, PROCESS_TEXT_COMMAND, text, t->command_len);
	if (t->has_cmdline)
		record_text(r, PROCESS_TEXT_CMDLINE, text + t->command_len, t->cmdline_len);
	if (t->has_exe)
		record_text(
			r, PROCESS_TEXT_EXE, text + t->command_len + t->cmdline_len, t->exe_len);
	if (t->cmdline_denied)
		r->denied |= column_bit(PROCESS_CMDLINE);
	if (t->exe_denied)
		r->denied |= column_bit(PROCESS_EXE);
}

int text_fill(struct text_reader *reader, struct known_text *t, u32 pid,
	const struct task_part *part, bool again, struct process_record *r)
{
	const u64 texts = column_bit(PROCESS_COMMAND) | column_bit(PROCESS_CMDLINE) |
			  column_bit(PROCESS_EXE);
	bool other = t->exec_id != part->exec_id || memcmp(t->comm, part->comm, RECORD_COMM);
	int ret = 0;

	if ((reader->need & texts) && (!t->looked || other || again)) {
		t->exec_id = part->exec_id;
		memcpy(t->comm, part->comm, RECORD_COMM);
		ret = look(reader, t, pid, part);
	}
	text_keep(t, r);
	return ret;
}
