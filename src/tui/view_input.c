/* What keys and the mouse do to the live view. */
#include <stdlib.h>
#include <string.h>

#include "base/safe.h"
#include "core/cadence.h"
#include "tui/view_state.h"

enum { SCROLL_COLUMNS = 8, WHEEL_ROWS = 3 };

static const u64 intervals_ms[] = {
	100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 600000, 3600000};

static enum view_request interval(struct view *v, bool longer)
{
	u64 now = v->interval_ns / NSEC_PER_MSEC, next = now;

	for (u32 i = 0; i < ARRAY_LEN(intervals_ms); i++) {
		if (longer && intervals_ms[i] > now) {
			next = intervals_ms[i];
			break;
		}
		if (!longer && intervals_ms[i] < now)
			next = intervals_ms[i];
	}
	if (next == now)
		return VIEW_NOTHING;
	v->interval_ns = next * NSEC_PER_MSEC;
	return VIEW_INTERVAL;
}

void entry_start(struct view *v, enum view_mode mode, const char *text)
{
	v->mode = mode;
	safe_text(v->entry, sizeof(v->entry), text, strlen(text));
	v->entry_error[0] = '\0';
}

static void start_sort(struct view *v)
{
	menu_start(&v->menu, "Sort by");
	for (u32 i = 0; i < pcolumn_count; i++) {
		char text[MENU_TEXT] = "        ";
		size_t len = strlen(pcolumns[i].title);

		memcpy(text, pcolumns[i].title, len);
		safe_text(text + 8, sizeof(text) - 8, pcolumns[i].help, strlen(pcolumns[i].help));
		menu_add(&v->menu, text, (s32)i, i == v->list.sort);
	}
	v->menu.at = v->list.sort;
	v->mode = MODE_SORT;
}

void user_start(struct view *v)
{
	u32 n = fields_rows(&v->f, TAB_PROCESS);

	menu_start(&v->menu, "Processes of");
	menu_add(&v->menu, "all users", -1, !v->list.user[0]);
	for (u32 row = 0; row < n && v->menu.n < MENU_ITEMS; row++) {
		char name[MENU_TEXT];
		struct cell cell;
		bool known = false;

		field_cell(&v->f, FIELD_PROCESS_user, row, &cell);
		if (cell.state == CELL_ABSENT || !cell.text_len)
			continue;
		safe_text(name, sizeof(name), cell.text, cell.text_len);
		for (u32 i = 1; i < v->menu.n; i++)
			known = known || !strcmp(v->menu.item[i].text, name);
		if (!known)
			menu_add(&v->menu, name, (s32)row, !strcmp(name, v->list.user));
	}
	v->mode = MODE_USER;
}

static void start_panels(struct view *v)
{
	u32 at = v->mode == MODE_PANELS ? v->menu.at : 0;

	menu_start(&v->menu, "Panels (Enter: on, off)");
	for (u32 i = 0; i < panel_entry_count; i++)
		menu_add(&v->menu, panel_entries[i].text, (s32)panel_entries[i].bit,
			(v->panels & panel_entries[i].bit) != 0);
	menu_add(&v->menu, "columns of the processes", 0, false);
	v->menu.at = at;
	v->mode = MODE_PANELS;
}

static void apply_filter(struct view *v)
{
	struct err err = {0};

	v->entry_error[0] = '\0';
	if (view_set_filter(v, v->entry, &err))
		safe_text(v->entry_error, sizeof(v->entry_error), err.msg, strlen(err.msg));
	else
		view_refresh(v);
}

static void apply_find(struct view *v, bool next)
{
	memcpy(v->needle, v->entry, sizeof(v->needle));
	v->entry_error[0] = '\0';
	if (v->needle[0] && !plist_find(&v->list, &v->f, v->needle, next, v->layout.list_h))
		strcpy(v->entry_error, "not found");
}

bool entry_edit(struct view *v, u32 key)
{
	u32 len = (u32)strlen(v->entry);

	if (key == KEY_ERASE || key == 8) {
		/* back over the bytes that continue a character */
		while (len && ((u8)v->entry[--len] & 0xc0) == 0x80)
			;
	} else if (key >= ' ' && key < KEY_SPECIAL && safe_char(key) &&
		   len + 5 < sizeof(v->entry)) {
		len += utf8_encode(key, v->entry + len);
	} else {
		return false;
	}
	v->entry[len] = '\0';
	return true;
}

