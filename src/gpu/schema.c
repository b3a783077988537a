/* The columns of `gpu`, `gpu_client` and `gpu_engine`. */
#include "core/frame.h"
#include "gpu/columns.h"

const char *const engine_class_names[CLASSES] = {"gfx", "compute", "media", "copy", "other"};

#define COLUMN(n, head, text, u, ...)                                          \
	{                                                                      \
		.name = n, .title = head, .help = text, .unit = u, __VA_ARGS__ \
	}
#define TEXT(n, head, text)         COLUMN(n, head, text, UNIT_TEXT, .kind = COLUMN_TEXT)
#define GAUGE(n, head, text, u)     COLUMN(n, head, text, u, .kind = COLUMN_GAUGE)
#define GAUGE_SUM(n, head, text, u) COLUMN(n, head, text, u, .total = TOTAL_SUM)
#define COUNTER(n, head, text, u)   COLUMN(n, head, text, u, .kind = COLUMN_COUNTER)
#define HIDDEN(n, head, text, u)    COLUMN(n, head, text, u, .flags = COLUMN_HIDDEN)
#define HIDDEN_COUNTER(n, head, text, u) \
	COLUMN(n, head, text, u, .kind = COLUMN_COUNTER, .flags = COLUMN_HIDDEN)
#define DERIVED(n, head, text, u, fn, sum) \
	COLUMN(n, head, text, u, .kind = COLUMN_DERIVED, .derive = fn, .total = sum)
/* engine time may step back for a moment by the format's own words: held, however far */
#define ENGINE_COUNTER(n, head, text, u) \
	COLUMN(n, head, text, u, .kind = COLUMN_COUNTER, .flags = COLUMN_HIDDEN, .hold = ~0ull)

static u8 absence(const struct frame_table *t, u32 row, u32 column)
{
	struct cell cell;

	frame_cell(t, row, column, &cell);
	return (u8)(cell.reason ? cell.reason : REASON_UNKNOWN);
}

/* Of the driver's own word, its counter and its clients' use the first that there is. */
static u8 busy_of(const struct frame_table *t, u32 row, double *out)
{
	if (frame_num(t, row, GPU_BUSY_TIME, out) || frame_num(t, row, GPU_BUSY_NOW, out) ||
		frame_num(t, row, GPU_BUSY_CLIENTS, out)) {
		*out /= 100.0;
		return 0;
	}
	return absence(t, row, GPU_BUSY_NOW);
}

/* Of all: the mean of those that count and say it; one that sleeps says nothing. */
static u8 busy(const struct frame_table *t, u32 row, double *out)
{
	double sum = 0, one;
	u8 reason = REASON_UNKNOWN;
	u64 counted;
	u32 n = 0;

	if (row != ROW_TOTAL)
		return busy_of(t, row, out);
	for (u32 i = 0; i < t->n; i++) {
		u8 why;

		if (!frame_raw(t, i, GPU_COUNTED, &counted) || !counted)
			continue;
		why = busy_of(t, i, &one);
		reason = why ? why : reason;
		n += !why;
		sum += why ? 0 : one;
	}
	if (!n)
		return reason;
	*out = sum / n;
	return 0;
}

static u8 memory(const struct frame_table *t, u32 row, double *out)
{
	u64 used, all;

	if (!frame_raw(t, row, GPU_MEMORY_USED, &used))
		return absence(t, row, GPU_MEMORY_USED);
	if (!frame_raw(t, row, GPU_MEMORY_TOTAL, &all))
		return absence(t, row, GPU_MEMORY_TOTAL);
	if (!all)
		return REASON_UNKNOWN;
	*out = (double)used / (double)all;
	return 0;
}

static u8 power_of(const struct frame_table *t, u32 row, double *out)
{
	if (frame_num(t, row, GPU_ENERGY, out) || frame_num(t, row, GPU_POWER_NOW, out))
		return 0;
	return absence(t, row, GPU_POWER_NOW);
}

static u8 power(const struct frame_table *t, u32 row, double *out)
{
	double watts;
	u64 counted;
	u8 reason = REASON_UNKNOWN;
	bool any = false;

	if (row != ROW_TOTAL)
		return power_of(t, row, out);
	*out = 0;
	for (u32 i = 0; i < t->n; i++) {
		if (!frame_raw(t, i, GPU_COUNTED, &counted) || !counted)
			continue;
		reason = power_of(t, i, &watts);
		any |= !reason;
		*out += reason ? 0 : watts;
	}
	return any ? 0 : reason;
}

