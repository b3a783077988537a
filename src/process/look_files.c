/* The files beside stat: each read at most once a scan, for all columns that come from it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/scan.h"
#include "process/look.h"

enum { KERNEL_THREAD = 0x00200000, SMALL_MOST = 1024 };

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

/* Has it one thread and never had more, as far as is known? Then its files tell its switches and waits. */
static bool counts_alone(const struct process *p)
{
	return p->last.value[PROCESS_THREADS] <= 1 && !p->ntasks;
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
	if (st->have & STATUS_SWAP)
		record_set(r, PROCESS_SWAP, times_u64(st->swap_kib, 1024));
	else if ((p->flags & KERNEL_THREAD) || r->state == 'Z')
		record_set(r, PROCESS_SWAP, 0); /* no memory of its own, no line of it */
	if (!counts_alone(p))
		return;
	if (st->have & STATUS_VOLUNTARY)
		record_set(r, PROCESS_VOLUNTARY, st->voluntary);
	if (st->have & STATUS_INVOLUNTARY)
		record_set(r, PROCESS_INVOLUNTARY, st->involuntary);
}

/* The owner of the directory tells the effective user; the rest takes the file. */
static void look_status(struct look *look, struct process *p)
{
	const u64 owner = column_bit(PROCESS_UID) | column_bit(PROCESS_USER);
	const u64 columns = column_bit(PROCESS_REAL_UID) | column_bit(PROCESS_REAL_USER) |
			    column_bit(PROCESS_GID) | column_bit(PROCESS_GROUP) |
			    column_bit(PROCESS_SWAP);
	const u64 own = counts_alone(p)
				? column_bit(PROCESS_VOLUNTARY) | column_bit(PROCESS_INVOLUNTARY)
				: 0;
	struct process_status st;
	int len;
	u32 uid;

	if (look_again(look, p, LOOKED_STATUS, columns, false) ||
		look_again(look, p, LOOKED_STATUS, own, true)) {
		len = look_file(look, p, "status", look->fs->text, CMDLINE_MOST);
		p->looked |= LOOKED_STATUS | LOOKED_OWNER;
		look_failed(p, columns | owner | own, len);
		if (len < 0)
			return;
		process_parse_status(look->fs->text, look->fs->text + len, &st);
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
	if (!look_again(look, p, LOOKED_IO, columns, true))
		return;
	/* most of it is other users': they are not asked each time */
	if ((p->looked & LOOKED_IO) && (p->last.denied & columns) && !look->due)
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
	u32 none, owner;
	int n;

	if (!look_again(look, p, LOOKED_FILES, columns, false))
		return;
	p->looked |= LOOKED_FILES;
	if (p->stand_in)
		name = procfs_task_path(path, p->stand_in, "fd");
	n = piddir_size(&look->fs->dir, p->pid, name, &size, &owner);
	/* the size is told to those who may not look, too */
	if (!n && size && owner != geteuid() && !look->fs->may_trace)
		n = -EACCES;
	if (!n && !size)
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

	if (!look_again(look, p, LOOKED_WAIT, columns, true))
		return;
	p->looked |= LOOKED_WAIT;
	if (look->asked) {
		record_set(&p->last, PROCESS_SCHED_WAIT, p->sched[1]);
		return;
	}
	len = piddir_read(&look->fs->dir, p->pid, "schedstat", text, sizeof(text));
	if (len >= 0 && process_parse_schedstat(text, text + len, sched))
		len = -EINVAL;
	look_failed(p, columns, len);
	if (len >= 0)
		record_set(&p->last, PROCESS_SCHED_WAIT, sched[1]);
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
	if (look_wants(look, of_threads) && !counts_alone(p))
		return look_tasks(look, p);
	look_wait(look, p);
	return 0;
}
