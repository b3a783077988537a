/* The tables `gpu_client` and `gpu_engine`: what each process does on each GPU. Descriptors are found by the scanner of
 * processes; they are read by src/gpu's thread. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/delta.h"
#include "gpu/gpu.h"
#include "process/gpu_use.h"
#include "process/process.h"
#include "process/scanners.h"

struct source {
	const struct source_env *env;
	struct scanners *scanners;
	struct gpu *gpu;
	u64 seq; /* of the reading that the newest table is from */
};

static void tables_close(struct source *s)
{
	if (!s)
		return;
	if (s->gpu)
		gpu_put(s->gpu, s->env);
	if (s->scanners)
		scanners_put(s->scanners, s->env);
	free(s);
}

static int tables_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	/* the scanner first: threads begin with the rights that it leaves */
	ret = scanners_get(&s->scanners, env);
	if (!ret)
		ret = gpu_get(&s->gpu, env);
	if (ret) {
		tables_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static void begin(struct source *s)
{
	gpu_begin(s->gpu, s->env);
}

static bool wait_for(struct source *s, u64 until_ns)
{
	return gpu_wait(s->gpu, s->env, until_ns);
}

static int set_text(struct table *t, int row, u32 column, const char *text)
{
	return text[0] ? table_set_text(t, (u32)row, column, text, strlen(text)) : 0;
}

static void set_numbers(struct table *t, int row, u64 have, const u64 *value, const u8 *reason)
{
	for (u32 c = 0; c < t->schema->ncolumns; c++) {
		const struct column *column = &t->schema->columns[c];

		if (column->kind == COLUMN_TEXT || column->kind == COLUMN_DERIVED)
			continue;
		if (have & column_bit(c))
			table_set(t, (u32)row, c, value[c]);
		else if (reason[c])
			table_absent(t, (u32)row, c, reason[c]);
	}
}

static int start_row(struct table *t, u64 key, const struct stamp *at)
{
	int row = table_row(t, key);

	if (row < 0)
		return row;
	t->mono_ns[row] = at->mono_ns;
	t->boot_ns[row] = at->boot_ns;
	return row;
}

static int add_client(struct table *t, const struct gpu_client_record *r)
{
	int row = start_row(t, r->key, &r->at), ret;

	if (row < 0)
		return row;
	set_numbers(t, row, r->have, r->value, r->reason);
	ret = set_text(t, row, CLIENT_COMMAND, r->command);
	if (!ret)
		ret = set_text(t, row, CLIENT_GPU, r->gpu);
	if (!ret)
		ret = set_text(t, row, CLIENT_DEVICE, r->device);
	if (!ret)
		ret = set_text(t, row, CLIENT_DRIVER, r->driver);
	return ret ? ret : set_text(t, row, CLIENT_KIND, r->kind);
}

/* The newest reading that this table does not show yet; NULL: none. Without a source of processes the scan for
 * descriptors is made here. */
static const struct gpu_reading *newer(struct source *s, u64 need)
{
	const struct gpu_reading *r;

	gpu_want_clients(s->gpu, s->env, need != 0);
	if (need)
		scanners_find(s->scanners, s->gpu, s->env);
	r = gpu_newest(s->gpu, s->env);
	if (!r || r->seq == s->seq)
		return NULL;
	s->seq = r->seq;
	return r;
}

static int client_read(struct source *s, struct table *t, u64 need)
{
	const struct gpu_reading *r = newer(s, need);
	int ret = 0;

	if (!r)
		return -EAGAIN;
	table_begin(t, &r->at, need);
	for (u32 i = 0; need && i < r->nclients && !ret; i++)
		ret = add_client(t, &r->clients[i]);
	t->partial = r->own_only;
	return ret ? ret : table_end(t);
}

static const struct gpu_client_record *client_of(
	const struct gpu_reading *r, const struct gpu_engine_record *e, u32 *hint)
{
	/* engines stand behind each other by client */
	for (u32 n = 0; n < r->nclients; n++) {
		u32 i = (*hint + n) % r->nclients;

		if (r->clients[i].key == e->client_key) {
			*hint = i;
			return &r->clients[i];
		}
	}
	return NULL;
}

static int add_engine(
	struct table *t, const struct gpu_engine_record *e, const struct gpu_client_record *c)
{
	const char *class = engine_class_names[e->class < CLASSES ? e->class : CLASS_OTHER];
	int row = start_row(t, e->key, &e->at), ret;

	if (row < 0)
		return row;
	set_numbers(t, row, e->have, e->value, e->reason);
	table_set(t, (u32)row, ENGINE_CLIENT, e->client_key);
	ret = set_text(t, row, ENGINE_NAME, e->name);
	if (!ret)
		ret = set_text(t, row, ENGINE_CLASS, class);
	if (ret || !c)
		return ret;
	if (c->have & column_bit(CLIENT_PID))
		table_set(t, (u32)row, ENGINE_PID, c->value[CLIENT_PID]);
	ret = set_text(t, row, ENGINE_GPU, c->gpu);
	if (!ret)
		ret = set_text(t, row, ENGINE_DEVICE, c->device);
	return ret ? ret : set_text(t, row, ENGINE_COMMAND, c->command);
}

static int engine_read(struct source *s, struct table *t, u64 need)
{
	const struct gpu_reading *r = newer(s, need);
	u32 hint = 0;
	int ret = 0;

	if (!r)
		return -EAGAIN;
	table_begin(t, &r->at, need);
	for (u32 i = 0; need && i < r->nengines && !ret; i++)
		ret = add_engine(t, &r->engines[i], client_of(r, &r->engines[i], &hint));
	t->partial = r->own_only;
	return ret ? ret : table_end(t);
}

static void client_finish(struct source *s, struct frame_table *mine, const struct frame *frame)
{
	(void)s;
	gpu_use_clients(mine, frame_find(frame, gpu_engine_table_schema.name));
}

static void client_explain(struct source *s, struct findings *out)
{
	const struct gpu_reading *r = gpu_newest(s->gpu, s->env);

	if (r && r->own_only)
		findings_add(out, gpu_client_table_schema.name, REASON_PERMISSION,
			"GPU use of other users' processes", "their fdinfo may not be read",
			"run as root, or: setcap cap_sys_ptrace+ep on tare");
}

const struct source_ops gpu_client_source = {.schema = &gpu_client_table_schema,
	.open = tables_open,
	.begin = begin,
	.wait = wait_for,
	.read = client_read,
	.finish = client_finish,
	.explain = client_explain,
	.close = tables_close};

const struct source_ops gpu_engine_source = {.schema = &gpu_engine_table_schema,
	.open = tables_open,
	.begin = begin,
	.read = engine_read,
	.close = tables_close};