const struct
	schema
		gpu_table_schema =
			{.name = "gpu",
				.title = "GPUs",
				.help = "graphics cards and accelerators; one that sleeps is left "
					"asleep",
				.version = 1,
				.ncolumns = GPU_COLUMNS,
				.columns =
					(const struct column[GPU_COLUMNS]){
						[GPU_NUMBER] = TEXT("number", "GPU",
							"its number; of a part the device's and "
							"its own"),
						[GPU_NAME] = TEXT(
							"name", "NAME", "what its maker calls it"),
						[GPU_DEVICE] = TEXT("device", "DEVICE",
							"the kernel's name of it"),
						[GPU_DRIVER] = TEXT(
							"driver", "DRIVER", "its driver"),
						[GPU_PARENT] = TEXT("parent", "PARENT",
							"number of the device that this is a part "
							"of"),
						[GPU_KIND] = TEXT(
							"kind", "KIND", "card, accel, mig or vgpu"),
						[GPU_STATE] = TEXT("state", "STATE",
							"active, asleep, lost, or late: its driver "
							"does "
							"not answer"),
						[GPU_COUNTED] = HIDDEN("counted", "COUNTED", "in the total", UNIT_BOOL),
						[GPU_BUSY_NOW] =
							HIDDEN("busy_now", "BUSY",
								"what the driver says of its last "
								"moments",
								UNIT_RATIO),
						[GPU_BUSY_TIME] =
							HIDDEN_COUNTER("busy_time", "BUSY",
								"time that it worked, by the "
								"driver",
								UNIT_NS),
						[GPU_BUSY_CLIENTS] =
							HIDDEN("busy_clients", "BUSY", "its clients' use of its busiest engines",
								UNIT_RATIO),
						[GPU_BUSY] =
							DERIVED("busy", "BUSY",
								"how busy it is: by its driver, or "
								"its clients' "
								"busiest engines",
								UNIT_RATIO, busy, TOTAL_MEAN),
						[GPU_MEMORY_BUSY] =
							GAUGE("memory_busy",
								"MBUSY", "use of its memory's bandwidth",
								UNIT_RATIO),
						[GPU_ENCODER] = GAUGE("encoder", "ENC", "use of its video encoders", UNIT_RATIO),
						[GPU_DECODER] = GAUGE("decoder", "DEC", "use of its video decoders", UNIT_RATIO),
						[GPU_IDLE_TIME] =
							COUNTER("idle", "IDLE", "time in its deepest idle state",
								UNIT_NS),
						[GPU_MEMORY_USED] =
							GAUGE_SUM("memory_used",
								"USED", "its memory in use",
								UNIT_BYTES),
						[GPU_MEMORY_TOTAL] =
							GAUGE_SUM("memory_total", "TOTAL",
								"its memory", UNIT_BYTES),
						[GPU_MEMORY] =
							DERIVED("memory", "MEM",
								"its memory in use of all of it",
								UNIT_RATIO, memory, TOTAL_NONE),
						[GPU_MEMORY_SHARED] =
							GAUGE("memory_shared", "SHARED",
								"its memory is the machine's",
								UNIT_BOOL),
						[GPU_SYSTEM_USED] =
							GAUGE("system_used", "GTT",
								"the machine's memory that it uses "
								"beside "
								"its own",
								UNIT_BYTES),
						[GPU_SYSTEM_TOTAL] =
							GAUGE("system_total", "GTTALL",
								"the most of the machine's memory "
								"that it "
								"can use",
								UNIT_BYTES),
						[GPU_TEMPERATURE] =
							GAUGE("temperature",
								"TEMP", "temperature of the chip",
								UNIT_MILLIC),
						[GPU_HOTSPOT] = GAUGE("hotspot", "HOT",
							"temperature of the chip's hottest place",
							UNIT_MILLIC),
						[GPU_MEMORY_TEMPERATURE] =
							GAUGE("memory_temperature", "MTEMP",
								"temperature of its memory",
								UNIT_MILLIC),
						[GPU_POWER_NOW] =
							HIDDEN("power_now", "POWER",
								"power that the driver says",
								UNIT_UW),
						[GPU_ENERGY] =
							HIDDEN_COUNTER("energy", "ENERGY",
								"energy used", UNIT_UJ),
						[GPU_POWER] =
							DERIVED("power", "POWER",
								"mean power of the window, or what "
								"the "
								"driver says",
								UNIT_UW, power, TOTAL_SUM),
						[GPU_POWER_CAP] =
							GAUGE("power_cap", "CAP",
								"power that it may use", UNIT_UW),
						[GPU_CLOCK] =
							GAUGE("clock", "CLOCK",
								"frequency of its cores", UNIT_HZ),
						[GPU_CLOCK_MOST] =
							GAUGE("clock_most",
								"MAXCLK", "their highest frequency",
								UNIT_HZ),
						[GPU_MEMORY_CLOCK] =
							GAUGE("memory_clock", "MCLOCK",
								"frequency of its memory", UNIT_HZ),
						[GPU_FAN] =
							GAUGE("fan", "FAN",
								"its fan, of full speed", UNIT_RATIO),
						[GPU_FAN_SPEED] =
							GAUGE("fan_speed", "RPM",
								"turns of its fan in a minute", UNIT_COUNT),
						[GPU_VOLTAGE] = GAUGE("voltage",
							"VOLT", "voltage of its cores", UNIT_UV),
						[GPU_LINK] =
							TEXT("link", "LINK",
								"its PCIe link, and what both ends "
								"could "
								"do if "
								"that is more"),
						[GPU_PCIE_RX] = COUNTER("pcie_rx", "PCIE_RX",
							"bytes that it received over PCIe",
							UNIT_BYTES),
						[GPU_PCIE_TX] = COUNTER("pcie_tx", "PCIE_TX",
							"bytes that it sent over PCIe", UNIT_BYTES),
						[GPU_SLOWED] = TEXT(
							"slowed", "SLOWED", "what slows it now"),
						[GPU_SLOWED_POWER] = COUNTER("slowed_power",
							"SLOWPWR",
							"time that its power limit slowed it",
							UNIT_NS),
						[GPU_SLOWED_THERMAL] = COUNTER("slowed_thermal",
							"SLOWHOT", "time that heat slowed it",
							UNIT_NS),
						[GPU_SLOWED_OTHER] = COUNTER("slowed_other",
							"SLOWOTH",
							"time that another limit slowed it",
							UNIT_NS),
						[GPU_XID] = GAUGE("xid", "XID",
							"newest error code of its driver", UNIT_ID),
						[GPU_ERRORS] = COUNTER("errors", "ERRORS",
							"errors of its driver", UNIT_COUNT),
						[GPU_ECC_CORRECTED] = COUNTER("ecc_corrected",
							"ECC", "memory errors that were corrected",
							UNIT_COUNT),
						[GPU_ECC_UNCORRECTED] = COUNTER("ecc_uncorrected",
							"ECCBAD", "memory errors that were not",
							UNIT_COUNT),
						[GPU_RETIRED] = GAUGE("retired", "RETIRED",
							"pages or rows of its memory taken out of "
							"use",
							UNIT_COUNT),
						[GPU_HEALTH] = TEXT("health", "HEALTH",
							"ok, or what is wrong with it"),
						[GPU_PROCESSES] = GAUGE("processes", "PROCS",
							"processes that use it", UNIT_COUNT),
					},
				.label_column = GPU_NUMBER,
				.birth_column = -1,
				.counted_column = GPU_COUNTED};

