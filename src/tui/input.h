/* Bytes of a terminal into keys and mouse events. A decoder of our own: it must not wait, has to tell
 * a lone Escape from the start of a sequence, and swallows what terminals answer unasked. Formats:
 * ECMA-48 (CSI, SS3) and xterm's ctlseqs (function keys, SGR mouse 1006). */
#ifndef TARE_TUI_INPUT_H
#define TARE_TUI_INPUT_H

#include "tui/view.h"

enum { DECODER_SIZE = 256 };

/* After so long without a further byte, an Escape was the key. */
#define ESCAPE_DELAY_NS (25 * NSEC_PER_MSEC)

struct decoder {
	u8 buf[DECODER_SIZE];
	u32 len;
	bool utf8; /* characters beyond ASCII are UTF-8; else such bytes are ignored */
};

void decoder_init(struct decoder *d, bool utf8);
/* Room for further bytes. */
static inline u32 decoder_room(const struct decoder *d)
{
	return DECODER_SIZE - d->len;
}
/* Append at most decoder_room() bytes. */
void decoder_feed(struct decoder *d, const void *bytes, u32 n);
/* Next event; false: none is complete. idle: the escape delay is over, so what is here is all. */
bool decoder_next(struct decoder *d, bool idle, struct input *out);
/* Bytes are left that only time can explain. */
static inline bool decoder_waits(const struct decoder *d)
{
	return d->len > 0;
}

#endif
