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
	/* a group outside of what this namespace sees is written with dots: not ours to read */
	if (strstr(name, "/..")) {
		out[0] = '\0';
		return;
	}
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

static void cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
}

int cgroup_parents_open(struct cgroup_parents *p, const struct root *root, const char *dir,
	const char *limit, const char *period)
{
	static const char mount[] = "/sys/fs/cgroup";
	char up[CGROUP_PATH_SIZE], path[CGROUP_PATH_SIZE + 64];

	*p = (struct cgroup_parents){0};
	snprintf(up, sizeof(up), "%s", dir);
	for (cut_last(up); strlen(up) >= strlen(mount) && p->n < CGROUP_DEPTH; cut_last(up)) {
		snprintf(path, sizeof(path), "%s/%s", up, limit);
		/* the root group has none, and gets none later */
		if (!root_exists(root, path))
			continue;
		p->n++;
		if (kfile_init(&p->limit[p->n - 1], path))
			return -ENOMEM;
		if (!period)
			continue;
		snprintf(path, sizeof(path), "%s/%s", up, period);
		if (kfile_init(&p->period[p->n - 1], path))
			return -ENOMEM;
	}
	return 0;
}

void cgroup_parents_close(struct cgroup_parents *p)
{
	for (u32 i = 0; i < p->n; i++) {
		kfile_fini(&p->limit[i]);
		kfile_fini(&p->period[i]);
	}
	p->n = 0;
}

int cgroup_read_cpu(struct kfile *max, struct kfile *period, const struct root *root,
	struct kbuf *buf, u64 *centi)
{
	s64 quota = -1, every = 0;
	int ret = kfile_read(max, root, buf);

	*centi = CGROUP_NO_LIMIT;
	if (ret)
		return ret;
	if (!period || !period->path)
		return cgroup_parse_cpu_max(buf->data, kbuf_end(buf), centi);
	ret = scan_whole_s64(buf->data, kbuf_end(buf), &quota);
	if (ret || quota < 0)
		return ret;
	ret = kfile_read_s64(period, root, &every);
	if (ret)
		return ret;
	if (every <= 0 || quota > INT64_MAX / 100)
		return -EINVAL;
	*centi = (u64)quota * 100 / (u64)every;
	return 0;
}

int cgroup_read_memory(struct kfile *max, const struct root *root, struct kbuf *buf, u64 *bytes)
{
	int ret = kfile_read(max, root, buf);

	*bytes = CGROUP_NO_LIMIT;
	return ret ? ret : cgroup_parse_limit(buf->data, kbuf_end(buf), bytes);
}

u64 cgroup_parents_memory(struct cgroup_parents *p, const struct root *root, struct kbuf *buf)
{
	u64 least = CGROUP_NO_LIMIT, v;

	for (u32 i = 0; i < p->n; i++)
		if (!cgroup_read_memory(&p->limit[i], root, buf, &v))
			least = min_u64(least, v);
	return least;
}

u64 cgroup_parents_cpu(struct cgroup_parents *p, const struct root *root, struct kbuf *buf)
{
	u64 least = CGROUP_NO_LIMIT, v;

	for (u32 i = 0; i < p->n; i++)
		if (!cgroup_read_cpu(&p->limit[i], &p->period[i], root, buf, &v))
			least = min_u64(least, v);
	return least;
}
