/* What the user wants done to processes, carried out by what the application lends, and the outcome in one
 * line of words. */
#ifndef TARE_TUI_INTENT_H
#define TARE_TUI_INTENT_H

#include "base/root.h"
#include "core/details.h"

enum intent_kind { INTENT_SIGNAL, INTENT_NICE_STEP, INTENT_NICE, INTENT_CPUS };

struct target {
	u64 key; /* in the process table */
	s32 pid;
	char name[40]; /* safe for a terminal */
};

struct intent {
	enum intent_kind kind;
	int number;       /* signal; nice value or step */
	const char *cpus; /* a list such as "0-3,8" */
	const struct target *target;
	u32 n;
};

enum { INTENT_CPUS_TEXT = 512 };

/* Each acts on the process of this key and no other that has its pid: 0 when done, 1 when done in part,
 * or -errno; said gets words for a person in every case. */
struct process_ops {
	int (*signal)(const struct root *root, u64 key, int sig, struct err *said);
	int (*renice)(const struct root *root, u64 key, int value, bool step, struct err *said);
	int (*set_cpus)(const struct root *root, u64 key, const char *list, struct err *said);
	int (*cpus)(const struct root *root, u64 key, char out[INTENT_CPUS_TEXT], struct err *said);
	/* Lines about it, to be freed by the caller; flags of enum details_flag. 0 or -errno. */
	int (*details)(const struct root *root, const struct clock *clock, u64 key, u32 flags,
		struct details *out, struct err *said);
};

/* One after the other, whatever became of those before; text says what was done and why not the rest. */
void intent_run(const struct intent *intent, const struct process_ops *ops, const struct root *root,
	char *text, u32 size);

#endif
