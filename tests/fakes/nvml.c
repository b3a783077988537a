/* A libnvidia-ml.so.1 without a GPU: says what the file named in FAKE_NVML says, which is read again whenever it has
 * changed. Every call is appended to the file named in FAKE_NVML_LOG. Lines of the script:
 *
 *   init CODE                    what initialising gives
 *   device PCI NAME              the lines below are of this device
 *   set CALL NUMBER [NUMBER…]    what this call gives; a call that is not set is NOT_SUPPORTED
 *   error CALL CODE              it fails with this code (also by_pci)
 *   hang CALL MS                 it takes so long, or until the script is another (also shutdown, of any device)
 *   process LIST PID BYTES       LIST: compute, graphics or mps; BYTES -1: not available
 *   part GI CI                   a MIG instance; `process` lines below are of it
 *   sample PID SM MEM ENC DEC    of the use of processes, newer at each call
 *   garbage N                    so many samples more, of nonsense
 *   stride BYTES                 size of an entry in the lists of processes
 *   xid CODE                     an event, told once
 *   vgpu ID SM BYTES             a virtual machine's part
 *   lost                         every call gives GPU_IS_LOST */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpu/nvml_types.h"

#define EXPORT __attribute__((visibility("default")))

enum { DEVICES = 8, LINES = 128, WORD = 24, NUMBERS = 6, PARTS = 4 };

struct line {
	char verb[WORD], call[WORD];
	long long number[NUMBERS];
	int n, part; /* part: 0: the device itself */
};

struct fake {
	char pci[32], name[64];
	bool lost, registered, told;
	int nparts;
	struct line lines[LINES];
	int n;
	struct part {
		struct fake *of;
		int number;
	} parts[PARTS];
};

static struct fake fakes[DEVICES];
static int nfakes, init_code;
static bool initialised;
static struct timespec read_at;
static off_t read_size = -1;
static u64 clock_us = 1000000;

/* Of all threads that ever called: one that was left behind is done before the next begins. */
static atomic_uint noted;

static void note(const char *call)
{
	const char *path = getenv("FAKE_NVML_LOG");
	FILE *f;

	atomic_fetch_add(&noted, 1);
	f = path ? fopen(path, "a") : NULL;
	if (!f)
		return;
	fprintf(f, "%s\n", call);
	fclose(f);
}

static void parse(char *text)
{
	char verb[WORD], call[WORD], pci[32], rest[160];
	struct fake *f = nfakes ? &fakes[nfakes - 1] : NULL;
	struct line *l;
	char *p;

	if (sscanf(text, "init %d", &init_code) == 1)
		return;
	if (sscanf(text, "device %31s %159[^\n]", pci, rest) == 2 && nfakes < DEVICES) {
		f = &fakes[nfakes++];
		*f = (struct fake){.lost = false};
		sscanf(text, "device %31s %63[^\n]", f->pci, f->name);
		return;
	}
	if (!f || sscanf(text, "%23s", verb) != 1 || f->n == LINES)
		return;
	if (!strcmp(verb, "lost"))
		f->lost = true;
	if (!strcmp(verb, "part") && f->nparts < PARTS) {
		f->parts[f->nparts] = (struct part){f, f->nparts + 1};
		f->nparts++;
	}
	l = &f->lines[f->n++];
	*l = (struct line){.part = f->nparts};
	strcpy(l->verb, verb);
	p = text + strcspn(text, " \n");
	if (sscanf(p, " %23s", call) == 1 && (call[0] < '0' || call[0] > '9') && call[0] != '-') {
		strcpy(l->call, call);
		p = strstr(p, call) + strlen(call);
	}
	while (l->n < NUMBERS) {
		char *end;
		long long v = strtoll(p, &end, 0);

		if (end == p)
			break;
		l->number[l->n++] = v;
		p = end;
	}
}

static bool changed(struct stat *st)
{
	const char *path = getenv("FAKE_NVML");

	return path && !stat(path, st) &&
	       (st->st_size != read_size || st->st_mtim.tv_sec != read_at.tv_sec ||
		       st->st_mtim.tv_nsec != read_at.tv_nsec);
}

static void load(void)
{
	const char *path = getenv("FAKE_NVML");
	char text[256];
	struct stat st;
	FILE *f;

	if (!changed(&st))
		return;
	f = fopen(path, "r");
	if (!f)
		return;
	read_at = st.st_mtim;
	read_size = st.st_size;
	nfakes = init_code = 0;
	while (fgets(text, sizeof(text), f))
		parse(text);
	fclose(f);
}

