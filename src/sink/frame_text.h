/* A frame as text for people: a head line, one aligned table per subject with units in its heading,
 * and one foot note for each reason why something is not there. */
#ifndef TARE_SINK_FRAME_TEXT_H
#define TARE_SINK_FRAME_TEXT_H

#include <stdio.h>

#include "core/engine.h"
#include "sink/select.h"

struct text_config {
	bool asked; /* tables were asked for by name: all of their rows, not only a digest */
	u32 width;  /* columns of the terminal; 0: lines may be as long as they are */
};

/* engine: for the tables that are not there; may be NULL. host: name of the machine, raw bytes. 0, or -errno of the write. */
int sink_text_frame(FILE *out, const struct frame *frame, const struct engine *engine,
	const char *host, struct selection *selection, const struct text_config *config);

#endif
