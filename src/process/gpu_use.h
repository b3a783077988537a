/* From engines to clients to processes: sums of what the frames of `gpu_engine` and `gpu_client` say, so that
 * differences come before sums. Private to this room. */
#ifndef TARE_PROCESS_GPU_USE_H
#define TARE_PROCESS_GPU_USE_H

#include "core/delta.h"

/* The use of engines by class, of each row of `gpu_client` whose driver counts them. engines may be NULL. */
void gpu_use_clients(struct frame_table *clients, const struct frame_table *engines);
/* The GPU columns of a table of processes, or of threads (those with descriptors of their own), by key. A row without a
 * client is absent. clients may be NULL: nothing is set. 0 or -ENOMEM. */
int gpu_use_processes(struct frame_table *rows, const struct frame_table *clients, bool threads);

#endif
