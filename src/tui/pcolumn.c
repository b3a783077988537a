#include "tui/pcolumn.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/sbuf.h"

#define P(name) FIELD_PROCESS_##name
#define ASKED   COLUMN_ASKED

/* htop's order and headings where htop has them. */
const struct pcolumn pcolumns[] = {
	{P(pid), PFORMAT_NUMBER, 7, 0, true, false, "PID", "process id"},
	{P(process), PFORMAT_NUMBER, 7, ASKED, true, false, "TGID", "process of the thread"},
	{P(ppid), PFORMAT_NUMBER, 7, 150, true, false, "PPID", "parent's process id"},
	{P(user), PFORMAT_TEXT, 9, 48, true, false, "USER", "owner"},
	{P(uid), PFORMAT_NUMBER, 6, ASKED, true, false, "UID", "owner's number"},
	{P(real_user), PFORMAT_TEXT, 9, ASKED, true, false, "RUSER", "user that started it"},
	{P(real_uid), PFORMAT_NUMBER, 6, ASKED, true, false, "RUID", "that user's number"},
	{P(group), PFORMAT_TEXT, 9, ASKED, true, false, "GROUP", "group"},
	{P(gid), PFORMAT_NUMBER, 6, ASKED, true, false, "GID", "group's number"},
	{P(priority), PFORMAT_PRIORITY, 3, 110, true, false, "PRI", "kernel priority"},
	{P(nice), PFORMAT_NUMBER, 3, 110, true, false, "NI", "nice value"},
	{P(policy), PFORMAT_TEXT, 8, ASKED, true, false, "POL", "scheduling policy"},
	{P(virtual), PFORMAT_BYTES, 5, 120, false, false, "VIRT", "address space"},
	{P(resident), PFORMAT_BYTES, 5, 38, false, true, "RES", "memory in RAM"},
	{P(shared), PFORMAT_BYTES, 5, 120, false, false, "SHR", "of it shared or file-backed"},
	{P(swap), PFORMAT_BYTES, 5, ASKED, false, true, "SWAP", "memory swapped out"},
	{P(pss), PFORMAT_BYTES, 5, ASKED, false, true, "PSS", "RAM, its share of what is shared"},
	{P(state), PFORMAT_TEXT, 1, 30, true, false, "S", "state: R runs, D waits, Z dead"},
	{P(cpu), PFORMAT_PERCENT, 6, 0, false, true, "CPU%", "CPU time, 100 is one CPU"},
	{P(threads), PFORMAT_COUNT, 4, 70, false, true, "THR", "threads"},
	{P(memory), PFORMAT_PERCENT, 5, 60, false, true, "MEM%", "share of the machine's memory"},
	{P(time), PFORMAT_TIME, 8, 56, false, true, "TIME+", "CPU time since its start"},
	{P(user_cpu), PFORMAT_PERCENT, 6, ASKED, false, true, "USR%", "CPU time in user mode"},
	{P(system_cpu), PFORMAT_PERCENT, 6, ASKED, false, true, "SYS%", "CPU time in the kernel"},
	{P(sched_wait), PFORMAT_PERCENT, 6, ASKED, false, true, "WAIT%", "ready, but no CPU free"},
	{P(energy), PFORMAT_WATTS, 6, ASKED, false, true, "pkgW~",
		"its share of the package's power"},
	{P(gpu), PFORMAT_TEXT, 5, ASKED, true, false, "GPU", "numbers of the GPUs that it uses"},
	{P(gpu_busy), PFORMAT_PERCENT, 5, ASKED, false, true, "GPU%", "GPU time, all engines"},
	{P(gpu_memory), PFORMAT_BYTES, 6, ASKED, false, true, "GPUMEM", "GPU memory"},
	{P(gpu_gfx), PFORMAT_PERCENT, 5, ASKED, false, true, "GFX%", "graphics engines"},
	{P(gpu_compute), PFORMAT_PERCENT, 5, ASKED, false, true, "COMP%", "compute engines"},
	{P(gpu_media), PFORMAT_PERCENT, 6, ASKED, false, true, "MEDIA%", "video engines"},
	{P(gpu_copy), PFORMAT_PERCENT, 5, ASKED, false, true, "COPY%", "copy engines"},
	{P(minor_faults), PFORMAT_COUNT, 6, ASKED, false, true, "MINFLT", "page faults a second"},
	{P(major_faults), PFORMAT_COUNT, 6, ASKED, false, true, "MAJFLT",
		"faults that read the disk"},
	{P(disk_read), PFORMAT_BYTES, 6, ASKED, false, true, "DISK_R", "bytes/s read from disks"},
	{P(disk_written), PFORMAT_BYTES, 6, ASKED, false, true, "DISK_W",
		"bytes/s written to disks"},
	{P(io_read), PFORMAT_BYTES, 5, ASKED, false, true, "RD/s", "bytes/s read by system calls"},
	{P(io_written), PFORMAT_BYTES, 5, ASKED, false, true, "WR/s",
		"bytes/s written by system calls"},
	{P(voluntary_switches), PFORMAT_COUNT, 6, ASKED, false, true, "CSW/s",
		"switches: it waited"},
	{P(involuntary_switches), PFORMAT_COUNT, 6, ASKED, false, true, "ICSW/s",
		"switches: the CPU was taken"},
	{P(files), PFORMAT_COUNT, 5, ASKED, false, true, "FILES", "open descriptors"},
	{P(started), PFORMAT_AGE, 6, ASKED, true, false, "AGE", "time since its start"},
	{P(processor), PFORMAT_NUMBER, 3, ASKED, true, false, "CPU", "CPU that it ran on last"},
	{P(kernel), PFORMAT_NUMBER, 4, ASKED, false, false, "KERN", "1: a thread of the kernel"},
	{P(own), PFORMAT_NUMBER, 3, ASKED, false, false, "OWN", "1: this program"},
	{P(container), PFORMAT_TEXT, 13, ASKED, true, false, "CONTAINER", "container"},
	{P(cgroup), PFORMAT_PATH, 24, ASKED, true, false, "CGROUP", "control group"},
	{P(cwd), PFORMAT_PATH, 20, ASKED, true, false, "CWD", "directory that it is in"},
	{P(exe), PFORMAT_PATH, 24, ASKED, true, false, "EXE", "file of the program"},
	{P(command), PFORMAT_TEXT, 15, ASKED, true, false, "NAME", "name of the program"},
	{P(cmdline), PFORMAT_COMMAND, 0, 0, true, false, "COMMAND", "program and arguments"},
};
const u32 pcolumn_count = ARRAY_LEN(pcolumns);
_Static_assert(ARRAY_LEN(pcolumns) <= PCOLUMN_MOST, "a bit each");

