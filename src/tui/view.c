#include "tui/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/safe.h"
#include "tui/view_state.h"

enum { HISTORY_POINTS = 1024, MESSAGE_SECONDS = 5 };

static const struct {
	const char *table, *column;
	bool total;
} series[SERIES_GPU] = {
	[SERIES_CPU] = {"cpu", "busy", true},
	[SERIES_MEMORY] = {"memory", "used_share", false},
	[SERIES_RX] = {"network", "rx", true},
	[SERIES_TX] = {"network", "tx", true},
	[SERIES_READ] = {"disk", "read", true},
	[SERIES_WRITTEN] = {"disk", "written", true},
	[SERIES_POWER] = {"energy", "power", true},
};

/* What was kept, and over it what this run was asked for. */
static int choose(struct view *v, const struct view_config *config, struct err *err)
{
	int ret = config->settings ? view_apply(v, config->settings, err) : 0;

	if (ret)
		return ret;
	if (config->columns && (ret = columns_set(&v->columns, config->columns, err)))
		return ret;
	if (config->sort) {
		int column = pcolumn_find(config->sort);

		if (column < 0)
			return err_set(err, EINVAL,
				"--sort %s: no such process column; see tare tables", config->sort);
		view_sort_by(v, (u32)column);
	}
	v->list.tree = v->list.tree || config->tree;
	return 0;
}

int view_new(struct view **out, const struct view_config *config, struct err *err)
{
	struct view *v = calloc(1, sizeof(*v));
	int ret;

	*out = NULL;
	if (!v)
		return err_set(err, ENOMEM, "out of memory");
	v->charset = config->charset;
	v->interval_ns = config->interval_ns;
	v->utc = config->utc;
	v->recorded = config->recorded;
	v->schemas = config->schemas;
	v->second = SERIES_MEMORY;
	v->panels = PANEL_ALL;
	v->offset_for = UINT64_MAX;
	if (config->hostname)
		safe_text(v->hostname, sizeof(v->hostname), config->hostname,
			strlen(config->hostname));
	fields_init(&v->f);
	fields_init(&v->whole);
	gpus_init(&v->gpus);
	columns_init(&v->columns);
	plist_init(&v->list);
	ret = history_new(&v->history, HISTORY_POINTS, SERIES_GPU);
	if (ret) {
		err_set(err, ENOMEM, "out of memory");
		goto fail;
	}
	for (u32 i = 0; i < SERIES_GPU; i++)
		v->series[i] = history_watch(
			v->history, series[i].table, series[i].total, 0, series[i].column);
	if ((ret = choose(v, config, err)))
		goto fail;
	if (config->filter && (ret = view_set_filter(v, config->filter, err)))
		goto fail;
	if (config->notice)
		view_message(v, config->notice);
	*out = v;
	return 0;
fail:
	view_free(v);
	return ret;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	history_free(v->history);
	plist_fini(&v->list);
	snap_fini(&v->snap);
	findings_free(&v->findings);
	tags_fini(&v->tags);
	free(v->target);
	pane_fini(&v->pane);
	gpus_fini(&v->gpus);
	free(v);
}

void view_sort_by(struct view *v, u32 column)
{
	v->list.sort = column;
	v->list.descending = !pcolumns[column].ascending;
}

const struct schema *view_schema(const struct view *v, const char *name)
{
	for (u32 i = 0; v->frame && i < v->frame->ntables; i++)
		if (!strcmp(v->frame->tables[i]->schema->name, name))
			return v->frame->tables[i]->schema;
	for (u32 i = 0; v->schemas && v->schemas[i]; i++)
		if (!strcmp(v->schemas[i]->name, name))
			return v->schemas[i];
	return NULL;
}

static const struct schema *list_schema(const struct view *v)
{
	return view_schema(v, v->list.threads ? "thread" : "process");
}

