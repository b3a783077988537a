/* What the live view keeps from one run to the next, as plain values: who stores them and where is not
 * its business. */
#ifndef TARE_TUI_SETTINGS_H
#define TARE_TUI_SETTINGS_H

#include "base/types.h"

enum charset { CHARSET_ASCII, CHARSET_BLOCK, CHARSET_BRAILLE };

/* Panels that can be switched off. */
enum panel_bit {
	PANEL_CPUS = 1 << 0,
	PANEL_GRAPHS = 1 << 1,
	PANEL_MEMORY = 1 << 2,
	PANEL_IO = 1 << 3,
	PANEL_POWER = 1 << 4,
	PANEL_FILESYSTEMS = 1 << 5,
	PANEL_SUMS = 1 << 6,
	PANEL_GPUS = 1 << 7,
	PANEL_ALL = (1 << 8) - 1,
};

struct panel_entry {
	u32 bit;
	const char *word, *text; /* in files; in the menu */
};
extern const struct panel_entry panel_entries[];
extern const u32 panel_entry_count;

enum { SETTINGS_COLUMNS = 768 };

struct settings {
	char columns[SETTINGS_COLUMNS]; /* as columns_set takes them; "": by width */
	char sort[32];                  /* name of a process column */
	bool descending, tree, hide_kernel;
	bool gpus;         /* the GPU-only view */
	bool charset_auto; /* by locale and terminal; else charset */
	enum charset charset;
	u32 panels; /* enum panel_bit */
};

void settings_init(struct settings *s);
bool settings_equal(const struct settings *a, const struct settings *b);
/* What is to be kept after a run that began with `start` and is now at `now`: what the user changed, and
 * for the rest what was kept before, so that an option of one run does not become the habit. */
void settings_merge(
	struct settings *kept, const struct settings *start, const struct settings *now);
/* Is every name in it a column? 0 or -EINVAL. *what: "columns" or "sort", for the message. */
int settings_check(const struct settings *s, const char **what);

#endif
