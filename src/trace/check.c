#include "trace/check.h"

#include <string.h>

#include "trace/proto_read.h"

enum {
	TRACE_PACKET = 1,
	PACKET_FTRACE = 1,
	PACKET_CLOCKS = 6,
	PACKET_STATS = 34,
	PACKET_SYSTEM = 45
};
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3, BUNDLE_COMPACT = 4, EVENT_TIMESTAMP = 1 };
enum { COMPACT_SWITCH = 1, COMPACT_WAKING = 7, STATS_PHASE = 1, STATS_CPU = 2, PHASE_END = 2 };
enum { COUNT_CPU = 1, COUNT_OVERRUN = 3, COUNT_DROPPED = 8, CLOCK_REAL = 1, CLOCK_BOOT = 6 };
enum { SYSTEM_UTSNAME = 1, SYSTEM_VERSION = 4, UTS_SYSNAME = 1, UTS_RELEASE = 3, UTS_MACHINE = 4 };

/* Each reader of a message returns whether it could be read to its end. */

static void see_time(struct check *c, u64 ns)
{
	if (!c->first_ns || ns < c->first_ns)
		c->first_ns = ns;
	if (ns > c->last_ns)
		c->last_ns = ns;
}

/* The first number of a field; 0: it is not there. */
static bool number_of(struct proto_span s, u32 number, u64 *out)
{
	struct proto_field f;
	int ret;

	*out = 0;
	while ((ret = proto_next(&s, &f)) > 0)
		if (f.number == number && !f.span.at) {
			*out = f.value;
			return true;
		}
	return ret == 0;
}

/* A list of differences. */
static bool read_list(struct check *c, struct proto_span s, u64 *n)
{
	u64 time = 0, step;

	while (s.at < s.end) {
		if (!proto_take_varint(&s, &step))
			return false;
		time += step;
		see_time(c, time);
		(*n)++;
	}
	return true;
}

static bool read_compact(struct check *c, struct proto_span s, u64 *n)
{
	struct proto_field f;
	int ret;

	while ((ret = proto_next(&s, &f)) > 0)
		if ((f.number == COMPACT_SWITCH || f.number == COMPACT_WAKING) && f.span.at &&
			!read_list(c, f.span, n))
			return false;
	return ret == 0;
}

static bool read_bundle(struct check *c, struct proto_span s)
{
	u64 cpu = 0, lost = 0, n = 0, time;
	struct proto_field f;
	int ret;

	while ((ret = proto_next(&s, &f)) > 0) {
		if (f.number == BUNDLE_CPU) {
			cpu = f.value;
		} else if (f.number == BUNDLE_LOST) {
			lost = f.value;
		} else if (f.number == BUNDLE_EVENT && f.span.at) {
			if (!number_of(f.span, EVENT_TIMESTAMP, &time))
				return false;
			see_time(c, time);
			n++;
		} else if (f.number == BUNDLE_COMPACT && f.span.at &&
			   !read_compact(c, f.span, &n)) {
			return false;
		}
	}
	if (ret < 0 || cpu >= CHECK_CPUS)
		return false;
	c->events += n;
	c->cpu[cpu].events += n;
	c->cpu[cpu].gaps += lost != 0;
	if (cpu >= c->ncpus)
		c->ncpus = (u32)cpu + 1;
	return true;
}

static bool read_counts(struct check *c, struct proto_span s, bool end)
{
	u64 cpu, overrun, dropped;

	if (!number_of(s, COUNT_CPU, &cpu) || !number_of(s, COUNT_OVERRUN, &overrun) ||
		!number_of(s, COUNT_DROPPED, &dropped) || cpu >= CHECK_CPUS)
		return false;
	if (cpu >= c->ncpus)
		c->ncpus = (u32)cpu + 1;
	if (end) {
		c->cpu[cpu].lost_at_end = overrun + dropped;
		c->cpu[cpu].told = true;
	} else {
		c->cpu[cpu].lost_before = overrun + dropped;
	}
	return true;
}

static bool read_stats(struct check *c, struct proto_span s)
{
	struct proto_field f;
	u64 phase;
	int ret;

	if (!number_of(s, STATS_PHASE, &phase))
		return false;
	c->ended |= phase == PHASE_END;
	while ((ret = proto_next(&s, &f)) > 0)
		if (f.number == STATS_CPU && f.span.at &&
			!read_counts(c, f.span, phase == PHASE_END))
			return false;
	return ret == 0;
}

static bool read_clocks(struct check *c, struct proto_span s)
{
	struct proto_field f;
	int ret;

	while ((ret = proto_next(&s, &f)) > 0) {
		u64 id, ns;

		if (f.number != 1 || !f.span.at)
			continue;
		if (!number_of(f.span, 1, &id) || !number_of(f.span, 2, &ns))
			return false;
		c->clocks |= id < CHECK_CLOCKS ? 1ull << id : 0;
		if (id == CLOCK_BOOT && !c->boot_ns)
			c->boot_ns = ns;
		if (id == CLOCK_REAL && !c->real_ns)
			c->real_ns = ns;
	}
	return ret == 0;
}

static void add_text(char *to, struct proto_span s)
{
	size_t used = strlen(to), len = (size_t)(s.end - s.at);

	if (used + 1 >= CHECK_TEXT)
		return;
	if (used)
		to[used++] = ' ';
	if (len > CHECK_TEXT - 1 - used)
		len = CHECK_TEXT - 1 - used;
	memcpy(to + used, s.at, len);
	to[used + len] = '\0';
}

static bool read_utsname(struct check *c, struct proto_span s)
{
	struct proto_field f;
	int ret;

	c->system[0] = '\0';
	while ((ret = proto_next(&s, &f)) > 0)
		if (f.span.at && (f.number == UTS_SYSNAME || f.number == UTS_RELEASE ||
					 f.number == UTS_MACHINE))
			add_text(c->system, f.span);
	return ret == 0;
}

static bool read_system(struct check *c, struct proto_span s)
{
	struct proto_field f;
	int ret;

	while ((ret = proto_next(&s, &f)) > 0) {
		if (f.number == SYSTEM_UTSNAME && f.span.at && !read_utsname(c, f.span))
			return false;
		if (f.number == SYSTEM_VERSION && f.span.at) {
			c->recorder[0] = '\0';
			add_text(c->recorder, f.span);
		}
	}
	return ret == 0;
}

static bool read_packet(struct check *c, struct proto_span s)
{
	struct proto_field f;
	bool good = true;
	int ret;

	while ((ret = proto_next(&s, &f)) > 0) {
		if (!f.span.at)
			continue;
		if (f.number == PACKET_FTRACE)
			good &= read_bundle(c, f.span);
		else if (f.number == PACKET_CLOCKS)
			good &= read_clocks(c, f.span);
		else if (f.number == PACKET_STATS)
			good &= read_stats(c, f.span);
		else if (f.number == PACKET_SYSTEM)
			good &= read_system(c, f.span);
	}
	return good && ret == 0;
}

void check_trace(struct check *out, const u8 *bytes, u64 size)
{
	struct proto_span s = {bytes, bytes + size};
	struct proto_field f;

	memset(out, 0, sizeof(*out));
	out->size = size;
	while (proto_next(&s, &f) > 0 && f.number == TRACE_PACKET && f.span.at) {
		out->packets++;
		out->bad_packets += !read_packet(out, f.span);
		out->whole = (u64)(s.at - bytes);
	}
}

s64 check_lost(const struct check_cpu *cpu)
{
	return cpu->told ? (s64)(cpu->lost_at_end - cpu->lost_before) : -1;
}
