/* The table `process`: a row from what a scanner hands over. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "process/process.h"
#include "process/procfs.h"
#include "process/rows.h"
#include "process/schema.h"

struct source {
	const struct source_env *env;
	struct procfs fs;
	struct rows rows;
};

static void process_close(struct source *s)
{
	if (!s)
		return;
	procfs_close(&s->fs);
	rows_fini(&s->rows);
	free(s);
}

static int process_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	ret = procfs_open(&s->fs, env);
	if (ret) {
		free(s);
		return ret;
	}
	rows_init(&s->rows, env->root);
	*out = s;
	return 0;
}

static int process_read(struct source *s, struct table *t, u64 need)
{
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	ret = rows_begin(&s->rows, t);
	if (!ret)
		ret = procfs_scan(&s->fs, need, rows_add, &s->rows);
	if (ret)
		return ret;
	t->partial = procfs_partial(&s->fs);
	return table_end(t);
}

static void process_explain(struct source *s, struct findings *out)
{
	char why[160];

	if (s->fs.hidepid[0])
		snprintf(why, sizeof(why), "hidden: /proc is mounted with hidepid=%s",
			s->fs.hidepid);
	else if (s->fs.hidden)
		snprintf(why, sizeof(why), "hidden: %u cannot be read by this user", s->fs.hidden);
	if (s->fs.hidepid[0] || s->fs.hidden)
		findings_add(out, process_table_schema.name, REASON_PERMISSION, "other processes",
			why,
			s->fs.hidepid[0] ? "sudo mount -o remount,hidepid=off /proc"
					 : "run as root");
	if (s->fs.limited)
		findings_add(out, process_table_schema.name, REASON_ERROR, "some processes",
			"no descriptors left", "ulimit -n 4096");
}

const struct source_ops process_source = {.schema = &process_table_schema,
	.open = process_open,
	.read = process_read,
	.explain = process_explain,
	.close = process_close};
