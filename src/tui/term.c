/* Terminal modes and the ways out: see term.h; sequences from terminfo(5), mouse from xterm's
 * ctlseqs. */
#include "tui/term.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

#include "base/sbuf.h"

#define MOUSE_ON  "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1000l"

static const int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

/* For the crash handler, which can be given nothing. */
static struct terminal *crash_term;

bool term_locale(void)
{
	if (!setlocale(LC_ALL, ""))
		setlocale(LC_ALL, "C");
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* A string capability without its padding. */
static void add_capability(struct sbuf *sb, const char *name)
{
	const char *p = tigetstr(name);

	if (!p || p == (const char *)-1)
		return;
	while (*p) {
		const char *end;

		if (p[0] == '$' && p[1] == '<' && (end = strchr(p, '>'))) {
			p = end + 1;
			continue;
		}
		sbuf_char(sb, *p++);
	}
}

static bool has_capability(const char *name)
{
	const char *p = tigetstr(name);

	return p && p != (const char *)-1;
}

static void make_sequences(struct terminal *t)
{
	struct sbuf sb;

	sbuf_init(&sb, t->enter, sizeof(t->enter));
	add_capability(&sb, "smcup");
	add_capability(&sb, "smkx");
	add_capability(&sb, "civis");
	if (t->mouse)
		sbuf_str(&sb, MOUSE_ON);
	t->enter_len = sb.len;
	sbuf_init(&sb, t->leave, sizeof(t->leave));
	if (t->mouse)
		sbuf_str(&sb, MOUSE_OFF);
	add_capability(&sb, "sgr0");
	if (has_capability("rmcup"))
		add_capability(&sb, "clear");
	add_capability(&sb, "cnorm");
	add_capability(&sb, "rmkx");
	if (has_capability("rmcup"))
		add_capability(&sb, "rmcup");
	else
		sbuf_str(&sb, "\r\n");
	t->leave_len = sb.len;
}

static int check_type(struct terminal *t, bool mouse, struct err *err)
{
	const char *name = getenv("TERM");
	int found = 0;
	bool able;

	if (!name || !*name)
		return err_set(err, ENOTTY, "TERM is not set; try TERM=xterm-256color");
	if (setupterm(NULL, t->out_fd, &found) != OK) {
		if (found < 0)
			return err_set(err, ENOTTY,
				"TERM=%s: no terminal descriptions are installed (package "
				"ncurses-base)",
				name);
		return err_set(err, ENOTTY,
			"TERM=%s is not known on this machine; try TERM=xterm-256color", name);
	}
	able = has_capability("cup") && (has_capability("clear") || has_capability("ed"));
	t->mouse = mouse && has_capability("kmous");
	if (able)
		make_sequences(t);
	del_curterm(cur_term);
	if (!able)
		return err_set(err, ENOTTY,
			"TERM=%s cannot place text on the screen; try TERM=xterm-256color", name);
	return 0;
}

/* Own description of the terminal behind fd, or a copy where it cannot be opened. */
static int reopen(int fd, int flags)
{
	char name[64];
	int own = -1;

	if (ttyname_r(fd, name, sizeof(name)) == 0)
		own = open(name, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (own < 0)
		own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return own < 0 ? -errno : own;
}

int term_open(struct terminal *t, bool mouse, struct err *err)
{
	int rc = 0;

	memset(t, 0, sizeof(*t));
	t->in_fd = -1;
	t->out_fd = -1;
	t->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (!isatty(STDOUT_FILENO))
		return err_set(err, ENOTTY,
			"standard output is not a terminal; tare snapshot prints without one");
	t->out_fd = reopen(STDOUT_FILENO, O_RDWR);
	if (t->out_fd < 0)
		return err_set(err, -t->out_fd, "terminal: %s", strerror(-t->out_fd));
	if (isatty(STDIN_FILENO))
		t->in_fd = reopen(STDIN_FILENO, O_RDWR);
	else
		t->in_fd = open("/dev/tty", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (t->in_fd < 0) {
		rc = err_set(err, ENOTTY, "no terminal to read keys from");
		goto out;
	}
	rc = check_type(t, mouse, err);
	if (rc < 0)
		goto out;
	if (tcgetattr(t->in_fd, &t->before) < 0) {
		rc = err_set(err, errno, "terminal modes: %s", strerror(errno));
		goto out;
	}
	t->ours = t->before;
	/* flow control (Ctrl-S) stays the user's; output is as ncurses makes it */
	t->ours.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | ISTRIP | PARMRK);
	t->ours.c_oflag &= ~(tcflag_t)OPOST;
	t->ours.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN | ISIG);
	t->ours.c_cc[VMIN] = 1;
	t->ours.c_cc[VTIME] = 0;
out:
	if (rc < 0)
		term_close(t);
	return rc;
}

void term_close(struct terminal *t)
{
	term_leave(t);
	if (crash_term == t)
		crash_term = NULL;
	if (t->in_fd >= 0)
		close(t->in_fd);
	if (t->out_fd >= 0)
		close(t->out_fd);
	free(t->out);
	t->out = NULL;
	t->in_fd = -1;
	t->out_fd = -1;
}

/* All of it, but wait at most a moment for a terminal that takes nothing. Async-signal-safe. */
static void send_now(const struct terminal *t, const char *bytes, u32 len)
{
	u32 at = 0;

	for (int tries = 0; at < len && tries < 20; tries++) {
		ssize_t n = write(t->out_fd, bytes + at, len - at);

		if (n > 0) {
			at += (u32)n;
		} else if (n < 0 && errno == EAGAIN) {
			struct pollfd p = {.fd = t->out_fd, .events = POLLOUT};

			poll(&p, 1, 10);
		} else if (n == 0 || errno != EINTR) {
			break;
		}
	}
}

static void on_crash(int sig)
{
	struct terminal *t = crash_term;
	int saved = errno;

	crash_term = NULL;
	if (t && t->inside) {
		send_now(t, t->leave, t->leave_len);
		tcsetattr(t->in_fd, TCSANOW, &t->before);
	}
	errno = saved;
	/* SA_RESETHAND: this time the default action, as soon as the handler returns */
	raise(sig);
}

static void catch_crashes(struct terminal *t)
{
	static char stack[1 << 15]; /* a crash may be a full stack */
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_ONSTACK};

	if (crash_term == t)
		return;
	crash_term = t;
	sigemptyset(&action.sa_mask);
	sigaltstack(&alt, NULL);
	for (u32 i = 0; i < ARRAY_LEN(crash_signals); i++)
		sigaction(crash_signals[i], &action, NULL);
}

