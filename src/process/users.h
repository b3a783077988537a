/* User names by id, from /etc/passwd below the root and from nothing else: a directory service may block,
 * and this is asked on the tick. Read once at start. */
#ifndef TARE_PROCESS_USERS_H
#define TARE_PROCESS_USERS_H

#include "base/root.h"

struct user {
	u32 uid;
	char name[36];
};

struct users {
	struct user *user; /* ascending by id */
	u32 n, cap;
};

/* A missing file is no users: everybody is a number then. 0 or -ENOMEM. */
int users_load(struct users *users, const struct root *root);
void users_free(struct users *users);
/* Name, or NULL. */
const char *users_name(const struct users *users, u32 uid);

#endif
