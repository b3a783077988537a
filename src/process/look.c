/* Order of cost: stat is one pread of a kept descriptor. statm is read when a process has moved since
 * (it cannot change otherwise); command line, program and owner at first sight, when the process
 * executed something else, and now and then for those that write over their title. */
#include "process/look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/names.h"

enum {
	/* scans until files are looked at again: of one that ran since, of one that seems not to have (a
	   run of less than a clock tick that touches no new page does not show in stat) */
	LOOK_AGAIN = 8,
	LOOK_AGAIN_IDLE = 64,
	KERNEL_THREAD = 0x00200000,
	FORKED_NO_EXEC = 0x00000040,
};

static const struct {
	u8 field, column;
} plain[] = {
	{STAT_PPID, PROCESS_PPID},
	{STAT_MINOR_FAULTS, PROCESS_MINOR_FAULTS},
	{STAT_MAJOR_FAULTS, PROCESS_MAJOR_FAULTS},
	{STAT_PRIORITY, PROCESS_PRIORITY},
	{STAT_NICE, PROCESS_NICE},
	{STAT_THREADS, PROCESS_THREADS},
	{STAT_VIRTUAL_BYTES, PROCESS_VIRTUAL},
	{STAT_PROCESSOR, PROCESS_PROCESSOR},
};

void look_begin(struct look *look, struct procfs *fs, u64 need)
{
	look->fs = fs;
	look->need = need;
	look->want = 1ull << STAT_FLAGS | 1ull << STAT_MINOR_FAULTS | 1ull << STAT_MAJOR_FAULTS |
		     1ull << STAT_USER_TICKS | 1ull << STAT_SYSTEM_TICKS | 1ull << STAT_START_TICKS;
	for (u32 i = 0; i < ARRAY_LEN(plain); i++)
		if (need & column_bit(plain[i].column))
			look->want |= 1ull << plain[i].field;
	if (need & (column_bit(PROCESS_RESIDENT) | column_bit(PROCESS_MEMORY) |
			   column_bit(PROCESS_SHARED)))
		look->want |= 1ull << STAT_RESIDENT_PAGES;
}

void look_close(struct procfs *fs, struct process *p)
{
	if (p->fd < 0)
		return;
	close(p->fd);
	p->fd = -1;
	fs->kept--;
}

/* Somebody else needs descriptors: give up half of ours for good. */
static void shed(struct procfs *fs)
{
	fs->keep_most = fs->kept / 2;
	procfs_close_files(fs);
}

static int open_stat(struct procfs *fs, u32 pid)
{
	int fd = piddir_file(&fs->dir, pid, "stat");

	if ((fd == -EMFILE || fd == -ENFILE) && fs->kept) {
		shed(fs);
		fd = piddir_file(&fs->dir, pid, "stat");
	}
	return fd;
}

/* Length or -errno. */
static int read_stat(struct look *look, struct process *p)
{
	struct procfs *fs = look->fs;
	int fd, ret;
	ssize_t n;

	if (p->fd >= 0) {
		n = pread(p->fd, look->line, sizeof(look->line), 0);
		if (n > 0)
			return (int)n;
		/* gone; the pid may be another's by now */
		look_close(fs, p);
	}
	fd = open_stat(fs, p->pid);
	if (fd < 0)
		return fd;
	n = pread(fd, look->line, sizeof(look->line), 0);
	ret = n > 0 ? (int)n : n < 0 ? -errno : -ESRCH;
	if (ret < 0 || fs->kept >= fs->keep_most) {
		close(fd);
		return ret;
	}
	p->fd = fd;
	fs->kept++;
	return ret;
}

static bool denied(int error)
{
	return error == -EACCES || error == -EPERM;
}

static bool is_kernel(const struct process *p)
{
	return (p->flags & KERNEL_THREAD) != 0;
}

