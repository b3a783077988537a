/* What the user does to processes: tags them, and asks for signals, nice values and CPUs. */
#include <stdlib.h>
#include <string.h>

#include "base/safe.h"
#include "base/sbuf.h"
#include "base/scan.h"
#include "tui/view_state.h"

enum { NICE_LEAST = -20, NICE_MOST = 19 };

static bool fill(const struct fields *f, u64 key, struct target *out)
{
	const struct frame_table *t = f->table[TAB_PROCESS];
	s64 row = t ? table_find(t->now, key) : -1;
	struct cell cell;

	*out = (struct target){.key = key};
	if (row < 0)
		return false;
	field_cell(f, FIELD_PROCESS_pid, (u32)row, &cell);
	if (cell.state == CELL_ABSENT || cell.num < 1 || cell.num > INT32_MAX)
		return false;
	out->pid = (s32)cell.num;
	field_cell(f, FIELD_PROCESS_command, (u32)row, &cell);
	if (cell.state != CELL_ABSENT)
		safe_text(out->name, sizeof(out->name), cell.text, cell.text_len);
	return true;
}

bool act_selected(struct view *v, struct target *out)
{
	if (v->list.has_selection && fill(&v->f, v->list.selected_key, out))
		return true;
	view_message(v, "select a process first (Up, Down or a click)");
	return false;
}

static bool add_target(struct view *v, const struct target *t)
{
	if (v->intent.n == v->target_room) {
		u32 room = v->target_room ? v->target_room * 2 : 16;
		struct target *items = realloc(v->target, room * sizeof(*items));

		if (!items) {
			view_message(v, "out of memory");
			return false;
		}
		v->target = items;
		v->target_room = room;
	}
	v->target[v->intent.n++] = *t;
	v->intent.target = v->target;
	return true;
}

/* The tagged ones, else the selected one. Who they are is settled here, not when the answer comes. */
static bool take_targets(struct view *v, enum intent_kind kind)
{
	struct fields live;
	struct target t;

	v->intent = (struct intent){.kind = kind, .target = v->target};
	if (v->recorded) {
		view_message(v, "nothing can be done to it: this is a recorded machine");
		return false;
	}
	if (!v->tags.n)
		return act_selected(v, &t) && add_target(v, &t);
	/* tags are kept by the newest frame, also while an older one is shown */
	fields_init(&live);
	fields_bind(&live, v->live);
	for (u32 i = 0; i < v->tags.n; i++)
		if (fill(&live, v->tags.key[i], &t) && !add_target(v, &t))
			return false;
	if (v->intent.n)
		return true;
	view_message(v, "the tagged processes have ended");
	return false;
}

/* "28290 python" or "3 tagged processes" */
static void whom(const struct view *v, struct sbuf *sb)
{
	if (v->intent.n != 1) {
		sbuf_u64(sb, v->intent.n);
		sbuf_str(sb, " tagged processes");
		return;
	}
	sbuf_u64(sb, (u64)v->target[0].pid);
	sbuf_char(sb, ' ');
	sbuf_str(sb, v->target[0].name);
}

static void ask(struct view *v, const char *what, const char *value, const char *end)
{
	struct sbuf sb;

	sbuf_init(&sb, v->question, sizeof(v->question));
	sbuf_str(&sb, what);
	whom(v, &sb);
	if (value[0]) {
		sbuf_str(&sb, " (now ");
		sbuf_str(&sb, value);
		sbuf_char(&sb, ')');
	}
	sbuf_str(&sb, end);
}

static void start_signal(struct view *v)
{
	char title[64];
	struct sbuf sb;

	if (!take_targets(v, INTENT_SIGNAL))
		return;
	sbuf_init(&sb, title, sizeof(title));
	sbuf_str(&sb, "Signal to ");
	if (v->intent.n == 1)
		sbuf_str(&sb, v->target[0].name);
	else
		whom(v, &sb);
	menu_start(&v->menu, title);
	for (u32 i = 0; i < signal_entry_count; i++)
		menu_add(&v->menu, signal_entries[i].name, signal_entries[i].number, false);
	v->mode = MODE_SIGNAL;
}

void act_ask_signal(struct view *v, int sig)
{
	char what[32];
	struct sbuf sb;

	v->intent.number = sig;
	sbuf_init(&sb, what, sizeof(what));
	sbuf_str(&sb, "Send ");
	for (u32 i = 0; i < signal_entry_count; i++)
		if (signal_entries[i].number == sig)
			sbuf_str(&sb, signal_entries[i].name + 3);
	sbuf_str(&sb, " to ");
	ask(v, what, "", "? y/n");
	v->mode = MODE_CONFIRM;
}

