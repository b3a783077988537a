/* Frames and findings as JSON, one object a line. Numbers never depend on the locale, text that is
 * not UTF-8 becomes U+FFFD, and every null has its reason in "reasons" of the same object. */
#ifndef TARE_SINK_FRAME_JSON_H
#define TARE_SINK_FRAME_JSON_H

#include <stdio.h>

#include "core/engine.h"
#include "sink/select.h"

/* host: name of the machine, raw bytes, "" when not known. 0, or -errno of the write. */
int sink_json_frame(FILE *out, const struct frame *frame, const struct engine *engine,
	const char *host, struct selection *selection);
/* {"sources":[{"source":…,"ok":…,"findings":[{"reason":…,"what":…,"why":…,"fix":…}]}]}; sources is
 * NULL-terminated. scan: what processes are looked at by, or NULL. */
int sink_json_findings(FILE *out, const struct findings *findings,
	const struct source_ops *const *sources, const char *scan);

#endif
