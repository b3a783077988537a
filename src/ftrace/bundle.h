/* Records of one CPU after the other as packets of a trace: FtraceEventBundle. */
#ifndef TARE_FTRACE_BUNDLE_H
#define TARE_FTRACE_BUNDLE_H

#include "ftrace/compact.h"
#include "ftrace/plan.h"
#include "trace/writer.h"

enum { BUNDLE_ROOM = 1 << 20, BUNDLE_WRITER = 2 * BUNDLE_ROOM };

struct bundle_event {
	struct event_format format;
	struct plan plan;
};

struct bundle_cpu {
	u64 newest;    /* time of the newest record that was written */
	bool switched; /* a switch was written in full: what runs is known */
	u64 events, missed;
	u64 gaps; /* pages before which events were missed, how many is not said */
};

struct bundler {
	struct trace_writer *w;
	struct bundle_event *events;
	u32 nevents, cap;
	u16 *by_id; /* of an event's number its index + 1 */
	u32 switch_id, waking_id;
	struct compact compact;
	struct addresses addresses;
	struct bundle_cpu *cpus;
	u32 ncpus;
	u64 unknown;                 /* records of events that were not asked for */
	u64 problems[PAGE_PROBLEMS]; /* pages by enum page_problem */
	/* the open bundle; at NULL: none */
	u8 *at, *begin, *end;
	u32 cpu;
};

/* w has a buffer of BUNDLE_WRITER bytes or more. 0 or -ENOMEM. */
int bundler_init(struct bundler *b, struct trace_writer *w, u32 ncpus);
void bundler_fini(struct bundler *b);
/* An event that is asked for, after its format file. 0, -EINVAL with err, -ENOMEM. */
int bundler_know(
	struct bundler *b, const char *group, const char *text, size_t len, struct err *err);

/* The page's records, behind those of the same CPU. 0, or the writer's error. */
int bundle_page(struct bundler *b, u32 cpu, struct page *p);
/* End what is open: at the end of a CPU's turn. */
int bundle_end(struct bundler *b);

#endif
