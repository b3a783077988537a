/* The list of devices. What identifies one is read from sysfs's own memory (links, uevent, dev), which wakes nothing;
 * everything else waits until its gate is open. See devices.h. */
#include "gpu/devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "gpu/device.h"

enum { DEVICES_MOST = 64 };

/* How often new devices are looked for. */
#define SEARCH_NS (5 * NSEC_PER_SEC)

/* linux/major.h: DRM_MAJOR; Documentation/accel/introduction.rst. */
enum { MAJOR_DRM = 226, MAJOR_ACCEL = 261 };

const struct gpu_majors gpu_majors_default = {.major = {MAJOR_DRM, MAJOR_ACCEL}, .n = 2};

static const char drm_dir[] = "/sys/class/drm", accel_dir[] = "/sys/class/accel";
static const char pci_dir[] = "/sys/bus/pci/devices";

struct gpu_devices {
	const struct root *root;
	struct kbuf buf;
	struct device *devices;
	u32 n;
	u64 names;       /* of the nodes that there were at the last search */
	u64 searched_ns; /* 0: only when it was opened */
	u32 generation;
	bool gone; /* one of them is: search again */
	int failed;
};

/* The text behind "KEY=" of a uevent file. */
static bool uevent(
	const struct gpu_devices *s, const char *dir, const char *key, char *out, u32 size)
{
	char path[DEVICE_PATH + 16], text[1024];
	const char *p = text;
	int len;

	snprintf(path, sizeof(path), "%s/uevent", dir);
	len = root_read(s->root, path, text, sizeof(text));
	for (; len > 0 && p < text + len; p = scan_next_line(p, text + len)) {
		const char *end = scan_line_end(p, text + len);

		if (!scan_starts(p, end, key) || p[strlen(key)] != '=')
			continue;
		p += strlen(key) + 1;
		snprintf(out, size, "%.*s", (int)(end - p), p);
		return out[0] != '\0';
	}
	return false;
}

/* Last part of a link's target. */
static bool link_end(const struct gpu_devices *s, const char *path, char *out, u32 size)
{
	char target[256];
	const char *slash;

	if (root_readlink(s->root, path, target, sizeof(target)) <= 0)
		return false;
	slash = strrchr(target, '/');
	snprintf(out, size, "%.*s", (int)size - 1, slash ? slash + 1 : target);
	return out[0] != '\0';
}

/* What the device behind a node of a class is called. */
static void address_of(const struct gpu_devices *s, const char *node, char out[GPU_TEXT])
{
	char path[DEVICE_PATH], text[GPU_TEXT];
	const char *slash = strrchr(node, '/');

	snprintf(path, sizeof(path), "%.180s/device", node);
	if (!uevent(s, path, "PCI_SLOT_NAME", text, sizeof(text)) &&
		!link_end(s, path, text, sizeof(text)))
		snprintf(text, sizeof(text), "%.60s", slash ? slash + 1 : node);
	gpu_pci_name(text, out);
}

static void name_device(const struct gpu_devices *s, struct device *d)
{
	char path[DEVICE_PATH + 16], id[32], *colon;

	snprintf(path, sizeof(path), "%s/driver", d->path);
	if (!link_end(s, path, d->driver, sizeof(d->driver)) &&
		!uevent(s, d->path, "DRIVER", d->driver, sizeof(d->driver)))
		d->driver[0] = '\0';
	if (!uevent(s, d->path, "PCI_ID", id, sizeof(id))) {
		snprintf(d->label, sizeof(d->label), "%s", d->driver);
		return;
	}
	colon = strchr(id, ':');
	if (colon) {
		*colon = '\0';
		pci_name(s->root, id, colon + 1, d->label, sizeof(d->label));
		*colon = ':';
	}
	if (!d->label[0])
		snprintf(d->label, sizeof(d->label), "%s %s", d->driver, id);
}

static struct device *find(struct gpu_devices *s, const char *name)
{
	for (u32 i = 0; i < s->n; i++)
		if (!strcmp(s->devices[i].name, name))
			return &s->devices[i];
	return NULL;
}

/* A new device, whose own directory is `path`. NULL: no memory, or no room. */
static struct device *add(
	struct gpu_devices *s, const char *name, const char *path, const char *kind)
{
	struct device *grown, *d;
	char status[DEVICE_PATH + 32];

	if (s->n == DEVICES_MOST)
		return NULL;
	grown = realloc(s->devices, (s->n + 1) * sizeof(*grown));
	if (!grown) {
		s->failed = -ENOMEM;
		return NULL;
	}
	s->devices = grown;
	d = &s->devices[s->n];
	*d = (struct device){.integrated = -1, .gate = GATE_ASLEEP};
	snprintf(d->name, sizeof(d->name), "%s", name);
	snprintf(d->path, sizeof(d->path), "%s", path);
	snprintf(d->kind, sizeof(d->kind), "%s", kind);
	d->key = gpu_device_key(name);
	snprintf(status, sizeof(status), "%s/power/runtime_status", path);
	if (root_exists(s->root, status)) {
		if (kfile_init(&d->status, status)) {
			s->failed = -ENOMEM;
			return NULL;
		}
		d->has_status = true;
	}
	s->n++;
	name_device(s, d);
	return d;
}

