/* Block devices: /proc/diskstats (Documentation/admin-guide/iostats.rst). Sectors there are 512 bytes whatever
 * the device says; times are milliseconds kept in 32 bits. Partitions and stacked devices are rows but not in
 * the total. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "core/frame.h"
#include "source/disk.h"
#include "source/sources_list.h"

enum {
	D_NAME,
	D_KIND,
	D_READ,
	D_WRITTEN,
	D_READS,
	D_WRITES,
	D_BUSY,
	D_LATENCY,
	D_QUEUE,
	D_INFLIGHT,
	D_SIZE,
	D_DISCARDED,
	D_FLUSHES,
	D_READ_TIME,
	D_WRITE_TIME,
	D_QUEUE_TIME,
	D_COUNTED,
	D_COLUMNS,
};

static u8 latency(const struct frame_table *t, u32 row, double *out)
{
	u64 reads, writes, read_time, write_time;
	struct cell cell;

	frame_cell(t, row, D_READS, &cell);
	if (cell.state == CELL_ABSENT)
		return (u8)cell.reason;
	if (!frame_diff(t, row, D_READS, &reads) || !frame_diff(t, row, D_WRITES, &writes) ||
		!frame_diff(t, row, D_READ_TIME, &read_time) ||
		!frame_diff(t, row, D_WRITE_TIME, &write_time))
		return REASON_UNSUPPORTED;
	if (!(reads + writes))
		return REASON_UNKNOWN; /* no I/O, no latency */
	*out = (double)(read_time + write_time) / (double)(reads + writes) * 1e-9;
	return 0;
}

static u8 queue(const struct frame_table *t, u32 row, double *out)
{
	struct cell cell;

	frame_cell(t, row, D_QUEUE_TIME, &cell);
	if (cell.state == CELL_ABSENT)
		return (u8)cell.reason;
	*out = cell.num / 100.0;
	return 0;
}

#define MS_RANGE (4294967296ull * NSEC_PER_MSEC)
#define COUNTER(n, head, text, u)                                                          \
	{                                                                                  \
		.name = n, .title = head, .help = text, .unit = u, .kind = COLUMN_COUNTER, \
		.total = TOTAL_SUM                                                         \
	}
#define TIME(n, text, sum, f)                                                                \
	{                                                                                    \
		.name = n, .title = "BUSY%", .help = text, .unit = UNIT_NS,                  \
		.kind = COLUMN_COUNTER, .wrap = WRAP_RANGE, .range = MS_RANGE, .total = sum, \
		.flags = f                                                                   \
	}