int term_enter(struct terminal *t)
{
	catch_crashes(t);
	if (tcsetattr(t->in_fd, TCSADRAIN, &t->ours) < 0)
		return -errno;
	t->inside = true;
	t->out_at = 0;
	t->out_len = 0;
	send_now(t, t->enter, t->enter_len);
	return 0;
}

void term_leave(struct terminal *t)
{
	if (!t->inside)
		return;
	/* A half-sent sequence must not swallow the first bytes of the next. */
	if (term_waits(t))
		send_now(t, t->out + t->out_at, t->out_len - t->out_at);
	t->out_at = 0;
	t->out_len = 0;
	send_now(t, t->leave, t->leave_len);
	tcsetattr(t->in_fd, TCSANOW, &t->before);
	t->inside = false;
}

void term_size(const struct terminal *t, u32 *cols, u32 *rows)
{
	struct winsize size = {0};

	ioctl(t->out_fd, TIOCGWINSZ, &size);
	*cols = size.ws_col ? size.ws_col : 80;
	*rows = size.ws_row ? size.ws_row : 24;
	*cols = *cols > 1000 ? 1000 : *cols;
	*rows = *rows > 1000 ? 1000 : *rows;
}

int term_flush(struct terminal *t)
{
	while (term_waits(t)) {
		ssize_t n = write(t->out_fd, t->out + t->out_at, t->out_len - t->out_at);

		if (n > 0)
			t->out_at += (u32)n;
		else if (n < 0 && errno != EINTR)
			return -errno;
	}
	t->out_at = 0;
	t->out_len = 0;
	return 0;
}
