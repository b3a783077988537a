/* The columns of `process` and `thread`. A column is one row here, a field in the record (columns.h),
 * and its fill in each scanner. */
#include "process/schema.h"

#include "process/columns.h"

#define COLUMN(n, head, text, u, ...)                                          \
	{                                                                      \
		.name = n, .title = head, .help = text, .unit = u, __VA_ARGS__ \
	}
#define TEXT(n, head, text)         COLUMN(n, head, text, UNIT_TEXT, .kind = COLUMN_TEXT)
#define GAUGE(n, head, text, u)     COLUMN(n, head, text, u, .kind = COLUMN_GAUGE)
#define GAUGE_SUM(n, head, text, u) COLUMN(n, head, text, u, .total = TOTAL_SUM)
#define COUNTER(n, head, text, u) \
	COLUMN(n, head, text, u, .kind = COLUMN_COUNTER, .total = TOTAL_SUM)
/* sums over threads, of which one may end while they are read: a small step back is no reset */
#define THREADS_SUM(n, head, text, u, most) \
	COLUMN(n, head, text, u, .kind = COLUMN_COUNTER, .total = TOTAL_SUM, .hold = most)
#define CPU_TIME(n, head, text) THREADS_SUM(n, head, text, UNIT_NS, NSEC_PER_SEC)
#define SIGNED(n, head, text)   COLUMN(n, head, text, UNIT_ID, .flags = COLUMN_SIGNED)

enum { HOLD_COUNT = 1 << 20, HOLD_BYTES = 1 << 30 };

