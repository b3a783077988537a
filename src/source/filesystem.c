/* File systems: one row a device, from /proc/self/mountinfo (Documentation/filesystems/proc.rst, 3.5) and
 * statfs, which may hang on a dead mount: this source runs on a thread of its own. A recorded machine has
 * a file `statfs` instead: "mount-point type bsize blocks bfree bavail files ffree" a line. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "core/frame.h"
#include "source/mountinfo.h"
#include "source/sources_list.h"

enum {
	F_MOUNT,
	F_DEVICE,
	F_TYPE,
	F_SIZE,
	F_USED,
	F_AVAILABLE,
	F_USED_SHARE,
	F_INODES,
	F_INODES_USED,
	F_READ_ONLY,
	F_COLUMNS,
};

/* As df counts: what is used of what an ordinary user could have. */
static u8 used_share(const struct frame_table *t, u32 row, double *out)
{
	u64 used, available;
	struct cell cell;

	frame_cell(t, row, F_USED, &cell);
	if (cell.state == CELL_ABSENT)
		return (u8)cell.reason;
	if (!frame_raw(t, row, F_USED, &used) || !frame_raw(t, row, F_AVAILABLE, &available) ||
		!(used + available))
		return REASON_UNSUPPORTED;
	*out = (double)used / (double)(used + available);
	return 0;
}

#define BYTES(n, head, text)                                               \
	{                                                                  \
		.name = n, .title = head, .help = text, .unit = UNIT_BYTES \
	}
#define TEXT(n, head, text)                                                                    \
	{                                                                                      \
		.name = n, .title = head, .help = text, .unit = UNIT_TEXT, .kind = COLUMN_TEXT \
	}

static const struct column columns[F_COLUMNS] = {
	[F_MOUNT] = TEXT("mount", "MOUNT", "where it is mounted"),
	[F_DEVICE] = TEXT("device", "DEVICE", "what is mounted"),
	[F_TYPE] = TEXT("type", "TYPE", "type of the file system"),
	[F_SIZE] = BYTES("size", "SIZE", "size"),
	[F_USED] = BYTES("used", "USED", "in use"),
	[F_AVAILABLE] = BYTES("available", "AVAIL", "what an ordinary user can still write"),
	[F_USED_SHARE] = {.name = "used_share",
		.title = "USED%",
		.help = "used, of used and available",
		.unit = UNIT_RATIO,
		.kind = COLUMN_DERIVED,
		.derive = used_share},
	[F_INODES] = {.name = "inodes", .title = "INODES", .help = "inodes"},
	[F_INODES_USED] = {.name = "inodes_used", .title = "IUSED", .help = "inodes in use"},
	[F_READ_ONLY] = {.name = "read_only",
		.title = "RO",
		.help = "1: mounted read-only",
		.unit = UNIT_BOOL},
};

static const struct schema filesystem_schema = {.name = "filesystem",
	.title = "File systems",
	.help = "one row a device, however often it is mounted",
	.version = 1,
	.ncolumns = F_COLUMNS,
	.columns = columns,
	.label_column = F_MOUNT,
	.birth_column = -1,
	.counted_column = -1};

struct source {
	const struct source_env *env;
	struct kfile mountinfo;
	struct kbuf buf, recorded;
	struct mount *mount;
	u32 n, cap;
};

static void filesystem_close(struct source *s)
{
	if (!s)
		return;
	kfile_fini(&s->mountinfo);
	kbuf_fini(&s->buf);
	kbuf_fini(&s->recorded);
	free(s->mount);
	free(s);
}

