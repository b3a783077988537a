/* Clients of GPUs: descriptors that a scanner of processes found, read through /proc/PID/fdinfo, made one client each
 * by (device, client id) over descriptors, threads, processes and forks. */
#ifndef TARE_GPU_CLIENTS_H
#define TARE_GPU_CLIENTS_H

#include "gpu/devices.h"
#include "gpu/reading.h"

/* A descriptor whose file is a character device of a GPU's major. */
struct gpu_find {
	u32 fd;
	u32 major, minor;
};

struct gpu_clients;

int gpu_clients_new(struct gpu_clients **out, const struct root *root);
void gpu_clients_free(struct gpu_clients *c);
/* A table of descriptors was looked at: these are all of its such descriptors. tid: 0 for the process's own table, else
 * the thread that has one of its own. Forgets those that it had before and has no more. n 0 of a process that is not known
 * costs nothing. 0 or -ENOMEM. */
int gpu_clients_found(struct gpu_clients *c, u32 pid, u64 start_ticks, u32 tid,
	const struct gpu_find *finds, u32 n);
/* Read the fdinfo of every known client once, of devices whose gate is open; records of clients and engines into r.
 * A descriptor that was closed, is another file by now, or whose process ended is dropped, or the client's next one is
 * taken. A client of a device that sleeps has its row with values absent ASLEEP. What may not be read sets
 * r->own_only. Keeps fdinfo files open (at most a few hundred); allocates nothing in the steady state.
 * 0 or -errno. */
int gpu_clients_read(
	struct gpu_clients *c, const struct gpu_devices *devices, struct gpu_reading *r);
/* Clients and descriptors that are known: for tests and doctor. */
u32 gpu_clients_count(const struct gpu_clients *c, u32 *descriptors);

#endif
