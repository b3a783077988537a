/* Memory: one row of classes that add up to the total, swap with what zswap keeps in RAM, and the cumulative
 * counters of /proc/vmstat. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "core/frame.h"
#include "source/memory.h"
#include "source/memory_huge.h"
#include "source/sources_list.h"

enum {
	MEM_TOTAL,
	MEM_USED_SHARE,
	MEM_USED,
	MEM_AVAILABLE,
	MEM_FREE,
	MEM_ANON,
	MEM_CACHE,
	MEM_BUFFERS,
	MEM_SHARED,
	MEM_KERNEL,
	MEM_HUGEPAGES,
	MEM_HUGEPAGES_USED,
	MEM_OTHER,
	MEM_SLAB_RECLAIMABLE,
	MEM_SLAB_UNRECLAIMABLE,
	MEM_PAGE_TABLES,
	MEM_DIRTY,
	MEM_WRITEBACK,
	MEM_ZFS_ARC,
	MEM_SWAP_TOTAL,
	MEM_SWAP_USED,
	MEM_SWAP_SHARE,
	MEM_SWAP_FREE,
	MEM_SWAP_ON_DISK,
	MEM_SWAP_CACHED,
	MEM_ZSWAP_POOL,
	MEM_ZSWAP_STORED,
	MEM_COMMITTED,
	MEM_COMMIT_LIMIT,
	MEM_FAULTS,
	MEM_MAJOR_FAULTS,
	MEM_PAGED_IN,
	MEM_PAGED_OUT,
	MEM_SWAPPED_IN,
	MEM_SWAPPED_OUT,
	MEM_OOM_KILLS,
	MEM_COLUMNS,
};

static u8 ratio(const struct frame_table *t, u32 row, u32 part, u32 whole, double *out)
{
	u64 a, b;

	if (!frame_raw(t, row, part, &a) || !frame_raw(t, row, whole, &b))
		return REASON_UNSUPPORTED;
	if (!b)
		return REASON_UNSUPPORTED;
	*out = (double)a / (double)b;
	return 0;
}

static u8 used_share(const struct frame_table *t, u32 row, double *out)
{
	return ratio(t, row, MEM_USED, MEM_TOTAL, out);
}

static u8 swap_share(const struct frame_table *t, u32 row, double *out)
{
	return ratio(t, row, MEM_SWAP_USED, MEM_SWAP_TOTAL, out);
}

#define BYTES(n, head, text)                                               \
	{                                                                  \
		.name = n, .title = head, .help = text, .unit = UNIT_BYTES \
	}
#define COUNTER(n, head, text, u)                                                         \
	{                                                                                 \
		.name = n, .title = head, .help = text, .unit = u, .kind = COLUMN_COUNTER \
	}
#define RATIO(n, head, text, fn)                                            \
	{                                                                   \
		.name = n, .title = head, .help = text, .unit = UNIT_RATIO, \
		.kind = COLUMN_DERIVED, .derive = fn                        \
	}

static const struct column columns[MEM_COLUMNS] = {
	[MEM_TOTAL] = BYTES("total", "TOTAL", "memory that the kernel manages"),
	[MEM_USED_SHARE] = RATIO("used_share", "USED%", "used of total", used_share),
	[MEM_USED] = BYTES("used", "USED", "total less what programs could still get"),
	[MEM_AVAILABLE] = BYTES("available", "AVAIL", "what programs could get without swapping"),
	[MEM_FREE] = BYTES("free", "FREE", "unused"),
	[MEM_ANON] = BYTES("anon", "ANON", "programs' own memory"),
	[MEM_CACHE] = BYTES("cache", "CACHE", "files, reclaimable slab and reclaimable ZFS cache"),
	[MEM_BUFFERS] = BYTES("buffers", "BUFFERS", "raw block device pages"),
	[MEM_SHARED] = BYTES("shared", "SHARED", "tmpfs and System V shared memory"),
	[MEM_KERNEL] = BYTES("kernel", "KERNEL", "slab, stacks, page tables, per-CPU"),
	[MEM_HUGEPAGES] = BYTES("hugepages", "HUGE", "reserved as huge pages, all sizes"),
	[MEM_HUGEPAGES_USED] = BYTES("hugepages_used", "HUGEUSED", "huge pages in use"),
	[MEM_OTHER] = BYTES("other", "OTHER", "what the classes leave: drivers, vmalloc, balloons"),
	[MEM_SLAB_RECLAIMABLE] = BYTES(
		"slab_reclaimable", "SLABR", "kernel caches that can be given back"),
	[MEM_SLAB_UNRECLAIMABLE] = BYTES(
		"slab_unreclaimable", "SLABU", "kernel objects that cannot"),
	[MEM_PAGE_TABLES] = BYTES("page_tables", "PGTABLES", "page tables"),
	[MEM_DIRTY] = BYTES("dirty", "DIRTY", "waits to be written"),
	[MEM_WRITEBACK] = BYTES("writeback", "WRITEBK", "being written"),
	[MEM_ZFS_ARC] = BYTES("zfs_arc", "ARC", "ZFS cache"),
	[MEM_SWAP_TOTAL] = BYTES("swap_total", "SWAP", "swap space"),
	[MEM_SWAP_USED] = BYTES("swap_used", "SWAPUSED", "swap in use, zswap included"),
	[MEM_SWAP_SHARE] = RATIO("swap_share", "SWAP%", "used of swap space", swap_share),
	[MEM_SWAP_FREE] = BYTES("swap_free", "SWAPFREE", "swap not in use"),
	[MEM_SWAP_ON_DISK] = BYTES("swap_on_disk", "ONDISK", "swap in use less what zswap holds"),
	[MEM_SWAP_CACHED] = BYTES("swap_cached", "SWAPCACH", "in swap and still in memory"),
	[MEM_ZSWAP_POOL] = BYTES("zswap_pool", "ZPOOL", "memory that zswap takes"),
	[MEM_ZSWAP_STORED] = BYTES("zswap_stored", "ZSTORED", "pages that zswap holds, unpacked"),
	[MEM_COMMITTED] = BYTES("committed", "COMMIT", "address space promised"),
	[MEM_COMMIT_LIMIT] = BYTES("commit_limit", "COMMLIM", "limit in strict overcommit"),
	[MEM_FAULTS] = COUNTER("faults", "FLT/s", "page faults", UNIT_COUNT),
	[MEM_MAJOR_FAULTS] = COUNTER(
		"major_faults", "MAJ/s", "page faults that waited for a read", UNIT_COUNT),
	[MEM_PAGED_IN] = COUNTER("paged_in", "PGIN/s", "read from block devices", UNIT_BYTES),
	[MEM_PAGED_OUT] = COUNTER("paged_out", "PGOUT/s", "written to block devices", UNIT_BYTES),
	[MEM_SWAPPED_IN] = COUNTER("swapped_in", "SWIN/s", "read from swap", UNIT_BYTES),
	[MEM_SWAPPED_OUT] = COUNTER("swapped_out", "SWOUT/s", "written to swap", UNIT_BYTES),
	[MEM_OOM_KILLS] = COUNTER("oom_kills", "OOM/s", "processes killed for memory", UNIT_COUNT),
};

static const struct schema memory_schema = {.name = "memory",
	.title = "Memory",
	.help = "total = free + buffers + cache + shared + anon + kernel + hugepages + other",
	.version = 1,
	.ncolumns = MEM_COLUMNS,
	.columns = columns,
	.label_column = -1,
	.birth_column = -1,
	.counted_column = -1};

enum { VMSTAT_KEYS = 7 };

struct source {
	const struct source_env *env;
	struct kfile meminfo, vmstat, arcstats;
	struct huge_pools pools;
	bool has_arc;
	u64 page_bytes;
	struct kbuf buf;
};

static void memory_close(struct source *s)
{
	if (!s)
		return;
	kfile_fini(&s->meminfo);
	kfile_fini(&s->vmstat);
	kfile_fini(&s->arcstats);
	huge_pools_close(&s->pools);
	kbuf_fini(&s->buf);
	free(s);
}

static int memory_open(struct source **out, const struct source_env *env)
{
	static const char arcstats[] = "/proc/spl/kstat/zfs/arcstats";
	struct source *s = calloc(1, sizeof(*s));
	long page = root_is_live(env->root) ? sysconf(_SC_PAGESIZE) : 4096;
	int ret = 0;

	if (!s)
		return -ENOMEM;
	s->env = env;
	s->page_bytes = page > 0 ? (u64)page : 4096;
	kbuf_init(&s->buf);
	if (kfile_init(&s->meminfo, "/proc/meminfo") || kfile_init(&s->vmstat, "/proc/vmstat") ||
		kfile_init(&s->arcstats, arcstats))
		ret = -ENOMEM;
	if (!ret)
		ret = kfile_read(&s->meminfo, env->root, &s->buf);
	if (!ret)
		ret = huge_pools_open(&s->pools, env->root);
	if (ret) {
		memory_close(s);
		return ret;
	}
	s->has_arc = root_exists(env->root, arcstats);
	*out = s;
	return 0;
}

/* Columns that are one field of /proc/meminfo. */
static const struct {
	u8 column, field;
} plain[] = {
	{MEM_TOTAL, MI_TOTAL},
	{MEM_SLAB_RECLAIMABLE, MI_SRECLAIMABLE},
	{MEM_SLAB_UNRECLAIMABLE, MI_SUNRECLAIM},
	{MEM_PAGE_TABLES, MI_PAGE_TABLES},
	{MEM_DIRTY, MI_DIRTY},
	{MEM_WRITEBACK, MI_WRITEBACK},
	{MEM_SWAP_TOTAL, MI_SWAP_TOTAL},
	{MEM_SWAP_FREE, MI_SWAP_FREE},
	{MEM_SWAP_CACHED, MI_SWAP_CACHED},
	{MEM_ZSWAP_POOL, MI_ZSWAP},
	{MEM_ZSWAP_STORED, MI_ZSWAPPED},
	{MEM_COMMITTED, MI_COMMITTED},
	{MEM_COMMIT_LIMIT, MI_COMMIT_LIMIT},
};

