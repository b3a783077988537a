#include "tui/keys.h"

#include "tui/view.h"

enum { CTRL_C = 3, CTRL_L = 12, CTRL_Z = 26 };

const struct key_entry key_entries[] = {
	{{KEY_F1_, '?', 'h'}, ACTION_HELP, "F1 ? h", "Help", "this help"},
	{{KEY_F2_, 'S'}, ACTION_PANELS, "F2 S", "Panels", "choose the panels"},
	{{KEY_F3_, '/'}, ACTION_FIND, "F3 /", "Find", "find a process by name or pid"},
	{{'n'}, ACTION_FIND_NEXT, "n", NULL, "find the next one"},
	{{KEY_F4_, '\\'}, ACTION_FILTER, "F4 \\", "Filter",
		"show only: text, or cpu > 5 and user == \"x\""},
	{{KEY_F5_, 't'}, ACTION_TREE, "F5 t", "Tree", "parents and children"},
	{{KEY_F6_, '<', '>'}, ACTION_SORT, "F6 < >", "Sort", "choose the sort column"},
	{{KEY_F9_, 'k'}, ACTION_KILL, "F9 k", "Kill",
		"send a signal to the selected process, or to the tagged"},
	{{KEY_F10_, 'q', CTRL_C}, ACTION_QUIT, "F10 q", "Quit", "quit"},
	{{' ', 'Z'}, ACTION_PAUSE, "Space Z", NULL, "pause the screen; measuring goes on"},
	{{KEY_UP_}, ACTION_UP, "Up", NULL, "select the process above"},
	{{KEY_DOWN_}, ACTION_DOWN, "Down", NULL, "select the process below"},
	{{KEY_PAGE_UP}, ACTION_PAGE_UP, "PgUp", NULL, "a page up"},
	{{KEY_PAGE_DOWN}, ACTION_PAGE_DOWN, "PgDn", NULL, "a page down"},
	{{KEY_HOME_}, ACTION_FIRST, "Home", NULL, "first process"},
	{{KEY_END_}, ACTION_LAST, "End", NULL, "last process"},
	{{KEY_LEFT_}, ACTION_LEFT, "Left", NULL, "scroll command lines back"},
	{{KEY_RIGHT_}, ACTION_RIGHT, "Right", NULL, "scroll command lines on"},
	{{'x'}, ACTION_TAG, "x", NULL, "tag or untag the process, go to the next"},
	{{'X'}, ACTION_UNTAG, "X", NULL, "untag all"},
	{{KEY_F7_}, ACTION_NICE_DOWN, "F7", NULL, "nice value -1 (all threads): more CPU time"},
	{{KEY_F8_}, ACTION_NICE_UP, "F8", NULL, "nice value +1 (all threads): less CPU time"},
	{{'r'}, ACTION_NICE, "r", NULL, "set the nice value (all threads)"},
	{{'a'}, ACTION_CPUS, "a", NULL, "bind to CPUs (all threads), as in 0-3,8"},
	{{'i', KEY_ENTER_, 10}, ACTION_DETAILS, "i Enter", NULL,
		"details: limits, control group, capabilities"},
	{{'F'}, ACTION_FOLLOW, "F", NULL, "keep the selected process on the screen"},
	{{'K'}, ACTION_KERNEL, "K", NULL, "hide or show kernel threads"},
	{{'p'}, ACTION_PATH, "p", NULL, "program paths or only names"},
	{{'C'}, ACTION_COLUMNS, "C", NULL, "choose and order the columns"},
	{{'H'}, ACTION_THREADS, "H", NULL, "threads instead of processes"},
	{{'G'}, ACTION_GROUP, "G", NULL, "sums by user, by control group, by container"},
	{{'u'}, ACTION_USER, "u", NULL, "only one user's processes"},
	{{'I'}, ACTION_INVERT, "I", NULL, "turn the order round"},
	{{'P'}, ACTION_BY_CPU, "P", NULL, "sort by CPU"},
	{{'M'}, ACTION_BY_MEMORY, "M", NULL, "sort by memory"},
	{{'T'}, ACTION_BY_TIME, "T", NULL, "sort by CPU time"},
	{{'N'}, ACTION_BY_PID, "N", NULL, "sort by pid"},
	{{'+', '='}, ACTION_UNFOLD, "+ =", NULL, "unfold (tree)"},
	{{'-'}, ACTION_FOLD, "-", NULL, "fold (tree)"},
	{{'*'}, ACTION_FOLD_ALL, "*", NULL, "fold or unfold all (tree)"},
	{{'('}, ACTION_FASTER, "(", NULL, "shorter interval"},
	{{')'}, ACTION_SLOWER, ")", NULL, "longer interval"},
	{{'o'}, ACTION_OWN, "o", NULL, "totals with or without tare's own share"},
	{{'g'}, ACTION_GPUS, "g", NULL, "only the GPUs and who uses them; without a GPU as 2"},
	{{'2'}, ACTION_GRAPH, "2", NULL, "what the second graph shows"},
	{{'b'}, ACTION_CHARSET, "b", NULL, "graphs in braille, blocks or ASCII"},
	{{'1'}, ACTION_PER_CPU, "1", NULL, "per CPU: by size, heat map, none"},
	{{'D'}, ACTION_FILESYSTEMS, "D", NULL, "show or hide file systems"},
	{{'d'}, ACTION_DOCTOR, "d", NULL, "what cannot be measured here, and what mends it"},
	{{KEY_ESCAPE}, ACTION_BACK, "Esc", NULL, "leave a menu; clear the filter"},
	{{CTRL_Z}, ACTION_SUSPEND, "Ctrl-Z", NULL, "suspend tare"},
	{{CTRL_L}, ACTION_REDRAW, "Ctrl-L", NULL, "draw the screen anew"},
};
const u32 key_entry_count = ARRAY_LEN(key_entries);

enum action key_action(u32 key)
{
	for (u32 i = 0; key && i < key_entry_count; i++)
		for (u32 k = 0; k < ARRAY_LEN(key_entries[i].keys); k++)
			if (key_entries[i].keys[k] == key)
				return (enum action)key_entries[i].action;
	return ACTION_NONE;
}
