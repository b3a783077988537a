#include <errno.h>

#include "base/scan.h"
#include "process/process.h"

static bool ids(const char *p, const char *end, u32 out[2])
{
	bool ok = true;
	u64 id[2] = {0};

	p = scan_u64(p, end, &id[0], &ok);
	scan_u64(p, end, &id[1], &ok);
	if (!ok || id[0] > UINT32_MAX || id[1] > UINT32_MAX)
		return false;
	out[0] = (u32)id[0];
	out[1] = (u32)id[1];
	return true;
}

static bool one(const char *p, const char *end, u64 *out)
{
	bool ok = true;

	scan_u64(p, end, out, &ok);
	return ok;
}

void process_parse_status(const char *p, const char *end, struct process_status *out)
{
	static const char voluntary[] = "voluntary_ctxt_switches:";
	static const char involuntary[] = "nonvoluntary_ctxt_switches:";

	*out = (struct process_status){0};
	for (; p < end; p = scan_next_line(p, end)) {
		const char *line = scan_line_end(p, end);
		bool ok = false;
		u32 bit = 0;

		/* a line that is cut off may lack digits */
		if (line == end)
			break;
		if (scan_starts(p, line, "Uid:"))
			ok = ids(p + 4, line, out->uid), bit = STATUS_UIDS;
		else if (scan_starts(p, line, "Gid:"))
			ok = ids(p + 4, line, out->gid), bit = STATUS_GIDS;
		else if (scan_starts(p, line, "VmSwap:"))
			ok = one(p + 7, line, &out->swap_kib), bit = STATUS_SWAP;
		else if (scan_starts(p, line, voluntary))
			ok = one(p + sizeof(voluntary) - 1, line, &out->voluntary),
			bit = STATUS_VOLUNTARY;
		else if (scan_starts(p, line, involuntary))
			ok = one(p + sizeof(involuntary) - 1, line, &out->involuntary),
			bit = STATUS_INVOLUNTARY;
		if (ok)
			out->have |= bit;
	}
}

void process_parse_io(const char *p, const char *end, struct process_io *out)
{
	static const char *const names[IO_FIELDS] = {
		"rchar:", "wchar:", "read_bytes:", "write_bytes:"};

	*out = (struct process_io){0};
	for (u32 i = 0; i < IO_FIELDS; i++)
		if (scan_line_u64(p, end, names[i], &out->bytes[i]))
			out->have |= 1u << i;
}

int process_parse_schedstat(const char *p, const char *end, u64 out[3])
{
	bool ok = true;

	for (u32 i = 0; i < 3; i++)
		p = scan_u64(p, end, &out[i], &ok);
	return ok && (out[0] || out[1] || out[2]) ? 0 : -EINVAL;
}
