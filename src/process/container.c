#include "process/container.h"

#include <string.h>

#include "base/scan.h"

enum { ID_SHOWN = 12, ID_LENGTH = 64 };

struct cgroup_slice cgroup_of_file(const char *p, const char *end)
{
	struct cgroup_slice best = {NULL, 0};

	for (; p < end; p = scan_next_line(p, end)) {
		const char *line_end = scan_line_end(p, end);
		const char *colon = memchr(p, ':', (size_t)(line_end - p));
		u32 len;

		colon = colon ? memchr(colon + 1, ':', (size_t)(line_end - colon - 1)) : NULL;
		if (!colon)
			continue;
		len = (u32)(line_end - colon - 1);
		if (!best.text || len > best.len)
			best = (struct cgroup_slice){colon + 1, len};
	}
	return best;
}

static bool is_hex(char c)
{
	return scan_is_digit(c) || (c >= 'a' && c <= 'f');
}

/* An id of 64 hexadecimal digits at p. */
static bool is_id(const char *p, const char *end)
{
	if (end - p < ID_LENGTH)
		return false;
	for (u32 i = 0; i < ID_LENGTH; i++)
		if (!is_hex(p[i]))
			return false;
	return end - p == ID_LENGTH || !is_hex(p[ID_LENGTH]);
}

/* "docker-<id>.scope", "cri-containerd-<id>.scope", "crio-<id>", "libpod-<id>.scope", "<id>": but not what runs
 * beside a container, as crio-conmon-<id> and libpod-conmon-<id> do. */
static struct cgroup_slice id_in(const char *p, const char *end)
{
	const char *at = end - p >= ID_LENGTH ? end - ID_LENGTH : p - 1;

	if (memmem(p, (size_t)(end - p), "conmon", 6))
		return (struct cgroup_slice){NULL, 0};
	for (; at >= p; at--)
		if (is_id(at, end) && (at == p || at[-1] == '-' || at[-1] == ':'))
			return (struct cgroup_slice){at, ID_SHOWN};
	return (struct cgroup_slice){NULL, 0};
}

/* What stands between prefix and suffix of the part [p, end), when it has them. */
static struct cgroup_slice between(
	const char *p, const char *end, const char *prefix, const char *suffix)
{
	size_t before = strlen(prefix), after = strlen(suffix), len = (size_t)(end - p);

	if (len <= before + after || memcmp(p, prefix, before) ||
		memcmp(end - after, suffix, after))
		return (struct cgroup_slice){NULL, 0};
	return (struct cgroup_slice){p + before, (u32)(len - before - after)};
}

static struct cgroup_slice container_in(const char *p, const char *end)
{
	static const char *const names[][2] = {
		{"lxc.payload.", ""}, {"machine-", ".scope"}, {"systemd-nspawn@", ".service"}};
	struct cgroup_slice found = id_in(p, end);

	for (u32 i = 0; i < ARRAY_LEN(names) && !found.len; i++)
		found = between(p, end, names[i][0], names[i][1]);
	return found;
}

struct cgroup_slice container_of_cgroup(struct cgroup_slice path)
{
	const char *p = path.text, *end = path.text + path.len;
	struct cgroup_slice found = {NULL, 0};

	while (p && p < end) {
		const char *part_end = memchr(p, '/', (size_t)(end - p));
		struct cgroup_slice here;

		part_end = part_end ? part_end : end;
		here = container_in(p, part_end);
		/* "/lxc/NAME" of old versions */
		if (!here.len && part_end - p == 3 && !memcmp(p, "lxc", 3) && part_end + 1 < end) {
			const char *name_end = memchr(
				part_end + 1, '/', (size_t)(end - part_end - 1));

			here.text = part_end + 1;
			here.len = (u32)((name_end ? name_end : end) - here.text);
		}
		if (here.len)
			found = here;
		p = part_end + 1;
	}
	return found;
}