static struct line *find(struct fake *f, const char *verb, const char *call, int part)
{
	for (int i = 0; i < f->n; i++)
		if (!strcmp(f->lines[i].verb, verb) && !strcmp(f->lines[i].call, call) &&
			f->lines[i].part == part)
			return &f->lines[i];
	return NULL;
}

static void hang(const struct line *l)
{
	struct stat st;

	if (!l)
		return;
	for (long long ms = 0; ms < l->number[0] && !changed(&st); ms++)
		usleep(1000);
}

/* A handle is a device's, or a part's: those lie in their device. */
static struct fake *fake_of(nvml_handle d, int *part)
{
	*part = 0;
	for (int i = 0; i < nfakes; i++) {
		if (d == (nvml_handle)&fakes[i])
			return &fakes[i];
		for (int k = 0; k < fakes[i].nparts; k++)
			if (d == (nvml_handle)&fakes[i].parts[k]) {
				*part = k + 1;
				return &fakes[i];
			}
	}
	return NULL;
}

static int answer(nvml_handle d, const char *call, const struct line **set)
{
	int part;
	struct fake *f;
	const struct line *l;

	note(call);
	load();
	*set = NULL;
	if (!initialised)
		return NVML_UNINITIALIZED;
	f = fake_of(d, &part);
	if (!f)
		return NVML_INVALID_ARGUMENT;
	hang(find(f, "hang", call, part));
	load();
	f = fake_of(d, &part);
	if (!f)
		return NVML_INVALID_ARGUMENT;
	if (f->lost)
		return NVML_GPU_IS_LOST;
	l = find(f, "error", call, part);
	if (l)
		return (int)l->number[0];
	*set = find(f, "set", call, part);
	return *set ? NVML_SUCCESS : NVML_NOT_SUPPORTED;
}

EXPORT const char *nvmlErrorString(int code)
{
	return code == NVML_VERSION_MISMATCH ? "Driver/library version mismatch" : "fake error";
}

EXPORT int nvmlInitWithFlags(u32 flags)
{
	note(flags & NVML_NO_ATTACH ? "init_no_attach" : "init");
	load();
	initialised = !init_code;
	return init_code;
}

EXPORT int nvmlInit_v2(void)
{
	return nvmlInitWithFlags(0);
}

EXPORT int nvmlShutdown(void)
{
	note("shutdown_begins");
	load();
	for (int i = 0; i < nfakes; i++)
		hang(find(&fakes[i], "hang", "shutdown", 0));
	initialised = false;
	note("shutdown");
	return 0;
}

EXPORT int nvmlSystemGetDriverVersion(char *out, u32 size)
{
	snprintf(out, size, "550.0.fake");
	return 0;
}

EXPORT int nvmlDeviceGetCount_v2(u32 *out)
{
	note("count");
	load();
	*out = (u32)nfakes;
	return 0;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(u32 index, nvml_handle *out)
{
	note("by_index");
	load();
	*out = index < (u32)nfakes ? (nvml_handle)&fakes[index] : NULL;
	return *out ? 0 : NVML_INVALID_ARGUMENT;
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvml_handle *out)
{
	const struct line *l;
	char text[64];

	snprintf(text, sizeof(text), "by_pci %s", bus_id);
	note(text);
	load();
	for (int i = 0; i < nfakes; i++) {
		if (strcmp(fakes[i].pci, bus_id) != 0)
			continue;
		l = find(&fakes[i], "error", "by_pci", 0);
		if (l)
			return (int)l->number[0];
		*out = &fakes[i];
		return fakes[i].lost ? NVML_GPU_IS_LOST : 0;
	}
	return NVML_NOT_FOUND;
}

EXPORT int nvmlDeviceGetName(nvml_handle d, char *out, u32 size)
{
	int part;
	struct fake *f = fake_of(d, &part);

	if (!f)
		return NVML_INVALID_ARGUMENT;
	snprintf(out, size, "%s", f->name);
	return 0;
}

EXPORT int nvmlDeviceGetPciInfo_v3(nvml_handle d, struct nvml_pci *out)
{
	int part;
	struct fake *f = fake_of(d, &part);

	if (!f)
		return NVML_INVALID_ARGUMENT;
	*out = (struct nvml_pci){.domain = 0};
	snprintf(out->bus_id, sizeof(out->bus_id), "0000%.27s", f->pci);
	return 0;
}

EXPORT int nvmlDeviceGetUtilizationRates(nvml_handle d, struct nvml_utilization *out)
{
	const struct line *l;
	int code = answer(d, "utilization", &l);

	if (!code)
		*out = (struct nvml_utilization){(u32)l->number[0], (u32)l->number[1]};
	return code;
}

#define NUMBER(function, call)                       \
	EXPORT int function(nvml_handle d, u32 *out) \
	{                                            \
		const struct line *l;                \
		int code = answer(d, call, &l);      \
                                                     \
		if (!code)                           \
			*out = (u32)l->number[0];    \
		return code;                         \
	}

NUMBER(nvmlDeviceGetPowerUsage, "power")
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "power_limit")
NUMBER(nvmlDeviceGetFanSpeed, "fan")
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, "link_generation")
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "link_width")
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "link_generation_most")
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "link_width_most")

