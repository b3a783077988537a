/* NVML's life: loaded when a device is awake, initialised without attaching to devices that nobody asks for, begun anew
 * when the driver was. One reading asks each device for everything, always in the same order. See nvml.h. */
#include "gpu/nvml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "gpu/nvml_internal.h"

/* A driver, or a device, that failed is tried again only this often. */
#define RETRY_NS (10 * NSEC_PER_SEC)

static const char pci_dir[] = "/sys/bus/pci/devices";

int nvml_new(
	struct nvml **out, const char *path, const struct root *root, bool initial_pid_namespace)
{
	struct nvml *n = calloc(1, sizeof(*n));
	char text[4096];
	u64 kib;
	int len;

	if (!n)
		return -ENOMEM;
	n->root = root;
	n->pids_are_ours = initial_pid_namespace;
	if (path) {
		n->path = strdup(path);
		if (!n->path) {
			free(n);
			return -ENOMEM;
		}
	}
	len = root_read(root, "/proc/meminfo", text, sizeof(text));
	if (len > 0 && scan_line_u64(text, text + len, "MemTotal:", &kib))
		n->memory_bytes = kib << 10;
	*out = n;
	return 0;
}

static void end(struct nvml *n)
{
	if (n->has_events && n->calls.event_free)
		n->calls.event_free(n->events);
	n->has_events = false;
	if (n->initialised)
		n->calls.shutdown();
	n->initialised = n->dead = false;
	n->n = 0;
}

void nvml_free(struct nvml *n)
{
	if (!n)
		return;
	end(n);
	nvml_unload(n->library);
	free(n->infos);
	free(n->samples);
	free(n->processes);
	free(n->names);
	free(n->path);
	free(n);
}

const char *nvml_why(const struct nvml *n)
{
	return n->why;
}

const char *nvml_version(const struct nvml *n)
{
	return n->version;
}

enum reason nvml_reason(int code)
{
	switch (code) {
	case NVML_SUCCESS:
		return REASON_NONE;
	case NVML_NOT_SUPPORTED:
	case NVML_FUNCTION_NOT_FOUND:
		return REASON_UNSUPPORTED;
	case NVML_NO_PERMISSION:
		return REASON_PERMISSION;
	case NVML_GPU_IS_LOST:
		return REASON_LOST;
	default:
		return REASON_ERROR;
	}
}

bool nvml_said(
	struct nvml *n, struct nvml_device *d, struct nvml_unit *u, enum nvml_asked what, int code)
{
	switch (code) {
	case NVML_SUCCESS:
		return true;
	case NVML_NOT_SUPPORTED:
	case NVML_FUNCTION_NOT_FOUND:
		u->no |= 1ull << what;
		break;
	case NVML_GPU_IS_LOST:
		d->lost = true;
		break;
	case NVML_UNINITIALIZED:
	case NVML_DRIVER_NOT_LOADED:
		n->dead = true;
		break;
	default:
		break;
	}
	return false;
}

static int fail(struct nvml *n, const char *what, int code)
{
	const char *text = n->calls.error_string ? n->calls.error_string(code) : NULL;

	if (text)
		snprintf(n->why, sizeof(n->why), "%s: %.100s", what, text);
	else
		snprintf(n->why, sizeof(n->why), "%s: code %d", what, code);
	return code == NVML_NO_PERMISSION ? -EACCES : -EIO;
}

static int load(struct nvml *n)
{
	if (n->library)
		return 0;
	n->library = nvml_load(n->path, &n->calls, n->why, sizeof(n->why));
	return n->library ? 0 : -ENOENT;
}

/* Without the flag initialising attaches to every device: not while one sleeps. */
static int begin(struct nvml *n, bool some_sleep)
{
	int code;

	if (n->calls.init_flags) {
		code = n->calls.init_flags(NVML_NO_ATTACH);
	} else if (some_sleep) {
		snprintf(n->why, sizeof(n->why), "this NVML would wake the devices that sleep");
		return -EAGAIN;
	} else {
		code = n->calls.init();
	}
	if (code)
		return fail(n, "NVML does not start", code);
	n->initialised = true;
	if (!n->calls.driver_version || n->calls.driver_version(n->version, sizeof(n->version)))
		n->version[0] = '\0';
	n->version[sizeof(n->version) - 1] = '\0';
	n->has_events = n->calls.event_set && n->calls.event_wait &&
			!n->calls.event_set(&n->events);
	return 0;
}

static int ready(struct nvml *n, bool some_sleep, u64 now)
{
	int ret;

	if (n->initialised)
		return 0;
	if (n->retry_ns && now < n->retry_ns)
		return n->failed;
	n->why[0] = '\0';
	ret = load(n);
	if (!ret)
		ret = begin(n, some_sleep);
	n->failed = ret;
	n->retry_ns = ret ? now + RETRY_NS : 0;
	return ret;
}