int pcolumn_find(const char *name)
{
	for (u32 i = 0; i < pcolumn_count; i++)
		if (!strcmp(field_name(pcolumns[i].field), name))
			return (int)i;
	for (u32 i = 0; i < pcolumn_count; i++)
		if (!strcasecmp(pcolumns[i].title, name))
			return (int)i;
	return -1;
}

u32 pcolumn_of(enum field field)
{
	for (u32 i = 0; i < pcolumn_count; i++)
		if (pcolumns[i].field == field)
			return i;
	return 0;
}

void columns_init(struct columns *c)
{
	*c = (struct columns){0};
	for (u32 i = 0; i < pcolumn_count; i++)
		c->order[i] = (u8)i;
}

int columns_set(struct columns *c, const char *list, struct err *err)
{
	static const char between[] = ", \t\n";
	struct columns set = {.chosen = true, .gpu = c->gpu};
	char name[32];
	u32 n = 0;

	for (list += strspn(list, between); *list; list += strspn(list, between)) {
		size_t len = strcspn(list, between);
		int column = -1;

		if (len < sizeof(name)) {
			memcpy(name, list, len);
			name[len] = '\0';
			column = pcolumn_find(name);
		}
		if (column < 0)
			return err_set(err, EINVAL, "no such process column: %.*s",
				(int)(len < 40 ? len : 40), list);
		list += len;
		if (set.on & 1ull << column)
			continue;
		set.on |= 1ull << column;
		set.order[n++] = (u8)column;
	}
	if (!n) {
		columns_init(c);
		c->gpu = set.gpu;
		return 0;
	}
	for (u32 i = 0; i < pcolumn_count; i++)
		if (!(set.on & 1ull << i))
			set.order[n++] = (u8)i;
	*c = set;
	return 0;
}

void columns_text(const struct columns *c, char *out, u32 size)
{
	struct sbuf sb;

	sbuf_init(&sb, out, size);
	for (u32 i = 0; c->chosen && i < pcolumn_count; i++) {
		if (!(c->on & 1ull << c->order[i]))
			continue;
		if (sb.len)
			sbuf_char(&sb, ' ');
		sbuf_str(&sb, field_name(pcolumns[c->order[i]].field));
	}
}

/* From which width on, where GPUs have clients: what the others give way to. */
static u32 least_with_gpu(const struct pcolumn *c)
{
	static const struct {
		u8 field, least_cols;
	} widths[] = {{P(gpu_busy), 40}, {P(gpu_memory), 54}, {P(gpu), 70}, {P(time), 76},
		{P(threads), 90}, {P(memory), 110}};

	for (u32 i = 0; i < ARRAY_LEN(widths); i++)
		if (widths[i].field == c->field)
			return widths[i].least_cols;
	return c->least_cols;
}

bool columns_shows(const struct columns *c, u32 column, u32 cols)
{
	const struct pcolumn *p = &pcolumns[column];

	if (c->chosen)
		return (c->on & 1ull << column) != 0;
	return (c->gpu ? least_with_gpu(p) : p->least_cols) <= cols;
}

static void choose(struct columns *c, u32 cols)
{
	if (c->chosen)
		return;
	for (u32 i = 0; i < pcolumn_count; i++)
		if (columns_shows(c, i, cols))
			c->on |= 1ull << i;
	c->chosen = true;
}

void columns_toggle(struct columns *c, u32 column, u32 cols)
{
	choose(c, cols);
	c->on ^= 1ull << column;
}

u32 columns_move(struct columns *c, u32 at, int step, u32 cols)
{
	u32 to = at + (u32)step;
	u8 column;

	if (at >= pcolumn_count || to >= pcolumn_count)
		return at;
	choose(c, cols);
	column = c->order[at];
	c->order[at] = c->order[to];
	c->order[to] = column;
	return to;
}