static int codec(nvml_handle d, const char *call, u32 *percent, u32 *period_us)
{
	const struct line *l;
	int code = answer(d, call, &l);

	if (!code) {
		*percent = (u32)l->number[0];
		*period_us = (u32)l->number[1];
	}
	return code;
}

EXPORT int nvmlDeviceGetEncoderUtilization(nvml_handle d, u32 *percent, u32 *period_us)
{
	return codec(d, "encoder", percent, period_us);
}

EXPORT int nvmlDeviceGetDecoderUtilization(nvml_handle d, u32 *percent, u32 *period_us)
{
	return codec(d, "decoder", percent, period_us);
}

EXPORT int nvmlDeviceGetTemperature(nvml_handle d, u32 sensor, u32 *out)
{
	const struct line *l;
	int code = answer(d, "temperature", &l);

	(void)sensor;
	if (!code)
		*out = (u32)l->number[0];
	return code;
}

EXPORT int nvmlDeviceGetClockInfo(nvml_handle d, u32 type, u32 *out)
{
	const struct line *l;
	int code = answer(d, type == NVML_CLOCK_MEMORY ? "memory_clock" : "clock", &l);

	if (!code)
		*out = (u32)l->number[0];
	return code;
}

EXPORT int nvmlDeviceGetMaxClockInfo(nvml_handle d, u32 type, u32 *out)
{
	const struct line *l;
	int code = answer(d, "clock_most", &l);

	(void)type;
	if (!code)
		*out = (u32)l->number[0];
	return code;
}

EXPORT int nvmlDeviceGetTotalEnergyConsumption(nvml_handle d, u64 *out)
{
	const struct line *l;
	int code = answer(d, "energy", &l);

	if (!code)
		*out = (u64)l->number[0];
	return code;
}

EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(nvml_handle d, u64 *out)
{
	const struct line *l;
	int code = answer(d, "slowed", &l);

	if (!code)
		*out = (u64)l->number[0];
	return code;
}

EXPORT int nvmlDeviceGetViolationStatus(nvml_handle d, u32 policy, struct nvml_violation *out)
{
	const struct line *l;
	int code = answer(d, "violation", &l);

	if (!code)
		*out = (struct nvml_violation){
			.violation_ns = policy < NUMBERS ? (u64)l->number[policy] : 0};
	return code;
}

EXPORT int nvmlDeviceGetTotalEccErrors(nvml_handle d, u32 type, u32 since, u64 *out)
{
	const struct line *l;
	int code = answer(d, "ecc", &l);

	(void)since;
	if (!code)
		*out = (u64)l->number[type];
	return code;
}

EXPORT int nvmlDeviceGetRemappedRows(
	nvml_handle d, u32 *corrected, u32 *uncorrected, u32 *pending, u32 *failed)
{
	const struct line *l;
	int code = answer(d, "remapped", &l);

	if (code)
		return code;
	*corrected = (u32)l->number[0];
	*uncorrected = (u32)l->number[1];
	*pending = (u32)l->number[2];
	*failed = (u32)l->number[3];
	return 0;
}

EXPORT int nvmlDeviceGetFieldValues(nvml_handle d, int n, struct nvml_field *out)
{
	const struct line *l;
	int code = answer(d, "fields", &l);

	for (int i = 0; !code && i < n; i++) {
		out[i].code = i < l->n ? NVML_SUCCESS : NVML_NOT_SUPPORTED;
		out[i].type = 3;
		out[i].value.u64 = i < l->n ? (u64)l->number[i] : 0;
	}
	return code;
}

