/* The keys of the live view: one const table that dispatches them, labels the bottom line and makes
 * the help, so that they cannot disagree. */
#ifndef TARE_TUI_KEYS_H
#define TARE_TUI_KEYS_H

#include "base/types.h"

enum action {
	ACTION_NONE,
	ACTION_HELP,
	ACTION_PANELS,
	ACTION_FIND,
	ACTION_FIND_NEXT,
	ACTION_FILTER,
	ACTION_TREE,
	ACTION_SORT,
	ACTION_KILL,
	ACTION_TAG,
	ACTION_UNTAG,
	ACTION_NICE_DOWN,
	ACTION_NICE_UP,
	ACTION_NICE,
	ACTION_CPUS,
	ACTION_DETAILS,
	ACTION_QUIT,
	ACTION_PAUSE,
	ACTION_UP,
	ACTION_DOWN,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_FIRST,
	ACTION_LAST,
	ACTION_LEFT,
	ACTION_RIGHT,
	ACTION_FOLLOW,
	ACTION_KERNEL,
	ACTION_PATH,
	ACTION_USER,
	ACTION_INVERT,
	ACTION_BY_CPU,
	ACTION_BY_MEMORY,
	ACTION_BY_TIME,
	ACTION_BY_PID,
	ACTION_UNFOLD,
	ACTION_FOLD,
	ACTION_FOLD_ALL,
	ACTION_FASTER,
	ACTION_SLOWER,
	ACTION_OWN,
	ACTION_GRAPH,
	ACTION_GPUS,
	ACTION_CHARSET,
	ACTION_PER_CPU,
	ACTION_FILESYSTEMS,
	ACTION_DOCTOR,
	ACTION_COLUMNS,
	ACTION_THREADS,
	ACTION_GROUP,
	ACTION_BACK,
	ACTION_SUSPEND,
	ACTION_REDRAW,
	ACTION_COUNT,
};

struct key_entry {
	u32 keys[4];       /* 0: none */
	u8 action;         /* enum action */
	const char *names; /* as the help writes the keys */
	const char *bar;   /* label in the bottom line, NULL: not there */
	const char *help;
};

extern const struct key_entry key_entries[];
extern const u32 key_entry_count;
enum action key_action(u32 key);

#endif
