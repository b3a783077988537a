#include "process/facts.h"

#include <unistd.h>

#include "base/scan.h"
#include "process/piddir.h"

enum { RECORDED_HZ = 100, RECORDED_PAGE = 4096 };

static u64 memory_bytes(const struct root *root)
{
	char text[4096];
	u64 kib = 0;
	int len = root_read(root, "/proc/meminfo", text, sizeof(text));

	if (len <= 0 || !scan_line_u64(text, text + len, "MemTotal:", &kib))
		return 0;
	return kib < UINT64_MAX / 1024 ? kib * 1024 : 0;
}

/* By the link: in a container, /proc may count pids of another namespace than getpid(). */
static u32 own_pid(const struct root *root)
{
	char text[32];
	u64 pid = 0;
	int len = root_is_live(root) ? root_readlink(root, "/proc/self", text, sizeof(text)) : 0;

	return len > 0 && !scan_whole_u64(text, text + len, &pid) && pid <= PID_MOST ? (u32)pid : 0;
}

static u64 positive(long v, u64 otherwise)
{
	return v > 0 ? (u64)v : otherwise;
}

void process_facts_read(struct process_facts *facts, const struct root *root)
{
	facts->tick_ns = NSEC_PER_SEC / RECORDED_HZ;
	facts->page_bytes = RECORDED_PAGE;
	if (root_is_live(root)) {
		facts->tick_ns = NSEC_PER_SEC / positive(sysconf(_SC_CLK_TCK), RECORDED_HZ);
		facts->page_bytes = positive(sysconf(_SC_PAGESIZE), RECORDED_PAGE);
	}
	facts->memory_bytes = memory_bytes(root);
	facts->own_pid = own_pid(root);
}