/* What is remembered of the process that had this pid goes; comm that another exec left goes too. */
static void recognise(struct look *look, struct process *p, const struct process_stat *st)
{
	u64 ticks = st->value[STAT_USER_TICKS] + st->value[STAT_SYSTEM_TICKS];
	u64 faults = st->value[STAT_MINOR_FAULTS] + st->value[STAT_MAJOR_FAULTS];
	u64 pages = st->have >> STAT_RESIDENT_PAGES & 1 ? st->value[STAT_RESIDENT_PAGES] : p->pages;
	u32 flags = (u32)st->value[STAT_FLAGS];
	u32 len = st->comm_len < COMM_MOST ? st->comm_len : COMM_MOST;
	bool ran = ticks != p->cpu_ticks || faults != p->faults || pages != p->pages;

	p->ran |= ran;
	if (!p->known || p->start_ticks != st->value[STAT_START_TICKS]) {
		p->known = true;
		p->start_ticks = st->value[STAT_START_TICKS];
		p->looked = 0;
		p->has_cmdline = p->cmdline_denied = p->ran = false;
		p->command_len = p->cmdline_len = 0;
	} else if (len != p->comm_len || memcmp(p->comm, st->comm, len) ||
		   ((flags ^ p->flags) & FORKED_NO_EXEC)) {
		p->looked &= (u8) ~(LOOKED_COMMAND | LOOKED_CMDLINE | LOOKED_UID);
	} else if (!(flags & KERNEL_THREAD) && st->state != 'Z' &&
		   (look->fs->scans + p->pid) % (p->ran ? LOOK_AGAIN : LOOK_AGAIN_IDLE) == 0) {
		p->looked = 0;
		p->ran = false;
	}
	if (ran)
		p->looked &= (u8)~LOOKED_SHARED;
	memcpy(p->comm, st->comm, len);
	p->comm_len = (u8)len;
	p->cpu_ticks = ticks;
	p->faults = faults;
	p->pages = pages;
	p->flags = flags;
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

static int look_names(struct look *look, struct process *p)
{
	struct procfs *fs = look->fs;
	struct name_slice comm = {p->comm, p->comm_len}, line = {fs->text, 0};
	struct name_slice exe = {fs->text + CMDLINE_MOST, 0};
	int len;

	p->looked |= LOOKED_COMMAND | LOOKED_CMDLINE;
	if (is_kernel(p)) {
		p->has_cmdline = true;
		return store(p, comm, line);
	}
	if (look->need & column_bit(PROCESS_COMMAND)) {
		len = piddir_link(&fs->dir, p->pid, "exe", fs->text + CMDLINE_MOST, EXE_MOST);
		exe.len = len > 0 ? (u32)len : 0;
	}
	if (look->need & column_bit(PROCESS_CMDLINE) ||
		(!exe.len && (!comm.len || name_is_cut(comm)))) {
		len = piddir_read(&fs->dir, p->pid, "cmdline", fs->text, CMDLINE_MOST);
		if (p->has_cmdline && (len == -ESRCH || len == -ENOENT))
			return 0; /* it ends just now: what is known of it stays */
		p->has_cmdline = len >= 0;
		p->cmdline_denied = denied(len);
		if (len > 0)
			line.len = name_cmdline(fs->text, (u32)len);
	}
	return store(p, name_program(exe, comm, line), line);
}

static void look_uid(struct look *look, struct process *p)
{
	p->has_uid = !piddir_uid(&look->fs->dir, p->pid, &p->uid);
	p->looked |= LOOKED_UID;
}

static void look_shared(struct look *look, struct process *p)
{
	u64 pages[3] = {0};
	char statm[256];
	int len = 0;

	if (!is_kernel(p)) {
		len = piddir_read(&look->fs->dir, p->pid, "statm", statm, sizeof(statm));
		if (len >= 0 && process_parse_statm(statm, statm + len, pages))
			len = -EINVAL;
	}
	p->shared_pages = pages[2];
	p->shared_error = len < 0 ? len : 0;
	p->looked |= LOOKED_SHARED;
}

static u64 times(u64 a, u64 b)
{
	u64 v;

	return __builtin_mul_overflow(a, b, &v) ? UINT64_MAX : v;
}

static void fill_stat(
	const struct procfs *fs, const struct process_stat *st, struct process_record *r)
{
	u64 user = times(st->value[STAT_USER_TICKS], fs->tick_ns);
	u64 system = times(st->value[STAT_SYSTEM_TICKS], fs->tick_ns), cpu;

	for (u32 i = 0; i < ARRAY_LEN(plain); i++)
		if (st->have >> plain[i].field & 1)
			record_set(r, plain[i].column, st->value[plain[i].field]);
	if (st->have >> STAT_SYSTEM_TICKS & 1) {
		if (__builtin_add_overflow(user, system, &cpu))
			cpu = UINT64_MAX;
		record_set(r, PROCESS_USER_CPU, user);
		record_set(r, PROCESS_SYSTEM_CPU, system);
		record_set(r, PROCESS_CPU, cpu);
		record_set(r, PROCESS_TIME, cpu);
	}
	if (st->have >> STAT_FLAGS & 1)
		record_set(r, PROCESS_KERNEL, (st->value[STAT_FLAGS] & KERNEL_THREAD) != 0);
	if (!(st->have >> STAT_RESIDENT_PAGES & 1))
		return;
	user = times(st->value[STAT_RESIDENT_PAGES], fs->page_bytes);
	record_set(r, PROCESS_RESIDENT, user);
	if (fs->memory_bytes)
		record_set(r, PROCESS_MEMORY,
			(u64)((double)user * 1e6 / (double)fs->memory_bytes + 0.5));
}

static int fill_rest(struct look *look, struct process *p, struct process_record *r)
{
	u64 names = column_bit(PROCESS_COMMAND) | column_bit(PROCESS_CMDLINE);
	int ret;

	if ((look->need & names) && !(p->looked & LOOKED_COMMAND)) {
		ret = look_names(look, p);
		if (ret)
			return ret;
	}
	record_text(r, PROCESS_TEXT_COMMAND, text_of(p), p->command_len);
	if (p->has_cmdline)
		record_text(r, PROCESS_TEXT_CMDLINE, text_of(p) + p->command_len, p->cmdline_len);
	if (p->cmdline_denied)
		r->denied |= column_bit(PROCESS_CMDLINE);
	if (look->need & (column_bit(PROCESS_UID) | column_bit(PROCESS_USER))) {
		if (!(p->looked & LOOKED_UID))
			look_uid(look, p);
		if (p->has_uid)
			record_set(r, PROCESS_UID, p->uid);
	}
	if (look->need & column_bit(PROCESS_SHARED)) {
		if (!(p->looked & LOOKED_SHARED))
			look_shared(look, p);
		if (!p->shared_error)
			record_set(r, PROCESS_SHARED, times(p->shared_pages, look->fs->page_bytes));
		else if (denied(p->shared_error))
			r->denied |= column_bit(PROCESS_SHARED);
	}
	return 0;
}

int look_at(struct look *look, struct process *p, struct process_record *r)
{
	struct procfs *fs = look->fs;
	int len = read_stat(look, p), ret;
	struct process_stat st = {0};

	if (len < 0)
		return len;
	clock_read_row(fs->env->clock, &r->at);
	ret = process_parse_stat(look->line, look->line + len, look->want, &st);
	/* without a start it is not known which process this is */
	if (ret || !(st.have >> STAT_START_TICKS & 1))
		return -EINVAL;
	recognise(look, p, &st);
	r->key = process_key(p->pid, p->start_ticks);
	r->state = st.state;
	record_set(r, PROCESS_PID, p->pid);
	record_set(r, PROCESS_STARTED, times(p->start_ticks, fs->tick_ns));
	record_set(r, PROCESS_OWN, p->pid == fs->own_pid);
	fill_stat(fs, &st, r);
	return fill_rest(look, p, r);
}
