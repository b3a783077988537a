#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "source/cgroup.h"

int cgroup_parse_cpu_max(const char *p, const char *end, u64 *centi)
{
	bool ok = true;
	u64 quota = 0, period = 100000;
	const char *rest;

	if (scan_starts(p, end, "max")) {
		*centi = CGROUP_NO_LIMIT;
		return 0;
	}
	p = scan_u64(p, end, &quota, &ok);
	if (!ok)
		return -EINVAL;
	rest = scan_blank(p, end);
	if (rest < end && *rest != '\n')
		scan_u64(rest, end, &period, &ok);
	if (!ok || !period || quota > UINT64_MAX / 100)
		return -EINVAL;
	*centi = quota * 100 / period;
	return 0;
}

int cgroup_parse_limit(const char *p, const char *end, u64 *bytes)
{
	if (scan_starts(p, end, "max")) {
		*bytes = CGROUP_NO_LIMIT;
		return 0;
	}
	return scan_whole_u64(p, end, bytes);
}

/* Is word one of the comma-separated controllers in [p, end)? */
static bool has_word(const char *p, const char *end, const char *word)
{
	size_t len = strlen(word);

	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		size_t n = (size_t)((comma ? comma : end) - p);

		if (n == len && !memcmp(p, word, len))
			return true;
		p += n + 1;
	}
	return false;
}

/* Below its mount, the group's directory; inside a container with its own view of the hierarchy the path
 * that the host knows is not there and the mount itself is the group. */
static void set_dir(const struct root *root, char *out, const char *mount, const char *name)
{
	snprintf(out, CGROUP_PATH_SIZE, "%s%s", mount, strcmp(name, "/") ? name : "");
	if (!root_exists(root, out))
		snprintf(out, CGROUP_PATH_SIZE, "%s", mount);
	if (!root_exists(root, out))
		out[0] = '\0';
}

static void take_line(struct cgroup_paths *paths, const struct root *root, const char *controllers,
	const char *colon, const char *name)
{
	static const struct {
		const char *controller, *mount;
		size_t offset;
	} v1[] = {
		{"cpu", "/sys/fs/cgroup/cpu", offsetof(struct cgroup_paths, cpu)},
		{"cpuacct", "/sys/fs/cgroup/cpuacct", offsetof(struct cgroup_paths, cpuacct)},
		{"cpuset", "/sys/fs/cgroup/cpuset", offsetof(struct cgroup_paths, cpuset)},
		{"memory", "/sys/fs/cgroup/memory", offsetof(struct cgroup_paths, memory)},
	};

	for (u32 i = 0; i < ARRAY_LEN(v1); i++) {
		if (!has_word(controllers, colon, v1[i].controller))
			continue;
		set_dir(root, (char *)paths + v1[i].offset, v1[i].mount, name);
		if (!strcmp(v1[i].controller, "memory") || !paths->name[0])
			snprintf(paths->name, sizeof(paths->name), "%s", name);
		paths->version = 1;
	}
}

static void take_v2(struct cgroup_paths *paths, const struct root *root, const char *name)
{
	char dir[CGROUP_PATH_SIZE];

	set_dir(root, dir, "/sys/fs/cgroup", name);
	memcpy(paths->cpu, dir, sizeof(dir));
	memcpy(paths->cpuset, dir, sizeof(dir));
	memcpy(paths->memory, dir, sizeof(dir));
	snprintf(paths->name, sizeof(paths->name), "%s", name);
	paths->version = 2;
}

int cgroup_find(struct cgroup_paths *paths, const struct root *root)
{
	char text[4096], unified[CGROUP_PATH_SIZE] = "";
	char *line, *save = NULL;
	int len = root_read(root, "/proc/self/cgroup", text, sizeof(text));

	*paths = (struct cgroup_paths){0};
	if (len < 0)
		return len;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *controllers = strchr(line, ':'), *colon;

		if (!controllers++)
			continue;
		colon = strchr(controllers, ':');
		if (!colon || colon[1] != '/')
			continue;
		if (colon == controllers)
			snprintf(unified, sizeof(unified), "%s", colon + 1);
		else
			take_line(paths, root, controllers, colon, colon + 1);
	}
	if (!paths->version && unified[0])
		take_v2(paths, root, unified);
	if (!paths->cpu[0] && !paths->memory[0])
		return -ENOENT;
	return 0;
}

/* Smallest of what parse makes of `file` in the ancestors of dir, up to the mount. */
static u64 over_parents(const char *dir, const struct root *root, const char *file,
	int (*parse)(const char *p, const char *end, u64 *out))
{
	char path[CGROUP_PATH_SIZE + 64], text[64];
	u64 least = CGROUP_NO_LIMIT, v;
	size_t mount = strlen("/sys/fs/cgroup");
	int len = snprintf(path, CGROUP_PATH_SIZE, "%s", dir);

	while (len > (int)mount) {
		char *slash = strrchr(path, '/');
		int n;

		if (!slash || slash < path + mount)
			break;
		*slash = '\0';
		len = (int)(slash - path);
		snprintf(path + len, sizeof(path) - (size_t)len, "/%s", file);
		n = root_read(root, path, text, sizeof(text));
		if (n > 0 && !parse(text, text + n, &v))
			least = min_u64(least, v);
		path[len] = '\0';
	}
	return least;
}

u64 cgroup_parents_memory(const struct cgroup_paths *paths, const struct root *root)
{
	return over_parents(paths->memory, root,
		paths->version == 2 ? "memory.max" : "memory.limit_in_bytes", cgroup_parse_limit);
}

u64 cgroup_parents_cpu(const struct cgroup_paths *paths, const struct root *root)
{
	/* v1 puts quota and period into two files; its parents are rarely limited and not looked at */
	if (paths->version != 2)
		return CGROUP_NO_LIMIT;
	return over_parents(paths->cpu, root, "cpu.max", cgroup_parse_cpu_max);
}
