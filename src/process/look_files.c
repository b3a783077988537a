/* The files beside stat: each read at most once a scan, for all columns that come from it. */
#include <errno.h>
#include <string.h>

#include "base/scan.h"
#include "process/look.h"

enum { KERNEL_THREAD = 0x00200000, STATUS_MOST = 4096, SMALL_MOST = 1024 };

int look_file(struct look *look, const struct process *p, const char *name, char *out, u32 size)
{
	char path[48];

	if (!p->stand_in)
		return piddir_read(&look->fs->dir, p->pid, name, out, size);
	procfs_task_path(path, p->stand_in, name);
	return piddir_read(&look->fs->dir, p->pid, path, out, size);
}

static void look_shared(struct look *look, struct process *p)
{
	const u64 columns = column_bit(PROCESS_SHARED);
	u64 pages[3] = {0};
	char statm[256];
	int len = 0;

	if (!look_again(look, p, LOOKED_SHARED, columns, false))
		return;
	p->looked |= LOOKED_SHARED;
	if (!(p->flags & KERNEL_THREAD)) {
		len = look_file(look, p, "statm", statm, sizeof(statm));
		if (len >= 0 && process_parse_statm(statm, statm + len, pages))
			len = -EINVAL;
	}
	look_failed(p, columns, len);
	if (len >= 0)
		record_set(
			&p->last, PROCESS_SHARED, times_u64(pages[2], look->fs->facts.page_bytes));
}

static void set_status(struct process *p, const struct process_status *st)
{
	struct process_record *r = &p->last;

	if (st->have & STATUS_UIDS) {
		record_set(r, PROCESS_REAL_UID, st->uid[0]);
		record_set(r, PROCESS_UID, st->uid[1]);
	}
	if (st->have & STATUS_GIDS)
		record_set(r, PROCESS_GID, st->gid[1]);
	/* without memory of its own (the kernel's threads, ended ones) there is no such line */
	record_set(r, PROCESS_SWAP, st->have & STATUS_SWAP ? times_u64(st->swap_kib, 1024) : 0);
	if (r->value[PROCESS_THREADS] > 1)
		return;
	if (st->have & STATUS_VOLUNTARY)
		record_set(r, PROCESS_VOLUNTARY, p->ended.voluntary + st->voluntary);
	if (st->have & STATUS_INVOLUNTARY)
		record_set(r, PROCESS_INVOLUNTARY, p->ended.involuntary + st->involuntary);
}

/* The owner of the directory tells the effective user; the rest takes the file. */
static void look_status(struct look *look, struct process *p)
{
	const u64 owner = column_bit(PROCESS_UID) | column_bit(PROCESS_USER);
	const u64 alone = column_bit(PROCESS_VOLUNTARY) | column_bit(PROCESS_INVOLUNTARY);
	const u64 columns = column_bit(PROCESS_REAL_UID) | column_bit(PROCESS_REAL_USER) |
			    column_bit(PROCESS_GID) | column_bit(PROCESS_GROUP) |
			    column_bit(PROCESS_SWAP) |
			    (p->last.value[PROCESS_THREADS] > 1 ? 0 : alone);
	struct process_status st;
	int len;
	u32 uid;

	if (look_again(look, p, LOOKED_STATUS, columns, false)) {
		len = look_file(look, p, "status", look->line, STATUS_MOST);
		p->looked |= LOOKED_STATUS | LOOKED_OWNER;
		look_failed(p, columns | owner, len);
		if (len < 0)
			return;
		process_parse_status(look->line, look->line + len, &st);
		set_status(p, &st);
	} else if (look_wants(look, owner) && !(p->looked & LOOKED_OWNER)) {
		p->looked |= LOOKED_OWNER;
		if (!piddir_uid(&look->fs->dir, p->pid, &uid))
			record_set(&p->last, PROCESS_UID, uid);
		else
			p->last.have &= ~column_bit(PROCESS_UID);
	}
}

