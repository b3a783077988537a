#include "process/process.h"

#include <errno.h>
#include <string.h>

#include "base/scan.h"

static const char *number(const char *p, const char *end, u64 *out, bool *ok)
{
	s64 v = 0;

	if (p >= end || *p != '-')
		return scan_u64(p, end, out, ok);
	p = scan_s64(p, end, &v, ok);
	*out = (u64)v;
	return p;
}

int process_parse_stat(const char *p, const char *end, u64 want, struct process_stat *out)
{
	const char *open = memchr(p, '(', (size_t)(end - p)), *close;
	u32 last = want ? 63 - (u32)__builtin_clzll(want) : 0;

	out->have = 0;
	close = open ? memrchr(open, ')', (size_t)(end - open)) : NULL;
	if (!close || end - close < 3 || close[1] != ' ')
		return -EINVAL;
	out->comm = open + 1;
	out->comm_len = (u32)(close - out->comm);
	out->state = close[2];
	if ((u8)((out->state | 0x20) - 'a') >= 26)
		return -EINVAL;
	p = close + 3;
	for (u32 field = STAT_PPID; field <= last && field < STAT_FIELDS; field++) {
		bool ok = true;

		p = scan_blank(p, end);
		if (p >= end || *p == '\n')
			break;
		if (!(want >> field & 1)) {
			while (p < end && *p != ' ')
				p++;
			continue;
		}
		p = number(p, end, &out->value[field], &ok);
		if (!ok || (p < end && *p != ' ' && *p != '\n'))
			break;
		out->have |= 1ull << field;
	}
	return 0;
}

int process_parse_statm(const char *p, const char *end, u64 out[3])
{
	bool ok = true;

	for (u32 i = 0; i < 3; i++)
		p = scan_u64(p, end, &out[i], &ok);
	return ok ? 0 : -EINVAL;
}

int process_parse_uid(const char *p, const char *end, u32 *out)
{
	for (; p < end; p = scan_next_line(p, end)) {
		bool ok = true;
		u64 real, effective = 0;

		if (!scan_starts(p, end, "Uid:"))
			continue;
		p = scan_u64(p + 4, end, &real, &ok);
		scan_u64(p, end, &effective, &ok);
		if (!ok || effective > UINT32_MAX)
			return -EINVAL;
		*out = (u32)effective;
		return 0;
	}
	return -EINVAL;
}
