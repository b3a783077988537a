/* Swap areas: /proc/swaps (sizes in KiB, names with octal escapes), and what a zram device really costs from
 * its mm_stat (Documentation/admin-guide/blockdev/zram.rst: orig_data_size, compr_data_size, mem_used_total in
 * bytes). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "source/sources_list.h"

enum {
	SWAP_NAME,
	SWAP_TYPE,
	SWAP_SIZE,
	SWAP_USED,
	SWAP_PRIORITY,
	SWAP_DATA,
	SWAP_COMPRESSED,
	SWAP_MEMORY_COST,
	SWAP_RATIO,
	SWAP_COLUMNS,
};

#define BYTES(n, head, text)                                                                   \
	{                                                                                      \
		.name = n, .title = head, .help = text, .unit = UNIT_BYTES, .total = TOTAL_SUM \
	}

static const struct column columns[SWAP_COLUMNS] = {
	[SWAP_NAME] = {.name = "name",
		.title = "SWAP",
		.help = "device or file",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[SWAP_TYPE] = {.name = "type",
		.title = "TYPE",
		.help = "partition, file or zram",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[SWAP_SIZE] = BYTES("size", "SIZE", "size of the area"),
	[SWAP_USED] = BYTES("used", "USED", "in use"),
	[SWAP_PRIORITY] = {.name = "priority",
		.title = "PRI",
		.help = "higher is used first",
		.unit = UNIT_ID,
		.flags = COLUMN_SIGNED},
	[SWAP_DATA] = BYTES("data", "DATA", "zram: data held, unpacked"),
	[SWAP_COMPRESSED] = BYTES("compressed", "PACKED", "zram: data held, packed"),
	[SWAP_MEMORY_COST] = BYTES("memory_cost", "COST", "zram: memory that it takes"),
	[SWAP_RATIO] = {.name = "ratio",
		.title = "RATIO",
		.help = "zram: unpacked by packed",
		.unit = UNIT_CENTI},
};

static const struct schema swap_schema = {.name = "swap",
	.title = "Swap areas",
	.help = "swap devices and files, and what zram costs",
	.version = 1,
	.ncolumns = SWAP_COLUMNS,
	.columns = columns,
	.label_column = SWAP_NAME,
	.birth_column = -1,
	.counted_column = -1};

enum { MOST_ZRAM = 16 };

struct zram {
	char name[16]; /* "zram0" */
	struct kfile mm_stat;
};

struct source {
	const struct source_env *env;
	struct kfile swaps;
	struct kbuf buf, small;
	struct zram zram[MOST_ZRAM];
	u32 nzram;
};

static void swap_close(struct source *s)
{
	if (!s)
		return;
	for (u32 i = 0; i < s->nzram; i++)
		kfile_fini(&s->zram[i].mm_stat);
	kfile_fini(&s->swaps);
	kbuf_fini(&s->buf);
	kbuf_fini(&s->small);
	free(s);
}

static int swap_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	kbuf_init(&s->buf);
	kbuf_init(&s->small);
	ret = kfile_init(&s->swaps, "/proc/swaps");
	if (!ret)
		ret = kfile_read(&s->swaps, env->root, &s->buf);
	if (ret) {
		swap_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static struct zram *zram_of(struct source *s, const char *base, size_t len)
{
	struct zram *z;
	char path[64];

	for (u32 i = 0; i < s->nzram; i++)
		if (strlen(s->zram[i].name) == len && !memcmp(s->zram[i].name, base, len))
			return &s->zram[i];
	if (s->nzram == MOST_ZRAM || len >= sizeof(z->name))
		return NULL;
	z = &s->zram[s->nzram];
	memcpy(z->name, base, len);
	z->name[len] = '\0';
	snprintf(path, sizeof(path), "/sys/block/%s/mm_stat", z->name);
	if (kfile_init(&z->mm_stat, path))
		return NULL;
	s->nzram++;
	return z;
}

static void fill_zram(struct source *s, struct table *t, u32 row, const char *base, size_t len)
{
	struct zram *z = zram_of(s, base, len);
	u64 v[3] = {0};
	const char *p;
	bool ok = true;
	int ret = z ? kfile_read(&z->mm_stat, s->env->root, &s->small) : -ENOENT;

	if (ret) {
		for (u32 c = SWAP_DATA; c <= SWAP_RATIO; c++)
			table_absent(t, row, c, reason_from_errno(ret));
		return;
	}
	p = s->small.data;
	for (u32 i = 0; i < 3; i++)
		p = scan_u64(p, kbuf_end(&s->small), &v[i], &ok);
	if (!ok) {
		for (u32 c = SWAP_DATA; c <= SWAP_RATIO; c++)
			table_absent(t, row, c, REASON_INVALID);
		return;
	}
	for (u32 i = 0; i < 3; i++)
		table_set(t, row, SWAP_DATA + i, v[i]);
	/* more data than this is not real, and its hundredfold leaves 64 bits */
	if (v[0] > UINT64_MAX / 200)
		table_absent(t, row, SWAP_RATIO, REASON_INVALID);
	else if (v[1])
		table_set(t, row, SWAP_RATIO, (v[0] * 100 + v[1] / 2) / v[1]);
}

static int fill_row(struct source *s, struct table *t, char *p, const char *line)
{
	char *name_end = p + (scan_word_end(p, line) - p), *base;
	const char *type = scan_blank(name_end, line), *type_end = scan_word_end(type, line), *q;
	size_t len = scan_unescape_octal(p, (size_t)(name_end - p));
	bool ok = true;
	u64 size = 0, used = 0;
	s64 priority = 0;
	int row, ret;

	q = scan_u64(type_end, line, &size, &ok);
	q = scan_u64(q, line, &used, &ok);
	if (!ok || !len)
		return 0;
	row = table_row(t, key_from_name(p, len));
	if (row < 0)
		return row;
	table_set(t, (u32)row, SWAP_SIZE, size * 1024);
	table_set(t, (u32)row, SWAP_USED, used * 1024);
	scan_s64(q, line, &priority, &ok);
	if (ok)
		table_set(t, (u32)row, SWAP_PRIORITY, (u64)priority);
	base = memrchr(p, '/', len);
	base = base ? base + 1 : p;
	if (scan_starts(base, p + len, "zram")) {
		fill_zram(s, t, (u32)row, base, (size_t)(p + len - base));
		type = "zram";
		type_end = type + 4;
	}
	ret = table_set_text(t, (u32)row, SWAP_NAME, p, len);
	return ret ? ret : table_set_text(t, (u32)row, SWAP_TYPE, type, (size_t)(type_end - type));
}

static int swap_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	char *p;
	const char *end;
	int ret = kfile_read(&s->swaps, s->env->root, &s->buf);

	if (ret)
		return ret;
	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	end = kbuf_end(&s->buf);
	p = s->buf.data + (scan_next_line(s->buf.data, end) - s->buf.data);
	while (p < end && !ret) {
		char *next = p + (scan_next_line(p, end) - p);

		ret = fill_row(s, t, p, scan_line_end(p, end));
		p = next;
	}
	return ret ? ret : table_end(t);
}

const struct source_ops swap_source = {
	.schema = &swap_schema, .open = swap_open, .read = swap_read, .close = swap_close};
