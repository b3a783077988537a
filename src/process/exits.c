#include "process/exits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/frame.h"

enum {
	GROUPS = 4096,
	PLACES = 2 * GROUPS,
	NAME_MOST = 64,
};

enum {
	EXITED_NAME,
	EXITED_PARENT,
	EXITED_PPID,
	EXITED_EXITS,
	EXITED_CPU,
	EXITED_USER_CPU,
	EXITED_SYSTEM_CPU,
	EXITED_MINOR_FAULTS,
	EXITED_MAJOR_FAULTS,
	EXITED_DISK_READ,
	EXITED_DISK_WRITTEN,
	EXITED_BORN,
	EXITED_COLUMNS,
};

#define COLUMN(n, head, text, u, k)                                                              \
	{                                                                                        \
		.name = n, .title = head, .help = text, .unit = u, .kind = k, .total = TOTAL_SUM \
	}
#define COUNTER(n, head, text, u) COLUMN(n, head, text, u, COLUMN_COUNTER)

static const struct column columns[EXITED_COLUMNS] = {
	[EXITED_NAME] = COLUMN(
		"name", "NAME", "command of the ended processes", UNIT_TEXT, COLUMN_TEXT),
	[EXITED_PARENT] = COLUMN(
		"parent", "PARENT", "command of their parent", UNIT_TEXT, COLUMN_TEXT),
	[EXITED_PPID] = {.name = "ppid",
		.title = "PPID",
		.help = "number of the last one's parent",
		.unit = UNIT_ID},
	[EXITED_EXITS] = COUNTER("exits", "EXIT/s", "processes that ended", UNIT_COUNT),
	[EXITED_CPU] = COUNTER(
		"cpu", "CPU%", "their CPU time that no row of a process has shown", UNIT_NS),
	[EXITED_USER_CPU] = COUNTER("user_cpu", "USR%", "of it in the program", UNIT_NS),
	[EXITED_SYSTEM_CPU] = COUNTER("system_cpu", "SYS%", "of it in the kernel", UNIT_NS),
	[EXITED_MINOR_FAULTS] = COUNTER(
		"minor_faults", "MINFLT", "page faults without I/O", UNIT_COUNT),
	[EXITED_MAJOR_FAULTS] = COUNTER(
		"major_faults", "MAJFLT", "page faults that read a device", UNIT_COUNT),
	[EXITED_DISK_READ] = COUNTER(
		"disk_read", "DISK_R", "bytes that storage delivered for them", UNIT_BYTES),
	[EXITED_DISK_WRITTEN] = COUNTER(
		"disk_written", "DISK_W", "bytes that they sent towards storage", UNIT_BYTES),
	[EXITED_BORN] = {.name = "born",
		.title = "AGE",
		.help = "time since the first of them ended",
		.unit = UNIT_BOOTTIME,
		.flags = COLUMN_HIDDEN},
};

const struct schema exited_table_schema = {.name = "exited",
	.title = "Ended processes",
	.help = "processes that ended, by command and parent, with what no row has shown of them",
	.version = 1,
	.ncolumns = EXITED_COLUMNS,
	.columns = columns,
	.label_column = EXITED_NAME,
	.birth_column = EXITED_BORN,
	.counted_column = -1};

/* What is cumulative, in the order of the columns. */
enum { SUMS = EXITED_DISK_WRITTEN - EXITED_EXITS + 1 };

struct group {
	u64 key;     /* 0: a free place */
	u64 born_ns; /* of the reading in which it first appears; 0: not yet */
	u64 sums[SUMS];
	u32 ppid;
	bool approx, unknown, no_io, added;
	u8 name_len, parent_len;
	char name[NAME_MOST], parent[NAME_MOST];
};

struct exits {
	u64 cpu_ns;
	u64 base_ns; /* CLOCK_MONOTONIC of the reading that the next one is compared with; 0: none */
	u32 n;
	u32 place[PLACES]; /* of keys: 1 + index in group; 0: free */
	struct group group[GROUPS];
};

int exits_new(struct exits **out)
{
	struct exits *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	*out = e;
	return 0;
}

void exits_free(struct exits *e)
{
	free(e);
}

u64 exits_cpu_ns(const struct exits *e)
{
	return e->cpu_ns;
}

/* Names as they are shown and compared. */
static void set_names(struct group *g, const struct exit_record *r)
{
	static const char children[] = "children of ";
	u32 len = r->parent_len < NAME_MOST ? r->parent_len : NAME_MOST;
	u32 room = NAME_MOST - (sizeof(children) - 1);

	memcpy(g->parent, r->parent, len);
	g->parent_len = (u8)len;
	if (r->command_len) {
		len = r->command_len < NAME_MOST ? r->command_len : NAME_MOST;
		memcpy(g->name, r->command, len);
		g->name_len = (u8)len;
		return;
	}
	len = len < room ? len : room;
	memcpy(g->name, children, sizeof(children) - 1);
	memcpy(g->name + sizeof(children) - 1, g->parent, len);
	g->name_len = (u8)(sizeof(children) - 1 + len);
}

