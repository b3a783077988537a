/* What a descriptor of a GPU says of itself. */
#include "fuzz.h"

#include <string.h>

#include "gpu/fdinfo.h"

static void check_name(const char *name, u32 size)
{
	MUST(memchr(name, '\0', size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fdinfo f;

	fdinfo_parse((const char *)data, (const char *)data + size, &f);
	MUST(f.nengines <= FDINFO_ENGINES && f.nregions <= FDINFO_REGIONS);
	check_name(f.driver, sizeof(f.driver));
	check_name(f.pdev, sizeof(f.pdev));
	for (u32 i = 0; i < f.nengines; i++) {
		check_name(f.engines[i].name, FDINFO_NAME);
		MUST(f.engines[i].capacity >= 1);
		MUST(engine_class_of(f.engines[i].name) < CLASSES);
		for (u32 k = 0; k < i; k++)
			MUST(strcmp(f.engines[i].name, f.engines[k].name) != 0);
	}
	for (u32 i = 0; i < f.nregions; i++) {
		check_name(f.regions[i].name, FDINFO_NAME);
		MUST(f.regions[i].have >> MEMORY_KINDS == 0);
		region_is_local(f.regions[i].name);
	}
	return 0;
}
