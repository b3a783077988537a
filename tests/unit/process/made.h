/* Made-up machines and the live one, looked at through the procfs scanner itself: records are kept with their texts. */
#ifndef TARE_TESTS_MADE_H
#define TARE_TESTS_MADE_H

#include "test.h"

#include <errno.h>

#include "process/process.h"
#include "process/scanner.h"
#include "unit/base/tree.h"

enum { MADE_TEXT = 96, MADE_KTHREAD = 0x200000 };

struct made {
	const char *comm;
	char state;
	u32 ppid, flags, threads, start, policy;
	u64 minor, child_minor, user, system, child_user, child_system, pages;
};

struct made_row {
	struct process_record r;
	char text[PROCESS_TEXTS][MADE_TEXT];
};

struct made_exit {
	struct exit_record r;
	char parent[MADE_TEXT];
};

static struct {
	struct root root;
	struct clock clock;
	struct source_env env;
	void *scanner;
	struct made_row *rows;
	struct made_exit exits[64];
	u32 n, cap, nexits;
} made;

static const struct made made_plain = {.comm = "app",
	.state = 'S',
	.ppid = 1,
	.flags = 0x400000,
	.threads = 1,
	.start = 5000,
	.minor = 10,
	.user = 250,
	.system = 40,
	.pages = 5000};

static inline void made_stat(const char *dir, u32 tid, const struct made *m)
{
	char path[128], line[512];

	snprintf(path, sizeof(path), "%s/stat", dir);
	snprintf(line, sizeof(line),
		"%u (%s) %c %u 1 1 0 -1 %u %llu %llu 3 0 %llu %llu %llu %llu 20 -5 %u 0 %u "
		"204800000 %llu 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 %u 0 0 0\n",
		tid, m->comm, m->state, m->ppid, m->flags, (unsigned long long)m->minor,
		(unsigned long long)m->child_minor, (unsigned long long)m->user,
		(unsigned long long)m->system, (unsigned long long)m->child_user,
		(unsigned long long)m->child_system, m->threads, m->start,
		(unsigned long long)m->pages, m->policy);
	tree_file(path, line);
}

static inline void made_clock(const char *moment, u32 seconds)
{
	char path[64], text[96];

	snprintf(path, sizeof(path), "%sclock", moment);
	snprintf(text, sizeof(text), "%u000000000 %u000000000 1700000000000000000\n", seconds,
		seconds);
	tree_file(path, text);
}

/* root: NULL is the machine that this runs on. */
static inline void made_open(const char *root)
{
	struct err err = {0};
	char why[128];

	made.env = (struct source_env){.root = &made.root, .clock = &made.clock};
	clock_init(&made.clock);
	assert_int_equal(root_init(&made.root, root, &made.clock, &err), 0);
	assert_int_equal(procfs_scanner.open(&made.scanner, &made.env, why, sizeof(why)), 0);
}

static inline int made_keep(void *arg, const struct process_record *r)
{
	struct made_row *row;

	(void)arg;
	if (made.n == made.cap) {
		made.cap = made.cap ? made.cap * 2 : 256;
		made.rows = realloc(made.rows, made.cap * sizeof(*made.rows));
		assert_non_null(made.rows);
	}
	row = &made.rows[made.n];
	row->r = *r;
	for (u32 i = 0; i < PROCESS_TEXTS; i++)
		if (r->text[i].have)
			snprintf(row->text[i], MADE_TEXT, "%.*s",
				(int)min_u64(r->text[i].len, MADE_TEXT - 1), r->text[i].text);
		else
			row->text[i][0] = '\0';
	made.n++;
	return 0;
}

static inline int made_keep_exit(void *arg, const struct exit_record *r)
{
	struct made_exit *e = &made.exits[made.nexits];

	(void)arg;
	/* on a machine in use there may be many */
	if (made.nexits + 1 < ARRAY_LEN(made.exits))
		made.nexits++;
	e->r = *r;
	snprintf(e->parent, MADE_TEXT, "%.*s", (int)r->parent_len, r->parent);
	return 0;
}

static inline void made_scan(u64 need)
{
	made.n = 0;
	assert_int_equal(procfs_scanner.scan(made.scanner, need, made_keep, NULL), 0);
}

static inline void made_threads(u64 need)
{
	made.n = 0;
	assert_int_equal(procfs_scanner.threads(made.scanner, need, made_keep, NULL), 0);
}

static inline void made_ended(void)
{
	made.nexits = 0;
	assert_int_equal(procfs_scanner.ended(made.scanner, made_keep_exit, NULL), 0);
}

static inline void made_next(void)
{
	struct err err;

	assert_int_equal(root_next(&made.root, &made.clock, &err), 0);
}

/* NULL: it is not there. */
static inline struct made_row *made_find(u32 pid)
{
	for (u32 i = 0; i < made.n; i++)
		if (process_key_pid(made.rows[i].r.key) == pid)
			return &made.rows[i];
	return NULL;
}

static inline struct made_row *made_row(u32 pid)
{
	struct made_row *row = made_find(pid);

	if (!row)
		fail_msg("no row of %u", pid);
	return row;
}

static inline void made_is(u32 pid, enum process_column c, u64 want)
{
	const struct process_record *r = &made_row(pid)->r;

	if (!(r->have >> c & 1) || r->value[c] != want)
		fail_msg("%u: column %d is %s%llu, not %llu", pid, (int)c,
			r->have >> c & 1 ? "" : "absent, ", (unsigned long long)r->value[c],
			(unsigned long long)want);
}

static inline void made_text(u32 pid, enum process_text which, const char *want)
{
	const struct made_row *row = made_row(pid);

	assert_int_equal(row->r.text[which].have, want != NULL);
	if (want)
		assert_string_equal(row->text[which], want);
}

static inline int made_setup(void **state)
{
	memset(&made, 0, sizeof(made));
	made.root.fd = -1;
	return tree_setup(state);
}

static inline int made_teardown(void **state)
{
	if (made.scanner)
		procfs_scanner.close(made.scanner);
	root_fini(&made.root);
	free(made.rows);
	return tree_teardown(state);
}

#endif
