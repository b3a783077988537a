/* Text from strangers as a protobuf string, which has to be valid UTF-8. */
#ifndef TARE_TRACE_TEXT_H
#define TARE_TRACE_TEXT_H

#include "trace/proto.h"

/* To the first NUL or all of it; what is no UTF-8 becomes U+FFFD. Needs PROTO_HEAD and three bytes for one. */
u8 *trace_text(u8 *at, u32 field, const u8 *text, size_t size);

#endif
