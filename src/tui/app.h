/* The live view on a terminal: one thread that waits for the tick, keys and signals. */
#ifndef TARE_TUI_APP_H
#define TARE_TUI_APP_H

#include "core/engine.h"
#include "tui/view.h"

struct app_config {
	struct engine_config engine;
	/* Opens what `engine` says; the engine stays the caller's, who closes it behind app_run. 0 or -errno with err. */
	int (*open)(void *arg, struct engine **out, const struct engine_config *engine,
		struct err *err);
	void *open_arg;
	struct view_config view; /* schemas, interval and hostname are filled in here */
	bool charset_auto;       /* by locale and terminal; else view.charset */
	bool mouse;
	const struct process_ops *processes; /* what can be done to them */
	/* Store what the user changed (settings_merge says how): 0 or -errno. NULL: nothing is kept. */
	int (*keep)(void *arg, const struct settings *started, const struct settings *now);
	void *keep_arg;
	u64 count; /* leave after so many frames with values; 0: until the user wants to */
};

/* Runs until the user leaves, a signal asks for it or the terminal is gone: 0. -errno with err when
 * it could not start; the terminal is then as it was. -EINVAL: the view's sort column or filter. */
int app_run(const struct app_config *config, struct err *err);

#endif