static enum view_request entry_input(struct view *v, u32 key)
{
	if (key == KEY_ESCAPE || key == 3) {
		if (v->mode == MODE_FILTER) {
			v->entry[0] = '\0';
			apply_filter(v);
		}
		v->mode = MODE_NORMAL;
		return VIEW_REDRAW;
	}
	if (key == KEY_ENTER_ || key == 10) {
		v->mode = v->entry_error[0] && v->mode == MODE_FILTER ? MODE_FILTER : MODE_NORMAL;
		return VIEW_REDRAW;
	}
	if (key == KEY_F3_ && v->mode == MODE_FIND) {
		apply_find(v, true);
		return VIEW_REDRAW;
	}
	if (!entry_edit(v, key))
		return VIEW_NOTHING;
	if (v->mode == MODE_FILTER)
		apply_filter(v);
	else
		apply_find(v, false);
	return VIEW_REDRAW;
}

static void chosen(struct view *v)
{
	s32 value = v->menu.item[v->menu.at].value;

	switch (v->mode) {
	case MODE_SORT:
		view_sort_by(v, (u32)value);
		break;
	case MODE_USER:
		v->list.user[0] = '\0';
		if (value >= 0)
			safe_text(v->list.user, sizeof(v->list.user), v->menu.item[v->menu.at].text,
				strlen(v->menu.item[v->menu.at].text));
		break;
	case MODE_PANELS:
		v->panels ^= (u32)value;
		if (value)
			start_panels(v);
		else
			columns_start(v);
		return;
	case MODE_SIGNAL:
		act_ask_signal(v, value);
		return;
	default:
		break;
	}
	v->mode = MODE_NORMAL;
	view_refresh(v);
}

static enum view_request menu_key(struct view *v, const struct input *in)
{
	switch (menu_input(&v->menu, in)) {
	case MENU_CHOSEN:
		chosen(v);
		break;
	case MENU_CLOSED:
		v->mode = MODE_NORMAL;
		break;
	case MENU_OPEN:
		break;
	}
	return VIEW_REDRAW;
}

static enum view_request page_key(struct view *v, u32 key)
{
	u32 page = v->layout.rows > 2 ? v->layout.rows - 2 : 1;

	switch (key) {
	case KEY_UP_:
	case KEY_WHEEL_UP:
		v->page_top -= v->page_top ? 1 : 0;
		break;
	case KEY_DOWN_:
	case KEY_WHEEL_DOWN:
		v->page_top++;
		break;
	case KEY_PAGE_UP:
		v->page_top = v->page_top > page ? v->page_top - page : 0;
		break;
	case KEY_PAGE_DOWN:
		v->page_top += page;
		break;
	default:
		v->mode = MODE_NORMAL;
	}
	return VIEW_REDRAW;
}

static void pause_key(struct view *v)
{
	if (!v->frame)
		return;
	if (v->paused) {
		v->paused = false;
		v->frame = v->live;
	} else if (snap_take(&v->snap, v->frame)) {
		view_message(v, "cannot pause: out of memory");
		return;
	} else {
		v->paused = true;
		v->frame = &v->snap.frame;
	}
	view_refresh(v);
	if (!v->paused)
		snap_fini(&v->snap);
}

static void fold_key(struct view *v, enum action action)
{
	if (!plist_is_tree(&v->list)) {
		view_message(v, "folding is for the tree (F5)");
		return;
	}
	if (action == ACTION_FOLD_ALL)
		plist_fold_all(&v->list, &v->f);
	else if (v->list.has_selection)
		plist_fold(&v->list, v->list.selected_key, action == ACTION_FOLD);
	view_refresh(v);
}

/* Keys that only change a setting of the process list. */
static bool list_key(struct view *v, enum action action)
{
	struct plist *p = &v->list;

	switch (action) {
	case ACTION_TREE:
		if (p->threads || p->group) {
			view_message(v, "the tree is for processes (H, G)");
			return true;
		}
		p->tree = !p->tree;
		break;
	case ACTION_KERNEL:
		p->hide_kernel = !p->hide_kernel;
		break;
	case ACTION_INVERT:
		p->descending = !p->descending;
		break;
	case ACTION_BY_CPU:
		view_sort_by(v, pcolumn_of(FIELD_PROCESS_cpu));
		break;
	case ACTION_BY_MEMORY:
		view_sort_by(v, pcolumn_of(FIELD_PROCESS_memory));
		break;
	case ACTION_BY_TIME:
		view_sort_by(v, pcolumn_of(FIELD_PROCESS_time));
		break;
	case ACTION_BY_PID:
		view_sort_by(v, pcolumn_of(FIELD_PROCESS_pid));
		break;
	case ACTION_BACK:
		p->user[0] = '\0';
		view_set_filter(v, "", NULL);
		v->message[0] = '\0';
		break;
	default:
		return false;
	}
	view_refresh(v);
	return true;
}

