#include "trace/writer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum { TRACE_PACKET = 1, HEAD = 1 + PROTO_LENGTH };

int trace_writer_open(struct trace_writer *w, int fd, size_t buffer_size)
{
	*w = (struct trace_writer){.fd = fd, .size = buffer_size};
	w->buffer = malloc(buffer_size);
	return w->buffer ? 0 : -ENOMEM;
}

void trace_writer_close(struct trace_writer *w)
{
	free(w->buffer);
	w->buffer = NULL;
}

u8 *trace_packet(struct trace_writer *w, size_t room)
{
	if (w->error)
		return NULL;
	if (w->size - w->used < room + HEAD && trace_flush(w))
		return NULL;
	if (w->size - w->used < room + HEAD) {
		w->error = -EMSGSIZE;
		return NULL;
	}
	w->packet = w->buffer + w->used;
	return proto_open(w->packet, TRACE_PACKET, &w->packet_length);
}

void trace_packet_end(struct trace_writer *w, u8 *at)
{
	proto_close(w->packet_length, at);
	w->used = (size_t)(at - w->buffer);
	w->packets++;
	w->packet = NULL;
}

void trace_packet_drop(struct trace_writer *w)
{
	w->packet = NULL;
}

/* A pipe may be full, and be one that does not block: whoever reads it takes its time. */
static ssize_t write_some(struct trace_writer *w, const u8 *at, size_t len)
{
	ssize_t n = write(w->fd, at, len);

	if (n < 0 && errno == EAGAIN) {
		struct pollfd p = {.fd = w->fd, .events = POLLOUT};

		poll(&p, 1, -1);
		return 0;
	}
	return n < 0 && errno == EINTR ? 0 : n;
}

int trace_flush(struct trace_writer *w)
{
	size_t done = 0;

	while (!w->error && done < w->used) {
		ssize_t n = write_some(w, w->buffer + done, w->used - done);

		if (n < 0)
			w->error = -errno;
		else
			done += (size_t)n;
	}
	w->written += done;
	w->used = 0;
	if (!w->error)
		w->whole = w->written;
	return w->error;
}
