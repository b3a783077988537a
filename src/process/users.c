#include "process/users.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scan.h"

#define LOOK_AGAIN_NS (30 * NSEC_PER_SEC)

void users_init(struct users *u, const struct root *root, const char *path)
{
	*u = (struct users){.root = root, .path = path};
	kbuf_init(&u->buf);
}

void users_fini(struct users *u)
{
	free(u->items);
	kbuf_fini(&u->buf);
	u->items = NULL;
	u->n = u->cap = 0;
}

/* First entry whose uid is not below this one. */
static u32 place(const struct users *u, u32 uid)
{
	u32 lo = 0, hi = u->n;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (u->items[mid].uid < uid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The first entry of a uid stays, as for getpwuid(3). */
static int add(struct users *u, u32 uid, const char *name, size_t len)
{
	u32 at = place(u, uid);

	if (at < u->n && u->items[at].uid == uid)
		return 0;
	if (u->n == u->cap) {
		u32 cap = u->cap ? u->cap * 2 : 64;
		struct user *items = realloc(u->items, cap * sizeof(*items));

		if (!items)
			return -ENOMEM;
		u->items = items;
		u->cap = cap;
	}
	memmove(u->items + at + 1, u->items + at, (u->n - at) * sizeof(*u->items));
	if (len > USER_NAME_MOST)
		len = USER_NAME_MOST;
	u->items[at] = (struct user){.uid = uid, .len = (u32)len};
	memcpy(u->items[at].name, name, len);
	u->n++;
	return 0;
}

/* One line: name:password:uid:… */
static int add_line(struct users *u, const char *p, const char *end)
{
	const char *name_end = memchr(p, ':', (size_t)(end - p)), *uid;
	bool ok = true;
	u64 v = 0;

	if (!name_end || name_end == p)
		return 0;
	uid = memchr(name_end + 1, ':', (size_t)(end - name_end - 1));
	if (!uid)
		return 0;
	uid = scan_u64(uid + 1, end, &v, &ok);
	if (!ok || uid >= end || *uid != ':' || v > UINT32_MAX)
		return 0;
	return add(u, (u32)v, p, (size_t)(name_end - p));
}

static int load(struct users *u)
{
	struct kfile file;
	int ret = kfile_init(&file, u->path);

	if (ret)
		return ret;
	u->n = 0;
	ret = kfile_read(&file, u->root, &u->buf);
	kfile_fini(&file);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	for (const char *p = u->buf.data, *end = kbuf_end(&u->buf); p < end && !ret;
		p = scan_next_line(p, end))
		ret = add_line(u, p, scan_line_end(p, end));
	return ret;
}

static bool changed(struct users *u)
{
	int fd = root_open(u->root, u->path, O_PATH);
	struct stat st = {0};
	bool same;

	if (fd >= 0) {
		if (fstat(fd, &st))
			st = (struct stat){0};
		close(fd);
	}
	same = u->known && u->mtime_s == st.st_mtim.tv_sec && u->mtime_ns == st.st_mtim.tv_nsec &&
	       u->size == (u64)st.st_size;
	u->mtime_s = st.st_mtim.tv_sec;
	u->mtime_ns = st.st_mtim.tv_nsec;
	u->size = (u64)st.st_size;
	return !same;
}

int users_refresh(struct users *u, u64 now_ns)
{
	bool moved = u->generation != u->root->generation;
	int ret;

	if (u->known && !moved && now_ns - u->looked_ns < LOOK_AGAIN_NS)
		return 0;
	u->looked_ns = now_ns;
	u->generation = u->root->generation;
	if (!changed(u) && !moved)
		return 0;
	ret = load(u);
	u->known = !ret;
	return ret;
}

static int add_number(struct users *u, u32 uid)
{
	char digits[10], *p = digits + sizeof(digits);
	u32 v = uid;

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	return add(u, uid, p, (size_t)(digits + sizeof(digits) - p));
}

int users_text(struct users *u, u32 uid, u64 reading, struct table *t, text_ref *out)
{
	u32 at = place(u, uid);
	struct user *user;
	int ret;

	if (at == u->n || u->items[at].uid != uid) {
		ret = add_number(u, uid);
		if (ret)
			return ret;
	}
	user = &u->items[at];
	if (user->reading != reading) {
		ret = table_text(t, user->name, user->len, &user->ref);
		if (ret)
			return ret;
		user->reading = reading;
	}
	*out = user->ref;
	return 0;
}