static bool move_key(struct view *v, enum action action)
{
	u32 rows = v->layout.list_h ? v->layout.list_h : 1;

	switch (action) {
	case ACTION_UP:
		plist_move(&v->list, &v->f, -1, rows);
		break;
	case ACTION_DOWN:
		plist_move(&v->list, &v->f, 1, rows);
		break;
	case ACTION_PAGE_UP:
		plist_move(&v->list, &v->f, -(s64)rows, rows);
		break;
	case ACTION_PAGE_DOWN:
		plist_move(&v->list, &v->f, rows, rows);
		break;
	case ACTION_FIRST:
		plist_select(&v->list, &v->f, 0, rows);
		break;
	case ACTION_LAST:
		plist_select(&v->list, &v->f, UINT32_MAX, rows);
		break;
	case ACTION_LEFT:
		v->scroll = v->scroll > SCROLL_COLUMNS ? v->scroll - SCROLL_COLUMNS : 0;
		break;
	case ACTION_RIGHT:
		v->scroll += v->scroll < 1024 ? SCROLL_COLUMNS : 0;
		break;
	default:
		return false;
	}
	return true;
}

static void follow_key(struct view *v)
{
	struct target t;

	if (v->list.follow) {
		v->list.follow = false;
		view_message(v, "no longer following");
	} else if (act_selected(v, &t)) {
		v->list.follow = true;
		view_message(v, "following the selected process");
	}
}

static void next_graph(struct view *v)
{
	v->second = (enum series)((v->second + 1) % SERIES_COUNT);
	if (v->second == SERIES_GPU && !gpus_panel(v))
		v->second = SERIES_CPU;
	/* where both fit, the CPU has its own */
	if (v->second == SERIES_CPU && v->layout.cols >= 100)
		v->second = SERIES_MEMORY;
	v->second_chosen = true;
}

static bool switch_key(struct view *v, enum action action)
{
	switch (action) {
	case ACTION_FOLLOW:
		follow_key(v);
		break;
	case ACTION_PATH:
		v->names_only = !v->names_only;
		break;
	case ACTION_OWN:
		v->without_own = !v->without_own;
		break;
	case ACTION_GPUS:
		if (gpus_here(v)) {
			v->gpus.asked = true;
			gpus_update(v);
			break;
		}
		next_graph(v);
		break;
	case ACTION_GRAPH:
		next_graph(v);
		break;
	case ACTION_CHARSET:
		v->charset = (enum charset)((v->charset + CHARSET_BRAILLE) % (CHARSET_BRAILLE + 1));
		break;
	case ACTION_PER_CPU:
		v->per_cpu = (enum per_cpu)((v->per_cpu + 1) % PER_CPU_COUNT);
		break;
	case ACTION_FILESYSTEMS:
		v->files_asked = !v->layout.files_h;
		v->panels = v->files_asked ? v->panels | PANEL_FILESYSTEMS
					   : v->panels & ~(u32)PANEL_FILESYSTEMS;
		break;
	default:
		return false;
	}
	return true;
}

static enum view_request open_key(struct view *v, enum action action)
{
	v->page_top = 0;
	switch (action) {
	case ACTION_HELP:
		v->mode = MODE_HELP;
		break;
	case ACTION_DOCTOR:
		v->mode = MODE_DOCTOR;
		return VIEW_DOCTOR;
	case ACTION_PANELS:
		start_panels(v);
		break;
	case ACTION_FIND:
		entry_start(v, MODE_FIND, "");
		break;
	case ACTION_FILTER:
		entry_start(v, MODE_FILTER, v->filter);
		break;
	case ACTION_SORT:
		start_sort(v);
		break;
	case ACTION_USER:
		user_start(v);
		break;
	default:
		return VIEW_NOTHING;
	}
	return VIEW_REDRAW;
}