/* A class is there when the line it comes from is. */
static void set_class(
	struct table *t, const struct meminfo *m, enum meminfo_field f, u32 column, u64 bytes)
{
	if (meminfo_has(m, f))
		table_set(t, 0, column, bytes);
}

static void fill_classes(
	struct table *t, const struct meminfo *m, const struct arc *arc, const struct huge *pools)
{
	struct memory_classes c;

	memory_account(m, arc, pools, &c);
	if (c.used_ok)
		table_set(t, 0, MEM_USED, c.used);
	if (c.available_ok)
		table_set(t, 0, MEM_AVAILABLE, c.available);
	else if (meminfo_has(m, MI_AVAILABLE))
		table_absent(t, 0, MEM_AVAILABLE, REASON_INVALID);
	set_class(t, m, MI_FREE, MEM_FREE, c.free);
	set_class(t, m, MI_ANON, MEM_ANON, c.anon);
	set_class(t, m, MI_CACHED, MEM_CACHE, c.cache);
	set_class(t, m, MI_BUFFERS, MEM_BUFFERS, c.buffers);
	set_class(t, m, MI_SHMEM, MEM_SHARED, c.shared);
	table_set(t, 0, MEM_KERNEL, c.kernel);
	table_set(t, 0, MEM_OTHER, c.other);
	if (meminfo_has(m, MI_HUGE_TOTAL) || meminfo_has(m, MI_HUGETLB) || pools->have) {
		table_set(t, 0, MEM_HUGEPAGES, c.hugepages);
		table_set(t, 0, MEM_HUGEPAGES_USED, c.huge_used);
	}
}

