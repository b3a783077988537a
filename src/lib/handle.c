/* Open, refresh, close. */
#include "lib/handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cadence.h"
#include "lib/sources.h"

/* How long devices that answer slowly may keep a refresh waiting. */
#define SLOW_WAIT_NS (250 * NSEC_PER_MSEC)

int handle_new(struct tare **out, const char *dir, struct err *err)
{
	struct tare *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_set(err, ENOMEM, "no memory");
	clock_init(&t->clock);
	rc = root_init(&t->root, dir, &t->clock, err);
	if (rc < 0) {
		free(t);
		return rc;
	}
	if (root_read(&t->root, "/proc/sys/kernel/hostname", t->hostname, sizeof(t->hostname)) < 0)
		t->hostname[0] = '\0';
	*out = t;
	return 0;
}

int handle_start(struct tare *t, const char *const *include, const char *const *options,
	u64 interval_ns, struct err *err)
{
	const struct engine_config config = {
		.root = &t->root,
		.clock = &t->clock,
		.sources = tare_sources,
		.interval_ns = interval_ns,
		.include = include,
		.options = options,
	};

	return engine_open(&t->engine, &config, err);
}

/* Everything that can be asked for. */
#define WANT_ALL                                                                         \
	(TARE_WANT_USUAL | TARE_WANT_PROCESS_CWD | TARE_WANT_THREAD | TARE_WANT_EXITED | \
		TARE_WANT_PROCESS_PSS | TARE_WANT_CPUIDLE)
#define WANT_GPU                                                        \
	(TARE_WANT_GPU | TARE_WANT_GPU_CLIENT | TARE_WANT_PROCESS_GPU | \
		TARE_WANT_PROCESS_GPU_MEMORY)

static int set_scan(struct tare *t, const char *scan)
{
	if (!scan)
		return 0;
	if (strcmp(scan, "auto") != 0 && strcmp(scan, "procfs") != 0 && strcmp(scan, "bpf") != 0)
		return err_set(
			&t->err, EINVAL, "scan \"%.20s\": accepted are auto, procfs, bpf", scan);
	snprintf(t->scan, sizeof(t->scan), "scan=%s", scan);
	t->options[t->noptions++] = t->scan;
	return 0;
}

static void tell(const struct tare_options *o, const struct err *err)
{
	if (o->error && o->error_size)
		snprintf(o->error, o->error_size, "%s", err->msg);
}

int tare_open(struct tare **out, const struct tare_options *options)
{
	struct tare_options o = {.size = sizeof(o)};
	const char *names[WANT_NAMES];
	struct err err = {0};
	struct tare *t;
	int rc;

	if (options && options->size < sizeof(o.size))
		return -EINVAL;
	if (options)
		memcpy(&o, options, options->size < sizeof(o) ? options->size : sizeof(o));
	rc = handle_new(&t, o.root, &err);
	if (rc < 0) {
		tell(&o, &err);
		return rc;
	}
	t->opened = t->wanted = o.want ? o.want : TARE_WANT_USUAL;
	t->flags = o.flags;
	t->options[t->noptions++] = "guest=yes";
	if (!(t->opened & WANT_GPU))
		t->options[t->noptions++] = "gpu=off";
	rc = t->opened & ~WANT_ALL || o.flags & ~TARE_KEEP_ENDED
		     ? err_set(&t->err, EINVAL,
			       "want or flags have bits that this version does not know")
		     : set_scan(t, o.scan);
	if (rc == 0) {
		wants_names(t->opened, names);
		rc = handle_start(t, names, t->options, local_interval(), &t->err);
	}
	if (rc < 0) {
		tell(&o, &t->err);
		tare_close(t);
		return rc;
	}
	wants_apply(t);
	*out = t;
	return 0;
}

void tare_close(struct tare *t)
{
	if (!t)
		return;
	engine_close(t->engine);
	root_fini(&t->root);
	table_fini(&t->before);
	free(t->ended);
	free(t->pids);
	free(t);
}

const char *tare_error(const struct tare *t)
{
	return t->err.msg;
}

const char *tare_version(void)
{
	return TARE_VERSION;
}

int tare_want(struct tare *t, uint64_t want)
{
	if (want & ~t->opened)
		return err_set(
			&t->err, EINVAL, "something is wanted that was not when it was opened");
	t->wanted = want;
	wants_apply(t);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

int tare_pids(struct tare *t, const uint32_t *pids, size_t n)
{
	u32 *copy = NULL;

	if (n) {
		copy = malloc(n * sizeof(*copy));
		if (!copy)
			return err_set(&t->err, ENOMEM, "no memory");
		memcpy(copy, pids, n * sizeof(*copy));
		qsort(copy, n, sizeof(*copy), by_number);
	}
	engine_only(t->engine, copy, (u32)n);
	free(t->pids);
	t->pids = copy;
	t->npids = n;
	return 0;
}

/* The first refresh finds the clients of GPUs, of which the second has the baseline; the others keep theirs. */
static int prepare(struct tare *t)
{
	int rc;

	engine_wait_slow(t->engine, SLOW_WAIT_NS);
	rc = engine_tick(t->engine, &t->frame);
	if (rc == 0 && engine_shared(t->engine)->gpu && root_is_live(&t->root)) {
		engine_wait_slow(t->engine, SLOW_WAIT_NS);
		rc = engine_tick(t->engine, &t->frame);
	}
	t->prepared = true;
	return rc;
}

int tare_refresh(struct tare *t)
{
	int rc = t->flags & TARE_KEEP_ENDED ? processes_keep(t) : 0;

	if (rc == 0 && !t->prepared) {
		rc = prepare(t);
	} else if (rc == 0) {
		/* what threads read is as new as the rest */
		if (engine_shared(t->engine)->gpu || !root_is_live(&t->root))
			engine_wait_slow(t->engine, SLOW_WAIT_NS);
		rc = engine_tick(t->engine, &t->frame);
	}
	if (rc == 0)
		wants_see(t);
	processes_bind(t);
	if (rc == 0 && t->flags & TARE_KEEP_ENDED)
		rc = processes_compare(t);
	return rc == -ENODATA ? err_set(&t->err, ENODATA, "the recorded machine is at its end")
	       : rc < 0       ? err_set(&t->err, -rc, "%s", strerror(-rc))
			      : 0;
}
