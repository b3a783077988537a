#include "gpu/look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/nvml_thread.h"

/* Drivers that are loaded later are found by then. */
#define MAJORS_NS (5 * NSEC_PER_SEC)

static const char nvidia_driver[] = "/proc/driver/nvidia/version";

struct gpu_look {
	const struct root *root;
	const struct clock *clock;
	struct gpu_devices *devices; /* NULL: NVML's are the only ones */
	struct gpu_clients *clients;
	struct nvml_thread *nvml;
	char *nvml_path; /* NULL: the usual one */
	bool nvml_tried;
	bool majors;
	u64 majors_ns; /* when that was looked at; 0: never */
};

/* A machine without NVIDIA's driver never loads its library. */
static bool wants_nvml(const struct gpu_look *l)
{
	if (l->nvml_path)
		return true;
	if (!root_is_live(l->root))
		return false;
	for (u32 i = 0; l->devices && i < gpu_devices_count(l->devices); i++)
		if (!strcmp(gpu_devices_driver(l->devices, i), "nvidia"))
			return true;
	return root_exists(l->root, nvidia_driver);
}

int gpu_look_new(
	struct gpu_look **out, const struct root *root, const struct clock *clock, const char *nvml)
{
	struct gpu_look *l = calloc(1, sizeof(*l));
	int ret;

	if (!l)
		return -ENOMEM;
	l->root = root;
	l->clock = clock;
	if (nvml) {
		l->nvml_path = strdup(nvml);
		if (!l->nvml_path) {
			gpu_look_free(l);
			return -ENOMEM;
		}
	}
	ret = gpu_devices_new(&l->devices, root);
	if (ret == -ENOENT && wants_nvml(l))
		ret = 0;
	if (!ret)
		ret = gpu_clients_new(&l->clients, root);
	if (ret) {
		gpu_look_free(l);
		return ret;
	}
	l->majors = gpu_majors_present(root);
	*out = l;
	return 0;
}

void gpu_look_free(struct gpu_look *l)
{
	if (!l)
		return;
	nvml_thread_stop(l->nvml);
	gpu_clients_free(l->clients);
	gpu_devices_free(l->devices);
	free(l->nvml_path);
	free(l);
}

int gpu_look_found(
	struct gpu_look *l, u32 pid, u64 start_ticks, u32 tid, const struct gpu_find *finds, u32 n)
{
	return gpu_clients_found(l->clients, pid, start_ticks, tid, finds, n);
}

bool gpu_look_majors(const struct gpu_look *l)
{
	return l->majors;
}

/* PCI addresses of NVIDIA's devices that sleep. true: all of them do, and there is nothing to ask for. */
static bool list_asleep(const struct gpu_look *l, const char **names, u32 *n)
{
	bool awake = false, any = false;

	*n = 0;
	for (u32 i = 0; l->devices && i < gpu_devices_count(l->devices); i++) {
		bool nvidia = !strcmp(gpu_devices_driver(l->devices, i), "nvidia");

		any |= nvidia;
		if (gpu_devices_gate(l->devices, i) == GATE_ASLEEP) {
			if (*n < NVML_ASLEEP_MOST)
				names[(*n)++] = gpu_devices_name(l->devices, i);
		} else {
			awake |= nvidia;
		}
	}
	return any ? !awake : l->devices && !l->nvml_path;
}

static int look_nvml(struct gpu_look *l, u64 wait_ns, struct gpu_reading *r)
{
	const char *asleep[NVML_ASLEEP_MOST];
	const struct gpu_reading *nvml;
	bool late;
	u32 n;

	if (!wants_nvml(l) || list_asleep(l, asleep, &n))
		return 0;
	if (!l->nvml && !l->nvml_tried) {
		l->nvml_tried = true;
		if (nvml_thread_start(&l->nvml, l->nvml_path, l->root, l->clock))
			return 0;
	}
	if (!l->nvml)
		return 0;
	nvml = nvml_thread_read(l->nvml, l->clock, asleep, n, wait_ns, &late);
	return nvml ? nvml_merge(r, nvml, late) : 0;
}

int gpu_look(struct gpu_look *l, bool clients, u64 nvml_wait_ns, struct gpu_reading *r)
{
	u64 now = r->at.mono_ns;
	int ret = 0;

	if (!l->majors_ns || now - l->majors_ns >= MAJORS_NS) {
		l->majors = gpu_majors_present(l->root);
		l->majors_ns = now;
	}
	if (l->devices)
		ret = gpu_devices_refresh(l->devices, now);
	if (!ret && l->devices)
		ret = gpu_devices_read(l->devices, r);
	if (!ret && clients && l->devices)
		ret = gpu_clients_read(l->clients, l->devices, r);
	return ret ? ret : look_nvml(l, nvml_wait_ns, r);
}

void gpu_look_explain(struct gpu_look *l, struct findings *out)
{
	static const char what[] = "NVIDIA's GPUs";
	char why[160];
	int error;

	if (l->devices)
		gpu_devices_explain(l->devices, out);
	if (!l->nvml)
		return;
	error = nvml_thread_error(l->nvml, why, sizeof(why));
	if (error == -ENOENT)
		findings_add(out, "gpu", REASON_UNSUPPORTED, what,
			why[0] ? why : "libnvidia-ml.so.1 is not installed",
			"install the driver's libnvidia-ml (package libnvidia-ml1)");
	else if (error == -EAGAIN)
		findings_add(
			out, "gpu", REASON_STALE, what, why[0] ? why : "NVML does not answer", "");
	else if (error)
		findings_add(out, "gpu", REASON_ERROR, what, why[0] ? why : strerror(-error), "");
}
