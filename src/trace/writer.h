/* A Perfetto trace, appended packet by packet. Nothing is allocated behind trace_writer_open(): packets gather in one
 * buffer, which is written when it is full or when told; it always ends at a packet's end, so that a file whose writer
 * was killed can be read. Format: Trace.packet of protos/perfetto/trace/trace.proto. */
#ifndef TARE_TRACE_WRITER_H
#define TARE_TRACE_WRITER_H

#include "trace/proto.h"

struct trace_writer {
	int fd;
	int error; /* -errno of a write that failed, for good; 0 */
	u8 *buffer;
	size_t size, used;
	u8 *packet, *packet_length; /* the open one, and where its bytes begin */
	u64 written, packets;       /* bytes in the file, packets in file and buffer */
	u64 whole; /* bytes of the file up to where it certainly ends with a packet */
};

/* fd stays the caller's. 0 or -ENOMEM. */
int trace_writer_open(struct trace_writer *w, int fd, size_t buffer_size);
/* Does not flush. */
void trace_writer_close(struct trace_writer *w);

/* A packet begins: where its bytes go, at most `room` of them; NULL: the file cannot be written (w->error). room: less
 * than the buffer by 16. */
u8 *trace_packet(struct trace_writer *w, size_t room);
/* It ends at `at`. */
void trace_packet_end(struct trace_writer *w, u8 *at);
/* It is taken back. */
void trace_packet_drop(struct trace_writer *w);

/* Write what is there. 0 or w->error. */
int trace_flush(struct trace_writer *w);

#endif
