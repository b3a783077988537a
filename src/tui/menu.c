#include "tui/menu.h"

#include <signal.h>
#include <string.h>

#include "base/safe.h"

const struct signal_entry signal_entries[] = {
	{"15 SIGTERM", SIGTERM},
	{" 1 SIGHUP", SIGHUP},
	{" 2 SIGINT", SIGINT},
	{" 3 SIGQUIT", SIGQUIT},
	{" 4 SIGILL", SIGILL},
	{" 5 SIGTRAP", SIGTRAP},
	{" 6 SIGABRT", SIGABRT},
	{" 7 SIGBUS", SIGBUS},
	{" 8 SIGFPE", SIGFPE},
	{" 9 SIGKILL", SIGKILL},
	{"10 SIGUSR1", SIGUSR1},
	{"11 SIGSEGV", SIGSEGV},
	{"12 SIGUSR2", SIGUSR2},
	{"13 SIGPIPE", SIGPIPE},
	{"14 SIGALRM", SIGALRM},
	{"17 SIGCHLD", SIGCHLD},
	{"18 SIGCONT", SIGCONT},
	{"19 SIGSTOP", SIGSTOP},
	{"20 SIGTSTP", SIGTSTP},
	{"21 SIGTTIN", SIGTTIN},
	{"22 SIGTTOU", SIGTTOU},
	{"23 SIGURG", SIGURG},
	{"24 SIGXCPU", SIGXCPU},
	{"25 SIGXFSZ", SIGXFSZ},
	{"26 SIGVTALRM", SIGVTALRM},
	{"27 SIGPROF", SIGPROF},
	{"28 SIGWINCH", SIGWINCH},
	{"29 SIGIO", SIGIO},
	{"30 SIGPWR", SIGPWR},
	{"31 SIGSYS", SIGSYS},
};
const u32 signal_entry_count = ARRAY_LEN(signal_entries);

void menu_start(struct menu *m, const char *title)
{
	m->n = m->at = m->top = 0;
	safe_text(m->title, sizeof(m->title), title, strlen(title));
}

void menu_add(struct menu *m, const char *text, s32 value, bool checked)
{
	if (m->n >= MENU_ITEMS)
		return;
	safe_text(m->item[m->n].text, MENU_TEXT, text, strlen(text));
	m->item[m->n].value = value;
	m->item[m->n++].checked = checked;
}

void menu_draw(struct menu *m, struct grid *g)
{
	u32 width = (u32)strlen(m->title) + 2;

	for (u32 i = 0; i < m->n; i++)
		if (strlen(m->item[i].text) + 4 > width)
			width = (u32)strlen(m->item[i].text) + 4;
	m->width = width < g->cols ? width : g->cols;
	m->height = m->n + 1 < g->rows ? m->n + 1 : g->rows;
	m->x = 0;
	m->y = g->rows > m->height + 1 ? g->rows - m->height - 1 : 0;
	if (m->at < m->top)
		m->top = m->at;
	if (m->height > 1 && m->at >= m->top + m->height - 1)
		m->top = m->at - m->height + 2;
	grid_fill(g, m->x, m->y, m->width, ROLE_HEADER, ' ');
	grid_str(g, m->x, m->y, m->x + m->width, ROLE_HEADER, m->title);
	for (u32 i = 1; i < m->height && m->top + i - 1 < m->n; i++) {
		u32 item = m->top + i - 1, y = m->y + i;
		enum role role = item == m->at ? ROLE_SELECTED : ROLE_NORMAL;

		grid_fill(g, m->x, y, m->width, role, ' ');
		if (item == m->at)
			grid_put(g, m->x, y, role, '>');
		if (m->item[item].checked)
			grid_put(g, m->x + 1, y, role, '*');
		grid_str(g, m->x + 3, y, m->x + m->width, role, m->item[item].text);
	}
}

/* A letter or digit goes to the next item that begins with it. */
static void jump(struct menu *m, u32 key)
{
	for (u32 i = 1; i <= m->n; i++) {
		u32 at = (m->at + i) % m->n;
		const char *text = m->item[at].text;

		while (*text == ' ')
			text++;
		if (((u8)*text | 0x20u) != (key | 0x20u))
			continue;
		m->at = at;
		return;
	}
}

enum menu_result menu_input(struct menu *m, const struct input *in)
{
	u32 page = m->height > 1 ? m->height - 1 : 1;

	if (in->key == KEY_ESCAPE || in->key == 'q' || in->key == KEY_F10_ || in->key == 3 || !m->n)
		return MENU_CLOSED;
	switch (in->key) {
	case KEY_ENTER_:
	case ' ':
		return MENU_CHOSEN;
	case KEY_UP_:
	case KEY_WHEEL_UP:
		m->at -= m->at ? 1 : 0;
		break;
	case KEY_DOWN_:
	case KEY_WHEEL_DOWN:
		m->at += m->at + 1 < m->n;
		break;
	case KEY_PAGE_UP:
		m->at = m->at > page ? m->at - page : 0;
		break;
	case KEY_PAGE_DOWN:
		m->at = m->at + page < m->n ? m->at + page : m->n - 1;
		break;
	case KEY_HOME_:
		m->at = 0;
		break;
	case KEY_END_:
		m->at = m->n - 1;
		break;
	case KEY_CLICK:
		if (in->x < m->x || in->x >= m->x + m->width || in->y < m->y ||
			in->y >= m->y + m->height)
			return MENU_CLOSED;
		if (in->y == m->y || m->top + in->y - m->y - 1 >= m->n)
			break;
		m->at = m->top + in->y - m->y - 1;
		return MENU_CHOSEN;
	default:
		if (in->key > ' ' && in->key < 0x7f)
			jump(m, in->key);
	}
	return MENU_OPEN;
}