static void fill_swap(struct table *t, const struct meminfo *m)
{
	u64 used;

	if (!meminfo_has(m, MI_SWAP_TOTAL) || !meminfo_has(m, MI_SWAP_FREE))
		return;
	used = m->v[MI_SWAP_TOTAL] - min_u64(m->v[MI_SWAP_TOTAL], m->v[MI_SWAP_FREE]);
	table_set(t, 0, MEM_SWAP_USED, used);
	table_set(t, 0, MEM_SWAP_ON_DISK, used - min_u64(used, m->v[MI_ZSWAPPED]));
}

static int read_arc(struct source *s, struct arc *arc)
{
	const char *p, *end;
	int ret = kfile_read(&s->arcstats, s->env->root, &s->buf);

	if (ret)
		return ret;
	end = kbuf_end(&s->buf);
	for (p = s->buf.data; p < end; p = scan_next_line(p, end)) {
		const char *line = scan_line_end(p, end);
		u64 *into = scan_starts(p, line, "size ")    ? &arc->size
			    : scan_starts(p, line, "c_min ") ? &arc->min
							     : NULL;
		bool ok = true;

		if (into)
			scan_u64(scan_skip_words(p, line, 2), line, into, &ok);
	}
	return 0;
}

static void fill_arc(struct source *s, struct table *t, struct arc *arc)
{
	int ret = s->has_arc ? read_arc(s, arc) : -ENOENT;

	if (ret)
		table_absent(t, 0, MEM_ZFS_ARC, reason_from_errno(ret));
	else
		table_set(t, 0, MEM_ZFS_ARC, arc->size);
}