static enum view_request act(struct view *v, enum action action)
{
	if (move_key(v, action) || list_key(v, action) || switch_key(v, action) ||
		list_action(v, action))
		return VIEW_REDRAW;
	switch (action) {
	case ACTION_QUIT:
		return VIEW_QUIT;
	case ACTION_SUSPEND:
		return VIEW_SUSPEND;
	case ACTION_REDRAW:
		return VIEW_REDRAW;
	case ACTION_FASTER:
		return interval(v, false);
	case ACTION_SLOWER:
		return interval(v, true);
	case ACTION_PAUSE:
		pause_key(v);
		return VIEW_REDRAW;
	case ACTION_UNFOLD:
	case ACTION_FOLD:
	case ACTION_FOLD_ALL:
		fold_key(v, action);
		return VIEW_REDRAW;
	case ACTION_FIND_NEXT:
		if (v->needle[0] && !plist_find(&v->list, &v->f, v->needle, true, v->layout.list_h))
			view_message(v, "not found");
		return VIEW_REDRAW;
	case ACTION_TAG:
	case ACTION_UNTAG:
	case ACTION_KILL:
	case ACTION_NICE_DOWN:
	case ACTION_NICE_UP:
	case ACTION_NICE:
	case ACTION_CPUS:
		return act_key(v, action);
	case ACTION_DETAILS:
		return details_open(v);
	default:
		return open_key(v, action);
	}
}

static enum view_request click(struct view *v, const struct input *in)
{
	const struct layout *l = &v->layout;
	int column;
	u32 x, width, entry;

	if (l->heading_h && in->y == l->heading_y) {
		column = panel_column_at(v, in->x);
		if (column < 0)
			return VIEW_NOTHING;
		if ((u32)column == v->list.sort)
			v->list.descending = !v->list.descending;
		else
			view_sort_by(v, (u32)column);
		view_refresh(v);
		return VIEW_REDRAW;
	}
	if (in->y >= l->list_y && in->y < l->list_y + l->list_h) {
		if (v->list.top + in->y - l->list_y < v->list.n)
			plist_select(&v->list, &v->f, v->list.top + in->y - l->list_y, l->list_h);
		return VIEW_REDRAW;
	}
	if (!l->bar_h || in->y != l->bar_y)
		return VIEW_NOTHING;
	for (u32 n = 0; (entry = bar_item(v, n, &x, &width)) != UINT32_MAX; n++)
		if (in->x >= x && in->x < x + width && x + width <= l->cols)
			return act(v, (enum action)key_entries[entry].action);
	return VIEW_NOTHING;
}

static enum view_request wheel(struct view *v, bool down)
{
	if (down)
		v->list.top += WHEEL_ROWS;
	else
		v->list.top -= v->list.top < WHEEL_ROWS ? v->list.top : WHEEL_ROWS;
	plist_clamp(&v->list, v->layout.list_h);
	return VIEW_REDRAW;
}

enum view_request view_input(struct view *v, const struct input *in)
{
	enum view_request request;

	if (layout_too_small(v->layout.cols, v->layout.rows) && in->key != 'q' &&
		key_action(in->key) != ACTION_QUIT && key_action(in->key) != ACTION_SUSPEND)
		return VIEW_NOTHING;
	switch (v->mode) {
	case MODE_HELP:
	case MODE_DOCTOR:
		return page_key(v, in->key);
	case MODE_FIND:
	case MODE_FILTER:
		return entry_input(v, in->key);
	case MODE_CONFIRM:
		return act_confirm(v, in->key);
	case MODE_NICE:
	case MODE_CPUS:
		return act_entry(v, in->key);
	case MODE_DETAILS:
		return details_key(v, in->key);
	case MODE_SORT:
	case MODE_USER:
	case MODE_PANELS:
	case MODE_SIGNAL:
		return menu_key(v, in);
	case MODE_COLUMNS:
		return columns_key(v, in);
	case MODE_NORMAL:
		break;
	}
	if (gpus_only(v) && gpus_key(v, in->key, &request))
		return request;
	if (group_key(v, in->key))
		return VIEW_REDRAW;
	if (in->key == KEY_CLICK)
		return click(v, in);
	if (in->key == KEY_WHEEL_UP || in->key == KEY_WHEEL_DOWN)
		return wheel(v, in->key == KEY_WHEEL_DOWN);
	return act(v, key_action(in->key));
}