EXPORT int nvmlDeviceGetMemoryInfo(nvml_handle d, struct nvml_memory *out)
{
	const struct line *l;
	int code = answer(d, "memory", &l);

	if (!code)
		*out = (struct nvml_memory){
			(u64)l->number[0], (u64)(l->number[0] - l->number[1]), (u64)l->number[1]};
	return code;
}

EXPORT int nvmlDeviceGetMemoryInfo_v2(nvml_handle d, struct nvml_memory_v2 *out)
{
	const struct line *l;
	int code = answer(d, "memory_v2", &l);

	if (!code && out->version != NVML_MEMORY_V2)
		return NVML_INVALID_ARGUMENT;
	if (!code) {
		out->total = (u64)l->number[0];
		out->used = (u64)l->number[1];
	}
	return code;
}

/* Entries of the script's stride: the known members, and zeros behind them. */
static int list(nvml_handle d, const char *name, u32 *count, void *infos)
{
	const struct line *unused;
	int part, code = answer(d, name, &unused);
	struct fake *f = fake_of(d, &part);
	long long stride = sizeof(struct nvml_process_info);
	u32 n = 0, room = *count;

	if (code && code != NVML_NOT_SUPPORTED)
		return code;
	for (int i = 0; i < f->n; i++)
		if (!strcmp(f->lines[i].verb, "stride"))
			stride = f->lines[i].number[0];
	for (int i = 0; i < f->n; i++) {
		const struct line *l = &f->lines[i];
		struct nvml_process_info info = {(u32)l->number[0], (u64)l->number[1],
			part ? (u32)part : 0xffffffffu, part ? 0 : 0xffffffffu};

		if (strcmp(l->verb, "process") != 0 || strcmp(l->call, name) != 0 ||
			l->part != part)
			continue;
		if (n < room) {
			memset((char *)infos + n * stride, 0, (size_t)stride);
			memcpy((char *)infos + n * stride, &info,
				stride < (long long)sizeof(info) ? (size_t)stride : sizeof(info));
		}
		n++;
	}
	*count = n;
	return n > room ? NVML_INSUFFICIENT_SIZE : 0;
}

EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(nvml_handle d, u32 *count, void *infos)
{
	return list(d, "compute", count, infos);
}

EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(nvml_handle d, u32 *count, void *infos)
{
	return list(d, "graphics", count, infos);
}

EXPORT int nvmlDeviceGetMPSComputeRunningProcesses_v3(nvml_handle d, u32 *count, void *infos)
{
	return list(d, "mps", count, infos);
}

EXPORT int nvmlDeviceGetProcessUtilization(
	nvml_handle d, struct nvml_sample *out, u32 *count, u64 since_us)
{
	const struct line *unused;
	int part, code = answer(d, "samples", &unused);
	struct fake *f = fake_of(d, &part);
	u32 n = 0, garbage = 0, room = *count;

	(void)since_us;
	if (code && code != NVML_NOT_SUPPORTED)
		return code;
	for (int i = 0; i < f->n; i++) {
		n += !strcmp(f->lines[i].verb, "sample");
		if (!strcmp(f->lines[i].verb, "garbage"))
			garbage = (u32)f->lines[i].number[0];
	}
	if (!n && !garbage)
		return code == NVML_NOT_SUPPORTED && !find(f, "set", "samples_idle", 0)
			       ? NVML_NOT_SUPPORTED
			       : NVML_NOT_FOUND;
	*count = n + garbage;
	if (!out || room < n + garbage)
		return NVML_INSUFFICIENT_SIZE;
	clock_us += 100000;
	n = 0;
	for (int i = 0; i < f->n; i++) {
		const struct line *l = &f->lines[i];

		if (!strcmp(l->verb, "sample"))
			out[n++] = (struct nvml_sample){(u32)l->number[0], clock_us,
				(u32)l->number[1], (u32)l->number[2], (u32)l->number[3],
				(u32)l->number[4]};
	}
	for (u32 i = 0; i < garbage; i++)
		out[n + i] = (struct nvml_sample){out[i % (n ? n : 1)].pid, clock_us, 4026531840u,
			4026531840u, 4026531840u, 4026531840u};
	return 0;
}

EXPORT int nvmlEventSetCreate(nvml_handle *out)
{
	*out = &fakes;
	return 0;
}

