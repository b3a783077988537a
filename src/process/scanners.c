#include "process/scanners.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void scanners_free(void *arg)
{
	struct scanners *s = arg;

	if (!s)
		return;
	if (s->ops)
		s->ops->close(s->self);
	exits_free(s->exits);
	free(s);
}

static int open_one(struct scanners *s, const struct scanner_ops *ops, const struct source_env *env,
	char *why, size_t why_size)
{
	int ret = ops->open(&s->self, env, why, why_size);

	if (!ret)
		s->ops = ops;
	return ret;
}

static int choose(struct scanners *s, const struct source_env *env, char *why, size_t why_size)
{
	const char *scan = source_option(env, "scan");
	int ret = -EOPNOTSUPP;

	if ((scan && !strcmp(scan, "procfs")) || (!scan && !root_is_live(env->root)))
		return open_one(s, &procfs_scanner, env, why, why_size);
#ifdef TARE_BPF
	ret = open_one(s, &bpf_scanner, env, why, why_size);
#else
	strcpy(why, "built without BPF");
#endif
	if (!ret || (scan && !strcmp(scan, "bpf")))
		return ret;
	if (env->shared)
		env->shared->scan_error = ret;
	return open_one(s, &procfs_scanner, env, (char[128]){0}, 128);
}

int scanners_get(struct scanners **out, const struct source_env *env)
{
	struct source_shared *shared = env->shared;
	char own[160] = "", *why = shared ? shared->scan_why : own;
	struct scanners *s;
	int ret;

	if (shared && shared->processes) {
		*out = shared->processes;
		return 0;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = exits_new(&s->exits);
	if (!ret)
		ret = choose(s, env, why, sizeof(own));
	if (ret) {
		scanners_free(s);
		if (shared && why[0])
			snprintf(shared->refused, sizeof(shared->refused), "scan \"bpf\": %s", why);
		return shared && why[0] ? -ECANCELED : ret;
	}
	if (shared) {
		shared->processes = s;
		shared->free_processes = scanners_free;
		shared->scan = s->ops->name;
	}
	*out = s;
	return 0;
}

void scanners_put(struct scanners *s, const struct source_env *env)
{
	if (!env->shared)
		scanners_free(s);
}

static void found(void *arg, u32 pid, u64 start_ticks, u32 tid, const struct gpu_find *finds, u32 n)
{
	gpu_found(arg, pid, start_ticks, tid, finds, n);
}

int scanners_scan(struct scanners *s, struct gpu *gpu, const struct source_env *env, u64 need,
	process_fn *fn, void *arg)
{
	bool look = gpu && gpu_wants_finds(gpu);
	int ret;

	s->scanned_tick = env->shared ? env->shared->tick : 0;
	s->ops->look_for(s->self, look ? gpu_finds_majors(gpu) : NULL, found, gpu);
	if (s->ops->only && env->shared)
		s->ops->only(s->self, env->shared->only, env->shared->nonly);
	ret = s->ops->scan(s->self, need, fn, arg);
	if (look)
		gpu_hidden(gpu, scanners_account(s).finds_hidden != 0);
	return ret;
}

static int ignore(void *arg, const struct process_record *r)
{
	(void)arg;
	(void)r;
	return 0;
}

int scanners_find(struct scanners *s, struct gpu *gpu, const struct source_env *env)
{
	if (!env->shared || s->scanned_tick == env->shared->tick)
		return 0;
	return scanners_scan(s, gpu, env, 0, ignore, NULL);
}

int scanners_drain(struct scanners *s)
{
	return s->ops->ended(s->self, exits_add, s->exits);
}

struct scanner_account scanners_account(const struct scanners *s)
{
	struct scanner_account account = {0};

	if (s->ops->account)
		s->ops->account(s->self, &account);
	return account;
}
