/* A cgroup file, and the container in a path: parts of what was given. */
#include "fuzz.h"

#include "process/container.h"

static void is_part(struct cgroup_slice part, const char *p, const char *end)
{
	MUST(!part.len || (part.text >= p && part.text + part.len <= end));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size;
	struct cgroup_slice path = cgroup_of_file(p, end), container;

	is_part(path, p, end);
	for (u32 i = 0; i < path.len; i++)
		MUST(path.text[i] != '\n');
	if (path.len) {
		container = container_of_cgroup(path);
		is_part(container, path.text, path.text + path.len);
		for (u32 i = 0; i < container.len; i++)
			MUST(container.text[i] != '/');
	}
	/* the whole as a path */
	is_part(container_of_cgroup((struct cgroup_slice){p, (u32)size}), p, end);
	return 0;
}
