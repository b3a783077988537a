/* What is kept: every descriptor that was found, in order of pids, and of every client who owns it. A reading goes over
 * the descriptors; the first of a client is read, the others only count as holders. See clients.h. */
#include "gpu/clients.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "gpu/client_record.h"

enum { FILES_MOST = 256, PATH_SIZE = 64, FIRST_ROOM = 16 };

/* Others' files may become ours to read, but not often. */
#define RETRY_NS (10 * NSEC_PER_SEC)

enum descriptor_state {
	DESCRIPTOR_NEW,
	DESCRIPTOR_CLIENT, /* client_key is what it was at the last reading */
	DESCRIPTOR_OTHER,  /* no GPU client: not read again */
	DESCRIPTOR_DENIED, /* until retry_ns */
	DESCRIPTOR_GONE,   /* to be dropped */
};

struct descriptor {
	u64 start_ticks, client_key, retry_ns;
	u32 pid, tid, fd, major, minor;
	u8 state;
	bool kept, found; /* file is one of those kept open; by the newest look */
	struct kfile file;
};

/* A client and the process that it belongs to. */
struct owner {
	u64 client_key, start_ticks;
	u32 pid;
	bool seen;
	char command[GPU_TEXT];
};

/* A client of the reading under way: index of its record, and its holders so far. */
struct holder {
	u64 client_key, start_ticks;
	u32 record, pid, tid, last_pid, holders;
};

struct gpu_clients {
	const struct root *root;
	struct kbuf buf;
	struct fdinfo info;
	struct descriptor *descriptors; /* in order of pid, then thread, then descriptor */
	u32 n, cap, kept;
	struct owner *owners;
	u32 nowners, owners_cap;
	struct holder *holders;
	u32 nholders, holders_cap;
	u32 *slots; /* holders by client_key; index + 1, 0: free */
	u32 nslots;
};

int gpu_clients_new(struct gpu_clients **out, const struct root *root)
{
	struct gpu_clients *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->root = root;
	kbuf_init(&c->buf);
	*out = c;
	return 0;
}

static void close_file(struct gpu_clients *c, struct descriptor *d)
{
	if (d->kept) {
		kfile_fini(&d->file);
		d->kept = false;
		c->kept--;
	}
}

void gpu_clients_free(struct gpu_clients *c)
{
	if (!c)
		return;
	for (u32 i = 0; i < c->n; i++)
		close_file(c, &c->descriptors[i]);
	free(c->descriptors);
	free(c->owners);
	free(c->holders);
	free(c->slots);
	kbuf_fini(&c->buf);
	free(c);
}

