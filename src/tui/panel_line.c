/* A line of items of which as many are shown as fit: a narrow screen drops the less important
 * ones, it does not cut words. */
#include "tui/panel.h"

#include <string.h>

#include "base/safe.h"
#include "base/sbuf.h"

void line_init(struct line *l)
{
	l->n = 0;
}

u32 text_columns(const char *text, u32 len)
{
	const char *end = text + len;
	u32 width = 0;

	while (text < end) {
		bool valid;
		u32 cp;

		text += utf8_decode(text, end, &cp, &valid);
		width += valid && safe_char(cp) ? safe_width(cp) : 1;
	}
	return width;
}

static struct line_item *add(
	struct line *l, u32 priority, enum role role, const char *title, const char *text)
{
	struct line_item *item = &l->item[l->n];
	struct sbuf sb;

	if (l->n == LINE_ITEMS)
		return &l->item[LINE_ITEMS - 1];
	l->n++;
	sbuf_init(&sb, item->text, ITEM_TEXT);
	if (title && title[0]) {
		sbuf_str(&sb, title);
		if (text[0])
			sbuf_char(&sb, ' ');
	}
	item->title = (u8)sb.len;
	sbuf_str(&sb, text);
	item->len = (u8)sb.len;
	item->width = (u8)text_columns(item->text, item->len);
	item->role = (u8)role;
	item->priority = (u8)priority;
	item->right = false;
	return item;
}

void line_add(struct line *l, u32 priority, enum role role, const char *title, const char *text)
{
	add(l, priority, role, title, text);
}

void line_right(struct line *l, u32 priority, enum role role, const char *title, const char *text)
{
	add(l, priority, role, title, text)->right = true;
}

/* Which items fit: by priority, the rest waits for a wider screen. Returns the columns of the right ones. */
static u32 choose(struct line *l, u32 room)
{
	u32 used = 0, right = 0;

	for (u32 i = 0; i < l->n; i++)
		l->item[i].shown = false;
	for (u32 priority = 0; priority < 32; priority++) {
		for (u32 i = 0; i < l->n; i++) {
			struct line_item *item = &l->item[i];
			u32 need = item->width + (used ? 2u : 0u);

			if (item->priority != priority)
				continue;
			/* the first is shown in any case, cut if need be */
			if (used + need > room && used)
				return right;
			item->shown = true;
			used += need;
			if (item->right)
				right += item->width + 2u;
		}
	}
	return right;
}

static u32 draw_item(const struct line_item *item, struct grid *g, u32 x, u32 y, u32 limit)
{
	x = grid_text(g, x, y, limit, ROLE_TITLE, item->text, item->title);
	return grid_text(g, x, y, limit, (enum role)item->role, item->text + item->title,
		(size_t)(item->len - item->title));
}

void line_draw(struct line *l, struct grid *g, u32 x, u32 y, u32 limit)
{
	u32 right, at = x, blanks = 0;

	if (limit > g->cols)
		limit = g->cols;
	if (x >= limit)
		return;
	right = choose(l, limit - x);
	for (u32 i = 0; i < l->n; i++) {
		if (!l->item[i].shown || l->item[i].right)
			continue;
		at = draw_item(&l->item[i], g, at + blanks, y, limit);
		/* a title alone belongs to what follows */
		blanks = l->item[i].len == l->item[i].title ? 1 : 2;
	}
	if (!right)
		return;
	at = right - 2 < limit - x ? limit - (right - 2) : x;
	for (u32 i = 0; i < l->n; i++)
		if (l->item[i].shown && l->item[i].right)
			at = draw_item(&l->item[i], g, at, y, limit) + 2;
}

void bar_draw(struct grid *g, u32 x, u32 y, u32 width, const struct bar_part *parts, u32 n)
{
	u32 inner, at = 0;
	double sum = 0;

	if (width < 4)
		return;
	inner = width - 2;
	grid_put(g, x, y, ROLE_STRONG, '[');
	grid_put(g, x + width - 1, y, ROLE_STRONG, ']');
	for (u32 i = 0; i < n; i++) {
		u32 to;

		if (!(parts[i].share > 0))
			continue;
		sum += parts[i].share;
		to = sum >= 1 ? inner : (u32)(sum * inner + 0.5);
		for (; at < to; at++)
			grid_put(g, x + 1 + at, y, parts[i].role, (u8)parts[i].mark);
	}
}
