#include "ftrace/page.h"

enum {
	PADDING = 29,
	TIME_EXTEND = 30,
	TIME_STAMP = 31,
	DATA_MOST = 28, /* types 1 to 28 are data of so many words */
	DELTA_BITS = 27,
};

#define PAYLOAD_MASK ((1ull << 27) - 1)
#define COUNT_STORED (1ull << 30)
#define MISSED       (1ull << 31)
#define STAMP_TOP    (31ull << 59) /* an absolute stamp has the bits below these */

enum page_problem page_open(struct page *p, const void *bytes, size_t size)
{
	const u8 *at = bytes;
	u64 commit, payload;

	*p = (struct page){.at = at, .end = at, .problem = PAGE_FINE};
	if (size < PAGE_HEADER)
		return p->problem = PAGE_PARTIAL;
	p->stamp = page_u64(at);
	commit = page_u64(at + 8);
	/* the word's upper half is sign-extended: every bit is masked */
	payload = commit & PAYLOAD_MASK;
	p->lost = commit & MISSED;
	if (payload > size - PAGE_HEADER)
		return p->problem = PAGE_BAD_HEADER;
	p->at = at + PAGE_HEADER;
	p->end = p->at + payload;
	if (p->lost && commit & COUNT_STORED && size - PAGE_HEADER - payload >= 8) {
		p->counted = true;
		p->missed = page_u64(p->end);
	}
	return PAGE_FINE;
}

static bool stop(struct page *p, enum page_problem why)
{
	p->problem = why;
	p->at = p->end;
	return false;
}

/* The upper half of a time; its lower half is the header's delta. */
static u64 upper(const u8 *at)
{
	return (u64)page_u32(at + 4) << DELTA_BITS;
}

/* Bits 59 and up are the newest stamp's; one that is before it has passed their border. */
static u64 whole_stamp(u64 newest, u64 stamp)
{
	stamp |= newest & STAMP_TOP;
	return stamp < newest && newest & STAMP_TOP ? stamp + (1ull << 59) : stamp;
}

/* 0, or the bytes of a record of type 0 or of a padding, whose length follows the header. */
static u32 length_at(const u8 *at, u32 left, enum page_problem short_one, enum page_problem zero,
	enum page_problem bad, enum page_problem behind, enum page_problem *problem)
{
	u32 length;

	*problem = short_one;
	if (left < 8)
		return 0;
	length = page_u32(at + 4);
	*problem = !length ? zero : bad;
	if (length < 4)
		return 0;
	*problem = behind;
	return length <= left - 4 ? length : 0;
}

static bool data_at(struct page *p, u32 delta, const u8 *data, u32 size, struct record *r)
{
	if (size < 2)
		return stop(p, PAGE_SHORT_ID);
	p->stamp += delta;
	*r = (struct record){.data = data, .size = size, .id = page_u16(data)};
	p->at = data + size;
	return true;
}

bool page_next_rare(struct page *p, struct record *r)
{
	enum page_problem problem;

	while (p->at < p->end) {
		u32 left = (u32)(p->end - p->at), head, delta, length;

		if (left < 4)
			return stop(p, PAGE_SHORT_EVENT);
		head = page_u32(p->at);
		delta = head >> 5;
		switch (head & 31) {
		case PADDING:
			if (!delta)
				return stop(p, PAGE_NULL_PADDING);
			length = length_at(p->at, left, PAGE_SHORT_PADDING, PAGE_BAD_PADDING,
				PAGE_BAD_PADDING, PAGE_BAD_PADDING, &problem);
			if (!length)
				return stop(p, problem);
			/* a discarded event's time counts */
			p->stamp += delta;
			p->at += 4 + length;
			break;
		case TIME_EXTEND:
			if (left < 8)
				return stop(p, PAGE_SHORT_EXTEND);
			p->stamp += delta + upper(p->at);
			p->at += 8;
			break;
		case TIME_STAMP:
			if (left < 8)
				return stop(p, PAGE_SHORT_STAMP);
			p->stamp = whole_stamp(p->stamp, delta + upper(p->at));
			p->at += 8;
			break;
		case 0:
			length = length_at(p->at, left, PAGE_SHORT_LENGTH, PAGE_ZERO_LENGTH,
				PAGE_BAD_LENGTH, PAGE_OVERFLOW, &problem);
			if (!length)
				return stop(p, problem);
			return data_at(p, delta, p->at + 8, length - 4, r);
		default:
			length = 4 * (head & 31);
			if (length > left - 4)
				return stop(p, PAGE_OVERFLOW);
			return data_at(p, delta, p->at + 4, length, r);
		}
	}
	return false;
}
