/* An io file and a schedstat file; the first byte picks one. */
#include "fuzz.h"

#include "process/process.h"

static void io(const char *p, const char *end)
{
	struct process_io out;

	process_parse_io(p, end, &out);
	MUST(!(out.have >> IO_FIELDS));
	for (u32 i = 0; i < IO_FIELDS; i++)
		MUST(out.have >> i & 1 || !out.bytes[i]);
}

static void schedstat(const char *p, const char *end)
{
	u64 sched[3];

	/* a kernel that does not count is no kernel on which nothing ran */
	if (!process_parse_schedstat(p, end, sched))
		MUST(sched[0] || sched[1] || sched[2]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;

	if (size)
		(data[0] % 2 ? schedstat : io)(p + 1, p + size);
	return 0;
}
