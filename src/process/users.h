/* Names of users or groups, from the machine's own lists of them (passwd(5), group(5)) and nothing else:
 * asking the name service may wait for a network. An id that is not in the list is its number. */
#ifndef TARE_PROCESS_USERS_H
#define TARE_PROCESS_USERS_H

#include "base/kfile.h"
#include "core/table.h"

enum { USER_NAME_MOST = 32 };

struct user {
	u32 uid;
	u32 len;
	u64 reading; /* of which ref is */
	text_ref ref;
	char name[USER_NAME_MOST];
};

struct users {
	const struct root *root;
	const char *path;
	struct user *items; /* ascending by uid */
	u32 n, cap;
	struct kbuf buf;
	u32 generation;
	bool known;
	u64 looked_ns; /* CLOCK_MONOTONIC */
	s64 mtime_s, mtime_ns;
	u64 size;
};

/* path: "/etc/passwd" or "/etc/group"; their first and third words are name and id. */
void users_init(struct users *u, const struct root *root, const char *path);
void users_fini(struct users *u);
/* Read the list at first, when a recorded root moved on, and when the file changed; looks at most
 * every 30 s of now_ns. 0 or -ENOMEM; without the file every user is a number. */
int users_refresh(struct users *u, u64 now_ns);
/* Name of uid as text in t, stored once for each reading (a number that the caller counts up).
 * 0 or -ENOMEM. */
int users_text(struct users *u, u32 uid, u64 reading, struct table *t, text_ref *out);

#endif
