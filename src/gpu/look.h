/* One look at everything that is a GPU here: devices, NVML, clients. Private to this room. */
#ifndef TARE_GPU_LOOK_H
#define TARE_GPU_LOOK_H

#include "core/source.h"
#include "gpu/clients.h"

struct gpu_look;

/* nvml: path of the library, NULL: the usual one where NVIDIA's driver runs. -ENOENT: no GPU here. */
int gpu_look_new(struct gpu_look **out, const struct root *root, const struct clock *clock,
	const char *nvml);
void gpu_look_free(struct gpu_look *l);
/* What a scanner found of one process: see gpu_clients_found. */
int gpu_look_found(
	struct gpu_look *l, u32 pid, u64 start_ticks, u32 tid, const struct gpu_find *finds, u32 n);
/* Fill r. clients: somebody wants them. nvml_wait_ns: how long NVML may keep us. 0 or -errno. */
int gpu_look(struct gpu_look *l, bool clients, u64 nvml_wait_ns, struct gpu_reading *r);
/* May processes have descriptors of GPUs at all? As the last look found. */
bool gpu_look_majors(const struct gpu_look *l);
void gpu_look_explain(struct gpu_look *l, struct findings *out);

#endif
