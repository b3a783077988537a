/* The control group of a process and the limits that hold for it: the smallest on the way up to the mount,
 * and which group sets it. Formats: Documentation/admin-guide/cgroup-v2.rst of the kernel, and cgroup-v1/. */
#include <errno.h>
#include <stdio.h>

#include "base/human.h"
#include "base/sbuf.h"
#include "base/scan.h"
#include "process/details_internal.h"

enum { GROUP_PATH = 1024, GROUP_FILE = GROUP_PATH + 80, LIST_TEXT = 512 };
#define MOUNT    "/sys/fs/cgroup"
#define NO_LIMIT UINT64_MAX
/* Version 1 writes the largest number of whole pages where there is no limit. */
#define V1_HUGE (1ull << 62)

enum group_unit { GROUP_CPUS, GROUP_BYTES, GROUP_COUNT };

static const struct group_limit {
	const char *name;
	enum group_unit unit;
	const char *file, *usage; /* version 2 */
	const char *controller, *file1, *usage1;
} limits[] = {
	{"CPU time", GROUP_CPUS, "cpu.max", NULL, "cpu", "cpu.cfs_quota_us", NULL},
	{"memory", GROUP_BYTES, "memory.max", "memory.current", "memory", "memory.limit_in_bytes",
		"memory.usage_in_bytes"},
	{"memory high", GROUP_BYTES, "memory.high", "memory.current", NULL, NULL, NULL},
	{"tasks", GROUP_COUNT, "pids.max", "pids.current", "pids", "pids.max", "pids.current"},
};

/* Where the process is in one hierarchy. */
struct group {
	bool found;
	char mount[64];
	char name[GROUP_PATH]; /* "/system.slice/x"; "" is the root */
};

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

/* Its group for this controller, NULL: in the hierarchy of version 2. Lines are "ID:CONTROLLERS:PATH". */
static void find_group(const char *text, const char *end, const char *controller, struct group *out)
{
	*out = (struct group){0};
	for (const char *p = text; p < end; p = scan_next_line(p, end)) {
		const char *stop = scan_line_end(p, end);
		const char *first = memchr(p, ':', (size_t)(stop - p));
		const char *second = first ? memchr(first + 1, ':', (size_t)(stop - first - 1))
					   : NULL;

		if (!second || second + 1 >= stop || second[1] != '/')
			continue;
		if (controller ? !has_word(first + 1, second, controller) : second != first + 1)
			continue;
		out->found = stop - second <= GROUP_PATH;
		snprintf(
			out->name, sizeof(out->name), "%.*s", (int)(stop - second - 1), second + 1);
		if (!strcmp(out->name, "/"))
			out->name[0] = '\0';
		snprintf(out->mount, sizeof(out->mount), controller ? MOUNT "/%s" : MOUNT,
			controller);
		return;
	}
}

static void cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

static int read_file(const struct reading *r, const struct group *g, const char *level,
	const char *file, char *out, u32 size)
{
	char path[GROUP_FILE + 64];

	snprintf(path, sizeof(path), "%s%s/%s", g->mount, level, file);
	return root_read(r->root, path, out, size);
}

static int parse_limit(const struct reading *r, const struct group *g, const char *level,
	const struct group_limit *l, u64 *out)
{
	bool v1 = strcmp(g->mount, MOUNT) != 0, ok = true;
	char text[64], more[64];
	s64 quota = 0;
	u64 period = 100000;
	int len = read_file(r, g, level, v1 ? l->file1 : l->file, text, sizeof(text)), more_len;
	const char *p, *end = text + (len > 0 ? len : 0);

	*out = NO_LIMIT;
	if (len < 0 || scan_starts(text, end, "max"))
		return len < 0 ? len : 0;
	p = scan_s64(text, end, &quota, &ok);
	if (!ok)
		return -EINVAL;
	if (l->unit != GROUP_CPUS) {
		*out = quota < 0 || (u64)quota >= V1_HUGE ? NO_LIMIT : (u64)quota;
		return 0;
	}
	if (v1) {
		more_len = read_file(r, g, level, "cpu.cfs_period_us", more, sizeof(more));
		if (more_len < 0 || scan_whole_u64(more, more + more_len, &period))
			return more_len < 0 ? more_len : -EINVAL;
	} else {
		scan_u64(p, end, &period, &ok);
	}
	if (quota < 0)
		return 0;
	if (!ok || !period)
		return -EINVAL;
	*out = (u64)((double)quota * 100 / (double)period); /* hundredths */
	return 0;
}

static void add_number(struct sbuf *sb, enum group_unit unit, u64 value)
{
	char number[HUMAN_SIZE];

	switch (unit) {
	case GROUP_CPUS:
		human_fixed(number, (double)value / 100, 2);
		break;
	case GROUP_BYTES:
		human_bytes(number, (double)value);
		break;
	case GROUP_COUNT:
		snprintf(number, sizeof(number), "%llu", (unsigned long long)value);
		break;
	}
	sbuf_str(sb, number);
	sbuf_str(sb, unit == GROUP_CPUS ? " CPUs" : "");
}

