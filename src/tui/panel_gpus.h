/* The parts of the GPU-only view. */
#ifndef TARE_TUI_PANEL_GPUS_H
#define TARE_TUI_PANEL_GPUS_H

#include "tui/panel_gpu.h"

enum { GPU_CLIENT_HEAD = 2 }; /* lines above the first client */

/* The list of clients on `room` lines from y on; below: lines of devices that did not fit above. */
void panel_gpu_clients(struct view *v, struct grid *g, u32 y, u32 room, u32 below);
void panel_gpu_bar(const struct view *v, struct grid *g, u32 y);

#endif