static void look_io(struct look *look, struct process *p)
{
	static const u8 of[IO_FIELDS] = {[IO_READ_CALLS] = PROCESS_IO_READ,
		[IO_WRITTEN_CALLS] = PROCESS_IO_WRITTEN,
		[IO_READ_DISK] = PROCESS_DISK_READ,
		[IO_WRITTEN_DISK] = PROCESS_DISK_WRITTEN};
	u64 columns = 0;
	char text[SMALL_MOST];
	struct process_io io;
	int len;

	for (u32 i = 0; i < IO_FIELDS; i++)
		columns |= column_bit(of[i]);
	/* whether one with several threads moved is not certain */
	if (!look_again(look, p, LOOKED_IO, columns, p->sched_known))
		return;
	p->looked |= LOOKED_IO;
	/* of the whole process, also when its first thread has ended */
	len = piddir_read(&look->fs->dir, p->pid, "io", text, sizeof(text));
	look_failed(p, columns, len);
	if (len < 0)
		return;
	process_parse_io(text, text + len, &io);
	for (u32 i = 0; i < IO_FIELDS; i++)
		if (io.have >> i & 1)
			record_set(&p->last, of[i], io.bytes[i]);
}

/* Since 6.2 the size of the directory is their number; before, they are counted. */
static void look_descriptors(struct look *look, struct process *p)
{
	const u64 columns = column_bit(PROCESS_FILES);
	char path[48];
	const char *name = "fd";
	u64 size = 0;
	u32 none;
	int n;

	if (!look_again(look, p, LOOKED_FILES, columns, false))
		return;
	p->looked |= LOOKED_FILES;
	if (p->stand_in)
		name = procfs_task_path(path, p->stand_in, "fd");
	n = piddir_size(&look->fs->dir, p->pid, name, &size);
	/* the size may be told to those who may not look */
	if (!n && (!size || !look->fs->may_trace))
		n = piddir_numbers(&look->fs->dir, p->pid, name, &none, 0, &none);
	look_failed(p, columns, n);
	if (n >= 0)
		record_set(&p->last, PROCESS_FILES, size ? size : (u64)n);
}

static void look_pss(struct look *look, struct process *p)
{
	const u64 columns = column_bit(PROCESS_PSS);
	u64 kib;
	int len;

	if (!look_again(look, p, LOOKED_PSS, columns, false))
		return;
	p->looked |= LOOKED_PSS;
	len = look_file(look, p, "smaps_rollup", look->line, LINE_SIZE);
	look_failed(p, columns, len);
	if (len > 0 && scan_line_u64(look->line, look->line + len, "Pss:", &kib))
		record_set(&p->last, PROCESS_PSS, times_u64(kib, 1024));
}

/* The time that its one thread waited. */
static void look_wait(struct look *look, struct process *p)
{
	const u64 columns = column_bit(PROCESS_SCHED_WAIT);
	char text[SMALL_MOST];
	u64 sched[3];
	int len;

	if (!look_again(look, p, LOOKED_WAIT, columns, p->sched_known))
		return;
	p->looked |= LOOKED_WAIT;
	len = piddir_read(&look->fs->dir, p->pid, "schedstat", text, sizeof(text));
	if (len >= 0 && process_parse_schedstat(text, text + len, sched))
		len = -EINVAL;
	look_failed(p, columns, len);
	if (len >= 0)
		record_set(&p->last, PROCESS_SCHED_WAIT, p->ended.wait_ns + sched[1]);
}

int look_files(struct look *look, struct process *p)
{
	const u64 of_threads = column_bit(PROCESS_SCHED_WAIT) | column_bit(PROCESS_VOLUNTARY) |
			       column_bit(PROCESS_INVOLUNTARY);

	look_shared(look, p);
	look_status(look, p);
	look_io(look, p);
	look_descriptors(look, p);
	look_pss(look, p);
	if (look_wants(look, of_threads) && (p->last.value[PROCESS_THREADS] > 1 || p->ntasks))
		return look_tasks(look, p);
	look_wait(look, p);
	return 0;
}
