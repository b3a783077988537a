/* amdgpu's binary table `gpu_metrics`. Format: drivers/gpu/drm/amd/include/kgd_pp_interface.h of the kernel; a layout is
 * known by its format and content revision, never by its size. */
#ifndef TARE_GPU_GPU_METRICS_H
#define TARE_GPU_GPU_METRICS_H

#include "gpu/reading.h"

enum { GPU_METRICS_MOST = 4096 };

/* 1: an integrated GPU's table, 0: a card's; -1: not known. */
int gpu_metrics_integrated(const unsigned char *data, u32 len);
/* Add to r what it does not have yet. A layout that is not known, or is shorter than it should be, gives nothing; nor
 * does a field that is all ones. */
void gpu_metrics_take(const unsigned char *data, u32 len, struct gpu_record *r);

#endif
