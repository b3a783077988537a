#include "cmd/machine.h"

#include "lib/sources.h"

int machine_open(struct machine *m, const char *root, const char *const *include, u64 interval_ns,
	struct err *err)
{
	struct engine_config config = {
		.root = &m->root,
		.clock = &m->clock,
		.sources = tare_sources,
		.interval_ns = interval_ns,
		.include = include,
	};
	int rc;

	m->engine = NULL;
	clock_init(&m->clock);
	rc = root_init(&m->root, root, &m->clock, err);
	if (rc < 0)
		return rc;
	rc = engine_open(&m->engine, &config, err);
	if (rc < 0)
		root_fini(&m->root);
	return rc;
}

void machine_close(struct machine *m)
{
	engine_close(m->engine);
	root_fini(&m->root);
	m->engine = NULL;
}
