/* What sysfs knows of CPUs and /proc/stat does not: which are present, their type, their clock. Read at
 * start-up; a CPU beyond what was present then is simply not expected. */
#ifndef TARE_SOURCE_CPU_TOPOLOGY_H
#define TARE_SOURCE_CPU_TOPOLOGY_H

#include "base/kfile.h"
#include "base/root.h"

struct cpu_info {
	bool present, has_frequency;
	const char *type; /* static text or NULL */
	u64 capacity;
	u64 hz; /* newest reading */
	struct kfile frequency;
};

struct cpu_topology {
	struct cpu_info *cpu; /* by id */
	u32 n;
};

int cpu_topology_open(struct cpu_topology *t, const struct root *root);
void cpu_topology_close(struct cpu_topology *t);
/* The recorded machine went on to another moment. Keeps what it had when memory runs out. */
void cpu_topology_rescan(struct cpu_topology *t, const struct root *root);
/* One more than the highest id. */
u32 cpu_topology_limit(const struct cpu_topology *t);
bool cpu_topology_present(const struct cpu_topology *t, u32 cpu);
const char *cpu_topology_type(const struct cpu_topology *t, u32 cpu);
/* Does this CPU have a file with its clock? */
bool cpu_topology_clocked(const struct cpu_topology *t, u32 cpu);
bool cpu_topology_has_frequency(const struct cpu_topology *t);
/* Clock of one CPU, from the kept file or (held) as read last. 0 or -errno. */
int cpu_topology_frequency(
	struct cpu_topology *t, const struct root *root, u32 cpu, bool held, u64 *hz);

#endif