const struct schema gpu_client_table_schema = {.name = "gpu_client",
	.title = "GPU clients",
	.help = "what each process does on each GPU; one row a client, however many descriptors it "
		"has",
	.version = 1,
	.ncolumns = CLIENT_COLUMNS,
	.columns =
		(const struct column[CLIENT_COLUMNS]){
			[CLIENT_COMMAND] = TEXT("command", "NAME", "name of the process"),
			[CLIENT_GPU] = TEXT("gpu", "GPU", "number of the GPU or its part"),
			[CLIENT_DEVICE] = TEXT("device", "DEVICE", "the kernel's name of the GPU"),
			[CLIENT_DRIVER] = TEXT("driver", "DRIVER", "its driver"),
			[CLIENT_ID] = GAUGE(
				"client", "CLIENT", "the driver's number of the client", UNIT_ID),
			[CLIENT_PID] = GAUGE("pid", "PID",
				"the process; of several that hold the client the oldest", UNIT_ID),
			[CLIENT_TID] = GAUGE(
				"tid", "TID", "thread with descriptors of its own", UNIT_ID),
			[CLIENT_STARTED] = HIDDEN("started_ticks", "START",
				"start of the process in clock ticks", UNIT_ID),
			[CLIENT_KIND] = TEXT("kind", "TYPE", "G graphics, C compute"),
			[CLIENT_BUSY] = GAUGE_SUM("busy", "GPU%",
				"its use of all engines, 100 % is one engine class", UNIT_RATIO),
			[CLIENT_GFX] = GAUGE_SUM(
				"gfx", "GFX%", "its use of graphics engines", UNIT_RATIO),
			[CLIENT_COMPUTE] = GAUGE_SUM(
				"compute", "COMP%", "its use of compute engines", UNIT_RATIO),
			[CLIENT_MEDIA] = GAUGE_SUM(
				"media", "MEDIA%", "its use of video engines", UNIT_RATIO),
			[CLIENT_COPY] = GAUGE_SUM(
				"copy", "COPY%", "its use of copy engines", UNIT_RATIO),
			[CLIENT_OTHER] = GAUGE_SUM(
				"other", "OTHER%", "its use of other engines", UNIT_RATIO),
			[CLIENT_MEMORY] = GAUGE_SUM("memory", "GPUMEM",
				"GPU memory: the card's own, or all of an integrated GPU's",
				UNIT_BYTES),
			[CLIENT_LOCAL] = GAUGE_SUM(
				"local", "VRAM", "in the card's own memory", UNIT_BYTES),
			[CLIENT_SYSTEM] = GAUGE_SUM(
				"system", "GTT", "in the machine's memory", UNIT_BYTES),
			[CLIENT_SHARED] = GAUGE("shared", "SHARED",
				"part of it that other clients have too", UNIT_BYTES),
			[CLIENT_PURGEABLE] = GAUGE(
				"purgeable", "PURGE", "part of it that may be dropped", UNIT_BYTES),
			[CLIENT_ACTIVE] = GAUGE("active", "ACTIVE",
				"part of it that work under way uses", UNIT_BYTES),
			[CLIENT_HOLDERS] = GAUGE(
				"holders", "HOLDERS", "processes that hold it", UNIT_COUNT),
		},
	.label_column = CLIENT_COMMAND,
	.birth_column = -1,
	.counted_column = -1};

