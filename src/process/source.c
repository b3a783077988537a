/* The tables `process` and `thread`: a row from what the scanner hands over. */
#include <errno.h>
#include <stdlib.h>

#include "process/energy.h"
#include "process/gpu_use.h"
#include "process/process.h"
#include "process/rows.h"
#include "process/scanners.h"
#include "process/schema.h"

struct source {
	const struct source_env *env;
	struct scanners *scanners;
	struct gpu *gpu; /* NULL: this machine has none */
	struct rows rows;
};

static void rows_close(struct source *s)
{
	if (!s)
		return;
	if (s->gpu)
		gpu_put(s->gpu, s->env);
	if (s->scanners)
		scanners_put(s->scanners, s->env);
	rows_fini(&s->rows);
	free(s);
}

static int rows_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	rows_init(&s->rows, env->root);
	ret = scanners_get(&s->scanners, env);
	if (!ret) {
		ret = gpu_get(&s->gpu, env);
		if (ret == -ENOENT)
			ret = 0;
	}
	if (ret) {
		rows_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

/* A process_fn: a row, and the account of its time. */
static int add_process(void *arg, const struct process_record *r)
{
	struct source *s = arg;

	s->scanners->processes_ns += r->fresh_ns;
	return rows_add(&s->rows, r);
}

static void share_costs(struct source *s)
{
	struct scanner_account account = scanners_account(s->scanners);

	if (!s->env->shared)
		return;
	s->env->shared->programs_ns = account.kernel_ns;
	s->env->shared->programs_runs = account.kernel_runs;
}

static void process_begin(struct source *s)
{
	if (s->gpu)
		gpu_begin(s->gpu, s->env);
}

/* Does somebody look at what processes do on GPUs? */
static bool wants_gpu(u64 need)
{
	for (u32 c = PROCESS_GPU; c <= PROCESS_GPU_MEMORY; c++)
		if (need & column_bit(c))
			return true;
	return false;
}

static int process_read(struct source *s, struct table *t, u64 need)
{
	struct scanners *scan = s->scanners;
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	ret = rows_begin(&s->rows, t);
	/* what is known to have ended is not looked for */
	if (!ret)
		ret = scanners_drain(scan);
	if (s->gpu)
		gpu_want_clients(s->gpu, s->env, wants_gpu(need));
	if (!ret)
		ret = scanners_scan(scan, s->gpu, s->env, need, add_process, s);
	if (ret)
		return ret;
	t->partial = scan->ops->partial(scan->self);
	share_costs(s);
	return table_end(t);
}

static int thread_read(struct source *s, struct table *t, u64 need)
{
	struct scanners *scan = s->scanners;
	struct stamp at;
	int ret;

	clock_read(s->env->clock, &at);
	table_begin(t, &at, need);
	/* nobody looks at threads: they would cost as much as all processes */
	ret = need ? rows_begin(&s->rows, t) : 0;
	if (!ret && need)
		ret = scan->ops->threads(scan->self, need, rows_add, &s->rows);
	if (ret)
		return ret;
	t->partial = scan->ops->partial(scan->self);
	return table_end(t);
}

static void process_visible(struct source *s, const u64 *keys, u32 n)
{
	s->scanners->ops->visible(s->scanners->self, keys, n);
}

static int process_fd(struct source *s)
{
	return s->scanners->ops->fd ? s->scanners->ops->fd(s->scanners->self) : -1;
}

static void process_wake(struct source *s)
{
	scanners_drain(s->scanners);
}

static void process_finish(struct source *s, struct frame_table *mine, const struct frame *frame)
{
	energy_share(mine, frame);
	if (s->gpu)
		gpu_use_processes(mine, frame_find(frame, gpu_client_table_schema.name), false);
}

static void thread_finish(struct source *s, struct frame_table *mine, const struct frame *frame)
{
	if (s->gpu && mine->now->need)
		gpu_use_processes(mine, frame_find(frame, gpu_client_table_schema.name), true);
}

static void process_explain(struct source *s, struct findings *out)
{
	static const char what[] = "processes by BPF, at a quarter of the cost";
	const struct source_shared *shared = s->env->shared;

	s->scanners->ops->explain(s->scanners->self, out);
	if (!shared || !shared->scan_why[0])
		return;
	if (shared->scan_error == -EPERM)
		findings_add(out, process_table_schema.name, REASON_PERMISSION, what,
			shared->scan_why,
			"run as root, or: setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep on tare");
	else
		findings_add(out, process_table_schema.name, REASON_UNSUPPORTED, what,
			shared->scan_why, "");
}

/* What the GPU columns are made of. */
static const char *const with[] = {"gpu_client", "gpu_engine", NULL};

const struct source_ops process_source = {.schema = &process_table_schema,
	.open = rows_open,
	.begin = process_begin,
	.read = process_read,
	.finish = process_finish,
	.visible = process_visible,
	.fd = process_fd,
	.wake = process_wake,
	.explain = process_explain,
	.close = rows_close,
	.with = with};

const struct source_ops thread_source = {.schema = &thread_table_schema,
	.open = rows_open,
	.read = thread_read,
	.finish = thread_finish,
	.close = rows_close,
	.with = with,
	.optional = true};
