/* GPUs behind one handle: the thread that reads devices and clients, NVML's thread behind it, and what the newest
 * reading says. One an engine, shared by the tables `gpu`, `gpu_client`, `gpu_engine` and the process scanners. The
 * tick never waits for a driver: it asks at its start, and takes what is there when the tables' turn comes. */
#ifndef TARE_GPU_GPU_H
#define TARE_GPU_GPU_H

#include "core/source.h"
#include "gpu/clients.h"
#include "gpu/reading.h"

struct gpu;

/* The engine's one (env->shared), made at the first call. -ENOENT: no GPU on this machine. Options: "nvml=FILE". */
int gpu_get(struct gpu **out, const struct source_env *env);
/* Of an env without shared things, as tests have: frees it. Else nothing. */
void gpu_put(struct gpu *g, const struct source_env *env);

/* Ask for a reading, once a tick whoever calls. Never waits. */
void gpu_begin(struct gpu *g, const struct source_env *env);
/* The newest reading; every caller within a tick gets the same. NULL: there is none yet. Valid until the next tick. */
const struct gpu_reading *gpu_newest(struct gpu *g, const struct source_env *env);
/* Ask for one now and wait for it, once before a tick whoever calls: what the first caller got, all others get. The
 * first reading of all has a few seconds, however often it is waited for. true: it is there. */
bool gpu_wait(struct gpu *g, const struct source_env *env, u64 until_ns);

/* Scanners: should descriptors be looked for? Somebody wants clients, and there are devices that can have some. */
bool gpu_wants_finds(const struct gpu *g);
/* Somebody wants clients in this tick (or not any more). */
void gpu_want_clients(struct gpu *g, const struct source_env *env, bool want);
/* The majors to look for. */
const struct gpu_majors *gpu_finds_majors(const struct gpu *g);
/* A table of descriptors was looked at, as in gpu_clients_found. Costs nothing for a process that has none and had none.
 * Never waits for the reading thread. */
void gpu_found(
	struct gpu *g, u32 pid, u64 start_ticks, u32 tid, const struct gpu_find *finds, u32 n);

/* The newest scan could not look at every process. */
void gpu_hidden(struct gpu *g, bool some);

void gpu_explain(struct gpu *g, struct findings *out);

#endif
