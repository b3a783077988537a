#include "ftrace/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ftrace/select.h"

enum {
	BUFFER_BYTES = 4 << 20,
	TURN_BYTES = 1 << 20, /* of a CPU before the others have theirs */
	SUBBUFFER_KIB = 64,
	CPUS_MOST = 1024, /* readers of traces refuse more */
	WATERMARK = 50,   /* per cent */
};

struct enable {
	struct drain *d;
	struct err *err;
};

static int enable_event(void *arg, const char *group, const char *name)
{
	struct enable *e = arg;
	struct drain *d = e->d;
	char path[320], *text;
	size_t len;
	int ret;

	snprintf(path, sizeof(path), "events/%s/%s/format", group, name);
	text = tracefs_read(&d->fs, path, &len);
	if (!text)
		return 0; /* gone with its module */
	ret = bundler_know(&d->bundler, group, text, len, e->err);
	free(text);
	if (ret == -ENOMEM)
		return ret;
	snprintf(path, sizeof(path), "events/%s/%s/enable", group, name);
	if (ret || tracefs_set(&d->fs, path, "1"))
		d->failed_events++;
	else
		d->nevents++;
	return 0;
}

/* Markers that programs write into the instance come without being asked for. */
static int know_markers(struct drain *d, struct err *err)
{
	size_t len;
	char *text = tracefs_read(&d->fs, "events/ftrace/print/format", &len);
	int ret = text ? bundler_know(&d->bundler, "ftrace", text, len, err) : 0;

	free(text);
	return ret == -ENOMEM ? ret : 0;
}

static int enable_events(struct drain *d, const char *list, struct err *err)
{
	struct enable e = {.d = d, .err = err};
	size_t len;
	char *available;
	int ret;

	available = tracefs_available(&d->fs, &len);
	if (!available)
		return err_set(err, errno, "kernel events: available_events: %s", strerror(errno));
	ret = know_markers(d, err);
	if (!ret)
		ret = select_events(list, available, enable_event, &e, err);
	free(available);
	if (!ret && !d->nevents)
		return err_set(err, ENOENT, "none of the events of '%s' could be enabled", list);
	return ret;
}

/* The ring's shape first: a change throws away what is in it. */
static int shape(struct drain *d, const struct drain_options *o, struct err *err)
{
	u64 bytes = o->buffer_bytes ? o->buffer_bytes : BUFFER_BYTES;
	char *text;
	size_t len;
	int ret;

	if (tracefs_set(&d->fs, "trace_clock", "boot"))
		return err_set(
			err, ENOTSUP, "kernel events: this kernel has no trace clock \"boot\"");
	/* before 6.8 a sub-buffer is a page */
	tracefs_set_number(&d->fs, "buffer_subbuf_size_kb",
		o->subbuffer_bytes ? o->subbuffer_bytes / 1024 : SUBBUFFER_KIB);
	ret = tracefs_set_number(&d->fs, "buffer_size_kb", bytes / 1024);
	if (ret)
		return err_set(err, -ret, "kernel events: a buffer of %llu KiB for each CPU: %s",
			(unsigned long long)bytes / 1024, strerror(-ret));
	d->watermark = !tracefs_set_number(&d->fs, "buffer_percent", WATERMARK);
	text = tracefs_read(&d->fs, "events/header_page", &len);
	d->subbuffer = text ? format_page_data(text, len) : 0;
	free(text);
	if (!d->subbuffer)
		return err_set(err, ENOTSUP,
			"kernel events: this kernel's ring has a layout that is not known");
	d->subbuffer += PAGE_HEADER;
	text = tracefs_read(&d->fs, "buffer_size_kb", &len);
	d->buffer_bytes = text ? strtoull(text, NULL, 10) * 1024 : bytes;
	free(text);
	d->budget = TURN_BYTES / d->subbuffer ? TURN_BYTES / d->subbuffer : 1;
	d->buffer = malloc(d->subbuffer);
	return d->buffer ? 0 : err_set(err, ENOMEM, "no memory");
}

