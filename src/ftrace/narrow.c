#include "ftrace/narrow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scan.h"

enum { EVENT_SIZE = 128, MASK_CPUS = 1024, MASK_WORD = 32 };

bool narrow_split(const char *filter, char *event, size_t size, const char **expression)
{
	const char *end = strchr(filter, ':');
	size_t len;
	char *colon;

	/* group:name: */
	if (end && !memchr(filter, '/', (size_t)(end - filter)))
		end = strchr(end + 1, ':');
	if (!end)
		return false;
	len = (size_t)(end - filter);
	if (!len || len >= size)
		return false;
	memcpy(event, filter, len);
	event[len] = '\0';
	colon = strchr(event, ':');
	if (colon)
		*colon = '/';
	for (end++; *end == ' ';)
		end++;
	*expression = end;
	/* of one event, and nothing that leads elsewhere */
	return *end && strchr(event, '/') == strrchr(event, '/') && event[0] != '/' &&
	       !strstr(event, "..");
}

struct mask {
	u32 words[MASK_CPUS / MASK_WORD];
	u32 limit;
	bool any, beyond;
};

static void add_cpu(void *arg, u32 cpu)
{
	struct mask *m = arg;

	if (cpu >= m->limit) {
		m->beyond = true;
		return;
	}
	m->words[cpu / MASK_WORD] |= 1u << cpu % MASK_WORD;
	m->any = true;
}

int narrow_mask(const char *list, u32 ncpus, char *mask, size_t size)
{
	struct mask m = {.limit = ncpus < MASK_CPUS ? ncpus : MASK_CPUS};
	size_t used = 0;

	if (scan_cpu_list(list, list + strlen(list), add_cpu, &m) || !m.any || m.beyond)
		return -EINVAL;
	for (u32 i = (m.limit + MASK_WORD - 1) / MASK_WORD; i-- > 0;) {
		int n = snprintf(mask + used, size - used, "%08x%s", m.words[i], i ? "," : "");

		if (n < 0 || (size_t)n >= size - used)
			return -EINVAL;
		used += (size_t)n;
	}
	return 0;
}

/* What the kernel has against an expression, of its error log: "error: Field not found". */
static void kernel_says(const struct tracefs *t, char *out, size_t size)
{
	size_t len;
	char *text = tracefs_read(t, "error_log", &len), *at = NULL;

	out[0] = '\0';
	for (char *next = text; next && (next = strstr(next, "error: ")); next++)
		at = next + strlen("error: ");
	if (at)
		snprintf(out, size, " (%.*s)", (int)strcspn(at, "\n"), at);
	free(text);
}

static int apply_filter(const struct tracefs *t, const char *filter, struct err *err)
{
	char event[EVENT_SIZE], path[EVENT_SIZE + 32], says[96];
	const char *expression;
	int ret;

	if (!narrow_split(filter, event, sizeof(event), &expression))
		return err_set(
			err, EINVAL, "filter '%s': expected GROUP/EVENT: EXPRESSION", filter);
	snprintf(path, sizeof(path), "events/%s/filter", event);
	ret = tracefs_set(t, path, expression);
	if (ret == -ENOENT)
		return err_set(err, ENOENT, "filter: this kernel has no event %s", event);
	if (!ret)
		return 0;
	kernel_says(t, says, sizeof(says));
	return err_set(err, -ret, "filter: the kernel does not take '%s' for %s%s", expression,
		event, says);
}

struct threads {
	int fd;
	u32 n;
};

static int add_thread(void *arg, const char *name)
{
	struct threads *t = arg;
	char text[32];
	int len = snprintf(text, sizeof(text), "%s ", name);

	if (write(t->fd, text, (size_t)len) == len)
		t->n++;
	return 0;
}

static int apply_pids(
	const struct narrow *n, const struct tracefs *t, const struct root *root, struct err *err)
{
	struct threads threads = {.fd = tracefs_file(t, "set_event_pid", O_WRONLY | O_APPEND)};
	char path[64];
	int ret = 0;

	if (threads.fd < 0)
		return err_set(err, -threads.fd, "set_event_pid: %s", strerror(-threads.fd));
	for (u32 i = 0; i < n->npids && !ret; i++) {
		threads.n = 0;
		snprintf(path, sizeof(path), "/proc/%u/task", n->pids[i]);
		root_list(root, path, add_thread, &threads);
		if (!threads.n)
			ret = err_set(err, ESRCH, "there is no process %u", n->pids[i]);
	}
	close(threads.fd);
	/* what they start is theirs too */
	return ret ? ret : tracefs_set(t, "options/event-fork", "1");
}

int narrow_apply(const struct narrow *n, const struct tracefs *t, const struct root *root,
	u32 ncpus, struct err *err)
{
	char mask[MASK_CPUS / MASK_WORD * 9 + 1];
	int ret = 0;

	for (u32 i = 0; i < n->nfilters && !ret; i++)
		ret = apply_filter(t, n->filters[i], err);
	if (!ret && n->npids)
		ret = apply_pids(n, t, root, err);
	if (ret || !n->cpus)
		return ret;
	if (narrow_mask(n->cpus, ncpus, mask, sizeof(mask)))
		return err_set(err, EINVAL, "CPUs '%s': expected a list as 0-3,8 of the %u CPUs",
			n->cpus, ncpus);
	ret = tracefs_set(t, "tracing_cpumask", mask);
	return ret ? err_set(err, -ret, "tracing_cpumask: %s", strerror(-ret)) : 0;
}
