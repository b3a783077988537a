/* The procfs scanner as the tables see it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "process/procfs.h"
#include "process/scanner.h"

static int scanner_open(void **out, const struct source_env *env, char *why, size_t why_size)
{
	struct procfs *fs = calloc(1, sizeof(*fs));
	int ret;

	(void)why;
	(void)why_size;
	if (!fs)
		return -ENOMEM;
	ret = procfs_open(fs, env);
	if (ret)
		free(fs);
	else
		*out = fs;
	return ret;
}

static void scanner_close(void *self)
{
	procfs_close(self);
	free(self);
}

static int scanner_scan(void *self, u64 need, process_fn *fn, void *arg)
{
	return procfs_scan(self, need, fn, arg);
}

static int scanner_threads(void *self, u64 need, process_fn *fn, void *arg)
{
	return procfs_threads(self, need, fn, arg);
}

static int scanner_ended(void *self, exit_fn *fn, void *arg)
{
	return procfs_ended(self, fn, arg);
}

static void scanner_look_for(void *self, const struct gpu_majors *majors, find_fn *fn, void *arg)
{
	procfs_look_for(self, majors, fn, arg);
}

static void scanner_account(void *self, struct scanner_account *out)
{
	const struct procfs *fs = self;

	*out = (struct scanner_account){.finds_hidden = fs->finds_hidden};
}

static void scanner_only(void *self, const u32 *pids, u32 n)
{
	struct procfs *fs = self;

	fs->only = pids;
	fs->nonly = n;
}

static void scanner_visible(void *self, const u64 *keys, u32 n)
{
	procfs_visible(self, keys, n);
}

static bool scanner_partial(void *self)
{
	return procfs_partial(self);
}

static void scanner_explain(void *self, struct findings *out)
{
	const struct procfs *fs = self;
	char why[160];

	if (fs->hidepid[0])
		snprintf(why, sizeof(why), "hidden: /proc is mounted with hidepid=%s", fs->hidepid);
	else if (fs->hidden)
		snprintf(why, sizeof(why), "hidden: %u cannot be read by this user", fs->hidden);
	if (fs->hidepid[0] || fs->hidden)
		findings_add(out, "process", REASON_PERMISSION, "other processes", why,
			fs->hidepid[0] ? "sudo mount -o remount,hidepid=off /proc" : "run as root");
	if (fs->limited)
		findings_add(out, "process", REASON_ERROR, "some processes", "no descriptors left",
			"ulimit -n 4096");
}

const struct scanner_ops procfs_scanner = {.name = "procfs",
	.open = scanner_open,
	.close = scanner_close,
	.scan = scanner_scan,
	.threads = scanner_threads,
	.ended = scanner_ended,
	.look_for = scanner_look_for,
	.only = scanner_only,
	.account = scanner_account,
	.visible = scanner_visible,
	.partial = scanner_partial,
	.explain = scanner_explain};
