/* Roles to attributes and colours, grid to ncurses cells: see paint.h. */
#include "tui/paint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

/* before ncurses.h, which takes KEY_* names as macros */
#include "base/safe.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>

struct style {
	attr_t plain;           /* without colour */
	attr_t with;            /* attributes that go with the colour */
	s16 colour8, colour256; /* -1: the terminal's own */
};

/* Middle tones, readable on dark and light ground; the ground is always the terminal's own. */
static const struct style styles[ROLE_COUNT] = {
	[ROLE_NORMAL] = {A_NORMAL, A_NORMAL, -1, -1},
	[ROLE_DIM] = {A_DIM, A_DIM, -1, -1},
	[ROLE_STRONG] = {A_BOLD, A_BOLD, -1, -1},
	[ROLE_TITLE] = {A_BOLD, A_BOLD, COLOR_CYAN, 37},
	[ROLE_HEADER] = {A_REVERSE, A_REVERSE, -1, -1},
	[ROLE_SELECTED] = {A_REVERSE | A_BOLD, A_REVERSE | A_BOLD, -1, -1},
	[ROLE_SORT] = {A_REVERSE | A_BOLD, A_REVERSE | A_BOLD, COLOR_CYAN, 37},
	[ROLE_OK] = {A_NORMAL, A_NORMAL, COLOR_GREEN, 71},
	[ROLE_WARN] = {A_BOLD, A_BOLD, COLOR_YELLOW, 172},
	[ROLE_ALERT] = {A_REVERSE | A_BOLD, A_BOLD, COLOR_RED, 167},
	[ROLE_USER] = {A_NORMAL, A_NORMAL, COLOR_GREEN, 71},
	[ROLE_SYSTEM] = {A_BOLD, A_NORMAL, COLOR_RED, 167},
	[ROLE_IRQ] = {A_BOLD, A_NORMAL, COLOR_YELLOW, 172},
	[ROLE_WAIT] = {A_DIM, A_NORMAL, COLOR_MAGENTA, 139},
	[ROLE_NICE] = {A_DIM, A_NORMAL, COLOR_BLUE, 68},
	[ROLE_GUEST] = {A_DIM, A_NORMAL, COLOR_CYAN, 73},
	[ROLE_CACHE] = {A_DIM, A_NORMAL, COLOR_YELLOW, 136},
	[ROLE_SHARED] = {A_NORMAL, A_NORMAL, COLOR_MAGENTA, 139},
	[ROLE_KERNEL] = {A_BOLD, A_NORMAL, COLOR_RED, 167},
	[ROLE_GRAPH] = {A_NORMAL, A_NORMAL, COLOR_CYAN, 37},
	[ROLE_KEY] = {A_BOLD, A_BOLD, COLOR_CYAN, 37},
	[ROLE_TREE] = {A_DIM, A_DIM, -1, -1},
	[ROLE_OWN] = {A_NORMAL, A_NORMAL, COLOR_BLUE, 68},
	[ROLE_TAGGED] = {A_BOLD, A_BOLD, COLOR_YELLOW, 172},
};

struct painter {
	SCREEN *screen;
	FILE *sink; /* memory that ncurses writes to */
	struct grid shown;
	bool utf8, whole;
	attr_t attr[ROLE_COUNT];
	short pair[ROLE_COUNT];
	cchar_t line[1000];
};

static void painter_styles(struct painter *p, bool colour)
{
	bool rich;

	colour = colour && has_colors() && start_color() == OK && use_default_colors() == OK &&
		 COLORS >= 8 && COLOR_PAIRS > ROLE_COUNT;
	rich = colour && COLORS >= 256;
	for (int role = 0; role < ROLE_COUNT; role++) {
		const struct style *s = &styles[role];
		short fg = rich ? s->colour256 : s->colour8;

		p->attr[role] = colour ? s->with : s->plain;
		p->pair[role] = 0;
		if (colour && fg >= 0 && init_pair((short)(role + 1), fg, -1) == OK)
			p->pair[role] = (short)(role + 1);
	}
}

/* What ncurses has written since the last call, to the end of *buf; buf NULL: thrown away. */
static int sink_take(struct painter *p, char **buf, u32 *len, u32 *size)
{
	int fd = fileno(p->sink);
	off_t n = lseek(fd, 0, SEEK_CUR);

	if (n <= 0)
		return n < 0 ? -errno : 0;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	if (!buf)
		return 0;
	if (n > 1 << 26)
		return -E2BIG;
	if (*size - *len < (u32)n) {
		u32 want = (*len + (u32)n + 0x3fffu) & ~0x3fffu;
		char *grown = realloc(*buf, want);

		if (!grown)
			return -ENOMEM;
		*buf = grown;
		*size = want;
	}
	if (pread(fd, *buf + *len, (size_t)n, 0) != (ssize_t)n)
		return -EIO;
	*len += (u32)n;
	return 0;
}

