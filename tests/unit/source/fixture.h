/* A source over made-up moments of a machine: the real reading and the real delta. Uses tree.h of the base
 * tests for the files. */
#ifndef TARE_TESTS_SOURCE_FIXTURE_H
#define TARE_TESTS_SOURCE_FIXTURE_H

#include <errno.h>

#include "core/delta.h"
#include "core/source.h"
#include "source/sources_list.h"
#include "unit/base/tree.h"

struct machine {
	struct root root;
	struct clock clock;
	struct source_env env;
	const struct source_ops *ops;
	struct source *source;
	struct delta delta;
};

static inline void moment_clock(u32 moment)
{
	char path[32], text[96];
	u64 ns = (100 + (u64)moment) * NSEC_PER_SEC;

	snprintf(path, sizeof(path), "t%u/clock", moment);
	snprintf(text, sizeof(text), "%llu %llu %llu\n", (unsigned long long)ns,
		(unsigned long long)ns, (unsigned long long)ns);
	tree_file(path, text);
}

/* What open returned. */
static inline int machine_open(struct machine *m, const struct source_ops *ops)
{
	struct err err;

	*m = (struct machine){.ops = ops};
	assert_int_equal(root_init(&m->root, tree_dir, &m->clock, &err), 0);
	m->env = (struct source_env){.root = &m->root, .clock = &m->clock};
	assert_int_equal(delta_init(&m->delta, ops->schema), 0);
	return ops->open(&m->source, &m->env);
}

static inline const struct frame_table *machine_read(struct machine *m)
{
	assert_int_equal(m->ops->read(m->source, delta_spare(&m->delta), ~0ull), 0);
	assert_int_equal(delta_step(&m->delta), 0);
	return &m->delta.frame;
}

static inline const struct frame_table *machine_next(struct machine *m)
{
	struct err err;

	assert_int_equal(root_next(&m->root, &m->clock, &err), 0);
	return machine_read(m);
}

static inline void machine_close(struct machine *m)
{
	m->ops->close(m->source);
	delta_fini(&m->delta);
	root_fini(&m->root);
}

static inline void cell_of(
	const struct frame_table *t, u64 key, const char *column, struct cell *out)
{
	int c = schema_find(t->schema, column), row = table_find(t->now, key);

	if (c < 0 || row < 0)
		fail_msg("no column %s or no row %llu", column, (unsigned long long)key);
	frame_cell(t, (u32)row, (u32)c, out);
}

static inline double num_of(const struct frame_table *t, u64 key, const char *column)
{
	struct cell cell;

	cell_of(t, key, column, &cell);
	if (cell.state == CELL_ABSENT)
		fail_msg("%s is absent: %s", column, reason_token(cell.reason));
	return cell.num;
}

static inline enum reason absent_of(const struct frame_table *t, u64 key, const char *column)
{
	struct cell cell;

	cell_of(t, key, column, &cell);
	if (cell.state != CELL_ABSENT)
		fail_msg("%s has the value %g", column, cell.num);
	return cell.reason;
}

/* cmocka compares as float */
static inline void assert_near(double is, double wanted)
{
	double slack = 1e-9 * (wanted > 1 ? wanted : 1);

	if (is < wanted - slack || is > wanted + slack)
		fail_msg("%.10g, not %.10g", is, wanted);
}

/* Cut every prefix of text and flip bytes of it: whatever comes out, nothing may break. The file is
 * rewritten in place and read again by a source that is already open. */
static inline void mutate(struct machine *m, const char *path, const char *text)
{
	size_t len = strlen(text), step = len / 64 + 1;
	char *copy = strdup(text);

	assert_non_null(copy);
	for (size_t i = 0; i < len; i += step) {
		tree_bytes(path, text, i);
		m->ops->read(m->source, delta_spare(&m->delta), ~0ull);
		for (u32 k = 0; k < 4; k++) {
			copy[i] = "\xff\n9-"[k];
			tree_bytes(path, copy, len);
			m->ops->read(m->source, delta_spare(&m->delta), ~0ull);
			delta_step(&m->delta);
		}
		copy[i] = text[i];
	}
	tree_file(path, text);
	free(copy);
}

#endif