static int filesystem_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	kbuf_init(&s->buf);
	kbuf_init(&s->recorded);
	ret = kfile_init(&s->mountinfo, "/proc/self/mountinfo");
	s->mountinfo.long_records = true;
	if (!ret)
		ret = kfile_read(&s->mountinfo, env->root, &s->buf);
	if (ret) {
		filesystem_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

/* One row a device: the mount of its root wins over that of a folder in it, the earlier over the later. */
static int keep(struct source *s, const struct mount *m)
{
	for (u32 i = 0; i < s->n; i++) {
		struct mount *have = &s->mount[i];

		if (have->key != m->key && !mount_same_device(have, m))
			continue;
		if (m->whole && !have->whole)
			*have = *m;
		return 0;
	}
	if (s->n == s->cap) {
		u32 cap = s->cap ? s->cap * 2 : 32;
		struct mount *more = realloc(s->mount, cap * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->mount = more;
		s->cap = cap;
	}
	s->mount[s->n++] = *m;
	return 0;
}

static int live_statfs(struct source *s, const struct mount *m, struct statfs *out)
{
	/* O_PATH does not open the file, and like statfs itself may wait for a dead server */
	int fd = root_open(s->env->root, m->point, O_PATH), ret = 0;

	if (fd < 0)
		return fd;
	if (fstatfs(fd, out))
		ret = -errno;
	close(fd);
	return ret;
}

/* The line of the recorded `statfs` file for this mount. */
static int recorded_statfs(struct source *s, const struct mount *m, struct statfs *out)
{
	const char *p = s->recorded.data, *end = p ? kbuf_end(&s->recorded) : NULL;

	for (; p < end; p = scan_next_line(p, end)) {
		const char *line = scan_line_end(p, end), *word = scan_word_end(p, line);
		char point[MOUNT_PATH_SIZE];
		u64 v[6] = {0};
		bool ok = true;
		size_t len = (size_t)(word - p);

		if (len >= sizeof(point))
			continue;
		memcpy(point, p, len);
		len = scan_unescape_octal(point, len);
		if (len != m->point_len || memcmp(point, m->point, len) != 0)
			continue;
		word = scan_skip_words(word, line, 1);
		for (u32 i = 0; i < ARRAY_LEN(v); i++)
			word = scan_u64(word, line, &v[i], &ok);
		if (!ok)
			return -EINVAL;
		*out = (struct statfs){.f_bsize = (long)v[0],
			.f_blocks = v[1],
			.f_bfree = v[2],
			.f_bavail = v[3],
			.f_files = v[4],
			.f_ffree = v[5]};
		return 0;
	}
	return -ENOENT;
}

static u64 minus(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static void fill_numbers(struct table *t, u32 row, const struct statfs *st)
{
	u64 block = st->f_bsize > 0 ? (u64)st->f_bsize : 0;

	table_set(t, row, F_SIZE, st->f_blocks * block);
	table_set(t, row, F_USED, minus(st->f_blocks, st->f_bfree) * block);
	/* signed in disguise when reserved blocks are in use */
	table_set(t, row, F_AVAILABLE, (s64)st->f_bavail > 0 ? st->f_bavail * block : 0);
	if (st->f_files) {
		table_set(t, row, F_INODES, st->f_files);
		table_set(t, row, F_INODES_USED, minus(st->f_files, st->f_ffree));
	}
}

static int fill(struct source *s, struct table *t, const struct mount *m)
{
	struct statfs st;
	int got = root_is_live(s->env->root) ? live_statfs(s, m, &st) : recorded_statfs(s, m, &st);
	int row, ret;

	if (!got && !st.f_blocks)
		return 0; /* nothing can be stored there: not a file system to watch */
	row = table_row(t, m->key);
	if (row < 0)
		return row;
	for (u32 c = F_SIZE; got && c <= F_INODES_USED; c++)
		if (columns[c].kind != COLUMN_DERIVED)
			table_absent(t, (u32)row, c, reason_from_errno(got));
	if (!got)
		fill_numbers(t, (u32)row, &st);
	table_set(t, (u32)row, F_READ_ONLY, m->read_only);
	ret = table_set_text(t, (u32)row, F_MOUNT, m->point, m->point_len);
	if (!ret)
		ret = table_set_text(t, (u32)row, F_DEVICE, m->device, m->device_len);
	return ret ? ret : table_set_text(t, (u32)row, F_TYPE, m->type, strlen(m->type));
}

static int filesystem_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	const char *p, *end;
	int ret = kfile_read(&s->mountinfo, s->env->root, &s->buf);

	if (ret)
		return ret;
	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	if (!root_is_live(s->env->root)) {
		struct kfile file;

		if (kfile_init(&file, "/statfs"))
			return -ENOMEM;
		if (kfile_read(&file, s->env->root, &s->recorded))
			s->recorded.len = 0;
		kfile_fini(&file);
	}
	s->n = 0;
	end = kbuf_end(&s->buf);
	for (p = s->buf.data; p < end && !ret; p = scan_next_line(p, end)) {
		struct mount m;

		if (!mount_parse(&m, p, scan_line_end(p, end)) && mount_is_storage(&m))
			ret = keep(s, &m);
	}
	for (u32 i = 0; i < s->n && !ret; i++)
		ret = fill(s, t, &s->mount[i]);
	return ret ? ret : table_end(t);
}

const struct source_ops filesystem_source = {.schema = &filesystem_schema,
	.open = filesystem_open,
	.read = filesystem_read,
	.close = filesystem_close,
	.period_ns = 5 * NSEC_PER_SEC,
	.slow = true};
