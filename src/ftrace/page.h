/* One sub-buffer of the kernel's trace ring, as one read(2) of per_cpu/cpuN/trace_pipe_raw gives it: bytes to records, no
 * I/O. Little-endian, 64 bit. Format: Documentation/trace/ring-buffer-design.rst, events/header_page and
 * events/header_event of tracefs, include/linux/ring_buffer.h. */
#ifndef TARE_FTRACE_PAGE_H
#define TARE_FTRACE_PAGE_H

#include <string.h>

#include "base/types.h"

enum { PAGE_HEADER = 16 }; /* u64 time of the first event, u64 commit word */

/* Why a page, or what is left of one, cannot be read. Numbers as Perfetto's FtraceParseStatus. */
enum page_problem {
	PAGE_FINE = 1,
	PAGE_PARTIAL = 3,       /* less than a header was read */
	PAGE_BAD_HEADER = 4,    /* more payload than there is room */
	PAGE_SHORT_EVENT = 5,   /* less than an event's header is left */
	PAGE_NULL_PADDING = 6,  /* "rest of the page" within the payload */
	PAGE_SHORT_PADDING = 7, /* no room for the padding's length */
	PAGE_BAD_PADDING = 8,   /* a padding longer than what is left, or shorter than its length */
	PAGE_SHORT_EXTEND = 9,  /* no room for the upper half of a time extend */
	PAGE_SHORT_STAMP = 10,  /* the same of an absolute stamp */
	PAGE_SHORT_LENGTH = 11, /* no room for a data length */
	PAGE_ZERO_LENGTH = 12,  /* data of length 0 */
	PAGE_BAD_LENGTH = 13,   /* a data length that does not hold itself */
	PAGE_SHORT_ID = 14,     /* data too short for an event's number */
	PAGE_OVERFLOW = 15,     /* data behind the end */
	PAGE_PROBLEMS
};

struct page {
	const u8 *at, *end; /* what is not read yet of the payload */
	u64 stamp;          /* ns: of the newest record; at first of the page */
	bool lost;          /* events were missed before this page */
	bool counted;       /* `missed` is how many */
	u64 missed;
	enum page_problem problem; /* PAGE_FINE, or why page_next() stopped before the end */
};

/* A record's data, from its common_type on; valid as long as the page's bytes. */
struct record {
	const u8 *data;
	u32 size;
	u16 id;
};

/* bytes: what was read. A page with a bad header has no record. Returns p->problem. */
enum page_problem page_open(struct page *p, const void *bytes, size_t size);

/* page_next() for what is no plain data record: true when one follows and *r is it. */
bool page_next_rare(struct page *p, struct record *r);

static inline u16 page_u16(const u8 *at)
{
	u16 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline u32 page_u32(const u8 *at)
{
	u32 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline u64 page_u64(const u8 *at)
{
	u64 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* The next record, with p->stamp as its time. false: there is none, or p->problem says why no more can be read. */
static inline bool page_next(struct page *p, struct record *r)
{
	u32 head, type;

	if (p->end - p->at < 4)
		return page_next_rare(p, r);
	head = page_u32(p->at);
	type = head & 31;
	if (type - 1 >= 28 || (u32)(p->end - p->at) < 4 + 4 * type)
		return page_next_rare(p, r);
	p->stamp += head >> 5;
	r->data = p->at + 4;
	r->size = 4 * type;
	r->id = page_u16(r->data);
	p->at += 4 + r->size;
	return true;
}

#endif
