#include <errno.h>
#include <string.h>

#include "base/scan.h"
#include "source/memory.h"

static const struct {
	const char *key;
	u32 scale; /* kB, or 1 for pages */
} fields[MI_FIELDS] = {
	[MI_TOTAL] = {"MemTotal:", 1024},
	[MI_FREE] = {"MemFree:", 1024},
	[MI_AVAILABLE] = {"MemAvailable:", 1024},
	[MI_BUFFERS] = {"Buffers:", 1024},
	[MI_CACHED] = {"Cached:", 1024},
	[MI_SWAP_CACHED] = {"SwapCached:", 1024},
	[MI_SHMEM] = {"Shmem:", 1024},
	[MI_ANON] = {"AnonPages:", 1024},
	[MI_SRECLAIMABLE] = {"SReclaimable:", 1024},
	[MI_SUNRECLAIM] = {"SUnreclaim:", 1024},
	[MI_KERNEL_STACK] = {"KernelStack:", 1024},
	[MI_PAGE_TABLES] = {"PageTables:", 1024},
	[MI_PERCPU] = {"Percpu:", 1024},
	[MI_DIRTY] = {"Dirty:", 1024},
	[MI_WRITEBACK] = {"Writeback:", 1024},
	[MI_SWAP_TOTAL] = {"SwapTotal:", 1024},
	[MI_SWAP_FREE] = {"SwapFree:", 1024},
	[MI_ZSWAP] = {"Zswap:", 1024},
	[MI_ZSWAPPED] = {"Zswapped:", 1024},
	[MI_COMMIT_LIMIT] = {"CommitLimit:", 1024},
	[MI_COMMITTED] = {"Committed_AS:", 1024},
	[MI_HUGE_TOTAL] = {"HugePages_Total:", 1},
	[MI_HUGE_FREE] = {"HugePages_Free:", 1},
	[MI_HUGE_SIZE] = {"Hugepagesize:", 1024},
	[MI_HUGETLB] = {"Hugetlb:", 1024},
};

/* The kernel prints the lines in one order for ever; look first behind the field found last. */
static u32 find_field(const char *p, const char *line, u32 hint)
{
	for (u32 i = 0; i < MI_FIELDS; i++) {
		u32 f = (hint + i) % MI_FIELDS;

		if (fields[f].key[0] == *p && scan_starts(p, line, fields[f].key))
			return f;
	}
	return MI_FIELDS;
}

int meminfo_parse(struct meminfo *m, const char *p, const char *end)
{
	u32 hint = 0;

	*m = (struct meminfo){0};
	for (; p < end; p = scan_next_line(p, end)) {
		const char *line = scan_line_end(p, end);
		u32 f = find_field(p, line, hint);
		bool ok = true;
		u64 v = 0;

		if (f == MI_FIELDS)
			continue;
		hint = f + 1;
		scan_u64(p + strlen(fields[f].key), line, &v, &ok);
		if (!ok)
			continue;
		m->v[f] = v > UINT64_MAX / fields[f].scale ? UINT64_MAX : v * fields[f].scale;
		m->have |= 1ull << f;
	}
	return meminfo_has(m, MI_TOTAL) ? 0 : -EINVAL;
}

/* Take at most what is left of the total. */
static u64 take(u64 *left, u64 want)
{
	u64 got = min_u64(*left, want);

	*left -= got;
	return got;
}

static u64 minus(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

void memory_account(const struct meminfo *m, const struct arc *arc, const struct huge *pools,
	struct memory_classes *out)
{
	const u64 *v = m->v;
	u64 total = v[MI_TOTAL], left = total, huge, huge_free,
	    arc_cache = minus(arc->size, arc->min);

	*out = (struct memory_classes){0};
	out->available_ok = meminfo_has(m, MI_AVAILABLE) && v[MI_AVAILABLE] <= total;
	out->available = out->available_ok ? v[MI_AVAILABLE] : 0;
	out->used_ok = out->available_ok || meminfo_has(m, MI_FREE);
	out->used = minus(total, out->available_ok ? v[MI_AVAILABLE] : v[MI_FREE]);
	if (out->available_ok) {
		arc_cache = min_u64(arc_cache, out->used);
		out->used -= arc_cache;
		out->available = min_u64(total, out->available + arc_cache);
	}
	/* without Hugetlb and sysfs only the default size is known */
	huge = v[MI_HUGE_TOTAL] * v[MI_HUGE_SIZE];
	huge_free = v[MI_HUGE_FREE] * v[MI_HUGE_SIZE];
	out->huge_used = pools->have ? pools->used : minus(huge, huge_free);
	if (pools->have)
		huge = pools->reserved;
	if (meminfo_has(m, MI_HUGETLB))
		huge = v[MI_HUGETLB];
	out->free = take(&left, v[MI_FREE]);
	out->hugepages = take(&left, huge);
	out->anon = take(&left, v[MI_ANON]);
	out->shared = take(&left, v[MI_SHMEM]);
	out->buffers = take(&left, v[MI_BUFFERS]);
	/* Cached counts shared memory in; reclaimable slab and ARC are cache to a user */
	out->cache = take(&left, minus(v[MI_CACHED], v[MI_SHMEM]) + v[MI_SRECLAIMABLE] + arc_cache);
	/* VmallocUsed is left out: it holds most of the stacks and per-CPU memory a second time */
	out->kernel = take(
		&left, v[MI_SUNRECLAIM] + v[MI_KERNEL_STACK] + v[MI_PAGE_TABLES] + v[MI_PERCPU]);
	out->other = left;
}