/* An expression has an operator; anything else is text to look for. */
int view_set_filter(struct view *v, const char *text, struct err *err)
{
	struct expr *e = NULL;
	const struct schema *schema = list_schema(v);
	bool expression = strpbrk(text, "=<>~!") != NULL;
	int ret;

	if (expression && schema) {
		ret = expr_new(&e, text, schema, v->schemas, err);
		if (ret)
			return ret;
	}
	expr_free(v->list.expr);
	v->list.expr = e;
	v->list.needle[0] = '\0';
	if (!e)
		safe_text(v->list.needle, sizeof(v->list.needle), text, strlen(text));
	safe_text(v->filter, sizeof(v->filter), text, strlen(text));
	return 0;
}

void view_refresh(struct view *v)
{
	fields_bind(&v->f, v->frame);
	fields_bind(&v->whole, v->frame);
	gpus_update(v);
	plist_update(&v->list, &v->f, v->frame);
	if (v->list.lost) {
		v->list.lost = false;
		view_message(v, "the process that was followed has ended");
	}
}

static void local_offset(struct view *v, u64 real_ns)
{
	u64 quarter = real_ns / (900 * NSEC_PER_SEC);
	time_t s = (time_t)(real_ns / NSEC_PER_SEC);
	struct tm tm;

	if (v->utc || quarter == v->offset_for)
		return;
	v->offset_for = quarter;
	v->offset_ns = localtime_r(&s, &tm) ? tm.tm_gmtoff * (s64)NSEC_PER_SEC : 0;
}

/* What is not there, as the header counts it: sources left out and tables that cannot be read. */
static u32 count_absent(const struct view *v, const struct frame *frame, struct engine *engine)
{
	const char *name;
	enum reason reason;
	u32 n = 0;

	if (v->has_findings)
		return v->findings.n;
	while (engine && engine_absent(engine, n, &name, &reason))
		n++;
	for (u32 i = 0; i < frame->ntables; i++) {
		enum reason missing = frame->tables[i]->now->missing;

		n += missing && missing != REASON_STARTING;
	}
	return n;
}

/* Tags of processes that have ended go, also while the screen is paused. */
static void keep_tags(struct view *v)
{
	struct fields now;

	if (!v->tags.n)
		return;
	fields_init(&now);
	fields_bind(&now, v->live);
	if (now.table[TAB_PROCESS] && !now.table[TAB_PROCESS]->now->missing)
		tags_keep(&v->tags, now.table[TAB_PROCESS]->now);
}

void view_frame(struct view *v, const struct frame *frame, struct engine *engine)
{
	v->live = frame;
	/* a message from before the first frame */
	if (v->message_until_ns == UINT64_MAX)
		v->message_until_ns = frame->at.mono_ns + MESSAGE_SECONDS * NSEC_PER_SEC;
	history_push(v->history, frame);
	gpus_push(v, frame);
	local_offset(v, frame->at.real_ns);
	v->absent = count_absent(v, frame, engine);
	keep_tags(v);
	if (v->paused)
		return;
	v->frame = frame;
	view_refresh(v);
	/* users are asked for when they are looked at */
	if (v->mode == MODE_USER && v->menu.n == 1)
		user_start(v);
}

/* For terminals that have nothing but ASCII: what stands for the few signs used here, else '?'. */
static void to_ascii(struct grid *g)
{
	static const struct {
		u32 cp;
		char ascii;
	} signs[] = {{0x2500, '-'}, {0x2502, '|'}, {0x2524, '|'}, {0x251c, '|'}, {0x2514, '`'},
		{0x2190, '<'}, {0x25bc, 'v'}, {0x25b2, '^'}, {0xd7, 'x'}, {0x2026, '.'},
		{0xb0, 'd'}};

	for (u32 i = 0; i < g->cols * g->rows; i++) {
		struct gcell *c = &g->cell[i];
		char ascii = c->cp[0] ? '?' : ' ';

		if (c->cp[0] && c->cp[0] < 0x80 && !c->cp[1])
			continue;
		for (u32 k = 0; k < ARRAY_LEN(signs); k++)
			if (signs[k].cp == c->cp[0])
				ascii = signs[k].ascii;
		if (c->cp[0] && c->cp[0] < 0x80)
			ascii = (char)c->cp[0];
		*c = (struct gcell){.cp = {(u8)ascii}, .role = c->role, .width = 1};
	}
}

