/* The tables `exited` and `attribution`: what ended between two ticks, and whether all CPU time is accounted for. */
#include <errno.h>
#include <stdlib.h>

#include "process/attribution.h"
#include "process/process.h"
#include "process/scanners.h"

struct source {
	const struct source_env *env;
	struct scanners *scanners;
};

static void exited_close(struct source *s)
{
	if (!s)
		return;
	if (s->scanners)
		scanners_put(s->scanners, s->env);
	free(s);
}

static int exited_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	ret = scanners_get(&s->scanners, env);
	if (ret) {
		free(s);
		return ret;
	}
	*out = s;
	return 0;
}

static int exited_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	ret = scanners_drain(s->scanners);
	if (!ret)
		ret = exits_rows(s->scanners->exits, t);
	return ret ? ret : table_end(t);
}

static int attribution_read(struct source *s, struct table *t, u64 need)
{
	const struct source_shared *shared = s->env->shared;
	struct scanner_account account = scanners_account(s->scanners);
	struct attribution a = {.processes_ns = s->scanners->processes_ns,
		.exited_ns = exits_cpu_ns(s->scanners->exits) + account.lost_ns,
		.interrupts_ns = shared ? shared->cpu_interrupts_ns : 0,
		.busy_ns = shared ? shared->cpu_busy_ns : 0};
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	/* all over the window of the whole, so that the parts add up to it */
	if (a.busy_ns)
		at = shared->cpu_at;
	table_begin(t, &at, need);
	ret = attribution_rows(t, &a);
	return ret ? ret : table_end(t);
}

static void exited_explain(struct source *s, struct findings *out)
{
	if (!s->scanners->ops->fd)
		findings_add(out, exited_table_schema.name, REASON_PERMISSION,
			"ended processes one by one",
			"by procfs only what their parents were told: marked approximate",
			"run as root");
}

const struct source_ops exited_source = {.schema = &exited_table_schema,
	.open = exited_open,
	.read = exited_read,
	.explain = exited_explain,
	.close = exited_close};

const struct source_ops attribution_source = {.schema = &attribution_table_schema,
	.open = exited_open,
	.read = attribution_read,
	.close = exited_close};
