/* What the list shows: which columns, threads instead of processes, groups. */
#include <errno.h>
#include <string.h>

#include "base/safe.h"
#include "tui/view_state.h"

enum { BY_WIDTH = -1, HEADING_COLS = 10, TGID_COLS = 60, GROUP_COLS = 80 };

static const char *const said[GROUP_COUNT] = {
	"processes", "sums by user", "sums by control group", "sums by container"};

/* What a list of groups has room for, since it shows only what adds up. */
static bool of_groups(const struct pcolumn *c)
{
	return c->field == FIELD_PROCESS_energy || c->field == FIELD_PROCESS_disk_read ||
	       c->field == FIELD_PROCESS_disk_written;
}

bool view_shows(const struct view *v, u32 column, u32 cols)
{
	const struct pcolumn *c = &pcolumns[column];

	if (v->list.group && !c->additive)
		return c->field == FIELD_PROCESS_pid || c->format == PFORMAT_COMMAND;
	if (column == v->list.sort || columns_shows(&v->columns, column, cols))
		return true;
	if (v->columns.chosen)
		return false;
	return (v->list.group && of_groups(c) && cols >= GROUP_COLS) ||
	       (v->list.threads && c->field == FIELD_PROCESS_process && cols >= TGID_COLS);
}

/* The order of the screen; the first item gives the choice back to the width. */
void columns_start(struct view *v)
{
	menu_start(&v->menu, "Columns: Space shows, hides; [ ] move");
	menu_add(&v->menu, "those that fit the screen", BY_WIDTH, !v->columns.chosen);
	for (u32 i = 0; i < pcolumn_count; i++) {
		u32 column = v->columns.order[i];
		const struct pcolumn *c = &pcolumns[column];
		char text[MENU_TEXT];

		memset(text, ' ', HEADING_COLS);
		memcpy(text, c->title, strlen(c->title));
		safe_text(
			text + HEADING_COLS, sizeof(text) - HEADING_COLS, c->help, strlen(c->help));
		menu_add(&v->menu, text, (s32)column,
			columns_shows(&v->columns, column, v->layout.cols));
	}
	v->mode = MODE_COLUMNS;
}

/* Made anew with what has changed, at the same place. */
static void columns_again(struct view *v, u32 at)
{
	u32 top = v->menu.top;

	columns_start(v);
	v->menu.at = at;
	v->menu.top = top;
}

enum view_request columns_key(struct view *v, const struct input *in)
{
	u32 at = v->menu.at, cols = v->layout.cols;

	if (in->key == '[' || in->key == ']') {
		if (at)
			at = 1 + columns_move(&v->columns, at - 1, in->key == '[' ? -1 : 1, cols);
		columns_again(v, at);
		return VIEW_REDRAW;
	}
	switch (menu_input(&v->menu, in)) {
	case MENU_CHOSEN:
		at = v->menu.at;
		if (v->menu.item[at].value == BY_WIDTH)
			columns_set(&v->columns, "", NULL);
		else
			columns_toggle(&v->columns, (u32)v->menu.item[at].value, cols);
		columns_again(v, at);
		break;
	case MENU_CLOSED:
		v->mode = MODE_NORMAL;
		break;
	case MENU_OPEN:
		break;
	}
	return VIEW_REDRAW;
}

static void threads_key(struct view *v)
{
	struct plist *p = &v->list;
	char filter[sizeof(v->filter)];

	if (!p->threads && !frame_find(v->frame, "thread")) {
		view_message(v, "no threads here");
		return;
	}
	p->threads = !p->threads;
	v->f.rows = p->threads ? "thread" : NULL;
	/* an expression holds for one table's columns */
	memcpy(filter, v->filter, sizeof(filter));
	if (view_set_filter(v, filter, NULL))
		view_set_filter(v, "", NULL);
	view_refresh(v);
	view_message(v, p->threads ? "threads, each a row" : "processes");
}

bool list_action(struct view *v, enum action action)
{
	switch (action) {
	case ACTION_COLUMNS:
		columns_start(v);
		return true;
	case ACTION_THREADS:
		threads_key(v);
		return true;
	case ACTION_GROUP:
		plist_regroup(&v->list);
		view_refresh(v);
		view_message(v, said[v->list.group]);
		return true;
	default:
		return false;
	}
}

bool group_key(struct view *v, u32 key)
{
	bool enter = key == KEY_ENTER_ || key == '\n';

	if (enter && v->list.group)
		view_message(v, plist_enter(&v->list, &v->f)
					? "Esc: the groups again"
					: "select a group first (Up, Down or a click)");
	else if (key == KEY_ESCAPE && plist_leave(&v->list))
		view_message(v, said[v->list.group]);
	else
		return false;
	view_refresh(v);
	return true;
}

void view_settings(const struct view *v, struct settings *out)
{
	settings_init(out);
	columns_text(&v->columns, out->columns, sizeof(out->columns));
	strcpy(out->sort, field_name(pcolumns[v->list.sort].field));
	out->descending = v->list.descending;
	out->tree = v->list.tree;
	out->hide_kernel = v->list.hide_kernel;
	out->charset_auto = false;
	out->charset = v->charset;
	out->panels = v->panels & PANEL_ALL;
	out->gpus = v->gpus.asked;
}

int view_apply(struct view *v, const struct settings *s, struct err *err)
{
	int column = pcolumn_find(s->sort), ret = columns_set(&v->columns, s->columns, err);

	if (ret)
		return ret;
	if (column < 0)
		return err_set(err, EINVAL, "no such process column: %s", s->sort);
	v->list.sort = (u32)column;
	v->list.descending = s->descending;
	v->list.tree = s->tree;
	v->list.hide_kernel = s->hide_kernel;
	v->panels = s->panels;
	v->gpus.asked = s->gpus;
	return 0;
}