static bool listed(const char *const *names, const char *pci)
{
	for (; *names; names++)
		if (!strcmp(*names, pci))
			return true;
	return false;
}

static struct nvml_device *find(struct nvml *n, const char *pci)
{
	for (u32 i = 0; i < n->n; i++)
		if (!strcmp(n->devices[i].pci, pci))
			return &n->devices[i];
	return NULL;
}

static struct nvml_device *add(struct nvml *n, const char *pci)
{
	struct nvml_device *d;

	if (n->n == NVML_DEVICES)
		return NULL;
	d = &n->devices[n->n++];
	*d = (struct nvml_device){.unit = {.key = gpu_device_key(pci)}};
	snprintf(d->pci, sizeof(d->pci), "%s", pci);
	return d;
}

static int take_pci(void *arg, const char *name)
{
	struct nvml *n = arg;
	char path[160], text[32], pci[GPU_TEXT];

	snprintf(path, sizeof(path), "%s/%.60s/vendor", pci_dir, name);
	if (root_read(n->root, path, text, sizeof(text)) <= 0 || strcmp(text, "0x10de") != 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%.60s/class", pci_dir, name);
	if (root_read(n->root, path, text, sizeof(text)) <= 0 || strncmp(text, "0x03", 4) != 0)
		return 0;
	gpu_pci_name(name, pci);
	if (!find(n, pci))
		add(n, pci);
	return 0;
}

/* The device of this index and its address, or "nvidia0" where the library tells none. An enum nvml_code. */
static int ask_index(struct nvml *n, u32 index, nvml_handle *handle, char name[GPU_TEXT])
{
	struct nvml_pci pci = {.bus_id = ""};
	int code = n->calls.by_index(index, handle);

	if (code)
		return code;
	snprintf(name, GPU_TEXT, "nvidia%u", index);
	if (n->calls.pci && !n->calls.pci(*handle, &pci)) {
		pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
		gpu_pci_name(pci.bus_id, name);
	}
	return NVML_SUCCESS;
}

/* A container may have devices and no sysfs of them. */
static void take_indices(struct nvml *n)
{
	u32 count = 0;

	if (n->calls.count(&count))
		return;
	for (u32 i = 0; i < count && i < NVML_DEVICES; i++) {
		char name[GPU_TEXT];
		nvml_handle handle;

		if (!ask_index(n, i, &handle, name) && !find(n, name))
			add(n, name);
	}
}

static int by_key(const void *a, const void *b)
{
	const struct nvml_device *x = a, *y = b;

	return x->unit.key < y->unit.key ? -1 : x->unit.key > y->unit.key;
}

static void search(struct nvml *n, bool some_sleep)
{
	if (n->n)
		return;
	root_list(n->root, pci_dir, take_pci, n);
	/* by index every device is attached to */
	if (!n->n && !some_sleep)
		take_indices(n);
	qsort(n->devices, n->n, sizeof(*n->devices), by_key);
}

/* The one of this address among all that there are. */
static int find_handle(struct nvml *n, struct nvml_device *d)
{
	u32 count = 0;
	int code = n->calls.count(&count);

	for (u32 i = 0; !code && i < count && i < NVML_DEVICES; i++) {
		char name[GPU_TEXT];
		nvml_handle handle;

		if (ask_index(n, i, &handle, name) || strcmp(name, d->pci) != 0)
			continue;
		d->unit.handle = handle;
		return NVML_SUCCESS;
	}
	return code ? code : NVML_NOT_FOUND;
}

static int open_device(struct nvml *n, struct nvml_device *d, bool some_sleep)
{
	int code = n->calls.by_pci ? n->calls.by_pci(d->pci, &d->unit.handle)
				   : NVML_FUNCTION_NOT_FOUND;
	bool unknown = code == NVML_FUNCTION_NOT_FOUND || code == NVML_NOT_FOUND ||
		       code == NVML_INVALID_ARGUMENT;

	/* by index every device is attached to */
	if (unknown && !some_sleep)
		code = find_handle(n, d);
	if (code)
		return code;
	d->open = true;
	d->unit.no = 0;
	if (!n->calls.name || n->calls.name(d->unit.handle, d->name, sizeof(d->name)))
		d->name[0] = '\0';
	d->name[sizeof(d->name) - 1] = '\0';
	if (n->has_events && n->calls.event_register)
		n->calls.event_register(d->unit.handle, NVML_EVENT_XID, n->events);
	nvml_find_parts(n, d);
	return 0;
}

static void set_lost(struct gpu_record *r)
{
	for (u32 c = 0; c < GPU_COLUMNS; c++)
		if (!(r->have & column_bit(c)))
			r->reason[c] = REASON_LOST;
	snprintf(r->state, sizeof(r->state), "lost");
	snprintf(r->health, sizeof(r->health), "lost: it fell off the bus");
}

/* What is known of it at the start of a reading. */
static struct gpu_record *start_record(struct nvml_device *d, struct gpu_reading *r)
{
	struct gpu_record *record = gpu_reading_device(r, d->unit.key);

	if (!record)
		return NULL;
	snprintf(record->device, sizeof(record->device), "%s", d->pci);
	snprintf(record->name, sizeof(record->name), "%s", d->name);
	snprintf(record->driver, sizeof(record->driver), "nvidia");
	snprintf(record->kind, sizeof(record->kind), "card");
	snprintf(record->state, sizeof(record->state), "active");
	gpu_set(record, GPU_COUNTED, 1);
	return record;
}

static int fill_open(struct nvml *n, struct nvml_device *d, u32 index, struct gpu_reading *r)
{
	u64 memory = 0;
	int ret = 0;

	nvml_fill_device(n, d, &r->devices[index]);
	if (!d->lost && d->nparts)
		ret = nvml_fill_parts(n, d, r);
	else if (!d->lost)
		ret = nvml_fill_processes(n, d, &d->unit, r, &memory);
	if (!ret && !d->lost)
		ret = nvml_fill_vgpus(n, d, r);
	if (ret)
		return ret;
	/* what was added may have moved it */
	if (!d->lost && !nvml_fill_memory(n, d, &d->unit, &r->devices[index]) && n->memory_bytes) {
		gpu_set(&r->devices[index], GPU_MEMORY_SHARED, 1);
		gpu_set(&r->devices[index], GPU_MEMORY_TOTAL, n->memory_bytes);
		gpu_set(&r->devices[index], GPU_MEMORY_USED, memory);
	}
	return 0;
}

static int fill_one(struct nvml *n, struct nvml_device *d, bool some_sleep, struct gpu_reading *r)
{
	u64 now = r->at.mono_ns;
	struct gpu_record *record;
	u32 index = r->ndevices;
	int ret = 0, code;

	if (d->lost && now >= d->retry_ns)
		d->open = d->lost = false;
	if (!d->open && !d->lost && now >= d->retry_ns) {
		code = open_device(n, d, some_sleep);
		d->lost = code == NVML_GPU_IS_LOST;
		if (code)
			d->retry_ns = now + RETRY_NS;
		if (code == NVML_UNINITIALIZED || code == NVML_DRIVER_NOT_LOADED)
			n->dead = true;
	}
	if (!d->open && !d->lost)
		return 0;
	record = start_record(d, r);
	if (!record)
		return -ENOMEM;
	if (d->open && !d->lost) {
		ret = fill_open(n, d, index, r);
		if (d->lost)
			d->retry_ns = now + RETRY_NS;
	}
	if (!ret && d->lost)
		set_lost(&r->devices[index]);
	return ret;
}

/* Errors that the driver has told of since the last reading. */
static void take_events(struct nvml *n)
{
	struct nvml_event e;

	for (u32 i = 0; n->has_events && i < 64; i++) {
		e = (struct nvml_event){.type = 0};
		if (n->calls.event_wait(n->events, &e, 0))
			return;
		if (!(e.type & NVML_EVENT_XID))
			continue;
		for (u32 k = 0; k < n->n; k++) {
			if (n->devices[k].unit.handle != e.device)
				continue;
			n->devices[k].xid = e.data;
			n->devices[k].xids++;
		}
	}
}

static void forget_names(struct nvml *n)
{
	u32 kept = 0;

	for (u32 i = 0; i < n->nnames; i++) {
		if (n->names[i].seen)
			n->names[kept++] = n->names[i];
	}
	n->nnames = kept;
	for (u32 i = 0; i < kept; i++)
		n->names[i].seen = false;
}

int nvml_read(struct nvml *n, const char *const *asleep, struct gpu_reading *r)
{
	bool some_sleep = asleep[0] != NULL;
	int ret = ready(n, some_sleep, r->at.mono_ns);

	if (ret)
		return ret;
	search(n, some_sleep);
	take_events(n);
	for (u32 i = 0; i < n->n && !ret && !n->dead; i++)
		if (!listed(asleep, n->devices[i].pci))
			ret = fill_one(n, &n->devices[i], some_sleep, r);
	forget_names(n);
	if (n->dead) {
		snprintf(n->why, sizeof(n->why), "the driver went away");
		end(n);
		n->failed = -EIO;
		n->retry_ns = r->at.mono_ns + RETRY_NS;
		return -EIO;
	}
	return ret;
}
