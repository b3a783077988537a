/* The pane of one process's details: opened, scrolled, read anew. What it shows stays as it was read until
 * somebody asks again. */
#include "tui/panel.h"

#include <stdlib.h>
#include <string.h>

#include "base/safe.h"
#include "base/sbuf.h"

enum { NAME_COLS = 17, NARROW = 60, INDENT = 2 };

void pane_fini(struct pane *p)
{
	details_free(&p->details);
	free(p->lines);
	*p = (struct pane){0};
}

static void forget(struct pane *p)
{
	details_free(&p->details);
	free(p->lines);
	p->lines = NULL;
	p->cols = p->total = 0;
}

enum view_request details_open(struct view *v)
{
	struct target t;

	if (!act_selected(v, &t))
		return VIEW_REDRAW;
	forget(&v->pane);
	v->pane.of = t;
	v->pane.environment = v->pane.has_environment = v->pane.seek = false;
	v->pane.why[0] = '\0';
	v->pane.top = 0;
	v->mode = MODE_DETAILS;
	return VIEW_DETAILS;
}

u64 view_details(const struct view *v, u32 *flags)
{
	*flags = (v->pane.environment ? DETAILS_ENVIRONMENT : 0) | (v->utc ? DETAILS_UTC : 0);
	return v->pane.of.key;
}

void view_set_details(struct view *v, struct details *details, const char *why)
{
	struct pane *p = &v->pane;

	p->why[0] = '\0';
	if (!details) {
		safe_text(p->why, sizeof(p->why), why, strlen(why));
		return;
	}
	forget(p);
	p->seek = p->environment && !p->has_environment;
	p->has_environment = p->environment;
	p->details = *details;
	*details = (struct details){0};
}

/* Bytes of text that go on a line of so many columns: up to the last blank of its second half, else as many
 * as fit. At least one character. */
static u32 line_bytes(const char *text, u32 len, u32 cols)
{
	u32 at = 0, width = 0, blank = 0;

	while (at < len) {
		bool valid;
		u32 cp, n = utf8_decode(text + at, text + len, &cp, &valid);
		u32 w = valid && safe_char(cp) ? safe_width(cp) : 1;

		if (width + w > cols && at)
			return blank ? blank : at;
		at += n;
		width += w;
		if (cp == ' ' && width > cols / 2)
			blank = at;
	}
	return at;
}

/* Where text starts: behind the names, or below them where the screen is narrow. */
static u32 text_x(const struct detail *d, u32 cols)
{
	return cols < NARROW || !d->name[0] ? INDENT : NAME_COLS + INDENT;
}

static u32 item_lines(const struct detail *d, u32 cols)
{
	u32 len = (u32)strlen(d->text), x = text_x(d, cols), n = 0;

	if (d->kind == DETAIL_SECTION)
		return 1;
	for (u32 at = 0; at < len; n++)
		at += line_bytes(d->text + at, len - at, cols > x ? cols - x : 1);
	n = n ? n : 1;
	return cols < NARROW && d->name[0] ? n + 1 : n;
}

/* Once for each reading and width, so that a long command line costs nothing on the tick. */
static void measure(struct pane *p, u32 cols)
{
	if (p->cols == cols)
		return;
	if (!p->lines)
		p->lines = malloc((p->details.n + 1) * sizeof(*p->lines));
	p->total = 0;
	for (u32 i = 0; p->lines && i < p->details.n; i++) {
		p->lines[i] = item_lines(&p->details.items[i], cols);
		p->total += p->lines[i];
	}
	p->cols = p->lines ? cols : 0;
}

/* The environment is the last section. */
static void seek(struct pane *p)
{
	u32 line = 0;

	for (u32 i = 0; p->lines && i < p->details.n; line += p->lines[i++])
		if (p->details.items[i].kind == DETAIL_SECTION)
			p->top = line;
	p->seek = false;
}

static enum role role_of(const struct detail *d)
{
	switch (d->kind) {
	case DETAIL_WARN:
		return ROLE_WARN;
	case DETAIL_ABSENT:
	case DETAIL_HINT:
		return ROLE_DIM;
	default:
		return ROLE_NORMAL;
	}
}