/* No huge page of any size, which Hugetlb says: the pools need not be asked. */
static void read_pools(struct source *s, const struct meminfo *m, struct huge *out)
{
	*out = (struct huge){0};
	if (meminfo_has(m, MI_HUGETLB) && !m->v[MI_HUGETLB])
		return;
	out->have = !huge_pools_read(&s->pools, s->env->root, &out->reserved, &out->used);
}

static void read_vmstat(struct source *s, struct table *t)
{
	const struct {
		const char *key;
		u64 scale;
		u32 column;
	} keys[VMSTAT_KEYS] = {
		{"pgpgin ", 1024, MEM_PAGED_IN},
		{"pgpgout ", 1024, MEM_PAGED_OUT},
		{"pswpin ", s->page_bytes, MEM_SWAPPED_IN},
		{"pswpout ", s->page_bytes, MEM_SWAPPED_OUT},
		{"pgfault ", 1, MEM_FAULTS},
		{"pgmajfault ", 1, MEM_MAJOR_FAULTS},
		{"oom_kill ", 1, MEM_OOM_KILLS},
	};
	const char *p, *end;
	u32 found = 0;

	if (kfile_read(&s->vmstat, s->env->root, &s->buf))
		return;
	end = kbuf_end(&s->buf);
	for (p = s->buf.data; p < end && found < VMSTAT_KEYS; p = scan_next_line(p, end)) {
		/* all keys start with p or o; most lines do not */
		if (*p != 'p' && *p != 'o')
			continue;
		for (u32 k = 0; k < VMSTAT_KEYS; k++) {
			bool ok = true;
			u64 v = 0;

			if (!scan_starts(p, end, keys[k].key))
				continue;
			scan_u64(p + strlen(keys[k].key), end, &v, &ok);
			if (ok)
				table_set(t, 0, keys[k].column, v * keys[k].scale);
			found++;
			break;
		}
	}
}

static int memory_read(struct source *s, struct table *t, u64 need)
{
	const u64 counters = ~(column_bit(MEM_FAULTS) - 1);
	struct meminfo m;
	struct arc arc = {0};
	struct huge pools;
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	ret = kfile_read(&s->meminfo, s->env->root, &s->buf);
	if (!ret)
		ret = meminfo_parse(&m, s->buf.data, kbuf_end(&s->buf));
	if (ret)
		return ret;
	table_begin(t, &at, need);
	ret = table_row(t, 0);
	if (ret < 0)
		return ret;
	for (u32 i = 0; i < ARRAY_LEN(plain); i++)
		if (meminfo_has(&m, plain[i].field))
			table_set(t, 0, plain[i].column, m.v[plain[i].field]);
	fill_arc(s, t, &arc);
	read_pools(s, &m, &pools);
	fill_classes(t, &m, &arc, &pools);
	fill_swap(t, &m);
	if (need & counters)
		read_vmstat(s, t);
	return table_end(t);
}

const struct source_ops memory_source = {
	.schema = &memory_schema, .open = memory_open, .read = memory_read, .close = memory_close};
