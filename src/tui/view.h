/* The live view without a terminal: its state, what keys do to it, and the pure function that lays a
 * frame and its history out on a grid. */
#ifndef TARE_TUI_VIEW_H
#define TARE_TUI_VIEW_H

#include "core/engine.h"
#include "core/expr.h"
#include "core/history.h"
#include "tui/grid.h"
#include "tui/intent.h"
#include "tui/settings.h"

/* Key codes: Unicode for characters, else these. */
enum key {
	KEY_NONE = 0,
	KEY_ESCAPE = 27,
	KEY_ENTER_ = 13,
	KEY_TAB = 9,
	KEY_ERASE = 127, /* backspace, also 8 */
	KEY_SPECIAL = 0x110000,
	KEY_UP_,
	KEY_DOWN_,
	KEY_LEFT_,
	KEY_RIGHT_,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME_,
	KEY_END_,
	KEY_F1_,
	KEY_F2_,
	KEY_F3_,
	KEY_F4_,
	KEY_F5_,
	KEY_F6_,
	KEY_F7_,
	KEY_F8_,
	KEY_F9_,
	KEY_F10_,
	KEY_WHEEL_UP,
	KEY_WHEEL_DOWN,
	KEY_CLICK,
	KEY_DELETE_,
	KEY_INSERT_,
	KEY_SHIFT_TAB,
};

/* One event of input; x, y for mouse events (0-based cell). */
struct input {
	u32 key;
	u32 x, y;
};

/* What the application has to do after a key; the view itself does no I/O. */
enum view_request {
	VIEW_NOTHING,
	VIEW_REDRAW,
	VIEW_QUIT,
	VIEW_SUSPEND,  /* Ctrl-Z */
	VIEW_INTERVAL, /* view_interval_ns() changed */
	VIEW_ACT,      /* view_intent() tells whom and what */
	VIEW_CPUS,     /* wants the CPUs of view_intent()'s process: view_set_cpus */
	VIEW_DETAILS,  /* view_details() tells of whom: view_set_details */
	VIEW_DOCTOR,   /* wants findings: view_set_findings */
};

struct view; /* opaque */

struct view_config {
	enum charset charset;
	u64 interval_ns;
	const char *hostname;            /* borrowed for the view's life */
	const struct settings *settings; /* kept from an earlier run, or NULL; what follows wins */
	const char *columns;             /* process column names or NULL */
	const char *sort;                /* process column name or NULL */
	const char *filter;              /* expression or NULL */
	bool tree;
	const char *notice;                  /* a message to begin with, or NULL */
	bool utc;                            /* clock in UTC (tests); else local time */
	bool recorded;                       /* a recorded machine: says so instead of LIVE */
	const struct schema *const *schemas; /* NULL-terminated */
};

int view_new(struct view **out, const struct view_config *config, struct err *err);
void view_free(struct view *v);
/* A new frame arrived: keeps history, re-sorts, keeps the selection on its process. Ignored for
 * what is shown while paused (history goes on). The frame is borrowed until the next call or tick. */
void view_frame(struct view *v, const struct frame *frame, struct engine *engine);
/* Draw into g (its size says the layout: any from 1x1 up). Pure in v, no allocation in the steady state. */
void view_draw(struct view *v, struct grid *g);
/* Apply one input; says what the caller must do. */
enum view_request view_input(struct view *v, const struct input *in);
u64 view_interval_ns(const struct view *v);
/* VIEW_ACT: what the user wants done; lent until the next input. */
const struct intent *view_intent(const struct view *v);
/* VIEW_CPUS: the list of CPUs, or NULL and why it cannot be known. */
void view_set_cpus(struct view *v, const char *list, const char *why);
/* VIEW_DETAILS: key of the process; flags of enum details_flag. */
u64 view_details(const struct view *v, u32 *flags);
/* Takes what details holds; NULL: why it could not be read, what was read before stays. */
void view_set_details(struct view *v, struct details *details, const char *why);
/* A line for the user (the outcome of a signal, "cannot …: permission denied"). */
void view_message(struct view *v, const char *text);
void view_set_findings(struct view *v, const struct findings *findings);
/* What is set now, as it would be kept (charset_auto is false). */
void view_settings(const struct view *v, struct settings *out);
/* Columns of a table that are looked at (for engine_need). */
u64 view_need(const struct view *v, const char *table);
/* Has the newest frame changed what is looked at, without a key? Says so once. */
bool view_needs_anew(struct view *v);

/* Keys of the processes on the screen at the newest drawing, from the top, at most `most`. Returns how
 * many; none while the list shows threads or groups. */
u32 view_visible(const struct view *v, u64 *keys, u32 most);

#endif
