/* Names that drivers give to engines and memories, as people sort them. Only for the sums: every name is shown. */
#include <string.h>

#include "base/types.h"
#include "gpu/fdinfo.h"

/* How a name begins; the first that fits is taken. */
static const struct {
	const char *start;
	enum engine_class class;
} classes[] = {
	{"gfx", CLASS_GFX},    /* amdgpu */
	{"render", CLASS_GFX}, /* i915, v3d */
	{"rcs", CLASS_GFX},    /* xe */
	{"3d", CLASS_GFX},
	{"gpu", CLASS_GFX},          /* msm */
	{"fragment", CLASS_GFX},     /* panfrost */
	{"vertex-tiler", CLASS_GFX}, /* panfrost */
	{"bin", CLASS_GFX},          /* v3d */
	{"tfu", CLASS_GFX},          /* v3d */
	{"panthor", CLASS_GFX},
	{"compute", CLASS_COMPUTE},
	{"ccs", CLASS_COMPUTE},
	{"csd", CLASS_COMPUTE}, /* v3d */
	{"npu", CLASS_COMPUTE}, /* amdxdna, ivpu */
	{"neural", CLASS_COMPUTE},
	{"copy", CLASS_COPY},
	{"bcs", CLASS_COPY},
	{"blt", CLASS_COPY},
	{"sdma", CLASS_COPY},
	{"dma", CLASS_COPY},
	{"video", CLASS_MEDIA}, /* and video-enhance */
	{"vcs", CLASS_MEDIA},
	{"vecs", CLASS_MEDIA},
	{"vpe", CLASS_MEDIA},
	{"vcn", CLASS_MEDIA},
	{"uvd", CLASS_MEDIA},
	{"vce", CLASS_MEDIA},
	{"enc", CLASS_MEDIA},
	{"dec", CLASS_MEDIA},
	{"jpeg", CLASS_MEDIA},
};

enum engine_class engine_class_of(const char *name)
{
	for (u32 i = 0; i < ARRAY_LEN(classes); i++)
		if (!strncmp(name, classes[i].start, strlen(classes[i].start)))
			return classes[i].class;
	return CLASS_OTHER;
}

bool region_is_local(const char *name)
{
	/* xe and amdgpu, i915 */
	return !strncmp(name, "vram", 4) || !strncmp(name, "local", 5) || !strncmp(name, "lmem", 4);
}
