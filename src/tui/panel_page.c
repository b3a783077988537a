/* Whole-screen pages: the help, made from the table of keys, and the doctor's findings. */
#include "tui/panel.h"

#include <string.h>

#include "base/sbuf.h"

static const char *const legend[] = {
	"",
	"CPU bars  | user  g guest  + kernel  * interrupts  % stolen  . disk wait",
	"heat map  one character a CPU: height (or digit: tens of %) is busy; x offline",
	"MEM bar   | programs  * shared  + kernel  . cache (given back when needed)",
	"graphs    one sample a dot column; a blank is a gap: nothing was measured",
	"CPU%      100 is one CPU",
	"GPU       slowed by power or heat: % of time; link < what both can; asleep: left so",
	"TOTAL     = processes + exited ones + interrupts + unattributed (not seen)",
	"+3 ~      sums with 3 folded rows; approximate, or a sum that lacks a part",
	"-         absent: no value yet or none here; never a zero",
	"tags      * in the row; signals, nice and CPUs go to the tagged, else to the selected",
};

static void page_title(struct grid *g, const char *title)
{
	grid_fill(g, 0, 0, g->cols, ROLE_HEADER, ' ');
	grid_str(g, 0, 0, g->cols, ROLE_HEADER, title);
}

static void help(struct view *v, struct grid *g)
{
	u32 n = key_entry_count, total = n + ARRAY_LEN(legend),
	    room = g->rows > 1 ? g->rows - 1 : 1;

	page_title(g, "tare: keys (any other key: back; arrows scroll)");
	if (v->page_top + room > total)
		v->page_top = total > room ? total - room : 0;
	for (u32 i = 0; i < room && v->page_top + i < total; i++) {
		u32 item = v->page_top + i, y = 1 + i;

		if (item >= n) {
			grid_str(g, 0, y, g->cols, ROLE_NORMAL, legend[item - n]);
			continue;
		}
		grid_str(g, 0, y, g->cols, ROLE_KEY, key_entries[item].names);
		grid_str(g, 10, y, g->cols, ROLE_NORMAL, key_entries[item].help);
	}
}

/* Two lines a finding: what and why; what mends it. */
static void doctor(struct view *v, struct grid *g)
{
	u32 total = v->findings.n * 2, room = g->rows > 1 ? g->rows - 1 : 1;

	page_title(g, "tare doctor: what cannot be measured here (Esc: back)");
	if (!v->has_findings || !v->findings.n) {
		grid_str(g, 0, 1, g->cols, ROLE_OK,
			v->has_findings ? "everything can be measured" : "asking the sources");
		return;
	}
	if (v->page_top + room > total)
		v->page_top = total > room ? total - room : 0;
	for (u32 i = 0; i < room && v->page_top + i < total; i++) {
		const struct finding *f = &v->findings.items[(v->page_top + i) / 2];
		char text[512];
		struct sbuf sb;

		sbuf_init(&sb, text, sizeof(text));
		if ((v->page_top + i) % 2) {
			sbuf_str(&sb, f->fix[0] ? "    mend: " : "    nothing mends it here");
			sbuf_str(&sb, f->fix);
		} else {
			sbuf_str(&sb, f->source);
			sbuf_str(&sb, ": ");
			sbuf_str(&sb, f->what);
			sbuf_str(&sb, ", ");
			sbuf_str(&sb, reason_text(f->reason));
			sbuf_str(&sb, f->why[0] ? ": " : "");
			sbuf_str(&sb, f->why);
		}
		grid_str(
			g, 0, 1 + i, g->cols, (v->page_top + i) % 2 ? ROLE_DIM : ROLE_NORMAL, text);
	}
}

void panel_page(struct view *v, struct grid *g)
{
	grid_clear(g);
	if (v->mode == MODE_HELP)
		help(v, g);
	else
		doctor(v, g);
}