static const struct column columns[D_COLUMNS] = {
	[D_NAME] = {.name = "name",
		.title = "DISK",
		.help = "name of the block device",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[D_KIND] = {.name = "kind",
		.title = "KIND",
		.help = "disk, partition, dm, md, loop, ram, zram, path, nbd or rom",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[D_READ] = COUNTER("read", "READ", "bytes read", UNIT_BYTES),
	[D_WRITTEN] = COUNTER("written", "WRITE", "bytes written", UNIT_BYTES),
	[D_READS] = COUNTER("reads", "R/s", "reads completed", UNIT_COUNT),
	[D_WRITES] = COUNTER("writes", "W/s", "writes completed", UNIT_COUNT),
	[D_BUSY] = TIME(
		"busy", "share of time with I/O under way; total: the busiest", TOTAL_MAX, 0),
	[D_LATENCY] = {.name = "latency",
		.title = "LAT",
		.help = "mean time of an I/O, queue included",
		.unit = UNIT_NS,
		.kind = COLUMN_DERIVED,
		.total = TOTAL_MEAN,
		.derive = latency},
	[D_QUEUE] = {.name = "queue",
		.title = "QUEUE",
		.help = "mean number of I/Os under way",
		.unit = UNIT_COUNT,
		.kind = COLUMN_DERIVED,
		.total = TOTAL_SUM,
		.derive = queue},
	[D_INFLIGHT] = {.name = "inflight",
		.title = "NOW",
		.help = "I/Os under way now",
		.unit = UNIT_COUNT,
		.total = TOTAL_SUM},
	[D_SIZE] = {.name = "size",
		.title = "SIZE",
		.help = "size of the device",
		.unit = UNIT_BYTES,
		.total = TOTAL_SUM},
	[D_DISCARDED] = COUNTER("discarded", "DISCARD", "bytes discarded", UNIT_BYTES),
	[D_FLUSHES] = COUNTER("flushes", "FLUSH/s", "flushes completed", UNIT_COUNT),
	[D_READ_TIME] = TIME("read_time", "time reads took", TOTAL_SUM, COLUMN_HIDDEN),
	[D_WRITE_TIME] = TIME("write_time", "time writes took", TOTAL_SUM, COLUMN_HIDDEN),
	[D_QUEUE_TIME] = TIME("queue_time", "time of all I/Os under way", TOTAL_SUM, COLUMN_HIDDEN),
	[D_COUNTED] = {.name = "counted",
		.title = "SUM",
		.help = "1: in the total",
		.unit = UNIT_BOOL,
		.flags = COLUMN_HIDDEN},
};

static const struct schema disk_schema = {.name = "disk",
	.title = "Disks",
	.help = "block devices; partitions and stacked devices are not in the total",
	.version = 1,
	.ncolumns = D_COLUMNS,
	.columns = columns,
	.label_column = D_NAME,
	.birth_column = -1,
	.counted_column = D_COUNTED};

enum { MOST_FIELDS = 17, FIELD_INFLIGHT = 8 };

struct device {
	u64 key;
	char name[DISK_NAME_SIZE], head[DISK_NAME_SIZE];
	enum disk_kind kind;
	bool counted, has_size, seen;
	bool idle_head; /* an NVMe head without I/O of its own: its paths may have some */
	u64 size;
	u64 last[MOST_FIELDS]; /* a path's newest figures */
	u64 sum[MOST_FIELDS];  /* a head's figures, gathered from its paths */
	u32 fields;            /* a head's: as many as its lines or its paths' have */
	bool has_last;
};

struct source {
	const struct source_env *env;
	struct kfile stats;
	struct kbuf buf;
	struct device *device; /* in the order of first sight */
	u32 n, cap, hint;
};

static void disk_close(struct source *s)
{
	if (!s)
		return;
	kfile_fini(&s->stats);
	kbuf_fini(&s->buf);
	free(s->device);
	free(s);
}

static int disk_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	kbuf_init(&s->buf);
	ret = kfile_init(&s->stats, "/proc/diskstats");
	if (!ret)
		ret = kfile_read(&s->stats, env->root, &s->buf);
	if (ret) {
		disk_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static struct device *new_device(struct source *s, u64 key, const char *name)
{
	const struct root *root = s->env->root;
	struct device *d;
	char path[96];
	u64 sectors;

	if (s->n == s->cap) {
		u32 cap = s->cap ? s->cap * 2 : 32;

		d = realloc(s->device, cap * sizeof(*d));
		if (!d)
			return NULL;
		s->device = d;
		s->cap = cap;
	}
	d = &s->device[s->n++];
	*d = (struct device){.key = key, .kind = disk_kind_of(root, name)};
	snprintf(d->name, sizeof(d->name), "%s", name);
	if (d->kind == DISK_PATH)
		disk_head_of_path(name, d->head);
	d->counted = (d->kind == DISK_WHOLE || d->kind == DISK_ROM || d->kind == DISK_NBD) &&
		     !disk_is_stacked(root, name);
	disk_sysfs_path(path, sizeof(path), name, "/size");
	if (!root_read_u64(root, path, &sectors)) {
		d->size = sectors * 512;
		d->has_size = true;
	}
	return d;
}

/* The lines keep their order: the next device is nearly always the one behind the last. */
static struct device *find(struct source *s, u64 key, const char *name)
{
	for (u32 i = 0; i < s->n; i++) {
		u32 at = (s->hint + i) % s->n;

		if (s->device[at].key == key && !strcmp(s->device[at].name, name)) {
			s->hint = at + 1;
			return &s->device[at];
		}
	}
	return new_device(s, key, name);
}

static u32 scan_fields(const char *p, const char *end, u64 v[MOST_FIELDS])
{
	u32 n = 0;

	while (n < MOST_FIELDS) {
		bool ok = true;

		p = scan_u64(p, end, &v[n], &ok);
		if (!ok)
			break;
		n++;
	}
	return n;
}

/* Columns of the 11, 15 or 17 fields behind the name, and what one unit of them is. */
static const struct {
	u8 field, column;
	u64 scale;
} map[] = {
	{0, D_READS, 1},
	{2, D_READ, 512},
	{3, D_READ_TIME, NSEC_PER_MSEC},
	{4, D_WRITES, 1},
	{6, D_WRITTEN, 512},
	{7, D_WRITE_TIME, NSEC_PER_MSEC},
	{FIELD_INFLIGHT, D_INFLIGHT, 1},
	{9, D_BUSY, NSEC_PER_MSEC},
	{10, D_QUEUE_TIME, NSEC_PER_MSEC},
	{13, D_DISCARDED, 512},
	{15, D_FLUSHES, 1},
};

static int fill(struct table *t, const struct device *d, const u64 *v, u32 n)
{
	int row = table_row(t, d->key), ret;

	if (row < 0)
		return row;
	/* partitions of old kernels: reads, sectors read, writes, sectors written */
	if (n == 4) {
		table_set(t, (u32)row, D_READS, v[0]);
		table_set(t, (u32)row, D_READ, v[1] * 512);
		table_set(t, (u32)row, D_WRITES, v[2]);
		table_set(t, (u32)row, D_WRITTEN, v[3] * 512);
	}
	for (u32 i = 0; i < ARRAY_LEN(map) && n >= 11; i++)
		if (map[i].field < n)
			table_set(t, (u32)row, map[i].column, v[map[i].field] * map[i].scale);
	if (d->has_size)
		table_set(t, (u32)row, D_SIZE, d->size);
	table_set(t, (u32)row, D_COUNTED, d->counted);
	ret = table_set_text(t, (u32)row, D_NAME, d->name, strlen(d->name));
	if (!ret) {
		const char *kind = disk_kind_name(d->kind);

		ret = table_set_text(t, (u32)row, D_KIND, kind, strlen(kind));
	}
	return ret;
}

static u64 path_step(u32 field, u64 before, u64 after)
{
	bool ms = field == 3 || field == 7 || field == 9 || field == 10;

	if (after >= before)
		return after - before;
	/* times are kept in 32 bits; anything else that fell is a new path */
	return ms && before >> 32 == 0 ? after + (1ull << 32) - before : 0;
}

/* Old kernels count the I/O of a multipath namespace only on its paths. The head gathers what each path
 * did since the last tick, so that a path that goes away takes nothing with it. */
static void gather(struct source *s, struct device *path, const u64 *v, u32 n)
{
	struct device *head = NULL;

	for (u32 i = 0; i < s->n && !head; i++)
		if (s->device[i].kind == DISK_WHOLE && !strcmp(s->device[i].name, path->head))
			head = &s->device[i];
	for (u32 i = 0; i < n && head && path->has_last; i++)
		if (i != FIELD_INFLIGHT)
			head->sum[i] += path_step(i, path->last[i], v[i]);
	if (head)
		head->fields = n;
	memcpy(path->last, v, sizeof(path->last));
	path->has_last = true;
}

static int take_line(struct source *s, struct table *t, const char *p, const char *line)
{
	u64 v[MOST_FIELDS] = {0}, major = 0, minor = 0;
	char name[DISK_NAME_SIZE];
	const char *name_end;
	struct device *d;
	bool ok = true, idle = true;
	u32 n;

	p = scan_u64(p, line, &major, &ok);
	p = scan_blank(scan_u64(p, line, &minor, &ok), line);
	name_end = scan_word_end(p, line);
	if (!ok || name_end == p || (size_t)(name_end - p) >= sizeof(name))
		return 0;
	memcpy(name, p, (size_t)(name_end - p));
	name[name_end - p] = '\0';
	n = scan_fields(name_end, line, v);
	if (n < 4)
		return 0;
	d = find(s, major << 20 | minor, name);
	if (!d)
		return -ENOMEM;
	d->seen = true;
	for (u32 i = 0; i < n; i++)
		idle &= v[i] == 0;
	if (d->kind == DISK_PATH) {
		gather(s, d, v, n);
		/* hidden paths have no number of their own: major 0 would clash */
		if (!major)
			return 0;
	}
	if (idle && (d->kind == DISK_LOOP || d->kind == DISK_RAM || d->kind == DISK_ZRAM ||
			    d->kind == DISK_NBD))
		return 0;
	/* its paths' lines may come later: the row is filled when all lines were seen */
	d->fields = n;
	d->idle_head = idle && d->kind == DISK_WHOLE && !strncmp(d->name, "nvme", 4);
	return d->idle_head ? 0 : fill(t, d, v, n);
}

static int lent_rows(struct source *s, struct table *t)
{
	int ret = 0;

	for (u32 i = 0; i < s->n && !ret; i++) {
		struct device *d = &s->device[i];

		if (d->seen && d->idle_head)
			ret = fill(t, d, d->sum, d->fields);
	}
	return ret;
}

/* Devices that are no longer listed: forget them, so that names that come and go do not pile up. */
static void sweep(struct source *s)
{
	u32 w = 0;

	for (u32 i = 0; i < s->n; i++) {
		if (!s->device[i].seen)
			continue;
		if (w != i)
			s->device[w] = s->device[i];
		w++;
	}
	s->n = w;
	s->hint = 0;
}

static int disk_read(struct source *s, struct table *t, u64 need)
{
	const char *p, *end;
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	ret = kfile_read(&s->stats, s->env->root, &s->buf);
	if (ret)
		return ret;
	table_begin(t, &at, need);
	for (u32 i = 0; i < s->n; i++)
		s->device[i].seen = s->device[i].idle_head = false;
	end = kbuf_end(&s->buf);
	for (p = s->buf.data; p < end && !ret; p = scan_next_line(p, end))
		ret = take_line(s, t, p, scan_line_end(p, end));
	if (!ret)
		ret = lent_rows(s, t);
	sweep(s);
	return ret ? ret : table_end(t);
}

const struct source_ops disk_source = {
	.schema = &disk_schema, .open = disk_open, .read = disk_read, .close = disk_close};