static int room(void *array, u32 *cap, u32 n, size_t size)
{
	void **items = array, *grown;
	u32 more = *cap ? *cap : FIRST_ROOM;

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

/* First descriptor of this pid or a later one. */
static u32 first_of(const struct gpu_clients *c, u32 pid)
{
	u32 low = 0, high = c->n;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (c->descriptors[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Drop what is gone in [from, to); the rest moves up. */
static void drop(struct gpu_clients *c, u32 from, u32 to)
{
	u32 kept = from;

	if (from == to)
		return;
	for (u32 i = from; i < to; i++) {
		if (c->descriptors[i].state == DESCRIPTOR_GONE)
			close_file(c, &c->descriptors[i]);
		else
			c->descriptors[kept++] = c->descriptors[i];
	}
	memmove(c->descriptors + kept, c->descriptors + to, (c->n - to) * sizeof(*c->descriptors));
	c->n -= to - kept;
}

static bool same_file(const struct descriptor *d, u32 tid, const struct gpu_find *f)
{
	return d->fd == f->fd && d->tid == tid && d->major == f->major && d->minor == f->minor;
}

static int insert(
	struct gpu_clients *c, u32 at, u32 pid, u64 start_ticks, u32 tid, const struct gpu_find *f)
{
	int ret = room(&c->descriptors, &c->cap, c->n + 1, sizeof(*c->descriptors));

	if (ret)
		return ret;
	memmove(c->descriptors + at + 1, c->descriptors + at,
		(c->n - at) * sizeof(*c->descriptors));
	c->descriptors[at] = (struct descriptor){.start_ticks = start_ticks,
		.pid = pid,
		.tid = tid,
		.fd = f->fd,
		.major = f->major,
		.minor = f->minor,
		.found = true};
	c->n++;
	return 0;
}

int gpu_clients_found(struct gpu_clients *c, u32 pid, u64 start_ticks, u32 tid,
	const struct gpu_find *finds, u32 n)
{
	u32 from = first_of(c, pid), to = from, known;
	int ret = 0;

	while (to < c->n && c->descriptors[to].pid == pid) {
		struct descriptor *d = &c->descriptors[to++];

		d->found = d->tid != tid;
		/* the number of an ended process, used again */
		if (d->start_ticks != start_ticks)
			d->state = DESCRIPTOR_GONE;
	}
	known = to;
	for (u32 i = 0; i < n && !ret; i++) {
		u32 at = from;

		while (at < known && (c->descriptors[at].state == DESCRIPTOR_GONE ||
					     !same_file(&c->descriptors[at], tid, &finds[i])))
			at++;
		if (at < known)
			c->descriptors[at].found = true;
		else
			ret = insert(c, to++, pid, start_ticks, tid, &finds[i]);
	}
	for (u32 i = from; i < known && !ret; i++)
		if (!c->descriptors[i].found)
			c->descriptors[i].state = DESCRIPTOR_GONE;
	drop(c, from, to);
	return ret;
}

static int read_info(struct gpu_clients *c, struct descriptor *d)
{
	char path[PATH_SIZE];
	struct kfile once;
	int ret;

	if (!d->kept) {
		if (d->tid)
			snprintf(path, sizeof(path), "/proc/%u/task/%u/fdinfo/%u", d->pid, d->tid,
				d->fd);
		else
			snprintf(path, sizeof(path), "/proc/%u/fdinfo/%u", d->pid, d->fd);
		ret = kfile_init(c->kept < FILES_MOST ? &d->file : &once, path);
		if (ret)
			return ret;
		if (c->kept < FILES_MOST) {
			d->kept = true;
			c->kept++;
		}
	}
	ret = kfile_read(d->kept ? &d->file : &once, c->root, &c->buf);
	if (!d->kept)
		kfile_fini(&once);
	if (ret)
		return ret;
	fdinfo_parse(c->buf.data, kbuf_end(&c->buf), &c->info);
	return 0;
}

/* Where this client is in the table of slots, or the free one for it. */
static u32 *slot_of(struct gpu_clients *c, u64 key)
{
	u32 at = (u32)(key ^ key >> 32) & (c->nslots - 1);

	while (c->slots[at] && c->holders[c->slots[at] - 1].client_key != key)
		at = (at + 1) & (c->nslots - 1);
	return &c->slots[at];
}

static int begin(struct gpu_clients *c)
{
	u32 wanted = FIRST_ROOM;
	int ret = room(&c->holders, &c->holders_cap, c->n, sizeof(*c->holders));

	if (ret)
		return ret;
	while (wanted < 2 * c->n + 1)
		wanted *= 2;
	if (wanted > c->nslots) {
		u32 *grown = realloc(c->slots, wanted * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		c->slots = grown;
		c->nslots = wanted;
	}
	memset(c->slots, 0, c->nslots * sizeof(*c->slots));
	c->nholders = 0;
	return 0;
}

/* Its process holds this client. */
static void hold(struct holder *h, const struct descriptor *d)
{
	bool older = d->start_ticks < h->start_ticks ||
		     (d->start_ticks == h->start_ticks && d->pid < h->pid);

	if (h->last_pid != d->pid)
		h->holders++;
	h->last_pid = d->pid;
	if (!h->pid || older) {
		h->pid = d->pid;
		h->start_ticks = d->start_ticks;
		h->tid = d->tid;
	} else if (h->pid == d->pid && !d->tid) {
		h->tid = 0;
	}
}

/* Of the client that d is of, whose record is the reading's last one. */
static void add_holder(
	struct gpu_clients *c, const struct descriptor *d, const struct gpu_reading *r)
{
	struct holder *h = &c->holders[c->nholders];

	*h = (struct holder){.client_key = d->client_key, .record = r->nclients - 1};
	*slot_of(c, d->client_key) = ++c->nholders;
	hold(h, d);
}

static u64 key_of(const struct descriptor *d, const struct fdinfo *f, u64 device_key)
{
	const u64 parts[3] = {d->pid, d->start_ticks, (u64)d->tid << 32 | d->fd};

	/* a driver without ids: each descriptor by itself */
	return gpu_client_key(device_key,
		f->has_id ? f->client_id : key_from_name((const char *)parts, sizeof(parts)));
}

static void failed(struct descriptor *d, int error, struct gpu_reading *r)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		d->state = DESCRIPTOR_DENIED;
		d->retry_ns = r->at.mono_ns + RETRY_NS;
		r->own_only = true;
		break;
	case -ESRCH:
	case -ENOENT:
		d->state = DESCRIPTOR_GONE;
		break;
	default: /* tried again at the next reading */
		break;
	}
}

/* Read this descriptor and add its client, unless another one was read for it. */
static int take(struct gpu_clients *c, struct descriptor *d, const struct gpu_devices *devices,
	struct gpu_reading *r)
{
	struct client_device device;
	u32 slot;
	int ret = read_info(c, d);

	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		failed(d, ret, r);
		return 0;
	}
	if (!c->info.is_client) {
		d->state = DESCRIPTOR_OTHER;
		close_file(c, d);
		return 0;
	}
	client_device_of(&device, devices, &c->info, d->major, d->minor);
	d->client_key = key_of(d, &c->info, device.key);
	d->state = DESCRIPTOR_CLIENT;
	slot = *slot_of(c, d->client_key);
	if (slot) {
		hold(&c->holders[slot - 1], d);
		return 0;
	}
	if (!client_record_add(r, d->client_key, &device, devices, &c->info))
		return -ENOMEM;
	add_holder(c, d, r);
	return 0;
}

static int leave_asleep(struct gpu_clients *c, struct descriptor *d,
	const struct gpu_devices *devices, u32 index, struct gpu_reading *r)
{
	if (d->state != DESCRIPTOR_CLIENT)
		return 0;
	if (!client_record_asleep(r, d->client_key, devices, index))
		return -ENOMEM;
	add_holder(c, d, r);
	return 0;
}

static int look_at(struct gpu_clients *c, struct descriptor *d, const struct gpu_devices *devices,
	struct gpu_reading *r)
{
	int index = gpu_devices_by_number(devices, d->major, d->minor);
	u32 slot = d->state == DESCRIPTOR_CLIENT ? *slot_of(c, d->client_key) : 0;

	if (d->state == DESCRIPTOR_OTHER)
		return 0;
	if (slot) {
		hold(&c->holders[slot - 1], d);
		return 0;
	}
	if (index >= 0 && gpu_devices_gate(devices, (u32)index) != GATE_OPEN)
		return leave_asleep(c, d, devices, (u32)index, r);
	if (d->state == DESCRIPTOR_DENIED && r->at.mono_ns < d->retry_ns) {
		r->own_only = true;
		return 0;
	}
	return take(c, d, devices, r);
}

static struct owner *owner_of(struct gpu_clients *c, u64 key)
{
	struct owner *o;

	for (u32 i = 0; i < c->nowners; i++)
		if (c->owners[i].client_key == key)
			return &c->owners[i];
	if (room(&c->owners, &c->owners_cap, c->nowners + 1, sizeof(*c->owners)))
		return NULL;
	o = &c->owners[c->nowners++];
	*o = (struct owner){.client_key = key};
	return o;
}

/* The name is looked up when the client comes to belong to another process. */
static int name_owner(struct gpu_clients *c, const struct holder *h, struct gpu_client_record *r)
{
	struct owner *o = owner_of(c, h->client_key);
	char path[PATH_SIZE];

	if (!o)
		return -ENOMEM;
	if (o->pid != h->pid || o->start_ticks != h->start_ticks) {
		snprintf(path, sizeof(path), "/proc/%u/comm", h->pid);
		if (root_read(c->root, path, o->command, sizeof(o->command)) < 0)
			o->command[0] = '\0';
		o->pid = h->pid;
		o->start_ticks = h->start_ticks;
	}
	o->seen = true;
	memcpy(r->command, o->command, sizeof(r->command));
	return 0;
}

static int finish(struct gpu_clients *c, struct gpu_reading *r)
{
	u32 kept = 0;
	int ret = 0;

	for (u32 i = 0; i < c->nowners; i++)
		c->owners[i].seen = false;
	for (u32 i = 0; i < c->nholders && !ret; i++) {
		const struct holder *h = &c->holders[i];
		struct gpu_client_record *record = &r->clients[h->record];

		client_set(record, CLIENT_PID, h->pid);
		client_set(record, CLIENT_STARTED, h->start_ticks);
		client_set(record, CLIENT_HOLDERS, h->holders);
		if (h->tid)
			client_set(record, CLIENT_TID, h->tid);
		ret = name_owner(c, h, record);
	}
	for (u32 i = 0; i < c->nowners; i++)
		if (c->owners[i].seen)
			c->owners[kept++] = c->owners[i];
	c->nowners = kept;
	return ret;
}

int gpu_clients_read(
	struct gpu_clients *c, const struct gpu_devices *devices, struct gpu_reading *r)
{
	int ret = begin(c);

	for (u32 i = 0; i < c->n && !ret; i++)
		ret = look_at(c, &c->descriptors[i], devices, r);
	drop(c, 0, c->n);
	return ret ? ret : finish(c, r);
}

u32 gpu_clients_count(const struct gpu_clients *c, u32 *descriptors)
{
	*descriptors = c->n;
	return c->nholders;
}
