#include "tui/grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe.h"

enum { GRID_LEAST = 1, GRID_MOST = 1000 };

static const struct gcell blank = {.cp = {' '}, .role = ROLE_NORMAL, .width = 1};

void grid_init(struct grid *g)
{
	*g = (struct grid){0};
}

void grid_fini(struct grid *g)
{
	if (!g)
		return;
	free(g->cell);
	*g = (struct grid){0};
}

static u32 clamp(u32 n)
{
	return n < GRID_LEAST ? GRID_LEAST : n > GRID_MOST ? GRID_MOST : n;
}

int grid_resize(struct grid *g, u32 cols, u32 rows)
{
	u32 need;

	cols = clamp(cols);
	rows = clamp(rows);
	need = cols * rows;
	if (need > g->room) {
		struct gcell *cell = realloc(g->cell, need * sizeof(*cell));

		if (!cell)
			return -ENOMEM;
		g->cell = cell;
		g->room = need;
	}
	g->cols = cols;
	g->rows = rows;
	grid_clear(g);
	return 0;
}

void grid_clear(struct grid *g)
{
	size_t row = g->cols * sizeof(*g->cell);

	if (!g->cell)
		return;
	for (u32 x = 0; x < g->cols; x++)
		g->cell[x] = blank;
	for (u32 y = 1; y < g->rows; y++)
		memcpy(g->cell + (size_t)y * g->cols, g->cell, row);
}

/* What is about to be overwritten may be one half of a wide character: the other half goes too. */
static void detach(struct grid *g, struct gcell *line, u32 x)
{
	if (line[x].width == 1)
		return;
	if (line[x].width == 0 && x > 0) {
		line[x - 1].cp[0] = ' ';
		line[x - 1].cp[1] = line[x - 1].cp[2] = 0;
		line[x - 1].width = 1;
	} else if (line[x].width == 2 && x + 1 < g->cols) {
		line[x + 1].cp[0] = ' ';
		line[x + 1].width = 1;
	}
}

static void set(struct grid *g, struct gcell *line, u32 x, enum role role, u32 cp)
{
	detach(g, line, x);
	line[x] = (struct gcell){.cp = {cp}, .role = (u8)role, .width = 1};
}

static void combine(struct gcell *cell, u32 cp)
{
	if (!cell->cp[1])
		cell->cp[1] = cp;
	else if (!cell->cp[2])
		cell->cp[2] = cp;
}

u32 grid_text(
	struct grid *g, u32 col, u32 row, u32 limit, enum role role, const char *text, size_t len)
{
	const char *end = text + len;
	struct gcell *line, *last = NULL;

	if (limit > g->cols)
		limit = g->cols;
	if (row >= g->rows || col >= limit)
		return col;
	line = g->cell + (size_t)row * g->cols;
	while (text < end) {
		u32 cp = (u8)*text, width = 1, step = 1;

		if (cp < 0x20 || cp >= 0x7f) {
			bool valid;

			step = utf8_decode(text, end, &cp, &valid);
			if (valid && safe_char(cp))
				width = safe_width(cp);
			else
				cp = '?';
		}
		text += step;
		if (!width) {
			if (last)
				combine(last, cp);
			continue;
		}
		if (col + width > limit)
			break;
		set(g, line, col, role, cp);
		last = &line[col];
		if (width == 2) {
			detach(g, line, col + 1);
			last->width = 2;
			line[col + 1] = (struct gcell){.role = (u8)role, .width = 0};
		}
		col += width;
	}
	return col;
}

u32 grid_str(struct grid *g, u32 col, u32 row, u32 limit, enum role role, const char *text)
{
	return grid_text(g, col, row, limit, role, text, strlen(text));
}

void grid_put(struct grid *g, u32 col, u32 row, enum role role, u32 cp)
{
	if (row < g->rows && col < g->cols)
		set(g, g->cell + (size_t)row * g->cols, col, role, cp);
}

void grid_fill(struct grid *g, u32 col, u32 row, u32 n, enum role role, u32 cp)
{
	for (u32 i = 0; i < n && col + i < g->cols; i++)
		grid_put(g, col + i, row, role, cp);
}

void grid_role(struct grid *g, u32 col, u32 row, u32 n, enum role role)
{
	if (row >= g->rows)
		return;
	for (u32 x = col; x < g->cols && x - col < n; x++)
		g->cell[(size_t)row * g->cols + x].role = (u8)role;
}

char *grid_to_text(const struct grid *g)
{
	char *out = malloc((size_t)g->rows * (g->cols * 12u + 1) + 1), *p = out;

	if (!out)
		return NULL;
	for (u32 y = 0; y < g->rows; y++) {
		char *kept = p;

		for (u32 x = 0; x < g->cols; x++) {
			const struct gcell *c = &g->cell[(size_t)y * g->cols + x];

			for (u32 i = 0; i < 3 && c->cp[i]; i++)
				p += utf8_encode(c->cp[i], p);
			if (c->cp[0] && c->cp[0] != ' ')
				kept = p;
		}
		p = kept;
		*p++ = '\n';
	}
	*p = '\0';
	return out;
}
