/* The loop of the live view: see app.h. Everything is waited for in one epoll; the terminal is
 * written to only as far as it takes bytes, so that a stopped one never holds up the tick. */
#include "tui/app.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "tui/input.h"
#include "tui/paint.h"
#include "tui/term.h"

enum { APP_SOURCES = 64, KEY_REDRAW = 12, VISIBLE_MOST = 512 };

static const int app_signals[] = {
	SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCONT, SIGTSTP, SIGPIPE};

struct app {
	const struct app_config *config;
	struct terminal term;
	struct painter *painter;
	struct decoder decoder;
	struct engine *engine;
	struct view *view;
	struct grid grid;
	const struct schema *schemas[APP_SOURCES + 1];
	char hostname[72];
	sigset_t before;
	int epoll_fd, signal_fd;
	bool epoll_out; /* waiting until the terminal takes more */
	bool dirty, quit;
	u64 frames;
	struct settings started, last; /* as this run began; as last handed over */
	bool keep_told;                /* that they cannot be kept: once is enough */
};

static int ascending(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void app_watch(struct app *a, int op, int fd, u32 events)
{
	struct epoll_event e = {.events = events, .data.fd = fd};

	epoll_ctl(a->epoll_fd, op, fd, &e);
}

static void app_needs(struct app *a)
{
	for (u32 i = 0; a->schemas[i]; i++)
		engine_need(
			a->engine, a->schemas[i]->name, view_need(a->view, a->schemas[i]->name));
}

static void app_flush(struct app *a)
{
	int rc = term_flush(&a->term);
	bool wait = rc == -EAGAIN;

	if (rc < 0 && !wait)
		a->quit = true; /* the terminal is gone */
	if (wait != a->epoll_out)
		app_watch(a, wait ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, a->term.out_fd, EPOLLOUT);
	a->epoll_out = wait;
}

/* Rows that somebody sees are kept fresher than others. */
static void app_visible(struct app *a)
{
	u64 keys[VISIBLE_MOST];
	u32 n = view_visible(a->view, keys, ARRAY_LEN(keys));

	qsort(keys, n, sizeof(keys[0]), ascending);
	engine_visible(a->engine, "process", keys, n);
}

static void app_draw(struct app *a)
{
	struct terminal *t = &a->term;
	u32 cols, rows, before;

	if (!a->dirty || term_waits(t) || a->quit)
		return;
	term_size(t, &cols, &rows);
	before = a->grid.cols;
	if (grid_resize(&a->grid, cols, rows) < 0)
		return;
	view_draw(a->view, &a->grid);
	app_visible(a);
	if (a->grid.cols != before) /* other columns fit */
		app_needs(a);
	if (painter_paint(a->painter, &a->grid, &t->out, &t->out_len, &t->out_size) < 0)
		return;
	a->dirty = false;
	app_flush(a);
}

static void app_enter(struct app *a)
{
	if (term_enter(&a->term) < 0)
		a->quit = true;
	painter_forget(a->painter);
	a->dirty = true;
}

/* Give the terminal back and stop, with all of the job when a key asked for it. */
static void app_suspend(struct app *a, bool job)
{
	static const struct timespec now;
	sigset_t stop, cont;

	if (a->epoll_out)
		app_watch(a, EPOLL_CTL_DEL, a->term.out_fd, 0);
	a->epoll_out = false;
	term_leave(&a->term);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	kill(job ? 0 : getpid(), SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, NULL); /* stops here */
	sigprocmask(SIG_BLOCK, &stop, NULL);
	sigemptyset(&cont);
	sigaddset(&cont, SIGCONT);
	while (sigtimedwait(&cont, NULL, &now) > 0)
		;
	app_enter(a);
}

static void app_tick(struct app *a)
{
	const struct frame *frame;

	if (engine_expired(a->engine) == 0)
		return;
	if (engine_tick(a->engine, &frame) < 0)
		return;
	view_frame(a->view, frame, a->engine);
	if (view_needs_anew(a->view))
		app_needs(a);
	a->dirty = true;
	a->frames++;
}

static void app_act(struct app *a)
{
	char text[320];

	intent_run(view_intent(a->view), a->config->processes, a->config->engine.root, text,
		sizeof(text));
	view_message(a->view, text);
}

static void app_cpus(struct app *a)
{
	u64 key = view_intent(a->view)->target[0].key;
	char list[INTENT_CPUS_TEXT];
	struct err said = {0};
	int rc = a->config->processes->cpus(a->config->engine.root, key, list, &said);

	view_set_cpus(a->view, rc < 0 ? NULL : list, said.msg);
}

static void app_details(struct app *a)
{
	const struct engine_config *e = &a->config->engine;
	struct details details = {0};
	struct err said = {0};
	u32 flags;
	u64 key = view_details(a->view, &flags);
	int rc = a->config->processes->details(e->root, e->clock, key, flags, &details, &said);

	view_set_details(a->view, rc < 0 ? NULL : &details, said.msg);
	details_free(&details);
}

static void app_doctor(struct app *a)
{
	struct findings findings = {0};

	engine_explain(a->engine, &findings);
	view_set_findings(a->view, &findings);
	findings_free(&findings);
}

static void app_input(struct app *a, const struct input *in)
{
	a->dirty = true;
	if (in->key == KEY_REDRAW)
		painter_forget(a->painter);
	switch (view_input(a->view, in)) {
	case VIEW_QUIT:
		a->quit = true;
		break;
	case VIEW_SUSPEND:
		app_suspend(a, true);
		break;
	case VIEW_INTERVAL:
		engine_set_interval(a->engine, view_interval_ns(a->view));
		break;
	case VIEW_ACT:
		app_act(a);
		break;
	case VIEW_CPUS:
		app_cpus(a);
		break;
	case VIEW_DETAILS:
		app_details(a);
		break;
	case VIEW_DOCTOR:
		app_doctor(a);
		break;
	case VIEW_NOTHING:
	case VIEW_REDRAW:
		break;
	}
}

/* What the user changed outlives the run. */
static void app_keep(struct app *a)
{
	const struct app_config *c = a->config;
	struct settings now;
	char text[160];
	int rc;

	if (!c->keep)
		return;
	view_settings(a->view, &now);
	if (settings_equal(&now, &a->last))
		return;
	a->last = now;
	rc = c->keep(c->keep_arg, &a->started, &now);
	if (rc >= 0 || a->keep_told)
		return;
	a->keep_told = true;
	snprintf(text, sizeof(text), "the settings cannot be kept: %s", strerror(-rc));
	view_message(a->view, text);
}

static void app_decode(struct app *a, bool idle)
{
	struct input in;

	while (!a->quit && decoder_next(&a->decoder, idle, &in))
		app_input(a, &in);
	app_needs(a);
	app_keep(a);
}

static void app_keys(struct app *a, u32 events)
{
	char bytes[DECODER_SIZE];
	ssize_t n;

	if ((events & EPOLLIN) == 0) {
		a->quit = (events & (EPOLLHUP | EPOLLERR)) != 0;
		return;
	}
	n = read(a->term.in_fd, bytes, decoder_room(&a->decoder));
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		a->quit = true;
	if (n <= 0)
		return;
	decoder_feed(&a->decoder, bytes, (u32)n);
	app_decode(a, false);
}

static void app_signal(struct app *a)
{
	struct signalfd_siginfo info;

	while (read(a->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGWINCH: /* terminals move what they show when their size changes */
			painter_forget(a->painter);
			a->dirty = true;
			break;
		case SIGTSTP:
			app_suspend(a, false);
			break;
		case SIGCONT: /* the shell may have changed the modes meanwhile */
			app_enter(a);
			break;
		case SIGPIPE:
			break;
		default:
			a->quit = true;
		}
	}
}

static void app_loop(struct app *a)
{
	const struct app_config *c = a->config;

	while (!a->quit && (c->count == 0 || a->frames < c->count)) {
		struct epoll_event event[4];
		int timeout = decoder_waits(&a->decoder) ? (int)(ESCAPE_DELAY_NS / NSEC_PER_MSEC)
							 : -1;
		int n = epoll_wait(a->epoll_fd, event, ARRAY_LEN(event), timeout);

		if (n < 0 && errno != EINTR)
			break;
		if (n == 0)
			app_decode(a, true);
		for (int i = 0; i < n && !a->quit; i++) {
			int fd = event[i].data.fd;

			if (fd == a->signal_fd)
				app_signal(a);
			else if (fd == a->term.in_fd)
				app_keys(a, event[i].events);
			else if (fd == a->term.out_fd)
				app_flush(a);
			else
				app_tick(a);
		}
		app_draw(a);
	}
}

static enum charset app_charset(const struct app *a, bool utf8)
{
	const char *type = getenv("TERM");

	if (!utf8)
		return CHARSET_ASCII;
	if (!a->config->charset_auto)
		return a->config->view.charset;
	/* the kernel's console fonts have blocks but no braille */
	return type && strcmp(type, "linux") == 0 ? CHARSET_BLOCK : CHARSET_BRAILLE;
}

static int app_view(struct app *a, bool utf8, struct err *err)
{
	const struct engine_config *e = &a->config->engine;
	struct view_config view = a->config->view;
	u32 n = 0;
	int rc;

	for (; e->sources[n] && n < APP_SOURCES; n++)
		a->schemas[n] = e->sources[n]->schema;
	if (root_read(e->root, "/proc/sys/kernel/hostname", a->hostname, sizeof(a->hostname)) < 0)
		a->hostname[0] = 0;
	view.schemas = a->schemas;
	view.hostname = a->hostname;
	view.interval_ns = e->interval_ns;
	view.charset = app_charset(a, utf8);
	view.recorded = !root_is_live(e->root);
	rc = view_new(&a->view, &view, err);
	if (rc < 0)
		return rc;
	view_settings(a->view, &a->started);
	a->last = a->started;
	return 0;
}

/* Threads of slow sources must not take them either: before the engine opens. */
static int app_block_signals(struct app *a, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	for (u32 i = 0; i < ARRAY_LEN(app_signals); i++)
		sigaddset(&set, app_signals[i]);
	sigprocmask(SIG_BLOCK, &set, &a->before);
	a->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	a->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (a->signal_fd < 0 || a->epoll_fd < 0)
		return err_set(err, errno, "signals: %s", strerror(errno));
	return 0;
}

/* ncurses has put handlers of its own on these; ours is the signalfd and, to stop, the default. */
static void app_default_signals(void)
{
	static const int taken[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};

	for (u32 i = 0; i < ARRAY_LEN(taken); i++) {
		struct sigaction now;

		if (sigaction(taken[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			signal(taken[i], SIG_DFL);
	}
}

static int app_start(struct app *a, struct err *err)
{
	const char *no_colour = getenv("NO_COLOR");
	const struct frame *frame;
	int rc = app_block_signals(a, err);

	if (rc == 0)
		rc = a->config->open(a->config->open_arg, &a->engine, &a->config->engine, err);
	if (rc == 0)
		rc = painter_open(&a->painter, a->term.utf8, !no_colour || !*no_colour, err);
	if (rc < 0)
		return rc;
	app_default_signals();
	decoder_init(&a->decoder, a->term.utf8);
	app_needs(a);
	rc = engine_tick(a->engine, &frame);
	if (rc == 0)
		rc = engine_start(a->engine);
	if (rc < 0)
		return err_set(err, -rc, "first reading: %s", strerror(-rc));
	view_frame(a->view, frame, a->engine);
	app_enter(a);
	app_watch(a, EPOLL_CTL_ADD, a->signal_fd, EPOLLIN);
	app_watch(a, EPOLL_CTL_ADD, a->term.in_fd, EPOLLIN);
	app_watch(a, EPOLL_CTL_ADD, engine_fd(a->engine), EPOLLIN);
	app_draw(a);
	return 0;
}

int app_run(const struct app_config *config, struct err *err)
{
	struct app a = {.config = config, .epoll_fd = -1, .signal_fd = -1};
	int rc;

	rc = app_view(&a, term_locale(), err);
	if (rc < 0)
		return rc;
	rc = term_open(&a.term, config->mouse, err);
	if (rc < 0) {
		view_free(a.view);
		return rc;
	}
	sigemptyset(&a.before);
	grid_init(&a.grid);
	rc = app_start(&a, err);
	if (rc == 0)
		app_loop(&a);
	term_close(&a.term);
	painter_close(a.painter);
	view_free(a.view);
	grid_fini(&a.grid);
	if (a.epoll_fd >= 0)
		close(a.epoll_fd);
	if (a.signal_fd >= 0)
		close(a.signal_fd);
	return rc;
}
