#include "ftrace/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PACKET_BUNDLE = 1, BUNDLE_CPU = 1, BUNDLE_LOST = 3 };

int bundler_init(struct bundler *b, struct trace_writer *w, u32 ncpus)
{
	*b = (struct bundler){
		.w = w, .ncpus = ncpus, .switch_id = UINT32_MAX, .waking_id = UINT32_MAX};
	b->by_id = calloc(UINT16_MAX + 1, sizeof(*b->by_id));
	b->cpus = calloc(ncpus, sizeof(*b->cpus));
	if (b->by_id && b->cpus && !compact_init(&b->compact) && !addresses_init(&b->addresses))
		return 0;
	bundler_fini(b);
	return -ENOMEM;
}

void bundler_fini(struct bundler *b)
{
	for (u32 i = 0; i < b->nevents; i++) {
		plan_free(&b->events[i].plan);
		format_free(&b->events[i].format);
	}
	free(b->events);
	free(b->by_id);
	free(b->cpus);
	compact_fini(&b->compact);
	addresses_fini(&b->addresses);
	*b = (struct bundler){0};
}

static int grow(struct bundler *b)
{
	u32 cap = b->cap ? b->cap * 2 : 64;
	struct bundle_event *grown = realloc(b->events, cap * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	b->events = grown;
	b->cap = cap;
	return 0;
}

int bundler_know(
	struct bundler *b, const char *group, const char *text, size_t len, struct err *err)
{
	struct bundle_event *e;
	int ret = b->nevents == b->cap ? grow(b) : 0;

	if (ret)
		return ret;
	e = &b->events[b->nevents];
	ret = format_parse(&e->format, text, len, err);
	if (ret)
		return ret;
	if (b->by_id[e->format.id]) {
		format_free(&e->format);
		return 0;
	}
	ret = plan_make(&e->plan, group, &e->format);
	if (ret) {
		format_free(&e->format);
		return ret;
	}
	if (!strcmp(group, "sched") && !strcmp(e->format.name, "sched_switch")) {
		compact_know_switch(&b->compact, &e->format);
		b->switch_id = b->compact.switches.size ? e->format.id : UINT32_MAX;
	} else if (!strcmp(group, "sched") && !strcmp(e->format.name, "sched_waking")) {
		compact_know_waking(&b->compact, &e->format);
		b->waking_id = b->compact.wakings.size ? e->format.id : UINT32_MAX;
	}
	b->by_id[e->format.id] = (u16)++b->nevents;
	return 0;
}

static int begin(struct bundler *b, u32 cpu, bool lost)
{
	u8 *at = trace_packet(b->w, BUNDLE_ROOM);

	if (!at)
		return b->w->error;
	b->end = at + BUNDLE_ROOM - COMPACT_ROOM;
	at = proto_open(at, PACKET_BUNDLE, &b->begin);
	at = proto_u64(at, BUNDLE_CPU, cpu);
	if (lost)
		at = proto_u64(at, BUNDLE_LOST, 1);
	b->at = at;
	b->cpu = cpu;
	return 0;
}

int bundle_end(struct bundler *b)
{
	u8 *at;

	if (!b->at)
		return b->w->error;
	at = compact_write(&b->compact, b->at);
	proto_close(b->begin, at);
	trace_packet_end(b->w, at);
	b->at = NULL;
	return b->w->error;
}

static int renew(struct bundler *b, u32 cpu, bool lost)
{
	int ret = bundle_end(b);

	return ret ? ret : begin(b, cpu, lost);
}

/* In a message of its own. */
static int write_event(struct bundler *b, const struct record *r, u64 stamp)
{
	struct bundle_event *e = &b->events[b->by_id[r->id] - 1];
	size_t room = plan_room(&e->plan, r->size);
	int ret;

	if (e->plan.generic && !e->plan.described)
		room += plan_describe_room(&e->plan, &e->format);
	if (room > BUNDLE_ROOM / 2) {
		e->plan.bad++;
		return 0;
	}
	if ((size_t)(b->end - b->at) < room) {
		ret = renew(b, b->cpu, false);
		if (ret)
			return ret;
	}
	if (e->plan.generic && !e->plan.described) {
		b->at = plan_describe(&e->plan, &e->format, b->at);
		e->plan.described = true;
	}
	b->at = plan_write(&e->plan, r, stamp, &b->addresses, b->at);
	return 0;
}

static int write_switch(
	struct bundler *b, struct bundle_cpu *cpu, const struct record *r, u64 stamp)
{
	struct plan *p = &b->events[b->by_id[r->id] - 1].plan;
	int ret;

	/* readers take the first of a CPU's columns only for who runs: in full it is a switch like the others */
	if (!cpu->switched) {
		cpu->switched = true;
		return write_event(b, r, stamp);
	}
	p->seen++;
	if (compact_switch(&b->compact, r, stamp))
		return 0;
	ret = renew(b, b->cpu, false);
	if (!ret)
		compact_switch(&b->compact, r, stamp);
	return ret;
}

static int write_waking(
	struct bundler *b, struct bundle_cpu *cpu, const struct record *r, u64 stamp)
{
	int ret;

	/* and wakings before that not at all */
	if (!cpu->switched)
		return write_event(b, r, stamp);
	b->events[b->by_id[r->id] - 1].plan.seen++;
	if (compact_waking(&b->compact, r, stamp))
		return 0;
	ret = renew(b, b->cpu, false);
	if (!ret)
		compact_waking(&b->compact, r, stamp);
	return ret;
}

static int write_record(
	struct bundler *b, struct bundle_cpu *cpu, const struct record *r, u64 stamp)
{
	if (r->id == b->switch_id && r->size >= b->compact.switches.size)
		return write_switch(b, cpu, r, stamp);
	if (r->id == b->waking_id && r->size >= b->compact.wakings.size)
		return write_waking(b, cpu, r, stamp);
	if (!b->by_id[r->id]) {
		b->unknown++;
		return 0;
	}
	return write_event(b, r, stamp);
}

int bundle_page(struct bundler *b, u32 cpu, struct page *p)
{
	struct bundle_cpu *c = &b->cpus[cpu];
	struct record r;
	int ret = 0;

	if (p->lost) {
		c->missed += p->missed;
		c->gaps += !p->counted;
	}
	if (!b->at || b->cpu != cpu || p->lost)
		ret = renew(b, cpu, p->lost);
	while (!ret && page_next(p, &r)) {
		ret = write_record(b, c, &r, p->stamp);
		c->events++;
		c->newest = p->stamp;
	}
	b->problems[p->problem]++;
	return ret;
}
