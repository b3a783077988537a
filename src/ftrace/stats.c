/* What the kernel itself counts of a ring, and Perfetto's message of it. */
#include "ftrace/drain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PACKET_FTRACE_STATS = 34,
	STATS_PHASE = 1,
	STATS_CPU = 2,
	STATS_PAGES = 11,
	STATS_ROOM = 192
};

/* "overrun: 5": a number behind a name. 64 bits: after some hours of a full ring 32 are too few. */
static u64 number(const char *text, const char *name)
{
	const char *at = text;
	size_t len = strlen(name);

	while (strncmp(at, name, len) != 0) {
		at = strchr(at, '\n');
		if (!at)
			return 0;
		at++;
	}
	return strtoull(at + len, NULL, 10);
}

static double seconds(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtod(at + strlen(name), NULL) : 0;
}

int drain_stats(const struct drain *d, u32 cpu, struct ring_stats *out)
{
	char path[64], *text;
	size_t len;

	snprintf(path, sizeof(path), "per_cpu/cpu%u/stats", cpu);
	text = tracefs_read(&d->fs, path, &len);
	if (!text)
		return -errno;
	*out = (struct ring_stats){.entries = number(text, "entries:"),
		.overrun = number(text, "overrun:"),
		.commit_overrun = number(text, "commit overrun:"),
		.bytes = number(text, "bytes:"),
		.dropped = number(text, "dropped events:"),
		.read = number(text, "read events:"),
		.oldest = seconds(text, "oldest event ts:"),
		.now = seconds(text, "now ts:")};
	free(text);
	return 0;
}

static u8 *write_cpu(u8 *at, u32 cpu, const struct ring_stats *s)
{
	u8 *begin;

	at = proto_open(at, STATS_CPU, &begin);
	at = proto_u64(at, 1, cpu);
	at = proto_u64(at, 2, s->entries);
	at = proto_u64(at, 3, s->overrun);
	at = proto_u64(at, 4, s->commit_overrun);
	at = proto_u64(at, 5, s->bytes);
	at = proto_double(at, 6, s->oldest);
	at = proto_double(at, 7, s->now);
	at = proto_u64(at, 8, s->dropped);
	at = proto_u64(at, 9, s->read);
	proto_close(begin, at);
	return at;
}

int drain_write_stats(struct drain *d, u32 phase)
{
	struct trace_writer *w = d->bundler.w;
	u8 *at = trace_packet(w, 64 + (size_t)d->ncpus * STATS_ROOM), *begin;

	if (!at)
		return w->error;
	at = proto_open(at, PACKET_FTRACE_STATS, &begin);
	at = proto_u64(at, STATS_PHASE, phase);
	for (u32 i = 0; i < d->ncpus; i++) {
		struct ring_stats s;

		if (!drain_stats(d, i, &s))
			at = write_cpu(at, i, &s);
	}
	at = proto_u64(at, STATS_PAGES, d->buffer_bytes / 4096);
	proto_close(begin, at);
	trace_packet_end(w, at);
	return 0;
}
