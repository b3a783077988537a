#include "tui/settings.h"

#include <errno.h>
#include <string.h>

#include "tui/pcolumn.h"

const struct panel_entry panel_entries[] = {
	{PANEL_CPUS, "cpus", "every CPU"},
	{PANEL_GRAPHS, "graphs", "history graphs"},
	{PANEL_MEMORY, "memory", "memory"},
	{PANEL_IO, "io", "disks and network"},
	{PANEL_POWER, "power", "power"},
	{PANEL_FILESYSTEMS, "filesystems", "file systems"},
	{PANEL_SUMS, "sums", "TOTAL and unattributed"},
	{PANEL_GPUS, "gpus", "GPUs"},
};
const u32 panel_entry_count = ARRAY_LEN(panel_entries);

void settings_init(struct settings *s)
{
	*s = (struct settings){
		.sort = "cpu", .descending = true, .charset_auto = true, .panels = PANEL_ALL};
}

bool settings_equal(const struct settings *a, const struct settings *b)
{
	return !strcmp(a->columns, b->columns) && !strcmp(a->sort, b->sort) &&
	       a->descending == b->descending && a->tree == b->tree &&
	       a->hide_kernel == b->hide_kernel && a->gpus == b->gpus &&
	       a->charset_auto == b->charset_auto && a->charset == b->charset &&
	       a->panels == b->panels;
}

void settings_merge(struct settings *kept, const struct settings *start, const struct settings *now)
{
	if (strcmp(now->columns, start->columns) != 0)
		memcpy(kept->columns, now->columns, sizeof(kept->columns));
	if (strcmp(now->sort, start->sort) != 0 || now->descending != start->descending) {
		memcpy(kept->sort, now->sort, sizeof(kept->sort));
		kept->descending = now->descending;
	}
	if (now->tree != start->tree)
		kept->tree = now->tree;
	if (now->hide_kernel != start->hide_kernel)
		kept->hide_kernel = now->hide_kernel;
	if (now->gpus != start->gpus)
		kept->gpus = now->gpus;
	if (now->charset != start->charset) {
		kept->charset = now->charset;
		kept->charset_auto = false;
	}
	if (now->panels != start->panels)
		kept->panels = now->panels;
}

int settings_check(const struct settings *s, const char **what)
{
	struct columns columns;

	columns_init(&columns);
	*what = "columns";
	if (columns_set(&columns, s->columns, NULL))
		return -EINVAL;
	*what = "sort";
	return pcolumn_find(s->sort) < 0 ? -EINVAL : 0;
}