static void add_node(struct gpu_devices *s, struct device *d, const char *node)
{
	char path[DEVICE_PATH], text[32];
	unsigned int major, minor;

	snprintf(path, sizeof(path), "%.180s/dev", node);
	if (d->nnodes == DEVICE_NODES || root_read(s->root, path, text, sizeof(text)) <= 0 ||
		sscanf(text, "%u:%u", &major, &minor) != 2)
		return;
	d->nodes[d->nnodes].major = major;
	d->nodes[d->nnodes++].minor = minor;
}

static int take_node(struct gpu_devices *s, const char *dir, const char *name, const char *kind)
{
	char node[DEVICE_PATH], path[DEVICE_PATH], address[GPU_TEXT];
	struct device *d;

	if (snprintf(node, sizeof(node), "%s/%.100s", dir, name) >= (int)sizeof(node) - 16)
		return 0;
	address_of(s, node, address);
	d = find(s, address);
	if (!d) {
		snprintf(path, sizeof(path), "%.180s/device", node);
		d = add(s, address, path, kind);
	}
	if (!d)
		return s->failed;
	if (!d->class_path[0] || !strncmp(name, "card", 4))
		memcpy(d->class_path, node, sizeof(d->class_path));
	add_node(s, d, node);
	return 0;
}

/* "card0", "renderD128"; not "card0-DP-1", a connector. */
static bool is_node(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strncmp(name, prefix, len) && name[len] &&
	       strspn(name + len, "0123456789") == strlen(name + len);
}

static int take_drm(void *arg, const char *name)
{
	if (!is_node(name, "card") && !is_node(name, "renderD"))
		return 0;
	return take_node(arg, drm_dir, name, "card");
}

static int take_accel(void *arg, const char *name)
{
	return is_node(name, "accel") ? take_node(arg, accel_dir, name, "accel") : 0;
}

/* NVIDIA's without a node: its driver may come without DRM. */
static int take_pci(void *arg, const char *name)
{
	struct gpu_devices *s = arg;
	char path[DEVICE_PATH], file[DEVICE_PATH + 16], text[32], address[GPU_TEXT];

	snprintf(path, sizeof(path), "%s/%.60s", pci_dir, name);
	snprintf(file, sizeof(file), "%s/vendor", path);
	if (root_read(s->root, file, text, sizeof(text)) <= 0 || strcmp(text, "0x10de") != 0)
		return 0;
	snprintf(file, sizeof(file), "%s/class", path);
	if (root_read(s->root, file, text, sizeof(text)) <= 0 || strncmp(text, "0x03", 4) != 0)
		return 0;
	gpu_pci_name(name, address);
	if (!find(s, address))
		add(s, address, path, "card");
	return s->failed;
}