/* What counts against the limit: that of the group which sets it. */
static bool usage(const struct reading *r, const struct group *g, const char *level,
	const struct group_limit *l, u64 *out)
{
	const char *file = strcmp(g->mount, MOUNT) ? l->usage1 : l->usage;
	char text[64];
	int len = file ? read_file(r, g, level, file, text, sizeof(text)) : -ENOENT;

	return len > 0 && scan_whole_u64(text, text + len, out) == 0;
}

static void add_limit(struct reading *r, const struct group *g, const struct group_limit *l)
{
	char level[GROUP_PATH], by[GROUP_PATH] = "", text[GROUP_PATH + 160];
	u64 least = NO_LIMIT, v, used = 0;
	enum detail_kind kind = DETAIL_VALUE;
	int rc, failed = 0;
	struct sbuf sb;

	snprintf(level, sizeof(level), "%s", g->name);
	for (bool more = true; more; cut_last(level)) {
		more = level[0] != '\0';
		rc = parse_limit(r, g, level, l, &v);
		/* a group has no such file where the controller is off, nor has the root */
		if (rc && rc != -ENOENT)
			failed = rc;
		if (rc || v >= least)
			continue;
		least = v;
		memcpy(by, level, sizeof(by));
	}
	if (failed) {
		reading_absent(r, l->name, failed);
		return;
	}
	sbuf_init(&sb, text, sizeof(text));
	if (least == NO_LIMIT)
		sbuf_str(&sb, "no limit");
	else
		add_number(&sb, l->unit, least);
	if (least != NO_LIMIT)
		sbuf_printf(&sb, ", set by %s", by[0] ? by : "/");
	if (usage(r, g, least == NO_LIMIT ? g->name : by, l, &used)) {
		sbuf_str(&sb, ", in use ");
		add_number(&sb, l->unit, used);
		if (least != NO_LIMIT && (double)used * 100 > (double)least * NEAR_PERCENT) {
			sbuf_printf(&sb, ": %.0f%%, near the limit",
				least ? (double)used * 100 / (double)least : 100.0);
			kind = DETAIL_WARN;
		}
	}
	details_add(r->out, kind, l->name, text, sb.len);
}

/* The list that holds, and the highest group that has the same: that one sets it. */
static void add_cpuset(struct reading *r, const struct group *g)
{
	const char *file = strcmp(g->mount, MOUNT) ? "cpuset.effective_cpus"
						   : "cpuset.cpus.effective";
	char level[GROUP_PATH], by[GROUP_PATH] = "", own[LIST_TEXT] = "", text[LIST_TEXT];
	bool known = false;

	snprintf(level, sizeof(level), "%s", g->name);
	for (bool more = true; more; cut_last(level)) {
		more = level[0] != '\0';
		if (read_file(r, g, level, file, text, sizeof(text)) <= 0)
			continue;
		if (known && strcmp(text, own))
			break;
		known = true;
		memcpy(own, text, sizeof(own));
		memcpy(by, level, sizeof(by));
	}
	if (!known)
		return;
	if (by[0])
		details_printf(r->out, DETAIL_VALUE, "CPU set", "%s, set by %s", own, by);
	else
		details_printf(r->out, DETAIL_VALUE, "CPU set", "%s, no limit", own);
}

/* Is there anything to read, and is it the process's own group? Else a line says so. */
static bool can_read(struct reading *r, const struct group *g)
{
	char path[GROUP_FILE + 64];

	if (!strncmp(g->name, "/..", 3)) {
		details_printf(r->out, DETAIL_ABSENT, "limits",
			"outside of the control groups that are seen from here");
		return false;
	}
	snprintf(path, sizeof(path), "%s/cgroup.procs", g->mount);
	if (!root_exists(r->root, path)) {
		details_printf(
			r->out, DETAIL_ABSENT, "limits", "no control groups at %s", g->mount);
		return false;
	}
	snprintf(path, sizeof(path), "%s%s", g->mount, g->name);
	if (!root_exists(r->root, path))
		details_printf(r->out, DETAIL_ABSENT, "",
			"its group is not seen from here: limits below the mount are unknown");
	return true;
}

void details_cgroup(struct reading *r)
{
	char path[READING_PATH], text[4096];
	int len = root_read(r->root, reading_path(r, path, "cgroup"), text, sizeof(text));
	const char *end = text + (len > 0 ? len : 0);
	struct group v2, v1, g;

	details_add(r->out, DETAIL_SECTION, "control group", "", 0);
	if (len <= 0) {
		reading_absent(r, "path", len ? len : -ENOENT);
		return;
	}
	find_group(text, end, NULL, &v2);
	find_group(text, end, "memory", &v1);
	g = v1.found ? v1 : v2;
	if (!g.found) {
		reading_absent(r, "path", -ENOENT);
		return;
	}
	details_add(r->out, DETAIL_VALUE, "path", g.name[0] ? g.name : "/",
		g.name[0] ? strlen(g.name) : 1);
	if (!can_read(r, &g))
		return;
	for (u32 i = 0; i < ARRAY_LEN(limits); i++) {
		/* beside hierarchies of version 1 the one of version 2 has no controllers */
		if (!limits[i].controller && v1.found)
			continue;
		g = v2;
		if (v1.found)
			find_group(text, end, limits[i].controller, &g);
		if (g.found)
			add_limit(r, &g, &limits[i]);
	}
	g = v2;
	if (v1.found)
		find_group(text, end, "cpuset", &g);
	if (g.found)
		add_cpuset(r, &g);
}