/* One that has ended needs no system call to say so; of several, each tells for itself. */
static enum view_request carry_out(struct view *v)
{
	struct fields live;
	struct target t;

	fields_init(&live);
	fields_bind(&live, v->live);
	v->mode = MODE_NORMAL;
	if (v->intent.n > 1 || fill(&live, v->target[0].key, &t))
		return VIEW_ACT;
	view_message(v, "that process has ended");
	return VIEW_REDRAW;
}

enum view_request act_confirm(struct view *v, u32 key)
{
	v->mode = MODE_NORMAL;
	return key == 'y' || key == 'Y' ? carry_out(v) : VIEW_REDRAW;
}

static void start_nice(struct view *v)
{
	char now[16] = "";
	struct sbuf sb;
	double nice;
	s64 row;

	if (!take_targets(v, INTENT_NICE))
		return;
	row = table_find(v->f.table[TAB_PROCESS]->now, v->target[0].key);
	sbuf_init(&sb, now, sizeof(now));
	if (v->intent.n == 1 && row >= 0 && field_num(&v->f, FIELD_PROCESS_nice, (u32)row, &nice))
		sbuf_printf(&sb, "%d", (int)nice);
	ask(v, "Nice of ", now, ": ");
	entry_start(v, MODE_NICE, "");
}

static enum view_request start_cpus(struct view *v)
{
	if (!take_targets(v, INTENT_CPUS))
		return VIEW_REDRAW;
	ask(v, "CPUs of ", "", ": ");
	entry_start(v, MODE_CPUS, "");
	/* several need not have the same */
	return v->intent.n == 1 ? VIEW_CPUS : VIEW_REDRAW;
}

void view_set_cpus(struct view *v, const char *list, const char *why)
{
	if (list) {
		ask(v, "CPUs of ", list, ": ");
		return;
	}
	v->mode = MODE_NORMAL;
	view_message(v, why);
}

static enum view_request nice_step(struct view *v, int step)
{
	if (!take_targets(v, INTENT_NICE_STEP))
		return VIEW_REDRAW;
	v->intent.number = step;
	return carry_out(v);
}

static enum view_request entered(struct view *v)
{
	s64 nice = 0;

	if (!v->entry[0]) {
		v->mode = MODE_NORMAL;
		return VIEW_REDRAW;
	}
	v->intent.cpus = v->entry;
	if (v->mode == MODE_CPUS)
		return carry_out(v);
	if (scan_whole_s64(v->entry, v->entry + strlen(v->entry), &nice) || nice < NICE_LEAST ||
		nice > NICE_MOST) {
		strcpy(v->entry_error, "-20 to 19");
		return VIEW_REDRAW;
	}
	v->intent.number = (int)nice;
	return carry_out(v);
}

enum view_request act_entry(struct view *v, u32 key)
{
	if (key == KEY_ENTER_ || key == 10)
		return entered(v);
	if (key == KEY_ESCAPE || key == 3) {
		v->mode = MODE_NORMAL;
		return VIEW_REDRAW;
	}
	v->entry_error[0] = '\0';
	return entry_edit(v, key) ? VIEW_REDRAW : VIEW_NOTHING;
}

static void tag(struct view *v)
{
	u32 rows = v->layout.list_h ? v->layout.list_h : 1;
	struct target t;

	if (!act_selected(v, &t))
		return;
	if (tags_toggle(&v->tags, t.key))
		view_message(v, "out of memory");
	else
		plist_move(&v->list, &v->f, 1, rows);
}

enum view_request act_key(struct view *v, enum action action)
{
	switch (action) {
	case ACTION_TAG:
		tag(v);
		break;
	case ACTION_UNTAG:
		tags_clear(&v->tags);
		break;
	case ACTION_KILL:
		start_signal(v);
		break;
	case ACTION_NICE:
		start_nice(v);
		break;
	case ACTION_CPUS:
		return start_cpus(v);
	case ACTION_NICE_DOWN:
		return nice_step(v, -1);
	case ACTION_NICE_UP:
		return nice_step(v, 1);
	default:
		return VIEW_NOTHING;
	}
	return VIEW_REDRAW;
}
