/* Which kernel events a list asks for: "sched,irq,block/block_rq_issue,sched:sched_switch,syscalls". */
#ifndef TARE_FTRACE_SELECT_H
#define TARE_FTRACE_SELECT_H

#include "base/err.h"
#include "base/types.h"

/* Called for each event that is asked for, once: not zero ends it and is returned. */
typedef int select_fn(void *arg, const char *group, const char *name);

/* list: commas between words; a word is a preset, GROUP, NAME, GROUP/NAME or GROUP:NAME, with * and ? in either.
 * available: the text of available_events ("group:name" a line). 0, what fn returned, or -ENOENT with the word in err
 * that nothing answers to. */
int select_events(
	const char *list, const char *available, select_fn *fn, void *arg, struct err *err);

/* "sched cpu io …", for people. */
extern const char select_presets[];

#endif
