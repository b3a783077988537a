/* amdgpu's binary table. */
#include "fuzz.h"

#include <string.h>

#include "gpu/gpu_metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct gpu_record r, kept;
	int integrated = gpu_metrics_integrated(data, (u32)size);

	MUST(integrated >= -1 && integrated <= 1);
	r = (struct gpu_record){.key = 1};
	gpu_set(&r, GPU_TEMPERATURE, 51000);
	kept = r;
	gpu_metrics_take(data, (u32)size, &r);
	/* what is there is never replaced */
	MUST(r.value[GPU_TEMPERATURE] == 51000 && (r.have & kept.have) == kept.have);
	MUST(memchr(r.slowed, '\0', sizeof(r.slowed)));
	return 0;
}