/* Lines of one item from `skip` on, down from y; returns the line after it. */
static u32 draw_item(struct grid *g, const struct detail *d, u32 skip, u32 y)
{
	u32 len = (u32)strlen(d->text), x = text_x(d, g->cols), at = 0, line = 0;

	if (d->kind == DETAIL_SECTION) {
		grid_str(g, 0, y, g->cols, ROLE_TITLE, d->name);
		return y + 1;
	}
	if (d->name[0] && !skip)
		grid_str(g, INDENT / 2, y, g->cols, ROLE_KEY, d->name);
	if (d->name[0] && g->cols < NARROW) {
		y += !skip;
		line++;
	}
	do {
		u32 n = line_bytes(d->text + at, len - at, g->cols > x ? g->cols - x : 1);

		if (line++ >= skip) {
			if (y >= g->rows)
				return y;
			grid_text(g, x, y++, g->cols, role_of(d), d->text + at, n);
		}
		at += n;
	} while (at < len);
	return y;
}

static void draw_title(const struct pane *p, struct grid *g)
{
	char text[128];
	struct sbuf sb;
	struct line l;

	sbuf_init(&sb, text, sizeof(text));
	sbuf_u64(&sb, (u64)p->of.pid);
	sbuf_char(&sb, ' ');
	sbuf_str(&sb, p->of.name);
	grid_fill(g, 0, 0, g->cols, ROLE_HEADER, ' ');
	line_init(&l);
	line_add(&l, 0, ROLE_HEADER, NULL, text);
	line_add(&l, 1, ROLE_HEADER, NULL, "Esc back");
	line_add(&l, 2, ROLE_HEADER, NULL, "r read again");
	line_add(&l, 3, ROLE_HEADER, NULL, p->environment ? "e no environment" : "e environment");
	line_add(&l, 4, ROLE_HEADER, NULL, "arrows scroll");
	line_draw(&l, g, 0, 0, g->cols);
}

void panel_details(struct view *v, struct grid *g)
{
	struct pane *p = &v->pane;
	u32 y = 1, room, skip;

	draw_title(p, g);
	if (p->why[0])
		grid_str(g, 0, y++, g->cols, ROLE_WARN, p->why);
	measure(p, g->cols);
	if (p->seek)
		seek(p);
	room = g->rows > y ? g->rows - y : 1;
	if (p->top + room > p->total)
		p->top = p->total > room ? p->total - room : 0;
	skip = p->top;
	for (u32 i = 0; p->lines && i < p->details.n && y < g->rows; i++) {
		if (skip >= p->lines[i]) {
			skip -= p->lines[i];
			continue;
		}
		y = draw_item(g, &p->details.items[i], skip, y);
		skip = 0;
	}
}

static bool scroll(struct pane *p, u32 key, u32 page)
{
	switch (key) {
	case KEY_UP_:
	case KEY_WHEEL_UP:
		p->top -= p->top ? 1 : 0;
		break;
	case KEY_DOWN_:
	case KEY_WHEEL_DOWN:
		p->top++;
		break;
	case KEY_PAGE_UP:
		p->top = p->top > page ? p->top - page : 0;
		break;
	case KEY_PAGE_DOWN:
	case ' ':
		p->top += page;
		break;
	case KEY_HOME_:
		p->top = 0;
		break;
	case KEY_END_:
		p->top = UINT32_MAX / 2; /* drawing knows where the end is */
		break;
	default:
		return false;
	}
	return true;
}

enum view_request details_key(struct view *v, u32 key)
{
	struct pane *p = &v->pane;

	if (scroll(p, key, v->layout.rows > 2 ? v->layout.rows - 2 : 1))
		return VIEW_REDRAW;
	switch (key) {
	case 'e':
		p->environment = !p->environment;
		return VIEW_DETAILS;
	case 'r':
		return VIEW_DETAILS;
	case KEY_ESCAPE:
	case KEY_ENTER_:
	case KEY_F10_:
	case 10:
	case 3:
	case 'i':
	case 'q':
		/* what was read may be secret: it does not stay in memory for nothing */
		pane_fini(p);
		v->mode = MODE_NORMAL;
		return VIEW_REDRAW;
	default:
		return VIEW_NOTHING;
	}
}
