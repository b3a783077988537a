/* One row for a device that the kernel and NVML both know. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gpu/nvml_thread.h"

static void take_text(char *to, const char *from, size_t size)
{
	if (from[0])
		snprintf(to, size, "%s", from);
}

/* What NVML does not say stays as sysfs has it. */
static void overlay(struct gpu_record *to, const struct gpu_record *from)
{
	const u64 kept = column_bit(GPU_NUMBER) | column_bit(GPU_DRIVER) | column_bit(GPU_PARENT);

	for (u32 c = 0; c < GPU_COLUMNS; c++) {
		if (from->have & ~kept & column_bit(c)) {
			to->value[c] = from->value[c];
			to->have |= column_bit(c);
		} else if (!(to->have & column_bit(c)) && from->reason[c]) {
			to->reason[c] = from->reason[c];
		}
	}
	take_text(to->name, from->name, sizeof(to->name));
	take_text(to->kind, from->kind, sizeof(to->kind));
	take_text(to->state, from->state, sizeof(to->state));
	take_text(to->link, from->link, sizeof(to->link));
	take_text(to->slowed, from->slowed, sizeof(to->slowed));
	take_text(to->health, from->health, sizeof(to->health));
}

static void set_number(struct gpu_record *d, const char *parent, const char *own)
{
	snprintf(d->number, sizeof(d->number), "%.7s%.7s", parent, own);
	d->have |= column_bit(GPU_NUMBER);
}

/* A device that only NVML knows (no sysfs of it here), or a part of one. */
static int add_device(struct gpu_reading *r, const struct gpu_record *from)
{
	struct gpu_record *d = gpu_reading_device(r, from->key), *parent = NULL;
	char own[16];

	if (!d)
		return -ENOMEM;
	*d = *from;
	if (!from->parent[0]) {
		snprintf(own, sizeof(own), "%u", r->ndevices - 1);
		set_number(d, "", own);
		return 0;
	}
	for (u32 i = 0; i < r->ndevices && !parent; i++)
		if (&r->devices[i] != d && !strcmp(r->devices[i].device, from->parent))
			parent = &r->devices[i];
	set_number(d, parent ? parent->number : "?", from->number);
	snprintf(d->parent, sizeof(d->parent), "%s", parent ? parent->number : "");
	return 0;
}

/* What identifies a device stays, all else is too old to be shown: texts too, which are there without a bit. */
static void make_late(struct gpu_record *d)
{
	struct {
		enum gpu_column column;
		char *text;
	} texts[] = {{GPU_LINK, d->link}, {GPU_SLOWED, d->slowed}, {GPU_HEALTH, d->health}};
	const u64 kept = column_bit(GPU_NUMBER) | column_bit(GPU_NAME) | column_bit(GPU_DEVICE) |
			 column_bit(GPU_DRIVER) | column_bit(GPU_PARENT) | column_bit(GPU_KIND) |
			 column_bit(GPU_COUNTED) | column_bit(GPU_MEMORY_TOTAL) |
			 column_bit(GPU_MEMORY_SHARED);

	for (u32 c = 0; c < GPU_COLUMNS; c++)
		if (d->have & ~kept & column_bit(c))
			gpu_missing(d, c, REASON_STALE);
	for (u32 i = 0; i < ARRAY_LEN(texts); i++) {
		if (texts[i].text[0])
			gpu_missing(d, texts[i].column, REASON_STALE);
		texts[i].text[0] = '\0';
	}
	snprintf(d->state, sizeof(d->state), "late");
	d->have |= column_bit(GPU_STATE);
}

static int add_client(struct gpu_reading *r, const struct gpu_client_record *from, bool late)
{
	struct gpu_client_record *c = gpu_reading_client(r, from->key);
	struct gpu_record *d = gpu_reading_find(r, from->device_key);

	if (!c)
		return -ENOMEM;
	*c = *from;
	if (d) {
		snprintf(c->gpu, sizeof(c->gpu), "%s", d->number);
		c->have |= column_bit(CLIENT_GPU);
	}
	for (u32 i = CLIENT_BUSY; late && i < CLIENT_COLUMNS; i++) {
		c->have &= ~column_bit(i);
		c->reason[i] = REASON_STALE;
	}
	return 0;
}

int nvml_merge(struct gpu_reading *r, const struct gpu_reading *nvml, bool late)
{
	int ret = 0;

	for (u32 i = 0; i < nvml->ndevices && !ret; i++) {
		struct gpu_record from = nvml->devices[i];
		struct gpu_record *d = gpu_reading_find(r, from.key);

		/* what fell asleep since is told by the kernel */
		if (d && !strcmp(d->state, "asleep"))
			continue;
		/* before it is one row: what the kernel says of it is as new as ever */
		if (late)
			make_late(&from);
		if (!d)
			ret = add_device(r, &from);
		else
			overlay(d, &from);
		if (d && !late)
			d->at = from.at;
	}
	for (u32 i = 0; i < nvml->nclients && !ret; i++)
		ret = add_client(r, &nvml->clients[i], late);
	return ret;
}
