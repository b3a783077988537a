/* One fdinfo of a GPU client, parsed again and again: as amdgpu prints it, with every key that it has.
 * usage: fdinfo [--ticks 1000000] [--json] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/alloc.h"
#include "gpu/fdinfo.h"

static const char text[] = "pos:\t0\n"
			   "flags:\t02100002\n"
			   "mnt_id:\t26\n"
			   "ino:\t1057\n"
			   "drm-driver:\tamdgpu\n"
			   "drm-client-id:\t41\n"
			   "drm-pdev:\t0000:03:00.0\n"
			   "pasid:\t32770\n"
			   "drm-total-cpu:\t0\n"
			   "drm-shared-cpu:\t0\n"
			   "drm-active-cpu:\t0\n"
			   "drm-resident-cpu:\t0\n"
			   "drm-purgeable-cpu:\t0\n"
			   "drm-total-gtt:\t42876 KiB\n"
			   "drm-shared-gtt:\t1024 KiB\n"
			   "drm-active-gtt:\t0\n"
			   "drm-resident-gtt:\t42876 KiB\n"
			   "drm-purgeable-gtt:\t0\n"
			   "drm-total-vram:\t1883264 KiB\n"
			   "drm-shared-vram:\t28672 KiB\n"
			   "drm-active-vram:\t0\n"
			   "drm-resident-vram:\t1862780 KiB\n"
			   "drm-purgeable-vram:\t512 KiB\n"
			   "drm-memory-vram:\t1862780 KiB\n"
			   "drm-memory-gtt:\t42876 KiB\n"
			   "drm-memory-cpu:\t0 KiB\n"
			   "amd-evicted-vram:\t0 KiB\n"
			   "amd-requested-vram:\t1862780 KiB\n"
			   "amd-requested-gtt:\t42876 KiB\n"
			   "drm-engine-gfx:\t18374652039481 ns\n"
			   "drm-engine-compute:\t9938471120 ns\n"
			   "drm-engine-dma:\t48371 ns\n"
			   "drm-engine-dec:\t0 ns\n"
			   "drm-engine-enc:\t0 ns\n"
			   "drm-engine-capacity-compute:\t4\n";

int main(int argc, char **argv)
{
	unsigned long ticks = 1000000;
	bool json = false;
	struct fdinfo out;
	u64 allocations, before, engines = 0;
	double ns;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json")) {
			json = true;
		} else if (!strcmp(argv[i], "--ticks") && i + 1 < argc) {
			ticks = strtoul(argv[++i], NULL, 10);
		} else {
			fputs("usage: fdinfo [--ticks N] [--json]\n", stderr);
			return 2;
		}
	}
	allocations = alloc_count();
	before = clock_thread_cpu_ns();
	for (unsigned long i = 0; i < ticks; i++) {
		fdinfo_parse(text, text + sizeof(text) - 1, &out);
		engines += out.nengines;
	}
	ns = (double)(clock_thread_cpu_ns() - before) / (double)(ticks ? ticks : 1);
	allocations = alloc_count() - allocations;
	if (!out.is_client || engines != 5 * ticks || out.nregions != 3)
		return 1;
	printf(json ? "{\"bytes\": %zu, \"ns\": %.1f, \"allocations\": %llu}\n"
		    : "%zu bytes: %.1f ns, %llu allocations\n",
		sizeof(text) - 1, ns, (unsigned long long)allocations);
	return 0;
}
