#include "process/stat.h"

#include <errno.h>
#include <string.h>

#include "base/scan.h"

/* Numbers behind the state, by their place; 4 is ppid in the manual's counting. */
enum {
	AT_PPID = 4,
	AT_FLAGS = 9,
	AT_MINFLT = 10,
	AT_MAJFLT = 12,
	AT_UTIME = 14,
	AT_STIME = 15,
	AT_PRIORITY = 18,
	AT_NICE = 19,
	AT_THREADS = 20,
	AT_START = 22,
	AT_VSIZE = 23,
	AT_RSS = 24,
	AT_PROCESSOR = 39,
};

static const char *numbers(const char *p, const char *end, s64 *v, u32 first, u32 last, bool *ok)
{
	for (u32 i = first; i <= last; i++)
		p = scan_s64(p, end, &v[i], ok);
	return p;
}

static u64 positive(s64 v)
{
	return v > 0 ? (u64)v : 0;
}

int proc_stat_parse(struct proc_stat *out, const char *p, const char *end)
{
	const char *open, *close;
	s64 v[AT_PRIORITY + 3] = {0};
	bool ok = true, have_cpu = true;
	s64 rss = 0;

	*out = (struct proc_stat){0};
	p = scan_u64(p, end, &out->pid, &ok);
	open = ok ? memchr(p, '(', (size_t)(end - p)) : NULL;
	close = open ? memrchr(open, ')', (size_t)(end - open)) : NULL;
	if (!close)
		return -EINVAL;
	out->comm = open + 1;
	out->comm_len = (u32)(close - open - 1);
	p = scan_blank(close + 1, end);
	if (p >= end)
		return -EINVAL;
	out->state = *p++;
	p = numbers(p, end, v, AT_PPID, AT_THREADS, &ok);
	p = scan_skip_words(p, end, 1); /* itrealvalue */
	p = scan_u64(p, end, &out->start_ticks, &ok);
	p = scan_u64(p, end, &out->virtual_bytes, &ok);
	p = scan_s64(p, end, &rss, &ok);
	if (!ok)
		return -EINVAL;
	out->ppid = positive(v[AT_PPID]);
	out->flags = positive(v[AT_FLAGS]);
	out->minor_faults = positive(v[AT_MINFLT]);
	out->major_faults = positive(v[AT_MAJFLT]);
	out->user_ticks = positive(v[AT_UTIME]);
	out->system_ticks = positive(v[AT_STIME]);
	out->priority = v[AT_PRIORITY];
	out->nice = v[AT_NICE];
	out->threads = positive(v[AT_THREADS]);
	out->resident_pages = positive(rss);
	p = scan_skip_words(p, end, AT_PROCESSOR - AT_RSS - 1);
	scan_u64(p, end, &out->processor, &have_cpu);
	if (!have_cpu)
		out->processor = UINT64_MAX;
	return 0;
}

int proc_statm_shared(const char *p, const char *end, u64 *pages)
{
	bool ok = true;

	p = scan_skip_words(p, end, 2);
	scan_u64(p, end, pages, &ok);
	return ok ? 0 : -EINVAL;
}