static bool alike(const struct group *a, const struct group *b)
{
	return a->name_len == b->name_len && a->parent_len == b->parent_len &&
	       !memcmp(a->name, b->name, a->name_len) &&
	       !memcmp(a->parent, b->parent, a->parent_len);
}

/* Of both names; never 0. */
static u64 key_of(const struct group *g)
{
	u64 key = key_from_name(g->name, g->name_len) * 31 +
		  key_from_name(g->parent, g->parent_len);

	return key ? key : 1;
}

/* Where this key is, or would be. */
static u32 *place_of(struct exits *e, u64 key)
{
	u32 i = (u32)(key ^ key >> 32) & (PLACES - 1);

	while (e->place[i] && e->group[e->place[i] - 1].key != key)
		i = (i + 1) & (PLACES - 1);
	return &e->place[i];
}

static struct group *group_for(struct exits *e, const struct exit_record *r)
{
	struct group new = {0};
	u32 *place;

	set_names(&new, r);
	new.key = key_of(&new);
	/* another pair of names with the same key: the next key */
	for (place = place_of(e, new.key); *place && !alike(&e->group[*place - 1], &new);)
		place = place_of(e, ++new.key);
	if (*place)
		return &e->group[*place - 1];
	if (e->n == GROUPS - 1) {
		struct exit_record others = {.command = "others", .command_len = 6, .parent = ""};

		new = (struct group){0};
		set_names(&new, &others);
		new.key = key_of(&new);
		place = place_of(e, new.key);
		if (*place)
			return &e->group[*place - 1];
	}
	if (e->n == GROUPS)
		return &e->group[GROUPS - 1];
	e->group[e->n] = new;
	*place = ++e->n;
	return &e->group[e->n - 1];
}

int exits_add(void *exits, const struct exit_record *r)
{
	struct exits *e = exits;
	struct group *g = group_for(e, r);
	const u64 more[SUMS] = {r->count, r->cpu_ns, r->user_ns, r->system_ns, r->minor_faults,
		r->major_faults, r->disk_read, r->disk_written};

	for (u32 i = 0; i < SUMS; i++)
		g->sums[i] += more[i];
	g->ppid = r->ppid;
	g->approx |= r->approx;
	g->unknown |= !r->count;
	g->no_io |= !r->has_io;
	g->added = true;
	e->cpu_ns += r->cpu_ns;
	return 0;
}

static int add_row(struct table *t, struct group *g)
{
	int row = table_row(t, g->key), ret;

	if (row < 0)
		return row;
	/* the first reading that shows it: everything in it is of this window */
	if (!g->born_ns)
		g->born_ns = t->at.boot_ns;
	ret = table_set_text(t, (u32)row, EXITED_NAME, g->name, g->name_len);
	if (!ret)
		ret = table_set_text(t, (u32)row, EXITED_PARENT, g->parent, g->parent_len);
	table_set(t, (u32)row, EXITED_PPID, g->ppid);
	table_set(t, (u32)row, EXITED_BORN, g->born_ns);
	for (u32 i = 0; i < SUMS; i++) {
		table_set(t, (u32)row, EXITED_EXITS + i, g->sums[i]);
		if (g->approx)
			table_state(t, (u32)row, EXITED_EXITS + i, CELL_APPROX, REASON_NONE);
	}
	if (g->unknown)
		table_absent(t, (u32)row, EXITED_EXITS, REASON_UNKNOWN);
	if (g->no_io) {
		table_absent(t, (u32)row, EXITED_DISK_READ, REASON_PERMISSION);
		table_absent(t, (u32)row, EXITED_DISK_WRITTEN, REASON_PERMISSION);
	}
	return ret;
}

/* Too soon after the last one for a difference? That one then stays what the next is compared with. */
static bool is_too_soon(const struct exits *e, const struct table *t)
{
	return e->base_ns && t->at.mono_ns - e->base_ns < WINDOW_LEAST_NS;
}

int exits_rows(struct exits *e, struct table *t)
{
	bool too_soon = is_too_soon(e, t);
	u32 kept = 0;
	int ret = 0;

	/* those to which nothing was added since go */
	for (u32 i = 0; i < e->n; i++)
		if (e->group[i].added || too_soon)
			e->group[kept++] = e->group[i];
	e->n = kept;
	if (!too_soon)
		e->base_ns = t->at.mono_ns;
	memset(e->place, 0, sizeof(e->place));
	for (u32 i = 0; i < e->n; i++) {
		*place_of(e, e->group[i].key) = i + 1;
		e->group[i].added &= too_soon;
		if (!ret)
			ret = add_row(t, &e->group[i]);
	}
	return ret;
}