static u32 count_cpus(const struct drain *d)
{
	char path[64];
	u32 n = 0;

	for (; n < CPUS_MOST; n++) {
		snprintf(path, sizeof(path), "per_cpu/cpu%u", n);
		if (faccessat(d->fs.dir, path, F_OK, 0))
			break;
	}
	return n;
}

static int open_cpus(struct drain *d, struct err *err)
{
	char path[64];

	d->cpus = calloc(d->ncpus, sizeof(*d->cpus));
	if (!d->cpus)
		return err_set(err, ENOMEM, "no memory");
	for (u32 i = 0; i < d->ncpus; i++)
		d->cpus[i].fd = -1;
	for (u32 i = 0; i < d->ncpus; i++) {
		snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", i);
		d->cpus[i].fd = tracefs_file(&d->fs, path, O_RDONLY | O_NONBLOCK);
		if (d->cpus[i].fd < 0)
			return err_set(err, -d->cpus[i].fd, "kernel events: %s: %s", path,
				strerror(-d->cpus[i].fd));
	}
	return 0;
}

int drain_open(struct drain *d, const struct root *root, struct trace_writer *w,
	const struct drain_options *o, struct err *err)
{
	int ret;

	*d = (struct drain){0};
	ret = tracefs_open(&d->fs, root, err);
	if (ret)
		return ret;
	d->ncpus = count_cpus(d);
	ret = bundler_init(&d->bundler, w, d->ncpus);
	if (ret)
		err_set(err, -ret, "no memory");
	if (!ret)
		ret = shape(d, o, err);
	if (!ret)
		ret = enable_events(d, o->events, err);
	if (!ret)
		ret = narrow_apply(&o->narrow, &d->fs, root, d->ncpus, err);
	if (!ret)
		ret = open_cpus(d, err);
	if (ret)
		drain_close(d);
	return ret;
}

void drain_close(struct drain *d)
{
	for (u32 i = 0; d->cpus && i < d->ncpus; i++)
		if (d->cpus[i].fd >= 0)
			close(d->cpus[i].fd);
	free(d->cpus);
	free(d->buffer);
	d->cpus = NULL;
	d->buffer = NULL;
	bundler_fini(&d->bundler);
	tracefs_close(&d->fs);
}

int drain_start(struct drain *d)
{
	return tracefs_set(&d->fs, "tracing_on", "1");
}

/* One CPU's turn. *again: its budget is spent. */
static int cpu_turn(struct drain *d, u32 cpu, bool to_the_end, bool *again)
{
	struct turn turn = {.budget = d->budget,
		.half = (d->subbuffer - PAGE_HEADER) / 2,
		.to_the_end = to_the_end};
	struct drain_cpu *c = &d->cpus[cpu];
	enum turn_next next = TURN_MORE;
	int ret = 0;

	while (next == TURN_MORE && !ret) {
		ssize_t n = read(c->fd, d->buffer, d->subbuffer);
		struct page page = {.at = NULL};
		u32 payload = 0;

		if (n > 0) {
			page_open(&page, d->buffer, (size_t)n);
			payload = (u32)(page.end - page.at);
			c->bytes += payload;
			c->reads++;
			ret = bundle_page(&d->bundler, cpu, &page);
		} else if (n < 0) {
			n = -errno;
		}
		next = turn_after(&turn, n, payload);
	}
	if (next == TURN_FAILED)
		d->error = turn.error;
	*again |= next == TURN_BUDGET;
	/* the next CPU has a bundle of its own */
	return ret ? ret : bundle_end(&d->bundler);
}

int drain_turn(struct drain *d, bool *again)
{
	int ret = 0;

	*again = false;
	for (u32 i = 0; i < d->ncpus && !ret; i++)
		ret = cpu_turn(d, i, false, again);
	return ret;
}

int drain_stop(struct drain *d)
{
	bool again = true;
	int ret = 0;

	tracefs_set(&d->fs, "tracing_on", "0");
	while (again && !ret) {
		again = false;
		for (u32 i = 0; i < d->ncpus && !ret; i++)
			ret = cpu_turn(d, i, true, &again);
	}
	return ret;
}