/* Cycles of all cycles where a driver counts those, else time of the window. */
static u8 engine_busy(const struct frame_table *t, u32 row, double *out)
{
	u64 window = frame_window_ns(t, row), part, all, capacity;

	if (!frame_raw(t, row, ENGINE_CAPACITY, &capacity) || !capacity)
		capacity = 1;
	if (frame_diff(t, row, ENGINE_CYCLES, &part) &&
		frame_diff(t, row, ENGINE_CYCLES_TOTAL, &all)) {
		if (!all && part)
			return REASON_INVALID;
		*out = all ? (double)part / (double)all / (double)capacity : 0;
		return 0;
	}
	if (!frame_diff(t, row, ENGINE_TIME, &part))
		return absence(t, row, ENGINE_TIME);
	if (!window)
		return REASON_SHORT;
	*out = (double)part / (double)window / (double)capacity;
	return 0;
}

const struct schema gpu_engine_table_schema = {.name = "gpu_engine",
	.title = "GPU engines",
	.help = "each client's use of each kind of engine, by the driver's own names",
	.version = 1,
	.ncolumns = ENGINE_COLUMNS,
	.columns =
		(const struct column[ENGINE_COLUMNS]){
			[ENGINE_NAME] = TEXT("engine", "ENGINE", "the driver's name of it"),
			[ENGINE_CLASS] = TEXT(
				"class", "CLASS", "gfx, compute, media, copy or other"),
			[ENGINE_GPU] = TEXT("gpu", "GPU", "number of the GPU"),
			[ENGINE_DEVICE] = TEXT("device", "DEVICE", "the kernel's name of the GPU"),
			[ENGINE_COMMAND] = TEXT("command", "NAME", "name of the process"),
			[ENGINE_PID] = GAUGE("pid", "PID", "the process", UNIT_ID),
			[ENGINE_CLIENT] = HIDDEN(
				"client_key", "CLIENT", "its client's row", UNIT_ID),
			[ENGINE_CAPACITY] = GAUGE(
				"capacity", "ENGINES", "engines of this kind", UNIT_COUNT),
			[ENGINE_TIME] = ENGINE_COUNTER(
				"time", "TIME", "time that they worked for it", UNIT_NS),
			[ENGINE_CYCLES] = ENGINE_COUNTER(
				"cycles", "CYCLES", "their cycles for it", UNIT_COUNT),
			[ENGINE_CYCLES_TOTAL] = ENGINE_COUNTER(
				"cycles_total", "CYCALL", "cycles that there were", UNIT_COUNT),
			[ENGINE_BUSY] = DERIVED("busy", "BUSY",
				"its use of them, of all engines of the kind", UNIT_RATIO,
				engine_busy, TOTAL_NONE),
			[ENGINE_CLOCK_MOST] = GAUGE(
				"clock_most", "MAXCLK", "their highest frequency", UNIT_HZ),
		},
	.label_column = ENGINE_NAME,
	.birth_column = -1,
	.counted_column = -1};
