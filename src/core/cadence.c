#include "core/cadence.h"

#include <errno.h>

#include "base/scan.h"

/* {most nodes, interval}: the first arm that fits; the last one fits all. */
static const struct {
	u32 most_nodes;
	u64 interval_ns;
} arms[] = {
	{0, 1 * NSEC_PER_SEC},
	{10, 3 * NSEC_PER_SEC},
	{50, 4 * NSEC_PER_SEC},
	{100, 5 * NSEC_PER_SEC},
	{UINT32_MAX, 6 * NSEC_PER_SEC},
};

u64 local_interval(void)
{
	return remote_interval(0);
}

u64 remote_interval(u32 nodes)
{
	u32 i = 0;

	while (nodes > arms[i].most_nodes)
		i++;
	return arms[i].interval_ns;
}

int interval_parse(const char *text, u64 *out_ns, struct err *err)
{
	u64 ns;

	if (scan_duration(text, &ns) || ns < INTERVAL_LEAST_NS || ns > INTERVAL_MOST_NS)
		return err_set(err, EINVAL,
			"--interval %s: expected 100ms to 1h with a unit (ms, s, m, h)", text);
	*out_ns = ns;
	return 0;
}
