#include "cmd/machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/sources.h"

enum { SCHEMAS_MOST = 32 };

int machine_open(struct machine *m, const char *root, const char *const *include,
	const struct source_choice *choice, u64 interval_ns, struct err *err)
{
	int rc = handle_new(&m->tare, root, err);

	if (rc < 0)
		return rc;
	rc = handle_start(m->tare, include, choice->options, interval_ns, err);
	m->engine = m->tare->engine;
	m->root = &m->tare->root;
	m->hostname = m->tare->hostname;
	if (rc < 0)
		machine_close(m);
	return rc;
}

void machine_close(struct machine *m)
{
	tare_close(m->tare);
	*m = (struct machine){.tare = NULL};
}

static void add_option(struct source_choice *choice, const char *option)
{
	u32 i = 0;

	while (choice->options[i] && choice->options[i] != option)
		i++;
	choice->options[i] = option;
}

int scan_parse(struct source_choice *choice, const char *value, struct err *err)
{
	if (strcmp(value, "auto") != 0 && strcmp(value, "procfs") != 0 && strcmp(value, "bpf") != 0)
		return err_set(err, EINVAL, "--scan %s: accepted are auto, procfs, bpf", value);
	snprintf(choice->scan, sizeof(choice->scan), "scan=%s", value);
	add_option(choice, choice->scan);
	return 0;
}

int nvml_choose(struct source_choice *choice, const char *file, struct err *err)
{
	if (snprintf(choice->nvml, sizeof(choice->nvml), "nvml=%s", file) >=
		(int)sizeof(choice->nvml))
		return err_set(err, EINVAL, "--nvml %.40s…: too long", file);
	add_option(choice, choice->nvml);
	return 0;
}

const struct schema *process_schema(void)
{
	for (u32 i = 0; tare_sources[i]; i++) {
		if (!strcmp(tare_sources[i]->schema->name, "process"))
			return tare_sources[i]->schema;
	}
	return NULL;
}

int filter_compile(struct expr **out, const char *text, struct err *err)
{
	const struct schema *schemas[SCHEMAS_MOST + 1] = {NULL};
	const struct schema *schema = process_schema();
	struct err why = {0};

	if (!schema)
		return err_set(err, EINVAL, "--filter: there is no process table");
	for (u32 i = 0; tare_sources[i] && i < SCHEMAS_MOST; i++)
		schemas[i] = tare_sources[i]->schema;
	if (expr_new(out, text, schema, schemas, &why) < 0)
		return err_set(err, EINVAL, "--filter: %.220s", why.msg);
	return 0;
}
