#include "process/cgroups.h"

#include <stdlib.h>
#include <string.h>

#include "process/container.h"

enum { AT_FIRST = 256, FILE_MOST = 8192, FORGET_EVERY = 64, READ_AGAIN = 8 };

void cgroups_init(struct cgroups *c, struct piddir *dir)
{
	*c = (struct cgroups){.dir = dir};
}

static void drop_all(struct cgroups *c)
{
	for (u32 i = 0; i < c->cap; i++)
		free(c->items[i].path);
	free(c->items);
}

void cgroups_fini(struct cgroups *c)
{
	drop_all(c);
	*c = (struct cgroups){0};
}

/* The place of id, or the free one where it belongs. */
static struct cgroup_path *place(struct cgroup_path *items, u32 cap, u64 id)
{
	u32 i = (u32)(id * 0x9e3779b97f4a7c15ull >> 32) & (cap - 1);

	while (items[i].id && items[i].id != id)
		i = (i + 1) & (cap - 1);
	return &items[i];
}

/* Anew, in cap places, with those that were asked for since turn. */
static int rehash(struct cgroups *c, u32 cap, u32 since)
{
	struct cgroup_path *items = calloc(cap, sizeof(*items));
	u32 n = 0;

	if (!items)
		return -1;
	for (u32 i = 0; i < c->cap; i++) {
		if (!c->items[i].id)
			continue;
		if (c->items[i].used < since) {
			free(c->items[i].path);
			continue;
		}
		*place(items, cap, c->items[i].id) = c->items[i];
		n++;
	}
	free(c->items);
	c->items = items;
	c->cap = cap;
	c->n = n;
	return 0;
}

void cgroups_turn(struct cgroups *c)
{
	c->turn++;
	if (c->n > AT_FIRST && c->turn % FORGET_EVERY == 0)
		rehash(c, c->cap, c->turn - FORGET_EVERY);
}

static int read_path(struct cgroups *c, u32 pid, const char *name, struct cgroup_path *out)
{
	char file[FILE_MOST];
	struct cgroup_slice path, container;
	int len = piddir_read(c->dir, pid, name, file, sizeof(file));

	if (len < 0)
		return len;
	path = cgroup_of_file(file, file + len);
	if (!path.text)
		return -1;
	container = container_of_cgroup(path);
	out->path = malloc(path.len + 1);
	if (!out->path)
		return -1;
	memcpy(out->path, path.text, path.len);
	out->len = path.len;
	out->container_len = container.len;
	out->container_at = container.len ? (u32)(container.text - path.text) : 0;
	/* more than the one line of version 2 */
	c->each |= memchr(file, '\n', (size_t)len) != file + len - 1;
	return 0;
}

/* Where the number does not tell the path, a process may be moved without notice. */
static bool is_old(const struct cgroups *c, const struct cgroup_path *at)
{
	/* one that ends is said to be at the top, also when another thread of it lives on */
	return c->each && c->turn - at->read >= (at->len == 1 ? 1 : READ_AGAIN);
}

static const struct cgroup_path *read_again(
	struct cgroups *c, struct cgroup_path *at, u32 pid, const char *file)
{
	struct cgroup_path new = {.id = at->id, .used = c->turn, .read = c->turn};

	if (read_path(c, pid, file, &new))
		return at; /* it ends just now */
	free(at->path);
	*at = new;
	return at;
}

const struct cgroup_path *cgroups_path(
	struct cgroups *c, u64 id, u32 pid, const char *file, u64 key)
{
	struct cgroup_path *at, new = {.id = c->each ? key : id, .used = c->turn, .read = c->turn};

	at = c->cap ? place(c->items, c->cap, new.id) : NULL;
	if (at && at->id) {
		at->used = c->turn;
		return is_old(c, at) ? read_again(c, at, pid, file) : at;
	}
	if (read_path(c, pid, file, &new))
		return NULL;
	if ((c->n + 1) * 2 > c->cap && rehash(c, c->cap ? c->cap * 2 : AT_FIRST, 0)) {
		free(new.path);
		return NULL;
	}
	at = place(c->items, c->cap, new.id);
	*at = new;
	c->n++;
	return at;
}
