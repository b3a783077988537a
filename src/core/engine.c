/* The tick: one clock reading for the frame, then every source into its delta, in the order of the
 * list. A source that fails or is late never takes the tick down. See engine.h. */
#include "core/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/cadence.h"
#include "core/slow.h"

struct entry {
	const struct source_ops *ops;
	struct source *source; /* NULL when a thread has it */
	struct slow *slow;
	struct delta delta;
	u64 need;
	u64 asked_ns; /* when it was last read or asked for */
	u64 errors;   /* slow: seen so far */
	bool asked;
	bool rests;
};

struct absent {
	const char *name;
	enum reason reason;
};

struct engine {
	struct root *root;
	struct clock *clock;
	struct source_env env;
	const struct source_ops *const *sources;
	bool still, live, started, ticked;
	int fd;   /* the timer */
	int poll; /* the timer and what sources wait for; -1: no source does */
	struct source_shared shared;
	u64 interval_ns;
	u64 ticked_ns; /* newest tick by the kernel's clock, for the timer */
	u32 n, nabsent;
	struct entry *entries;
	struct absent *absents;
	struct source_cost *costs;
	const struct frame_table **tables,
		**shown; /* of every source that is read; of those asked for */
	struct frame frame;
};

/* What a slow source's thread needs, its own for as long as it lives. */
struct slow_env {
	struct source_env env;
	struct root root;
	struct clock clock;
};

static void slow_env_free(void *arg)
{
	struct slow_env *own = arg;

	close(own->root.fd);
	free(own);
}

static bool is_slow(const struct engine *e, const struct entry *en)
{
	return en->ops->slow && e->live;
}

static int open_slow(struct engine *e, struct entry *en)
{
	struct slow_env *own = calloc(1, sizeof(*own));
	int ret;

	if (!own)
		return -ENOMEM;
	own->root = *e->root;
	own->clock = *e->clock;
	own->root.fd = fcntl(e->root->fd, F_DUPFD_CLOEXEC, 0);
	if (own->root.fd < 0) {
		ret = -errno;
		free(own);
		return ret;
	}
	/* no costs: they live only as long as the engine */
	own->env = (struct source_env){.root = &own->root, .clock = &own->clock};
	ret = slow_start(&en->slow, en->ops, &own->env, slow_env_free, own);
	if (ret)
		slow_env_free(own);
	return ret;
}

