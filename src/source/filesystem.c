/* Filesystems: /proc/self/mountinfo (proc_pid_mountinfo(5)) and statfs of each device once, however often it is
 * bind-mounted. statfs can hang on a dead server, so this source is a slow one with a thread of its own. In a
 * recorded machine the file /statfs stands in: "mountpoint type bsize blocks bfree bavail files ffree". */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "core/frame.h"
#include "source/sources_list.h"

enum {
	FS_MOUNT,
	FS_DEVICE,
	FS_TYPE,
	FS_SIZE,
	FS_USED,
	FS_AVAILABLE,
	FS_USED_SHARE,
	FS_INODES,
	FS_INODES_USED,
	FS_READ_ONLY,
	FS_COLUMNS,
};

enum { PATH_SIZE = 4096 };

/* As df: of what is used or can be used, without the blocks kept for root. */
static u8 used_share(const struct frame_table *t, u32 row, double *out)
{
	u64 used, available;

	if (!frame_raw(t, row, FS_USED, &used) || !frame_raw(t, row, FS_AVAILABLE, &available) ||
		!(used + available))
		return REASON_UNKNOWN;
	*out = (double)used / ((double)used + (double)available);
	return 0;
}

static const struct column columns[FS_COLUMNS] = {
	[FS_MOUNT] = {.name = "mount",
		.title = "MOUNT",
		.help = "mount point",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[FS_DEVICE] = {.name = "device",
		.title = "DEVICE",
		.help = "what is mounted",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[FS_TYPE] = {.name = "type",
		.title = "TYPE",
		.help = "type of the filesystem",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[FS_SIZE] = {.name = "size", .title = "SIZE", .help = "capacity", .unit = UNIT_BYTES},
	[FS_USED] = {.name = "used", .title = "USED", .help = "in use", .unit = UNIT_BYTES},
	[FS_AVAILABLE] = {.name = "available",
		.title = "AVAIL",
		.help = "free for everyone",
		.unit = UNIT_BYTES},
	[FS_USED_SHARE] = {.name = "used_share",
		.title = "USED%",
		.help = "used of used and available",
		.unit = UNIT_RATIO,
		.kind = COLUMN_DERIVED,
		.derive = used_share},
	[FS_INODES] = {.name = "inodes",
		.title = "INODES",
		.help = "files that fit",
		.unit = UNIT_COUNT},
	[FS_INODES_USED] = {.name = "inodes_used",
		.title = "IUSED",
		.help = "files that exist",
		.unit = UNIT_COUNT},
	[FS_READ_ONLY] = {.name = "read_only",
		.title = "RO",
		.help = "mounted read-only",
		.unit = UNIT_BOOL},
};

static const struct schema filesystem_schema = {.name = "filesystem",
	.title = "Filesystems",
	.help = "one row per device",
	.version = 1,
	.ncolumns = FS_COLUMNS,
	.columns = columns,
	.label_column = FS_MOUNT,
	.birth_column = -1,
	.counted_column = -1};

struct source {
	const struct source_env *env;
	struct kfile mounts, statfs;
	struct kbuf buf, stat_buf;
	u64 *seen; /* keys of this reading */
	u32 n, cap;
	char path[PATH_SIZE];
};

struct span {
	const char *p;
	size_t len;
};

struct mount {
	u64 key;
	struct span root, point, options, type, device;
};

struct space {
	u64 block, blocks, free, available, files, files_free;
};

static void filesystem_close(struct source *s)
{
	if (!s)
		return;
	kfile_fini(&s->mounts);
	kfile_fini(&s->statfs);
	kbuf_fini(&s->buf);
	kbuf_fini(&s->stat_buf);
	free(s->seen);
	free(s);
}

static int filesystem_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret = 0;

	if (!s)
		return -ENOMEM;
	s->env = env;
	kbuf_init(&s->buf);
	kbuf_init(&s->stat_buf);
	if (kfile_init(&s->mounts, "/proc/self/mountinfo") || kfile_init(&s->statfs, "/statfs"))
		ret = -ENOMEM;
	s->mounts.long_records = true;
	if (!ret)
		ret = kfile_read(&s->mounts, env->root, &s->buf);
	if (ret) {
		filesystem_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static const char *take_word(const char *p, const char *end, struct span *out)
{
	out->p = scan_blank(p, end);
	p = scan_word_end(out->p, end);
	out->len = (size_t)(p - out->p);
	return p;
}

static bool span_is(struct span s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.p, text, s.len) == 0;
}

static bool parse_mount(const char *p, const char *end, struct mount *m)
{
	u64 id = 0, major = 0, minor = 0;
	struct span word;
	bool ok = true;

	p = scan_u64(p, end, &id, &ok);
	p = scan_u64(p, end, &id, &ok);
	p = scan_u64(p, end, &major, &ok);
	if (!ok || p >= end || *p != ':')
		return false;
	p = scan_u64(p + 1, end, &minor, &ok);
	p = take_word(p, end, &m->root);
	p = take_word(p, end, &m->point);
	p = take_word(p, end, &m->options);
	do {
		p = take_word(p, end, &word);
	} while (word.len && !span_is(word, "-"));
	p = take_word(p, end, &m->type);
	take_word(p, end, &m->device);
	m->key = major << 20 | minor;
	return ok && word.len && m->type.len && m->point.len && m->point.len < PATH_SIZE &&
	       major >> 12 == 0 && minor >> 20 == 0 && !memchr(m->point.p, 0, m->point.len);
}

/* Is something else mounted on the same place by a line behind this one? Then nobody sees this one there, and
 * statfs would tell of the other. */
static bool is_covered(const struct mount *m, const char *p, const char *end)
{
	for (; (p = memmem(p, (size_t)(end - p), m->point.p, m->point.len)); p++) {
		const char *line = p;
		struct mount other;

		while (line[-1] != '\n')
			line--;
		if (parse_mount(line, scan_line_end(p, end), &other) && other.point.p == p &&
			other.point.len == m->point.len)
			return true;
	}
	return false;
}

static bool is_wanted(const struct mount *m)
{
	static const char *const types[] = {"tmpfs", "nfs", "nfs4", "zfs", "btrfs", "overlay",
		"cifs", "smb3", "ceph", "9p", "virtiofs"};

	if (scan_starts(m->device.p, m->device.p + m->device.len, "/dev/"))
		return true;
	if (scan_starts(m->type.p, m->type.p + m->type.len, "fuse."))
		return true;
	for (u32 i = 0; i < ARRAY_LEN(types); i++)
		if (span_is(m->type, types[i]))
			return true;
	return false;
}

static int live_space(struct source *s, struct space *out)
{
	struct statfs st;
	int fd = root_open(s->env->root, s->path, O_PATH), ret;

	if (fd < 0)
		return fd;
	ret = fstatfs(fd, &st) ? -errno : 0;
	close(fd);
	if (ret)
		return ret;
	*out = (struct space){.block = (u64)(st.f_frsize > 0 ? st.f_frsize : st.f_bsize),
		.blocks = st.f_blocks,
		.free = st.f_bfree,
		.available = st.f_bavail,
		.files = st.f_files,
		.files_free = st.f_ffree};
	return 0;
}

static int recorded_space(const struct source *s, struct span point, struct space *out)
{
	const char *p = s->stat_buf.data, *end = kbuf_end(&s->stat_buf);

	for (; s->stat_buf.len && p < end; p = scan_next_line(p, end)) {
		const char *line = scan_line_end(p, end), *q;
		u64 *const into[] = {&out->block, &out->blocks, &out->free, &out->available,
			&out->files, &out->files_free};
		struct span word;
		bool ok = true;

		q = take_word(p, line, &word);
		if (word.len != point.len || memcmp(word.p, point.p, point.len) != 0)
			continue;
		q = take_word(q, line, &word);
		for (u32 i = 0; i < ARRAY_LEN(into); i++)
			q = scan_u64(q, line, into[i], &ok);
		return ok ? 0 : -EINVAL;
	}
	return -ENOENT;
}

static bool read_only(struct span options)
{
	return scan_starts(options.p, options.p + options.len, "ro") &&
	       (options.len == 2 || options.p[2] == ',');
}

static u64 bytes(u64 blocks, u64 block)
{
	u64 v;

	return __builtin_mul_overflow(blocks, block, &v) ? UINT64_MAX : v;
}

static int emit(struct source *s, struct table *t, const struct mount *m)
{
	struct space sp = {0};
	size_t len = m->point.len;
	int error, row, ret;

	memcpy(s->path, m->point.p, len);
	len = scan_unescape_octal(s->path, len);
	s->path[len] = 0;
	error = root_is_live(s->env->root) ? live_space(s, &sp) : recorded_space(s, m->point, &sp);
	if (!error && !sp.blocks)
		return 0;
	row = table_row(t, m->key);
	if (row < 0)
		return row;
	ret = table_set_text(t, (u32)row, FS_MOUNT, s->path, len);
	if (!ret)
		ret = table_set_text(t, (u32)row, FS_TYPE, m->type.p, min_u64(m->type.len, 255));
	if (ret)
		return ret;
	len = min_u64(m->device.len, PATH_SIZE - 1);
	memcpy(s->path, m->device.p, len);
	len = scan_unescape_octal(s->path, len);
	ret = table_set_text(t, (u32)row, FS_DEVICE, s->path, len);
	if (ret)
		return ret;
	table_set(t, (u32)row, FS_READ_ONLY, read_only(m->options));
	if (error) {
		for (u32 c = FS_SIZE; c <= FS_INODES_USED; c++)
			if (c != FS_USED_SHARE)
				table_absent(t, (u32)row, c, reason_from_errno(error));
		return 0;
	}
	table_set(t, (u32)row, FS_SIZE, bytes(sp.blocks, sp.block));
	table_set(t, (u32)row, FS_USED, bytes(sp.blocks - min_u64(sp.blocks, sp.free), sp.block));
	table_set(t, (u32)row, FS_AVAILABLE, bytes(sp.available, sp.block));
	if (sp.files) {
		table_set(t, (u32)row, FS_INODES, sp.files);
		table_set(t, (u32)row, FS_INODES_USED, sp.files - min_u64(sp.files, sp.files_free));
	}
	return 0;
}

/* True the first time that this device is met. */
static int first_time(struct source *s, u64 key)
{
	for (u32 i = 0; i < s->n; i++)
		if (s->seen[i] == key)
			return 0;
	if (s->n == s->cap) {
		u32 cap = s->cap ? s->cap * 2 : 32;
		u64 *grown = realloc(s->seen, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		s->seen = grown;
		s->cap = cap;
	}
	s->seen[s->n++] = key;
	return 1;
}

static int filesystem_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	ret = kfile_read(&s->mounts, s->env->root, &s->buf);
	if (ret)
		return ret;
	if (!root_is_live(s->env->root) && kfile_read(&s->statfs, s->env->root, &s->stat_buf))
		s->stat_buf.len = 0;
	s->n = 0;
	table_begin(t, &at, need);
	/* whole filesystems first, then those of which only a part is mounted */
	for (u32 pass = 0; pass < 2; pass++) {
		const char *p = s->buf.data, *end = kbuf_end(&s->buf);

		for (; p < end; p = scan_next_line(p, end)) {
			struct mount m;

			if (!parse_mount(p, scan_line_end(p, end), &m) || !is_wanted(&m) ||
				span_is(m.root, "/") != (pass == 0) ||
				is_covered(&m, scan_next_line(p, end), end))
				continue;
			ret = first_time(s, m.key);
			if (ret > 0)
				ret = emit(s, t, &m);
			if (ret < 0)
				return ret;
		}
	}
	return table_end(t);
}

static void filesystem_explain(struct source *s, struct findings *out)
{
	if (kfile_read(&s->mounts, s->env->root, &s->buf))
		findings_add(out, "filesystem", REASON_ERROR, "mounted filesystems",
			"/proc/self/mountinfo cannot be read", "mount -t proc proc /proc");
}

const struct source_ops filesystem_source = {.schema = &filesystem_schema,
	.open = filesystem_open,
	.read = filesystem_read,
	.explain = filesystem_explain,
	.close = filesystem_close,
	.period_ns = 5 * NSEC_PER_SEC,
	.slow = true};
