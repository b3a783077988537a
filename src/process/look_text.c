/* Names, command line, program, directory and control group. Strangers' bytes: raw here, made safe where shown. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process/container.h"
#include "process/look.h"
#include "process/names.h"

enum { KERNEL_THREAD = 0x00200000 };

static bool is_kernel(const struct process *p)
{
	return (p->flags & KERNEL_THREAD) != 0;
}

/* It ends just now: what is known of it stays. */
static bool ending(int error)
{
	return error == -ESRCH || error == -ENOENT;
}

static int keep(struct kept_text *t, const char *text, u32 len)
{
	if (len > t->size) {
		char *bytes = realloc(t->bytes, len);

		if (!bytes)
			return -ENOMEM;
		t->bytes = bytes;
		t->size = len;
	}
	if (len)
		memcpy(t->bytes, text, len);
	t->len = len;
	return 0;
}

static char *text_of(struct process *p)
{
	return p->heap ? p->heap : p->text;
}

static int store(struct process *p, struct name_slice command, struct name_slice cmdline)
{
	u32 len = command.len + cmdline.len;
	char *text;

	if (len > (p->heap ? p->heap_size : TEXT_KEPT)) {
		char *heap = realloc(p->heap, len);

		if (!heap)
			return -ENOMEM;
		p->heap = heap;
		p->heap_size = len;
	}
	text = text_of(p);
	if (command.len)
		memcpy(text, command.text, command.len);
	if (cmdline.len)
		memcpy(text + command.len, cmdline.text, cmdline.len);
	p->command_len = command.len;
	p->cmdline_len = cmdline.len;
	return 0;
}

/* A link into `out`; empty when there is none. */
static int read_link(struct look *look, struct process *p, const char *name, char *out)
{
	char path[48];

	if (p->stand_in)
		name = procfs_task_path(path, p->stand_in, name);
	return piddir_link(&look->fs->dir, p->pid, name, out, PATH_MOST);
}

static int set_exe(struct process *p, const char *text, int len)
{
	if (ending(len) && p->exe.len)
		return 0;
	look_failed(p, column_bit(PROCESS_EXE), len);
	return keep(&p->exe, text, len > 0 ? (u32)len : 0);
}

static int look_names(struct look *look, struct process *p, struct name_slice exe)
{
	struct procfs *fs = look->fs;
	struct name_slice comm = {p->comm, p->comm_len}, line = {fs->text, 0};
	int len;

	p->looked |= LOOKED_NAMES;
	if (look_wants(look, column_bit(PROCESS_CMDLINE)))
		p->looked |= LOOKED_LINE;
	if (is_kernel(p)) {
		p->has_cmdline = true;
		return store(p, comm, line);
	}
	if (look_wants(look, column_bit(PROCESS_CMDLINE)) ||
		(!exe.len && (!comm.len || name_is_cut(comm)))) {
		len = look_file(look, p, "cmdline", fs->text, CMDLINE_MOST);
		if (p->has_cmdline && ending(len))
			return 0;
		p->has_cmdline = len >= 0;
		p->denied_cmdline = look_denied(len);
		if (len > 0)
			line.len = name_cmdline(fs->text, (u32)len);
	}
	return store(p, name_program(exe, comm, line), line);
}

/* The program's path is of use by itself and for its name. */
static int look_program(struct look *look, struct process *p)
{
	const u64 names = column_bit(PROCESS_COMMAND) | column_bit(PROCESS_CMDLINE);
	const u64 path = column_bit(PROCESS_COMMAND) | column_bit(PROCESS_EXE);
	bool want_line = look_wants(look, column_bit(PROCESS_CMDLINE)) &&
			 !(p->looked & LOOKED_LINE);
	bool want_names = look_wants(look, names) && (want_line || !(p->looked & LOOKED_NAMES));
	bool want_exe = look_wants(look, column_bit(PROCESS_EXE)) && !(p->looked & LOOKED_EXE);
	char *text = look->fs->text + CMDLINE_MOST;
	struct name_slice exe = {text, 0};
	int len = 0, ret = 0;

	if (!want_names && !want_exe)
		return 0;
	if (look_wants(look, path) && !is_kernel(p)) {
		len = read_link(look, p, "exe", text);
		exe.len = len > 0 ? (u32)len : 0;
	}
	if (want_exe) {
		p->looked |= LOOKED_EXE;
		ret = set_exe(p, text, len);
	}
	return ret || !want_names ? ret : look_names(look, p, exe);
}

static int look_cwd(struct look *look, struct process *p)
{
	const u64 columns = column_bit(PROCESS_CWD);
	char *text = look->fs->text;
	int len;

	if (!look_again(look, p, LOOKED_CWD, columns, false))
		return 0;
	p->looked |= LOOKED_CWD;
	len = read_link(look, p, "cwd", text);
	look_failed(p, columns, len);
	return keep(&p->cwd, text, len > 0 ? (u32)len : 0);
}

/* Others may move it to another group at any time. */
static int look_cgroup(struct look *look, struct process *p)
{
	const u64 columns = column_bit(PROCESS_CGROUP) | column_bit(PROCESS_CONTAINER);
	struct cgroup_slice path = {NULL, 0}, container = {NULL, 0};
	char *text = look->fs->text;
	int len, ret;

	if (!look_wants(look, columns) ||
		((p->looked & LOOKED_CGROUP) && !look->due && !look->visible))
		return 0;
	len = look_file(look, p, "cgroup", text, CMDLINE_MOST);
	if ((p->looked & LOOKED_CGROUP) && ending(len))
		return 0;
	p->looked |= LOOKED_CGROUP;
	look_failed(p, columns, len);
	if (len > 0)
		path = cgroup_of_file(text, text + len);
	ret = keep(&p->cgroup, path.text, path.len);
	if (ret)
		return ret;
	if (path.len)
		container = container_of_cgroup(path);
	p->container_len = container.len;
	p->container_at = container.len ? (u32)(container.text - path.text) : 0;
	return 0;
}

static void set_text(
	struct process_record *r, enum process_text which, const char *text, u32 len, bool have)
{
	r->text[which] = (struct process_text_slice){text, len, have};
}

int look_texts(struct look *look, struct process *p)
{
	struct process_record *r = &p->last;
	int ret = look_program(look, p);

	if (!ret)
		ret = look_cwd(look, p);
	if (!ret)
		ret = look_cgroup(look, p);
	if (ret)
		return ret;
	set_text(r, PROCESS_TEXT_COMMAND, text_of(p), p->command_len, true);
	set_text(r, PROCESS_TEXT_CMDLINE, text_of(p) + p->command_len, p->cmdline_len,
		p->has_cmdline);
	set_text(r, PROCESS_TEXT_EXE, p->exe.bytes, p->exe.len, p->exe.len);
	set_text(r, PROCESS_TEXT_CWD, p->cwd.bytes, p->cwd.len, p->cwd.len);
	set_text(r, PROCESS_TEXT_CGROUP, p->cgroup.bytes, p->cgroup.len, p->cgroup.len);
	set_text(r, PROCESS_TEXT_CONTAINER,
		p->container_len ? p->cgroup.bytes + p->container_at : NULL, p->container_len,
		p->container_len);
	if (p->denied_cmdline)
		r->denied |= column_bit(PROCESS_CMDLINE);
	else
		r->denied &= ~column_bit(PROCESS_CMDLINE);
	return 0;
}
