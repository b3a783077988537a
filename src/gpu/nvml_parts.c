/* Parts of a device that are handed out by themselves: MIG instances, and what virtual machines have. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gpu/nvml_internal.h"

enum { VGPUS = 32, PERCENT = 10000 };

void nvml_find_parts(struct nvml *n, struct nvml_device *d)
{
	u32 now = 0, pending, most = 0;

	d->nparts = 0;
	if (!nvml_asks(&d->unit, ASK_MIG, (const void *)n->calls.mig_mode) || !n->calls.mig_most ||
		!n->calls.mig_part || !n->calls.gpu_instance || !n->calls.compute_instance)
		return;
	if (!nvml_said(
		    n, d, &d->unit, ASK_MIG, n->calls.mig_mode(d->unit.handle, &now, &pending)) ||
		!now || n->calls.mig_most(d->unit.handle, &most))
		return;
	for (u32 i = 0; i < most && d->nparts < NVML_PARTS; i++) {
		struct nvml_part *p = &d->parts[d->nparts];
		char name[GPU_TEXT + 16];

		*p = (struct nvml_part){.gpu_instance = 0};
		if (n->calls.mig_part(d->unit.handle, i, &p->unit.handle) ||
			n->calls.gpu_instance(p->unit.handle, &p->gpu_instance) ||
			n->calls.compute_instance(p->unit.handle, &p->compute_instance))
			continue;
		snprintf(name, sizeof(name), "%s/%u.%u", d->pci, p->gpu_instance,
			p->compute_instance);
		p->unit.key = gpu_device_key(name);
		d->nparts++;
	}
}

static struct gpu_record *start(struct gpu_reading *r, const struct nvml_device *d, u64 key,
	const char *kind, const char *number)
{
	struct gpu_record *record = gpu_reading_device(r, key);

	if (!record)
		return NULL;
	snprintf(record->number, sizeof(record->number), ":%.10s", number);
	snprintf(record->device, sizeof(record->device), "%s", d->pci);
	snprintf(record->driver, sizeof(record->driver), "nvidia");
	snprintf(record->parent, sizeof(record->parent), "%.15s", d->pci);
	snprintf(record->kind, sizeof(record->kind), "%s", kind);
	snprintf(record->state, sizeof(record->state), "active");
	gpu_set(record, GPU_COUNTED, 0);
	return record;
}

/* Its use is its processes': NVML has no other figure for a part. */
static void set_busy(struct gpu_reading *r, u32 from, struct gpu_record *record)
{
	u64 sum = 0;
	bool any = from == r->nclients;

	for (u32 i = from; i < r->nclients; i++) {
		if (!(r->clients[i].have & column_bit(CLIENT_BUSY)))
			continue;
		any = true;
		sum += r->clients[i].value[CLIENT_BUSY];
	}
	if (any)
		gpu_set(record, GPU_BUSY_NOW, sum);
	else
		gpu_missing(record, GPU_BUSY_NOW, REASON_UNSUPPORTED);
}

int nvml_fill_parts(struct nvml *n, struct nvml_device *d, struct gpu_reading *r)
{
	for (u32 i = 0; i < d->nparts && !d->lost; i++) {
		struct nvml_part *p = &d->parts[i];
		u32 from = r->nclients, index = r->ndevices;
		char number[16];
		u64 memory;

		snprintf(number, sizeof(number), "%u", i);
		if (!start(r, d, p->unit.key, "mig", number))
			return -ENOMEM;
		snprintf(r->devices[index].name, sizeof(r->devices[index].name),
			"MIG %u/%u of %.40s", p->gpu_instance, p->compute_instance, d->name);
		nvml_fill_memory(n, d, &p->unit, &r->devices[index]);
		if (nvml_fill_processes(n, d, &p->unit, r, &memory))
			return -ENOMEM;
		set_busy(r, from, &r->devices[index]);
	}
	return 0;
}

/* Mean of a virtual machine's samples, in parts per million; false: it has none. */
static bool vgpu_use(const struct nvml_vgpu_sample *samples, u32 count, u32 instance, u64 *out)
{
	u64 sum = 0, valid = 0;

	for (u32 i = 0; i < count; i++) {
		if (samples[i].instance != instance || samples[i].sm.u32 > 100)
			continue;
		sum += samples[i].sm.u32;
		valid++;
	}
	*out = valid ? sum * PERCENT / valid : 0;
	return valid != 0;
}

static u32 vgpu_samples(struct nvml *n, struct nvml_device *d, struct nvml_vgpu_sample *out)
{
	u32 count = VGPUS, type = 1;

	if (!nvml_asks(&d->unit, ASK_VGPU_SAMPLES, (const void *)n->calls.vgpu_samples) ||
		!nvml_said(n, d, &d->unit, ASK_VGPU_SAMPLES,
			n->calls.vgpu_samples(
				d->unit.handle, d->vgpu_sampled_us, &type, &count, out)))
		return 0;
	count = count < VGPUS ? count : VGPUS;
	for (u32 i = 0; i < count; i++)
		if (out[i].timestamp_us > d->vgpu_sampled_us)
			d->vgpu_sampled_us = out[i].timestamp_us;
	return count;
}

int nvml_fill_vgpus(struct nvml *n, struct nvml_device *d, struct gpu_reading *r)
{
	struct nvml_vgpu_sample samples[VGPUS] = {{.instance = 0}};
	u32 instances[VGPUS], count = VGPUS, nsamples;

	if (!nvml_asks(&d->unit, ASK_VGPUS, (const void *)n->calls.vgpus) ||
		!nvml_said(n, d, &d->unit, ASK_VGPUS,
			n->calls.vgpus(d->unit.handle, &count, instances)))
		return 0;
	nsamples = count ? vgpu_samples(n, d, samples) : 0;
	for (u32 i = 0; i < count && i < VGPUS; i++) {
		char name[GPU_TEXT + 24], number[16];
		struct gpu_record *record;
		u64 use, bytes = 0;

		snprintf(name, sizeof(name), "%s/vgpu%u", d->pci, instances[i]);
		snprintf(number, sizeof(number), "v%u", i);
		record = start(r, d, gpu_device_key(name), "vgpu", number);
		if (!record)
			return -ENOMEM;
		snprintf(record->name, sizeof(record->name), "vGPU %u", instances[i]);
		if (vgpu_use(samples, nsamples, instances[i], &use))
			gpu_set(record, GPU_BUSY_NOW, use);
		if (n->calls.vgpu_memory && !n->calls.vgpu_memory(instances[i], &bytes))
			gpu_set(record, GPU_MEMORY_USED, bytes);
	}
	return 0;
}