static int by_key(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static void clear(struct gpu_devices *s)
{
	for (u32 i = 0; i < s->n; i++)
		device_fini(&s->devices[i]);
	s->n = 0;
}

static int hash_name(void *arg, const char *name)
{
	u64 *hash = arg;

	*hash = *hash * 31 + key_from_name(name, strlen(name));
	return 0;
}

static u64 hash_names(const struct gpu_devices *s)
{
	u64 hash = 0;

	root_list(s->root, drm_dir, hash_name, &hash);
	root_list(s->root, accel_dir, hash_name, &hash);
	return hash;
}

static int search(struct gpu_devices *s)
{
	clear(s);
	s->failed = 0;
	s->gone = false;
	s->names = hash_names(s);
	s->generation = s->root->generation;
	root_list(s->root, drm_dir, take_drm, s);
	if (!s->failed)
		root_list(s->root, accel_dir, take_accel, s);
	if (!s->failed)
		root_list(s->root, pci_dir, take_pci, s);
	if (s->n)
		qsort(s->devices, s->n, sizeof(*s->devices), by_key);
	for (u32 i = 0; i < s->n; i++)
		snprintf(s->devices[i].number, sizeof(s->devices[i].number), "%u", i);
	return s->failed;
}

int gpu_devices_new(struct gpu_devices **out, const struct root *root)
{
	struct gpu_devices *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->root = root;
	kbuf_init(&s->buf);
	ret = search(s);
	if (!ret && !s->n)
		ret = -ENOENT;
	if (ret) {
		gpu_devices_free(s);
		return ret;
	}
	*out = s;
	return 0;
}

void gpu_devices_free(struct gpu_devices *s)
{
	if (!s)
		return;
	clear(s);
	free(s->devices);
	kbuf_fini(&s->buf);
	free(s);
}

static enum gpu_gate look_at_gate(struct gpu_devices *s, struct device *d)
{
	const char *p, *end;
	int ret;

	if (!d->has_status)
		return GATE_OPEN;
	ret = kfile_read(&d->status, s->root, &s->buf);
	if (ret == -ENOENT || ret == -ENODEV)
		return GATE_GONE;
	if (ret)
		return GATE_ASLEEP;
	p = s->buf.data;
	end = kbuf_end(&s->buf);
	return scan_starts(p, end, "active") || scan_starts(p, end, "unsupported") ? GATE_OPEN
										   : GATE_ASLEEP;
}

static void look_at_gates(struct gpu_devices *s)
{
	for (u32 i = 0; i < s->n; i++) {
		s->devices[i].gate = look_at_gate(s, &s->devices[i]);
		s->gone |= s->devices[i].gate == GATE_GONE;
	}
}

int gpu_devices_refresh(struct gpu_devices *s, u64 now_ns)
{
	bool again = s->gone || s->generation != s->root->generation;
	int ret = 0;

	if (!again && s->searched_ns && now_ns - s->searched_ns >= SEARCH_NS) {
		again = hash_names(s) != s->names;
		s->searched_ns = now_ns;
	}
	if (!s->searched_ns)
		s->searched_ns = now_ns;
	if (again) {
		ret = search(s);
		s->searched_ns = now_ns;
	}
	if (ret)
		return ret;
	look_at_gates(s);
	return 0;
}

u32 gpu_devices_count(const struct gpu_devices *s)
{
	return s->n;
}

enum gpu_gate gpu_devices_gate(const struct gpu_devices *s, u32 i)
{
	return s->devices[i].gate;
}

u64 gpu_devices_key(const struct gpu_devices *s, u32 i)
{
	return s->devices[i].key;
}

const char *gpu_devices_name(const struct gpu_devices *s, u32 i)
{
	return s->devices[i].name;
}

const char *gpu_devices_number(const struct gpu_devices *s, u32 i)
{
	return s->devices[i].number;
}

const char *gpu_devices_driver(const struct gpu_devices *s, u32 i)
{
	return s->devices[i].driver;
}

int gpu_devices_integrated(const struct gpu_devices *s, u32 i)
{
	return s->devices[i].integrated;
}

int gpu_devices_by_number(const struct gpu_devices *s, u32 major, u32 minor)
{
	for (u32 i = 0; i < s->n; i++)
		for (u32 k = 0; k < s->devices[i].nnodes; k++)
			if (s->devices[i].nodes[k].major == major &&
				s->devices[i].nodes[k].minor == minor)
				return (int)i;
	return -1;
}

int gpu_devices_by_name(const struct gpu_devices *s, const char *pdev)
{
	char name[GPU_TEXT];

	gpu_pci_name(pdev, name);
	for (u32 i = 0; i < s->n; i++)
		if (!strcmp(s->devices[i].name, name))
			return (int)i;
	return -1;
}

/* Everything but what is known of it without touching it. */
static void set_asleep(struct gpu_record *r)
{
	for (u32 c = 0; c < GPU_COLUMNS; c++)
		if (!(r->have & column_bit(c)))
			r->reason[c] = REASON_ASLEEP;
}

static int read_one(struct gpu_devices *s, struct device *d, struct gpu_reading *r)
{
	struct gpu_record *record = gpu_reading_device(r, d->key);
	int ret = 0;

	if (!record)
		return -ENOMEM;
	snprintf(record->number, sizeof(record->number), "%s", d->number);
	snprintf(record->name, sizeof(record->name), "%s", d->label);
	snprintf(record->device, sizeof(record->device), "%s", d->name);
	snprintf(record->driver, sizeof(record->driver), "%s", d->driver);
	snprintf(record->kind, sizeof(record->kind), "%s", d->kind);
	snprintf(record->state, sizeof(record->state), "%s",
		d->gate == GATE_OPEN ? "active" : "asleep");
	gpu_set(record, GPU_COUNTED, 1);
	if (d->gate != GATE_OPEN) {
		set_asleep(record);
		return 0;
	}
	if (!d->discovered)
		ret = device_discover(d, s->root);
	if (!ret)
		device_read(d, s->root, &s->buf, r->at.mono_ns, record);
	return ret;
}

int gpu_devices_read(struct gpu_devices *s, struct gpu_reading *r)
{
	int ret = 0;

	for (u32 i = 0; i < s->n && !ret; i++)
		if (s->devices[i].gate != GATE_GONE)
			ret = read_one(s, &s->devices[i], r);
	return ret;
}

void gpu_devices_explain(const struct gpu_devices *s, struct findings *out)
{
	for (u32 i = 0; i < s->n; i++)
		device_explain(&s->devices[i], out);
}

bool gpu_majors_present(const struct root *root)
{
	char text[4096];
	const char *p = text, *end;
	int len = root_read(root, "/proc/devices", text, sizeof(text));

	if (len <= 0)
		return false;
	end = text + len;
	/* character devices come first */
	for (; p < end && !scan_starts(p, end, "Block"); p = scan_next_line(p, end)) {
		bool ok = true;
		u64 major = 0;

		scan_u64(p, end, &major, &ok);
		for (u32 i = 0; ok && i < gpu_majors_default.n; i++)
			if (major == gpu_majors_default.major[i])
				return true;
	}
	return false;
}