static void draw_too_small(struct grid *g)
{
	char text[48] = "";
	u32 n = 0, numbers[2] = {g->cols, g->rows};

	for (u32 i = 0; i < 2; i++) {
		char digits[12];
		u32 d = sizeof(digits), value = numbers[i];

		do
			digits[--d] = (char)('0' + value % 10);
		while (value /= 10);
		memcpy(text + n, digits + d, sizeof(digits) - d);
		n += (u32)sizeof(digits) - d;
		text[n++] = i ? ' ' : 'x';
	}
	memcpy(text + n, "too small", 10);
	/* as many lines as it takes */
	for (u32 y = 0, at = 0; y < g->rows && at < strlen(text); y++, at += g->cols)
		grid_str(g, 0, y, g->cols, ROLE_WARN, text + at);
}

static void draw_panels(struct view *v, struct grid *g)
{
	const struct layout *l = &v->layout;

	panel_header(v, g);
	if (l->cpu_h)
		panel_cpu(v, g, l->cpu_y);
	if (l->cpus_h)
		panel_cpus(v, g);
	if (l->graph_h)
		panel_graphs(v, g);
	if (l->memory_h)
		panel_memory(v, g);
	if (l->io_h)
		panel_io(v, g);
	if (l->power_h)
		panel_power(v, g, l->power_y);
	if (l->files_h)
		panel_files(v, g);
	if (l->gpu_h)
		panel_gpu(v, g);
	panel_heading(v, g);
	panel_list(v, g);
	if (l->sums_h)
		panel_sums(v, g);
}

void view_draw(struct view *v, struct grid *g)
{
	grid_clear(g);
	layout_make(v, g->cols, g->rows);
	v->nseen = 0;
	if (layout_too_small(g->cols, g->rows)) {
		draw_too_small(g);
	} else if (v->mode == MODE_HELP || v->mode == MODE_DOCTOR) {
		panel_page(v, g);
	} else if (v->mode == MODE_DETAILS) {
		panel_details(v, g);
	} else if (v->mode == MODE_NORMAL && gpus_only(v)) {
		panel_gpus_only(v, g);
		panel_bar(v, g);
	} else {
		draw_panels(v, g);
		panel_bar(v, g);
		if (v->mode == MODE_SORT || v->mode == MODE_USER || v->mode == MODE_PANELS ||
			v->mode == MODE_COLUMNS || v->mode == MODE_SIGNAL)
			menu_draw(&v->menu, g);
	}
	if (v->charset == CHARSET_ASCII)
		to_ascii(g);
}

u64 view_interval_ns(const struct view *v)
{
	return v->interval_ns;
}

const struct intent *view_intent(const struct view *v)
{
	return &v->intent;
}

void view_message(struct view *v, const char *text)
{
	safe_text(v->message, sizeof(v->message), text, strlen(text));
	v->message_until_ns = v->live ? v->live->at.mono_ns + MESSAGE_SECONDS * NSEC_PER_SEC
				      : UINT64_MAX;
}

void view_set_findings(struct view *v, const struct findings *findings)
{
	findings_free(&v->findings);
	v->findings = (struct findings){0};
	for (u32 i = 0; findings && i < findings->n; i++) {
		const struct finding *f = &findings->items[i];

		findings_add(&v->findings, f->source, f->reason, f->what, f->why, f->fix);
	}
	v->has_findings = findings != NULL;
	v->absent = v->has_findings ? v->findings.n : v->absent;
}

u32 view_visible(const struct view *v, u64 *keys, u32 most)
{
	u32 n = v->nseen < most ? v->nseen : most;

	memcpy(keys, v->seen, n * sizeof(*keys));
	return n;
}