static bool has_name(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static bool shown(const struct engine_config *config, const struct source_ops *ops)
{
	return config->include ? has_name(config->include, ops->schema->name) : !ops->optional;
}

static bool wanted(const struct engine_config *config, const struct source_ops *ops)
{
	if (shown(config, ops))
		return true;
	for (u32 i = 0; config->sources[i]; i++)
		if (shown(config, config->sources[i]) &&
			has_name(config->sources[i]->with, ops->schema->name))
			return true;
	return false;
}

static int open_entry(
	struct engine *e, const struct engine_config *config, const struct source_ops *ops)
{
	struct entry *en = &e->entries[e->n];
	int ret;

	*en = (struct entry){.ops = ops, .need = schema_usual(ops->schema)};
	/* a recorded machine is read in line: the same output every time */
	ret = is_slow(e, en) ? 0 : ops->open(&en->source, &e->env);
	if (ret) {
		if (shown(config, ops))
			e->absents[e->nabsent++] = (struct absent){
				ops->schema->name, reason_from_errno(ret)};
		return ret == -ECANCELED || ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE ? ret
											       : 0;
	}
	e->costs[e->n].name = ops->schema->name;
	e->tables[e->n] = &en->delta.frame;
	if (shown(config, ops))
		e->shown[e->frame.ntables++] = &en->delta.frame;
	e->env.ncosts = ++e->n;
	return delta_init(&en->delta, ops->schema);
}

/* Threads last: they begin with the rights that the other sources left. */
static int start_slow(struct engine *e)
{
	int ret = 0;

	for (u32 i = 0; i < e->n && !ret; i++)
		if (is_slow(e, &e->entries[i]))
			ret = open_slow(e, &e->entries[i]);
	return ret;
}

static int watch(struct engine *e, int fd, u32 which)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = which};

	if (e->poll < 0)
		e->poll = epoll_create1(EPOLL_CLOEXEC);
	return e->poll < 0 || epoll_ctl(e->poll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* One descriptor for the timer and for what sources wait for, by their place; the timer is behind the last. */
static int watch_sources(struct engine *e)
{
	int ret = 0;

	for (u32 i = 0; i < e->n && !ret; i++) {
		struct entry *en = &e->entries[i];
		int fd = en->source && en->ops->fd ? en->ops->fd(en->source) : -1;

		if (fd >= 0)
			ret = watch(e, fd, i);
	}
	if (!ret && e->poll >= 0)
		ret = watch(e, e->fd, e->n);
	return ret;
}

int engine_open(struct engine **out, const struct engine_config *config, struct err *err)
{
	struct engine *e = calloc(1, sizeof(*e));
	int ret = -ENOMEM;
	u32 n = 0;

	while (config->sources[n])
		n++;
	if (!e)
		goto fail;
	e->root = config->root;
	e->clock = config->clock;
	e->live = root_is_live(config->root);
	e->still = config->still;
	e->interval_ns = config->interval_ns;
	e->poll = -1;
	e->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (e->fd < 0) {
		ret = -errno;
		goto fail;
	}
	e->entries = calloc(n + 1, sizeof(*e->entries));
	e->absents = calloc(n + 1, sizeof(*e->absents));
	e->costs = calloc(n + 1, sizeof(*e->costs));
	e->tables = calloc(n + 1, sizeof(*e->tables));
	e->shown = calloc(n + 1, sizeof(*e->shown));
	if (!e->entries || !e->absents || !e->costs || !e->tables || !e->shown)
		goto fail;
	e->sources = config->sources;
	e->env = (struct source_env){.root = e->root,
		.clock = e->clock,
		.costs = e->costs,
		.options = config->options,
		.shared = &e->shared};
	for (u32 i = 0; i < n; i++) {
		ret = wanted(config, config->sources[i]) ? open_entry(e, config, config->sources[i])
							 : 0;
		if (ret)
			goto fail;
	}
	ret = start_slow(e);
	if (!ret)
		ret = watch_sources(e);
	if (ret)
		goto fail;
	e->frame.tables = e->shown;
	*out = e;
	return 0;
fail:
	if (ret == -ECANCELED)
		err_set(err, EPERM, "%s", e->shared.refused);
	engine_close(e);
	return ret == -ECANCELED
		       ? -EPERM
		       : err_set(err, -ret, "cannot open the sources: %s", strerror(-ret));
}

void engine_close(struct engine *e)
{
	if (!e)
		return;
	for (u32 i = 0; e->entries && i < e->n; i++) {
		struct entry *en = &e->entries[i];

		if (en->slow)
			slow_stop(en->slow);
		else if (en->source)
			en->ops->close(en->source);
		delta_fini(&en->delta);
	}
	if (e->shared.free_processes)
		e->shared.free_processes(e->shared.processes);
	if (e->shared.free_gpu)
		e->shared.free_gpu(e->shared.gpu);
	if (e->poll > 0)
		close(e->poll);
	if (e->fd > 0)
		close(e->fd);
	free(e->entries);
	free(e->absents);
	free(e->costs);
	free(e->tables);
	free(e->shown);
	free(e);
}

void engine_need(struct engine *e, const char *table, u64 need)
{
	for (u32 i = 0; i < e->n; i++)
		if (!strcmp(e->entries[i].ops->schema->name, table))
			e->entries[i].need = need;
}

void engine_rest(struct engine *e, const char *table, bool rest)
{
	for (u32 i = 0; i < e->n; i++)
		if (!strcmp(e->entries[i].ops->schema->name, table))
			e->entries[i].rests = rest;
}

const struct source_shared *engine_shared(const struct engine *e)
{
	return &e->shared;
}

void engine_only(struct engine *e, const u32 *pids, u32 n)
{
	e->shared.only = n ? pids : NULL;
	e->shared.nonly = n;
}

void engine_visible(struct engine *e, const char *table, const u64 *keys, u32 n)
{
	for (u32 i = 0; i < e->n; i++) {
		struct entry *en = &e->entries[i];

		if (en->source && en->ops->visible && !strcmp(en->ops->schema->name, table))
			en->ops->visible(en->source, keys, n);
	}
}

/* Half an interval early is nearer than half an interval late. */
static bool due(const struct engine *e, struct entry *en, u64 now_ns)
{
	bool follow = !e->live && !e->still;

	if (en->rests)
		return false;
	if (!follow && en->asked && en->ops->period_ns &&
		now_ns + e->interval_ns / 2 < en->asked_ns + en->ops->period_ns)
		return false;
	en->asked = true;
	en->asked_ns = now_ns;
	return true;
}

static void tick_slow(struct engine *e, struct entry *en, struct source_cost *cost)
{
	const struct stamp *at = &e->frame.at;
	struct frame_table *f = &en->delta.frame;
	u64 delta_ns = cost->delta_ns;
	int opened = slow_opened(en->slow);
	struct table *spare = delta_spare(&en->delta);

	/* cost first: a failure must not be newer than the reading that is taken */
	slow_cost(en->slow, cost);
	cost->delta_ns = delta_ns;
	if (slow_take(en->slow, spare)) {
		if (delta_step(&en->delta))
			cost->errors++;
		en->errors = cost->errors;
	} else {
		delta_repeat(&en->delta, at);
		if (opened < 0)
			delta_fail(&en->delta, reason_from_errno(opened));
		else if (cost->errors > en->errors)
			delta_fail(&en->delta, REASON_ERROR);
	}
	f->stale = f->seq && (slow_busy_ns(en->slow, clock_mono_ns()) > e->interval_ns ||
				     f->age_ns > 2 * en->ops->period_ns + e->interval_ns);
	if (opened >= 0 && due(e, en, at->mono_ns))
		slow_request(en->slow, en->need);
}

/* Chained stamps of CPU time: where one source ends the next begins. */
static void tick_entry(struct engine *e, u32 i, u64 *cpu_ns)
{
	struct entry *en = &e->entries[i];
	struct source_cost *cost = &e->costs[i];
	u64 read_ns, end_ns;
	int ret;

	if (en->slow) {
		u64 before = *cpu_ns;

		tick_slow(e, en, cost);
		*cpu_ns = clock_thread_cpu_ns();
		cost->delta_ns += *cpu_ns - before;
		return;
	}
	if (!due(e, en, e->frame.at.mono_ns)) {
		delta_repeat(&en->delta, &e->frame.at);
		return;
	}
	ret = en->ops->read(en->source, delta_spare(&en->delta), en->need);
	if (ret == -EAGAIN) {
		delta_repeat(&en->delta, &e->frame.at);
		en->delta.frame.stale = en->delta.frame.seq &&
					en->delta.frame.age_ns >
						2 * (en->ops->period_ns + e->interval_ns);
		return;
	}
	read_ns = clock_thread_cpu_ns();
	cost->cpu_ns += read_ns - *cpu_ns;
	cost->reads++;
	if (!ret)
		ret = delta_step(&en->delta);
	if (ret) {
		cost->errors++;
		delta_repeat(&en->delta, &e->frame.at);
		delta_fail(&en->delta, reason_from_errno(ret));
	} else {
		cost->rows = en->delta.frame.n;
	}
	end_ns = clock_thread_cpu_ns();
	cost->delta_ns += end_ns - read_ns;
	*cpu_ns = end_ns;
}

static int arm(struct engine *e, u64 first_ns)
{
	struct itimerspec t = {
		.it_interval = {(time_t)(e->interval_ns / NSEC_PER_SEC),
			(long)(e->interval_ns % NSEC_PER_SEC)},
		.it_value = {(time_t)(first_ns / NSEC_PER_SEC), (long)(first_ns % NSEC_PER_SEC)},
	};

	return timerfd_settime(e->fd, TFD_TIMER_ABSTIME, &t, NULL) ? -errno : 0;
}

static void stamp_frame(struct engine *e)
{
	struct frame *f = &e->frame;
	struct stamp before = f->at;

	clock_read(e->clock, &f->at);
	f->seq++;
	f->interval_ns = e->interval_ns;
	f->window_ns = 0;
	e->ticked_ns = clock_mono_ns();
	if (!e->ticked)
		return;
	f->window_ns = f->at.mono_ns - before.mono_ns;
	if (f->at.boot_ns - before.boot_ns > f->window_ns + SUSPEND_LEAST_NS ||
		(e->live && f->window_ns > e->interval_ns + e->interval_ns / 2))
		f->gaps++;
}

/* Backwards: what stands later in the list is made of less. */
static void finish(struct engine *e)
{
	struct frame all = e->frame;

	all.tables = e->tables;
	all.ntables = e->n;
	for (u32 i = e->n; i-- > 0;) {
		struct entry *en = &e->entries[i];

		if (en->source && en->ops->finish && en->delta.frame.fresh)
			en->ops->finish(en->source, &en->delta.frame, &all);
	}
}

int engine_tick(struct engine *e, const struct frame **out)
{
	u64 cpu_ns;
	int ret;

	if (e->ticked && !e->live && !e->still) {
		struct err err;

		ret = root_next(e->root, e->clock, &err);
		if (ret)
			return ret;
	}
	stamp_frame(e);
	e->shared.tick++;
	for (u32 i = 0; i < e->n; i++)
		if (e->entries[i].source && e->entries[i].ops->begin && !e->entries[i].rests)
			e->entries[i].ops->begin(e->entries[i].source);
	cpu_ns = clock_thread_cpu_ns();
	for (u32 i = 0; i < e->n; i++)
		tick_entry(e, i, &cpu_ns);
	finish(e);
	if (!e->ticked && e->started)
		arm(e, e->ticked_ns + FIRST_WINDOW_NS);
	e->ticked = true;
	*out = &e->frame;
	return 0;
}

const struct frame *engine_frame(const struct engine *e)
{
	return e->ticked ? &e->frame : NULL;
}

int engine_start(struct engine *e)
{
	e->started = true;
	return arm(e, (e->ticked ? e->ticked_ns : clock_mono_ns()) + FIRST_WINDOW_NS);
}

int engine_fd(const struct engine *e)
{
	return e->poll >= 0 ? e->poll : e->fd;
}

/* Sources that have something to do. */
static void wake(struct engine *e)
{
	struct epoll_event events[8];
	int n = epoll_wait(e->poll, events, ARRAY_LEN(events), 0);

	for (int i = 0; i < n; i++)
		if (events[i].data.u32 < e->n)
			e->entries[events[i].data.u32].ops->wake(
				e->entries[events[i].data.u32].source);
}

u64 engine_expired(struct engine *e)
{
	u64 n;

	if (e->poll >= 0)
		wake(e);
	if (read(e->fd, &n, sizeof(n)) != (ssize_t)sizeof(n))
		return 0;
	if (n > 1)
		e->frame.missed += n - 1;
	return n;
}

int engine_set_interval(struct engine *e, u64 interval_ns)
{
	e->interval_ns = interval_ns;
	if (!e->started)
		return 0;
	return arm(e, (e->ticked ? e->ticked_ns : clock_mono_ns()) + interval_ns);
}

bool engine_wait_slow(struct engine *e, u64 timeout_ns)
{
	u64 until = clock_mono_ns() + timeout_ns;
	bool all = true;

	for (u32 i = 0; i < e->n; i++) {
		u64 now = clock_mono_ns();

		if (e->entries[i].rests)
			continue;
		if (e->entries[i].slow && slow_opened(e->entries[i].slow) >= 0)
			all &= slow_wait(e->entries[i].slow, until > now ? until - now : 0);
		else if (e->entries[i].source && e->entries[i].ops->wait)
			all &= e->entries[i].ops->wait(e->entries[i].source, until);
	}
	return all;
}

bool engine_absent(const struct engine *e, u32 index, const char **name, enum reason *reason)
{
	if (index < e->nabsent) {
		*name = e->absents[index].name;
		*reason = e->absents[index].reason;
		return true;
	}
	index -= e->nabsent;
	for (u32 i = 0; i < e->n; i++) {
		int opened = e->entries[i].slow ? slow_opened(e->entries[i].slow) : 0;

		if (opened >= 0 || index--)
			continue;
		*name = e->entries[i].ops->schema->name;
		*reason = reason_from_errno(opened);
		return true;
	}
	return false;
}

/* A slow source belongs to its thread: it is explained by an instance of its own, and only while
 * the thread shows that calls return. */
static void explain_slow(struct engine *e, struct entry *en, struct findings *out)
{
	struct source *source;

	if (slow_opened(en->slow) < 0)
		return;
	if (slow_busy_ns(en->slow, clock_mono_ns())) {
		findings_add(out, en->ops->schema->name, REASON_STALE, en->ops->schema->title,
			"the reading under way has not come back", "");
		return;
	}
	if (!en->ops->explain || en->ops->open(&source, &e->env))
		return;
	en->ops->explain(source, out);
	en->ops->close(source);
}

static const char *absent_fix(const struct engine *e, const char *name)
{
	for (u32 i = 0; e->sources[i]; i++)
		if (!strcmp(e->sources[i]->schema->name, name))
			return e->sources[i]->absent_fix ? e->sources[i]->absent_fix : "";
	return "";
}

void engine_explain(struct engine *e, struct findings *out)
{
	const char *name;
	enum reason reason;

	for (u32 i = 0; i < e->n; i++) {
		struct entry *en = &e->entries[i];

		if (en->slow)
			explain_slow(e, en, out);
		else if (en->ops->explain)
			en->ops->explain(en->source, out);
	}
	for (u32 i = 0; engine_absent(e, i, &name, &reason); i++)
		findings_add(out, name, reason, name, reason_text(reason), absent_fix(e, name));
}

const struct source_cost *engine_costs(const struct engine *e, u32 *n)
{
	*n = e->n;
	return e->costs;
}
