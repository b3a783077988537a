/* A list to choose from: sort columns, signals, users, panels. */
#ifndef TARE_TUI_MENU_H
#define TARE_TUI_MENU_H

#include "tui/grid.h"
#include "tui/view.h"

enum { MENU_ITEMS = 64, MENU_TEXT = 44 };

struct menu {
	char title[64];
	struct {
		char text[MENU_TEXT];
		s32 value;
		bool checked; /* shown with a mark */
	} item[MENU_ITEMS];
	u32 n, at, top;
	u32 x, y, width, height; /* as last drawn, for clicks */
};

void menu_start(struct menu *m, const char *title);
void menu_add(struct menu *m, const char *text, s32 value, bool checked);
void menu_draw(struct menu *m, struct grid *g);
enum menu_result { MENU_OPEN, MENU_CHOSEN, MENU_CLOSED };
enum menu_result menu_input(struct menu *m, const struct input *in);

/* The signals of the kill menu: name and number; the first is the usual one. */
struct signal_entry {
	const char *name;
	int number;
};
extern const struct signal_entry signal_entries[];
extern const u32 signal_entry_count;

#endif
