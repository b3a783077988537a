#include "process/users.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"

static int add(struct users *u, const char *p, const char *line)
{
	const char *name_end = memchr(p, ':', (size_t)(line - p)), *q;
	struct user *user;
	bool ok = true;
	u64 uid = 0;

	if (!name_end || name_end == p)
		return 0;
	q = memchr(name_end + 1, ':', (size_t)(line - name_end - 1));
	if (!q)
		return 0;
	scan_u64(q + 1, line, &uid, &ok);
	if (!ok || uid > UINT32_MAX)
		return 0;
	if (u->n == u->cap) {
		u32 cap = u->cap ? u->cap * 2 : 64;

		user = realloc(u->user, cap * sizeof(*user));
		if (!user)
			return -ENOMEM;
		u->user = user;
		u->cap = cap;
	}
	user = &u->user[u->n++];
	*user = (struct user){.uid = (u32)uid};
	memcpy(user->name, p, min_u64((u64)(name_end - p), sizeof(user->name) - 1));
	return 0;
}

static int by_uid(const void *a, const void *b)
{
	const struct user *x = a, *y = b;

	return x->uid < y->uid ? -1 : x->uid > y->uid;
}

int users_load(struct users *users, const struct root *root)
{
	struct kfile file;
	struct kbuf buf;
	int ret = kfile_init(&file, "/etc/passwd");

	*users = (struct users){0};
	kbuf_init(&buf);
	if (!ret && !kfile_read(&file, root, &buf)) {
		const char *end = kbuf_end(&buf);

		for (const char *p = buf.data; p < end && !ret; p = scan_next_line(p, end))
			ret = add(users, p, scan_line_end(p, end));
		if (users->n)
			qsort(users->user, users->n, sizeof(*users->user), by_uid);
	}
	kfile_fini(&file);
	kbuf_fini(&buf);
	return ret;
}

void users_free(struct users *users)
{
	free(users->user);
	*users = (struct users){0};
}

const char *users_name(const struct users *users, u32 uid)
{
	const struct user key = {.uid = uid}, *found;

	if (!users->n)
		return NULL;
	found = bsearch(&key, users->user, users->n, sizeof(key), by_uid);
	return found ? found->name : NULL;
}
