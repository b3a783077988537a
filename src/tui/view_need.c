/* Which columns the view looks at: a column that nobody shows, sorts by or filters by costs nothing. */
#include <string.h>

#include "tui/view_state.h"

/* Before the first drawing the size is not known: as on a wide screen. */
enum { COLS_UNKNOWN = 1000 };

struct need {
	const struct schema *schema;
	u64 columns;
};

static void add(struct need *n, const char *name)
{
	int column = schema_find(n->schema, name);

	if (column >= 0)
		n->columns |= column_bit((u32)column);
}

static void add_field(struct need *n, enum field field)
{
	add(n, field_name(field));
}

/* What the sums need of the processes, also when the list shows threads; births need the start. */
static void add_sums(struct need *n)
{
	add_field(n, FIELD_PROCESS_cpu);
	add_field(n, FIELD_PROCESS_user_cpu);
	add_field(n, FIELD_PROCESS_system_cpu);
	add_field(n, FIELD_PROCESS_own);
	if (n->schema->birth_column >= 0)
		n->columns |= column_bit((u32)n->schema->birth_column);
}

static void add_list(struct need *n, const struct view *v)
{
	const struct plist *p = &v->list;
	u32 cols = v->layout.cols ? v->layout.cols : COLS_UNKNOWN;

	add_field(n, FIELD_PROCESS_pid);
	add_field(n, FIELD_PROCESS_kernel);
	add_field(n, FIELD_PROCESS_own);
	add_field(n, FIELD_PROCESS_cpu);
	add_field(n, FIELD_PROCESS_nice); /* to change it one begins with what it is */
	/* what is searched for, signalled and named; a command line may be empty */
	add_field(n, FIELD_PROCESS_command);
	add_field(n, FIELD_PROCESS_cmdline);
	for (u32 i = 0; i < pcolumn_count; i++)
		if (view_shows(v, i, cols))
			add_field(n, (enum field)pcolumns[i].field);
	if (plist_is_tree(p))
		add_field(n, FIELD_PROCESS_ppid);
	if (p->user[0] || v->mode == MODE_USER || gpus_only(v))
		add_field(n, FIELD_PROCESS_user);
	if (p->group || p->inside)
		add_field(n, plist_group_field(p->inside ? p->inside : p->group));
	if (p->expr)
		n->columns |= expr_need(p->expr);
}

static bool gpu_column(u32 column)
{
	return pcolumns[column].field >= FIELD_PROCESS_gpu &&
	       pcolumns[column].field <= FIELD_PROCESS_gpu_memory;
}

/* A derived column is made from others, which only the schema's author knows. */
static u64 with_parts(const struct need *n)
{
	u64 hidden = 0, derived = 0;

	for (u32 i = 0; i < n->schema->ncolumns; i++) {
		const struct column *c = &n->schema->columns[i];

		if (c->kind == COLUMN_DERIVED)
			derived |= column_bit(i);
		if (c->flags & COLUMN_HIDDEN)
			hidden |= column_bit(i);
	}
	return n->columns & derived ? n->columns | hidden : n->columns;
}

/* GPUs and who uses them, as far as it is on the screen. Whether there are clients decides on the usual columns; what a
 * client does is the sum over its engines; and a device whose driver does not say how busy it is, is as busy as its
 * clients make it. */
static bool gpu_table(const struct view *v, const char *table, u64 *need)
{
	bool panel = (v->panels & PANEL_GPUS) != 0;
	bool clients = v->gpus.asked || !v->columns.chosen ||
		       (panel && v->gpus.has & GPU_BUSY_BY_CLIENTS);

	if (strncmp(table, "gpu", 3) != 0)
		return false;
	for (u32 i = 0; i < pcolumn_count && !clients; i++)
		clients = view_shows(v, i, v->layout.cols) && gpu_column(i);
	if (!strcmp(table, "gpu"))
		*need = panel || clients ? ~0ull : 0;
	else if (!strcmp(table, "gpu_client") || !strcmp(table, "gpu_engine"))
		*need = clients ? ~0ull : 0;
	else
		return false;
	return true;
}

/* The other tables are read whole. */
u64 view_need(const struct view *v, const char *table)
{
	bool threads = !strcmp(table, "thread");
	struct need need = {.schema = view_schema(v, table)};
	u64 gpus;

	if (gpu_table(v, table, &gpus))
		return gpus;
	if (!threads && strcmp(table, "process"))
		return ~0ull;
	if (threads && !v->list.threads)
		return 0;
	if (!need.schema)
		return ~0ull;
	if (!threads)
		add_sums(&need);
	else if (need.schema->birth_column >= 0)
		need.columns |= column_bit((u32)need.schema->birth_column);
	if (threads == v->list.threads)
		add_list(&need, v);
	return with_parts(&need);
}