int painter_open(struct painter **out, bool utf8, bool colour, struct err *err)
{
	struct painter *p = calloc(1, sizeof(*p));
	int fd;

	if (!p)
		return err_set(err, ENOMEM, "out of memory");
	p->utf8 = utf8;
	grid_init(&p->shown);
	fd = memfd_create("tare-screen", MFD_CLOEXEC);
	p->sink = fd < 0 ? NULL : fdopen(fd, "r+");
	if (!p->sink) {
		int code = errno;

		if (fd >= 0)
			close(fd);
		free(p);
		return err_set(err, code, "memory for the screen: %s", strerror(code));
	}
	p->screen = newterm(NULL, p->sink, p->sink);
	if (!p->screen) {
		fclose(p->sink);
		free(p);
		return err_set(err, ENOTTY, "ncurses cannot use this terminal");
	}
	typeahead(-1);
	leaveok(stdscr, TRUE);
	painter_styles(p, colour);
	/* entering and leaving the screen are term.c's: what ncurses says at its start is not used */
	refresh();
	sink_take(p, NULL, NULL, NULL);
	p->whole = true;
	*out = p;
	return 0;
}

void painter_close(struct painter *p)
{
	if (!p)
		return;
	endwin();
	delscreen(p->screen);
	fclose(p->sink);
	grid_fini(&p->shown);
	free(p);
}

void painter_forget(struct painter *p)
{
	p->whole = true;
}

/* The C library's idea of a character's width may be older than ours; ncurses goes by it. Where the
 * two differ the character is not shown, so that columns stay aligned. */
static bool char_shows(const struct painter *p, const struct gcell *cell)
{
	if (cell->cp[0] >= 0x20 && cell->cp[0] < 0x7f)
		return true;
	return p->utf8 && safe_char(cell->cp[0]) && wcwidth((wchar_t)cell->cp[0]) == cell->width;
}

/* Returns how many ncurses cells it made of this one (2: a wide one that cannot be shown). */
static u32 make_cell(const struct painter *p, const struct gcell *cell, cchar_t *out)
{
	u8 role = cell->role < ROLE_COUNT ? cell->role : (u8)ROLE_NORMAL;
	wchar_t text[4] = {L'?'};
	u32 n = 1, cells = 1;

	if (char_shows(p, cell)) {
		text[0] = (wchar_t)cell->cp[0];
		for (u32 i = 1; i < 3 && cell->cp[i]; i++) {
			if (p->utf8 && safe_char(cell->cp[i]) && wcwidth((wchar_t)cell->cp[i]) == 0)
				text[n++] = (wchar_t)cell->cp[i];
		}
	} else if (cell->width == 2) {
		setcchar(&out[1], L" ", p->attr[role], p->pair[role], NULL);
		cells = 2;
	}
	text[n] = 0;
	setcchar(&out[0], text, p->attr[role], p->pair[role], NULL);
	return cells;
}

static bool cell_same(const struct gcell *a, const struct gcell *b)
{
	return a->cp[0] == b->cp[0] && a->cp[1] == b->cp[1] && a->cp[2] == b->cp[2] &&
	       a->role == b->role && a->width == b->width;
}

static void paint_row(struct painter *p, const struct grid *g, u32 row)
{
	const struct gcell *now = g->cell + (size_t)row * g->cols;
	const struct gcell *old = p->shown.cell + (size_t)row * g->cols;
	u32 col = 0;

	while (col < g->cols) {
		u32 start, n = 0;

		while (col < g->cols && !p->whole && cell_same(&now[col], &old[col]))
			col++;
		if (col == g->cols)
			break;
		/* never begin with the right half of a wide character */
		start = col > 0 && now[col].width == 0 ? col - 1 : col;
		for (col = start; col < g->cols; col++) {
			if (!p->whole && col > start + 1 && cell_same(&now[col], &old[col]) &&
				now[col].width)
				break;
			if (now[col].width)
				n += make_cell(p, &now[col], &p->line[n]);
		}
		mvadd_wchnstr((int)row, (int)start, p->line, (int)n);
	}
}

int painter_paint(struct painter *p, const struct grid *g, char **buf, u32 *len, u32 *size)
{
	size_t bytes = sizeof(struct gcell) * g->cols;
	int rc;

	if (p->shown.cols != g->cols || p->shown.rows != g->rows) {
		rc = grid_resize(&p->shown, g->cols, g->rows);
		if (rc < 0)
			return rc;
		resizeterm((int)g->rows, (int)g->cols);
		p->whole = true;
	}
	if (p->whole) {
		erase();
		clearok(curscr, TRUE);
	}
	for (u32 row = 0; row < g->rows; row++) {
		struct gcell *shown = p->shown.cell + (size_t)row * g->cols;
		const struct gcell *now = g->cell + (size_t)row * g->cols;

		if (!p->whole && memcmp(shown, now, bytes) == 0)
			continue;
		paint_row(p, g, row);
		memcpy(shown, now, bytes);
	}
	p->whole = false;
	refresh();
	return sink_take(p, buf, len, size);
}
