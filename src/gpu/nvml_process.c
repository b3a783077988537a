/* Processes on a device: three lists and the samples of their use, made one client each. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "gpu/nvml_internal.h"

enum { INFOS_FIRST = 64, INFO_MOST = 64, PATTERN = 0xa5, PERCENT = 10000 };

/* Sizes of an entry that drivers have written: version 1 without instances, 2 and 3, and larger ones. */
static const u32 strides[] = {16, 24, 32, 40, 48, 56, 64};

static int grow(void *array, u32 *cap, u32 n, size_t size)
{
	void **items = array, *grown;
	u32 more = *cap ? *cap : 16;

	if (n <= *cap)
		return 0;
	while (more < n)
		more *= 2;
	grown = realloc(*items, more * size);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*cap = more;
	return 0;
}

/* The size of an entry, by how far `count` of them were written over the pattern. 0: none that is known. */
static u32 stride_of(const unsigned char *infos, u32 size, u32 count)
{
	u32 written = size;

	while (written && infos[written - 1] == PATTERN)
		written--;
	for (u32 i = 0; i < ARRAY_LEN(strides); i++)
		if (written <= strides[i] * count && written + strides[i] > strides[i] * count)
			return strides[i];
	return 0;
}

static struct nvml_process *process_of(struct nvml *n, u32 pid)
{
	for (u32 i = 0; i < n->nprocesses; i++)
		if (n->processes[i].pid == pid)
			return &n->processes[i];
	return NULL;
}

static int take_info(struct nvml *n, const unsigned char *at, bool compute)
{
	struct nvml_process *p;
	u64 memory;
	u32 pid;

	memcpy(&pid, at, sizeof(pid));
	memcpy(&memory, at + 8, sizeof(memory));
	p = process_of(n, pid);
	if (!p) {
		if (grow(&n->processes, &n->processes_cap, n->nprocesses + 1,
			    sizeof(*n->processes)))
			return -ENOMEM;
		p = &n->processes[n->nprocesses++];
		*p = (struct nvml_process){.pid = pid};
	}
	p->compute |= compute;
	p->graphics |= !compute;
	/* in two lists it is the same memory */
	if (memory != NVML_NO_VALUE && (!p->has_memory || memory > p->memory)) {
		p->memory = memory;
		p->has_memory = true;
	}
	return 0;
}

static int take_list(struct nvml *n, struct nvml_device *d, struct nvml_unit *u,
	enum nvml_asked what, int (*call)(nvml_handle, u32 *, void *))
{
	u32 room = n->infos_size / INFO_MOST, count, stride;
	int code = NVML_INSUFFICIENT_SIZE, ret = 0;

	if (!nvml_asks(u, what, (const void *)call) || d->lost)
		return 0;
	room = room ? room : INFOS_FIRST;
	for (u32 tries = 0; code == NVML_INSUFFICIENT_SIZE && tries < 4; tries++) {
		if (grow(&n->infos, &n->infos_size, room * INFO_MOST, 1))
			return -ENOMEM;
		memset(n->infos, PATTERN, n->infos_size);
		count = room;
		code = call(u->handle, &count, n->infos);
		/* others start meanwhile */
		room = code == NVML_INSUFFICIENT_SIZE ? count + count / 4 + 1 : room;
		if (room > NVML_PROCESSES)
			return 0;
	}
	if (!nvml_said(n, d, u, what, code) || !count || count > room)
		return 0;
	stride = stride_of(n->infos, n->infos_size, count);
	for (u32 i = 0; stride && i < count && !ret; i++)
		ret = take_info(n, n->infos + (size_t)i * stride, what != ASK_GRAPHICS);
	return ret;
}

static void add_share(u32 percent, u32 *sum, u32 *count)
{
	if (percent > 100)
		return;
	*sum += percent;
	(*count)++;
}

static void take_sample(struct nvml *n, const struct nvml_sample *s)
{
	struct nvml_process *p = process_of(n, s->pid);

	if (!p)
		return;
	p->samples++;
	add_share(s->sm, &p->sm, &p->nsm);
	add_share(s->encoder, &p->encoder, &p->nencoder);
	add_share(s->decoder, &p->decoder, &p->ndecoder);
}

/* Samples since those of the last reading. *known: nobody else used it. */
static int take_samples(struct nvml *n, struct nvml_device *d, struct nvml_unit *u, bool *known)
{
	u64 newest = u->sampled_us;
	u32 count = 0;
	int code;

	*known = false;
	if (!nvml_asks(u, ASK_SAMPLES, (const void *)n->calls.samples) || d->lost)
		return 0;
	code = n->calls.samples(u->handle, NULL, &count, u->sampled_us);
	if (code == NVML_INSUFFICIENT_SIZE && count && count <= NVML_PROCESSES) {
		if (grow(&n->samples, &n->samples_cap, count, sizeof(*n->samples)))
			return -ENOMEM;
		memset(n->samples, 0, count * sizeof(*n->samples));
		code = n->calls.samples(u->handle, n->samples, &count, u->sampled_us);
	}
	*known = code == NVML_NOT_FOUND || code == NVML_SUCCESS;
	if (code == NVML_NOT_FOUND || !nvml_said(n, d, u, ASK_SAMPLES, code))
		return 0;
	for (u32 i = 0; n->samples && i < count && i < n->samples_cap; i++) {
		const struct nvml_sample *s = &n->samples[i];

		/* what was not filled, and what was seen before */
		if (!s->timestamp_us || s->timestamp_us <= u->sampled_us)
			continue;
		take_sample(n, s);
		newest = s->timestamp_us > newest ? s->timestamp_us : newest;
	}
	u->sampled_us = newest;
	return 0;
}