EXPORT int nvmlDeviceRegisterEvents(nvml_handle d, u64 types, nvml_handle set)
{
	int part;
	struct fake *f = fake_of(d, &part);

	(void)set;
	if (f)
		f->registered = true;
	return types & NVML_EVENT_XID ? 0 : NVML_NOT_SUPPORTED;
}

EXPORT int nvmlEventSetWait_v2(nvml_handle set, struct nvml_event *out, u32 timeout_ms)
{
	(void)set;
	load();
	if (timeout_ms)
		return NVML_INVALID_ARGUMENT; /* nobody may wait here */
	for (int i = 0; i < nfakes; i++) {
		const struct line *l = NULL;

		for (int k = 0; k < fakes[i].n; k++)
			if (!strcmp(fakes[i].lines[k].verb, "xid"))
				l = &fakes[i].lines[k];
		if (!l || !fakes[i].registered || fakes[i].told)
			continue;
		fakes[i].told = true;
		*out = (struct nvml_event){
			.device = &fakes[i], .type = NVML_EVENT_XID, .data = (u64)l->number[0]};
		return 0;
	}
	return NVML_TIMEOUT;
}

EXPORT int nvmlEventSetFree(nvml_handle set)
{
	(void)set;
	return 0;
}

EXPORT int nvmlDeviceGetMigMode(nvml_handle d, u32 *now, u32 *pending)
{
	int part;
	struct fake *f = fake_of(d, &part);

	note("mig_mode");
	if (!f || !f->nparts)
		return NVML_NOT_SUPPORTED;
	*now = *pending = 1;
	return 0;
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(nvml_handle d, u32 *out)
{
	(void)d;
	*out = 7;
	return 0;
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(nvml_handle d, u32 index, nvml_handle *out)
{
	int part;
	struct fake *f = fake_of(d, &part);

	if (!f || index >= (u32)f->nparts)
		return NVML_NOT_FOUND;
	*out = &f->parts[index];
	return 0;
}

static const struct line *part_line(nvml_handle d)
{
	int part, seen = 0;
	struct fake *f = fake_of(d, &part);

	for (int i = 0; f && i < f->n; i++)
		if (!strcmp(f->lines[i].verb, "part") && ++seen == part)
			return &f->lines[i];
	return NULL;
}

EXPORT int nvmlDeviceGetGpuInstanceId(nvml_handle d, u32 *out)
{
	const struct line *l = part_line(d);

	*out = l ? (u32)l->number[0] : 0;
	return l ? 0 : NVML_NOT_SUPPORTED;
}

EXPORT int nvmlDeviceGetComputeInstanceId(nvml_handle d, u32 *out)
{
	const struct line *l = part_line(d);

	*out = l ? (u32)l->number[1] : 0;
	return l ? 0 : NVML_NOT_SUPPORTED;
}

EXPORT int nvmlDeviceGetActiveVgpus(nvml_handle d, u32 *count, u32 *instances)
{
	int part;
	struct fake *f = fake_of(d, &part);
	u32 n = 0, room = *count;

	for (int i = 0; f && i < f->n; i++) {
		if (strcmp(f->lines[i].verb, "vgpu") != 0)
			continue;
		if (n < room)
			instances[n] = (u32)f->lines[i].number[0];
		n++;
	}
	*count = n;
	return n ? 0 : NVML_NOT_SUPPORTED;
}

EXPORT int nvmlVgpuInstanceGetFbUsage(u32 instance, u64 *out)
{
	for (int k = 0; k < nfakes; k++)
		for (int i = 0; i < fakes[k].n; i++)
			if (!strcmp(fakes[k].lines[i].verb, "vgpu") &&
				fakes[k].lines[i].number[0] == instance) {
				*out = (u64)fakes[k].lines[i].number[2];
				return 0;
			}
	return NVML_NOT_FOUND;
}

EXPORT int nvmlDeviceGetVgpuUtilization(
	nvml_handle d, u64 since_us, u32 *type, u32 *count, struct nvml_vgpu_sample *out)
{
	int part;
	struct fake *f = fake_of(d, &part);
	u32 n = 0;

	(void)since_us;
	*type = 1;
	clock_us += 100000;
	for (int i = 0; f && i < f->n && n < *count; i++)
		if (!strcmp(f->lines[i].verb, "vgpu"))
			out[n++] = (struct nvml_vgpu_sample){.instance = (u32)f->lines[i].number[0],
				.timestamp_us = clock_us,
				.sm = {.u32 = (u32)f->lines[i].number[1]}};
	*count = n;
	return n ? 0 : NVML_NOT_FOUND;
}
