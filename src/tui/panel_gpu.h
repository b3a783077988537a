/* What the panel of GPUs and the GPU-only view draw alike. */
#ifndef TARE_TUI_PANEL_GPU_H
#define TARE_TUI_PANEL_GPU_H

#include "tui/panel.h"

enum { GPU_NAME_TEXT = 64 };

enum gpu_state { GPU_ACTIVE, GPU_ASLEEP, GPU_LOST, GPU_LATE };
enum gpu_state gpu_state(const struct view *v, u32 row);
/* Handle of a device's series in the history of the GPUs, or -1. */
int gpus_series(struct gpus *gpus, u64 key);
/* Its busy time over the last minute, a part of it in each of `width` cells. */
void gpu_spark(struct view *v, struct grid *g, u32 row, u32 x, u32 y, u32 width);
/* What slows it, a link below its best, errors and health: the worse, the smaller the priority. Returns whether
 * something is wrong (not only slow). */
bool gpu_troubles(const struct view *v, u32 row, struct line *l);
/* "GPU 5  busy 43%  …", which says it all in one line. */
void gpu_summary(const struct view *v, struct line *l);
/* How a share is shown: none dim, much strong. */
static inline enum role share_role(double percent)
{
	return percent >= 50 ? ROLE_STRONG : percent <= 0 ? ROLE_DIM : ROLE_NORMAL;
}
bool gpu_counted(const struct view *v, u32 row);
/* "71.2/79.6": GiB; "" when neither is known. */
void gpu_memory_text(const struct view *v, u32 row, char out[VALUE_TEXT]);
/* "688/700": watts of what it may use. */
void gpu_power_text(const struct view *v, u32 row, char out[VALUE_TEXT]);

#endif