/* Start in clock ticks: field 22 of its stat, behind the last ')'. */
static u64 start_of(const struct nvml *n, u32 pid)
{
	char path[48], text[1024];
	const char *p = NULL, *end;
	bool ok = true;
	u64 ticks = 0;
	int len;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	len = root_read(n->root, path, text, sizeof(text));
	if (len > 0)
		p = memrchr(text, ')', (size_t)len);
	if (!p)
		return 0;
	end = text + len;
	p = scan_skip_words(scan_blank(p + 1, end), end, 19);
	scan_u64(p, end, &ticks, &ok);
	return ok ? ticks : 0;
}

static struct nvml_name *name_of(struct nvml *n, u32 pid)
{
	struct nvml_name *name;
	char path[48];

	for (u32 i = 0; i < n->nnames; i++)
		if (n->names[i].pid == pid)
			return &n->names[i];
	if (grow(&n->names, &n->names_cap, n->nnames + 1, sizeof(*n->names)))
		return NULL;
	name = &n->names[n->nnames++];
	*name = (struct nvml_name){.pid = pid};
	if (!n->pids_are_ours) {
		snprintf(name->command, sizeof(name->command), "pid %u (other namespace)", pid);
		return name;
	}
	name->started = start_of(n, pid);
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (root_read(n->root, path, name->command, sizeof(name->command)) <= 0)
		snprintf(name->command, sizeof(name->command), "pid %u", pid);
	return name;
}

static void set_share(struct gpu_client_record *c, enum gpu_client_column column, u32 sum,
	u32 valid, const struct nvml_process *p, bool known)
{
	if (valid)
		client_set(c, column, (u64)sum * PERCENT / valid);
	else if (known && !p->samples)
		client_set(c, column, 0);
	else
		c->reason[column] = p->samples ? REASON_INVALID : REASON_UNSUPPORTED;
}

static void set_use(struct gpu_client_record *c, const struct nvml_process *p, bool known)
{
	set_share(c, CLIENT_BUSY, p->sm, p->nsm, p, known);
	set_share(c, CLIENT_MEDIA, p->encoder + p->decoder,
		p->nencoder < p->ndecoder ? p->nencoder : p->ndecoder, p, known);
	/* shaders do graphics and compute */
	set_share(c, p->graphics && !p->compute ? CLIENT_GFX : CLIENT_COMPUTE, p->sm, p->nsm, p,
		known);
}

static int add_client(struct nvml *n, const struct nvml_device *d, const struct nvml_unit *u,
	const struct nvml_process *p, bool known, struct gpu_reading *r)
{
	struct nvml_name *name = name_of(n, p->pid);
	struct gpu_client_record *c = name ? gpu_reading_client(
						     r, gpu_client_key(u->key, p->pid | 1ull << 63))
					   : NULL;

	if (!c)
		return -ENOMEM;
	name->seen = true;
	c->device_key = u->key;
	snprintf(c->device, sizeof(c->device), "%s", d->pci);
	snprintf(c->driver, sizeof(c->driver), "nvidia");
	memcpy(c->command, name->command, sizeof(c->command));
	snprintf(c->kind, sizeof(c->kind), "%s%s%s", p->graphics ? "G" : "",
		p->graphics && p->compute ? "+" : "", p->compute ? "C" : "");
	if (n->pids_are_ours) {
		client_set(c, CLIENT_PID, p->pid);
		if (name->started)
			client_set(c, CLIENT_STARTED, name->started);
	} else {
		c->reason[CLIENT_PID] = REASON_UNKNOWN;
	}
	client_set(c, CLIENT_HOLDERS, 1);
	if (p->has_memory) {
		client_set(c, CLIENT_MEMORY, p->memory);
		client_set(c, CLIENT_LOCAL, p->memory);
	} else {
		c->reason[CLIENT_MEMORY] = REASON_UNKNOWN;
	}
	set_use(c, p, known);
	return 0;
}

int nvml_fill_processes(struct nvml *n, struct nvml_device *d, struct nvml_unit *u,
	struct gpu_reading *r, u64 *memory)
{
	bool known;
	int ret;

	n->nprocesses = 0;
	*memory = 0;
	ret = take_list(n, d, u, ASK_COMPUTE, n->calls.compute);
	if (!ret)
		ret = take_list(n, d, u, ASK_GRAPHICS, n->calls.graphics);
	if (!ret)
		ret = take_list(n, d, u, ASK_MPS, n->calls.mps);
	if (!ret)
		ret = take_samples(n, d, u, &known);
	for (u32 i = 0; i < n->nprocesses && !ret && !d->lost; i++) {
		*memory += n->processes[i].has_memory ? n->processes[i].memory : 0;
		ret = add_client(n, d, u, &n->processes[i], known, r);
	}
	return ret;
}