#define COMMON_COLUMNS                                                                             \
	[PROCESS_PID] = GAUGE("pid", "PID", "number of the process", UNIT_ID),                     \
	[PROCESS_PPID] = GAUGE("ppid", "PPID", "number of its parent", UNIT_ID),                   \
	[PROCESS_USER] = TEXT("user", "USER", "user that it runs as (effective)"),                 \
	[PROCESS_UID] = GAUGE("uid", "UID", "number of that user", UNIT_ID),                       \
	[PROCESS_REAL_USER] = TEXT("real_user", "RUSER", "user that started it (real)"),           \
	[PROCESS_REAL_UID] = GAUGE("real_uid", "RUID", "number of that user", UNIT_ID),            \
	[PROCESS_GROUP] = TEXT("group", "GROUP", "group that it runs as (effective)"),             \
	[PROCESS_GID] = GAUGE("gid", "GID", "number of that group", UNIT_ID),                      \
	[PROCESS_STATE] = TEXT("state", "S",                                                       \
		"R running, S sleeping, D waiting for a device, T stopped, Z ended, I idle, "      \
		"X ended and its last figures not in yet"),                                        \
	[PROCESS_CPU] = CPU_TIME("cpu", "CPU%", "CPU time, 100 % is one CPU"),                     \
	[PROCESS_USER_CPU] = CPU_TIME("user_cpu", "USR%", "CPU time in the program"),              \
	[PROCESS_SYSTEM_CPU] = CPU_TIME("system_cpu", "SYS%", "CPU time in the kernel"),           \
	[PROCESS_TIME] = GAUGE_SUM("time", "TIME+", "CPU time since it started", UNIT_NS),         \
	[PROCESS_SCHED_WAIT] = CPU_TIME(                                                           \
		"sched_wait", "WAIT%", "time that it could run but waited for a CPU"),             \
	[PROCESS_ENERGY] = COLUMN("energy", "pkgW~",                                               \
		"estimate: the packages' energy split by CPU time", UNIT_UJ,                       \
		.kind = COLUMN_COUNTER, .total = TOTAL_SUM),                                       \
	[PROCESS_THREADS] = GAUGE_SUM("threads", "NLWP", "its threads", UNIT_COUNT),               \
	[PROCESS_PRIORITY] = SIGNED("priority", "PRI", "the kernel's priority of it"),             \
	[PROCESS_NICE] = SIGNED("nice", "NI", "nice value, 19 yields to all others"),              \
	[PROCESS_POLICY] = TEXT(                                                                   \
		"policy", "POL", "scheduling: other, fifo, rr, batch, idle, deadline or ext"),     \
	[PROCESS_PROCESSOR] = GAUGE("processor", "CPU", "CPU that it ran on last", UNIT_ID),       \
	[PROCESS_VIRTUAL] = GAUGE("virtual", "VIRT", "size of its address space", UNIT_BYTES),     \
	[PROCESS_RESIDENT] = GAUGE_SUM(                                                            \
		"resident", "RES", "its memory that is in RAM", UNIT_BYTES),                       \
	[PROCESS_SHARED] = GAUGE(                                                                  \
		"shared", "SHR", "part of resident that is files or shared memory", UNIT_BYTES),   \
	[PROCESS_SWAP] = GAUGE_SUM("swap", "SWAP", "its memory that is swapped out", UNIT_BYTES),  \
	[PROCESS_PSS] = COLUMN("pss", "PSS",                                                       \
		"resident with what is shared divided by its users; slow to read", UNIT_BYTES,     \
		.total = TOTAL_SUM, .flags = COLUMN_ON_REQUEST),                                   \
	[PROCESS_MEMORY] = GAUGE_SUM(                                                              \
		"memory", "MEM%", "resident as a share of the machine's memory", UNIT_RATIO),      \
	[PROCESS_MINOR_FAULTS] = THREADS_SUM(                                                      \
		"minor_faults", "MINFLT", "page faults without I/O", UNIT_COUNT, HOLD_COUNT),      \
	[PROCESS_MAJOR_FAULTS] = THREADS_SUM("major_faults", "MAJFLT",                             \
		"page faults that read a device", UNIT_COUNT, HOLD_COUNT),                         \
	[PROCESS_DISK_READ] = THREADS_SUM("disk_read", "DISK_R",                                   \
		"bytes that storage delivered for it, and for children it waited for", UNIT_BYTES, \
		HOLD_BYTES),                                                                       \
	[PROCESS_DISK_WRITTEN] = THREADS_SUM("disk_written", "DISK_W",                             \
		"bytes that it and children it waited for sent towards storage", UNIT_BYTES,       \
		HOLD_BYTES),                                                                       \
	[PROCESS_IO_READ] = THREADS_SUM("io_read", "IO_R",                                         \
		"bytes that its read calls returned, and those of children it waited for",         \
		UNIT_BYTES, HOLD_BYTES),                                                           \
	[PROCESS_IO_WRITTEN] = THREADS_SUM("io_written", "IO_W",                                   \
		"bytes that its write calls took, and those of children it waited for",            \
		UNIT_BYTES, HOLD_BYTES),                                                           \
	[PROCESS_VOLUNTARY] = THREADS_SUM("voluntary_switches", "CSW",                             \
		"times that it gave the CPU away to wait", UNIT_COUNT, HOLD_COUNT),                \
	[PROCESS_INVOLUNTARY] = THREADS_SUM("involuntary_switches", "ICSW",                        \
		"times that the CPU was taken from it", UNIT_COUNT, HOLD_COUNT),                   \
	[PROCESS_FILES] = GAUGE_SUM("files", "FILES", "its open descriptors", UNIT_COUNT),         \
	[PROCESS_GPU] = TEXT("gpu", "GPU", "numbers of the GPUs that it uses"),                    \
	[PROCESS_GPU_BUSY] = GAUGE_SUM("gpu_busy", "GPU%",                                         \
		"its use of GPUs, all engines together, over their own windows", UNIT_RATIO),      \
	[PROCESS_GPU_GFX] = GAUGE_SUM(                                                             \
		"gpu_gfx", "GFX%", "its use of graphics engines", UNIT_RATIO),                     \
	[PROCESS_GPU_COMPUTE] = GAUGE_SUM(                                                         \
		"gpu_compute", "COMP%", "its use of compute engines", UNIT_RATIO),                 \
	[PROCESS_GPU_MEDIA] = GAUGE_SUM(                                                           \
		"gpu_media", "MEDIA%", "its use of video engines", UNIT_RATIO),                    \
	[PROCESS_GPU_COPY] = GAUGE_SUM(                                                            \
		"gpu_copy", "COPY%", "its use of copy engines", UNIT_RATIO),                       \
	[PROCESS_GPU_MEMORY] = GAUGE_SUM(                                                          \
		"gpu_memory", "GPUMEM", "GPU memory that it holds", UNIT_BYTES),                   \
	[PROCESS_STARTED] = GAUGE("started", "AGE", "time since it started", UNIT_BOOTTIME),       \
	[PROCESS_KERNEL] = GAUGE("kernel", "KERN", "is it a thread of the kernel", UNIT_BOOL),     \
	[PROCESS_OWN] = GAUGE("own", "OWN", "is it this program", UNIT_BOOL),                      \
	[PROCESS_CGROUP] = TEXT("cgroup", "CGROUP", "its control group"),                          \
	[PROCESS_CONTAINER] = TEXT(                                                                \
		"container", "CONTAINER", "the container that its control group is named after"),  \
	[PROCESS_EXE] = TEXT("exe", "EXE", "file of its program"),                                 \
	[PROCESS_CWD] = COLUMN("cwd", "CWD", "directory that it works in", UNIT_TEXT,              \
		.kind = COLUMN_TEXT, .flags = COLUMN_ON_REQUEST),                                  \
	[PROCESS_COMMAND] = TEXT("command", "NAME", "name of its program"),                        \
	[PROCESS_CMDLINE] = TEXT("cmdline", "COMMAND", "command line with arguments")

static const struct column process_columns[PROCESS_COLUMNS] = {COMMON_COLUMNS};

static const struct column thread_columns[THREAD_COLUMNS] = {
	COMMON_COLUMNS, [PROCESS_OF_THREAD] = GAUGE(
				"process", "PROCESS", "number of its process", UNIT_ID)};

const struct schema process_table_schema = {.name = "process",
	.title = "Processes",
	.help = "every process, each over its own window; threads are summed in their process",
	.version = 2,
	.ncolumns = PROCESS_COLUMNS,
	.columns = process_columns,
	.label_column = PROCESS_COMMAND,
	.birth_column = PROCESS_STARTED,
	.counted_column = -1,
	.sparse = true};

const struct schema thread_table_schema = {.name = "thread",
	.title = "Threads",
	.help = "every thread of every process; pid is the thread's own number",
	.version = 1,
	.ncolumns = THREAD_COLUMNS,
	.columns = thread_columns,
	.label_column = PROCESS_COMMAND,
	.birth_column = PROCESS_STARTED,
	.counted_column = -1,
	.sparse = true};
