/* Inside of the live view: shared by view*.c and panel*.c only. */
#ifndef TARE_TUI_VIEW_STATE_H
#define TARE_TUI_VIEW_STATE_H

#include "tui/fields.h"
#include "tui/graph.h"
#include "tui/keys.h"
#include "tui/menu.h"
#include "tui/plist.h"
#include "tui/tags.h"
#include "tui/view.h"

enum view_mode {
	MODE_NORMAL,
	MODE_HELP,
	MODE_DOCTOR,
	MODE_FIND,
	MODE_FILTER,
	MODE_SORT,
	MODE_USER,
	MODE_PANELS,
	MODE_COLUMNS,
	MODE_SIGNAL,
	MODE_CONFIRM,
	MODE_NICE,
	MODE_CPUS,
	MODE_DETAILS,
};

enum series {
	SERIES_CPU,
	SERIES_MEMORY,
	SERIES_RX,
	SERIES_TX,
	SERIES_READ,
	SERIES_WRITTEN,
	SERIES_POWER,
	SERIES_GPU, /* in the history of the GPUs */
	SERIES_COUNT,
};

/* What the view keeps of GPUs; nothing is allocated on a machine without. */
enum gpu_has {
	GPU_HAS_POWER = 1 << 0,
	GPU_HAS_TEMPERATURE = 1 << 1,
	GPU_HAS_CLOCK = 1 << 2,
	GPU_HAS_PCIE = 1 << 3,
	GPU_BUSY_BY_CLIENTS = 1 << 4, /* of one of them the driver does not say how busy it is */
};
enum gpu_sort { GPU_BY_BUSY, GPU_BY_MEMORY, GPU_BY_PID, GPU_SORTS };

struct gpus {
	u32 *row; /* of `gpu`, by number, parts behind what they are parts of */
	u32 n, cap;
	u32 *client; /* rows of `gpu_client` in the order of the list */
	struct sort_item *items, *spare;
	u32 nclients, client_cap;
	struct history *history; /* busy: of all, and of each */
	u32 series;              /* that it has room for */
	int total;
	u32 has; /* enum gpu_has: values that there have been, so that columns do not come and go */
	bool clients; /* there have been some */
	bool anew;    /* these two have changed what is looked at */
	/* the GPU-only view */
	bool asked, inverted;
	bool upper; /* arrows scroll the devices, else the clients */
	u8 sort;    /* enum gpu_sort */
	u32 top, client_top;
};

enum per_cpu { PER_CPU_AUTO, PER_CPU_HEAT, PER_CPU_NONE, PER_CPU_COUNT };

/* Lines of the screen; a height of 0 is not shown. */
struct layout {
	u32 cols, rows;
	u32 cpu_y, cpus_y, cpus_h, graph_y, graph_h, memory_y, io_y, io_h, power_y, files_y,
		files_h;
	u32 memory_h, cpu_h, power_h, gpu_y, gpu_h;
	u32 heading_y, heading_h, list_y, list_h, sums_y, sums_h, bar_y, bar_h;
	bool bars;                  /* per CPU as bars, else as a heat map */
	u32 cpu_columns, cpu_group; /* bars a line; CPUs a character */
};

/* A copy of a frame that outlives its tick, for the pause. */
struct snap {
	struct frame frame;
	struct frame_table *table;
	struct table *sample;
	const struct frame_table **list;
	u32 room;
};

void snap_fini(struct snap *s);
int snap_take(struct snap *s, const struct frame *frame);

/* One process's details, as they were when somebody asked. */
struct pane {
	struct target of;
	struct details details;
	bool environment, has_environment; /* asked for; read */
	bool seek;                         /* go to where it begins */
	u32 *lines;                        /* of each item at this width; heap */
	u32 cols, total, top;
	char why[160]; /* it could not be read anew */
};

enum { SEEN_MOST = 512 };

struct view {
	enum charset charset;
	u64 interval_ns;
	char hostname[72];
	bool utc, recorded;
	const struct schema *const *schemas;
	const struct frame *live, *frame; /* newest; shown */
	struct snap snap;
	bool paused;
	struct fields f;     /* TAB_PROCESS: what the list shows, processes or threads */
	struct fields whole; /* TAB_PROCESS: processes */
	struct history *history;
	int series[SERIES_GPU];
	enum series second; /* what the second graph shows */
	bool second_chosen; /* then also where there is room for one only */
	struct plist list;
	struct columns columns;
	struct gpus gpus;
	u64 seen[SEEN_MOST]; /* keys of the processes on the newest drawing */
	u32 nseen;
	struct layout layout;
	u32 panels; /* enum panel_bit */
	enum per_cpu per_cpu;
	bool without_own, names_only;
	bool files_asked; /* file systems also on a screen that is not tall */
	u32 scroll;       /* of command lines */
	enum view_mode mode;
	struct menu menu;
	char entry[PLIST_NEEDLE]; /* being typed */
	char entry_error[160];
	char needle[PLIST_NEEDLE]; /* last searched for */
	char filter[PLIST_NEEDLE]; /* as typed */
	u32 page_top;              /* of help and doctor */
	char message[160];
	u64 message_until_ns;
	struct findings findings;
	bool has_findings;
	u32 absent;
	s64 offset_ns; /* local time minus UTC, and for which quarter of an hour it holds */
	u64 offset_for;
	struct tags tags;
	struct intent intent; /* its targets: taken when the prompt opened */
	struct target *target;
	u32 target_room;
	char question[96]; /* of the prompt that is open */
	struct pane pane;
};

/* Text that is put together on one line as far as it fits. */
enum { LINE_ITEMS = 24, ITEM_TEXT = 72 };
struct line_item {
	char text[ITEM_TEXT];
	u8 len, width, title; /* bytes, columns, bytes of it that are a title */
	u8 role, priority;    /* priority 0 comes first */
	bool right, shown;
};
struct line {
	struct line_item item[LINE_ITEMS];
	u32 n;
};
void line_init(struct line *l);
/* title may be NULL. */
void line_add(struct line *l, u32 priority, enum role role, const char *title, const char *text);
void line_right(struct line *l, u32 priority, enum role role, const char *title, const char *text);
/* Draws the items that fit, those of small priority first, in the order they were added. */
void line_draw(struct line *l, struct grid *g, u32 x, u32 y, u32 limit);

void layout_make(struct view *v, u32 cols, u32 rows);
bool layout_too_small(u32 cols, u32 rows);
u32 bar_item(const struct view *v, u32 index, u32 *x, u32 *width);

void panel_header(struct view *v, struct grid *g);
void panel_cpu(struct view *v, struct grid *g, u32 y);
void panel_cpus(struct view *v, struct grid *g);
void panel_graphs(struct view *v, struct grid *g);
void panel_memory(struct view *v, struct grid *g);
void panel_io(struct view *v, struct grid *g);
void panel_power(struct view *v, struct grid *g, u32 y);
/* Is there something to say on the line of power? */
bool power_known(const struct view *v);
/* Begins a line of items: title, and why the table has none. False: it has no values. */
bool table_head(const struct view *v, struct line *l, enum tab tab, const char *title);
void panel_files(struct view *v, struct grid *g);
void panel_heading(struct view *v, struct grid *g);
void panel_list(struct view *v, struct grid *g);
void panel_sums(struct view *v, struct grid *g);
void panel_bar(struct view *v, struct grid *g);
void panel_details(struct view *v, struct grid *g);
void panel_page(struct view *v, struct grid *g); /* help or doctor, whole screen */
/* Process column under screen column x, or -1. */
int panel_column_at(const struct view *v, u32 x);

/* Machine's sums in % of one CPU; without tare's share when the user wants that. */
struct sums {
	u32 cpus;
	bool known; /* busy is */
	double busy, busy_share, irq, steal, processes, exited, unattributed, own;
	double exits; /* a second */
	bool has_processes, has_exited;
};
void view_sums(const struct view *v, struct sums *out);

/* view_list.c: columns, threads, groups. False: not one of its keys. */
bool list_action(struct view *v, enum action action);
/* Is this column on a screen of this width? The sort column always is, and in a list of groups only what
 * adds up. */
bool view_shows(const struct view *v, u32 column, u32 cols);
/* Enter and Esc where the list shows groups, or the rows of one. */
bool group_key(struct view *v, u32 key);
enum view_request columns_key(struct view *v, const struct input *in);
void columns_start(struct view *v);
void user_start(struct view *v);
/* 0, or -EINVAL with *err for a name that is no column. */
int view_apply(struct view *v, const struct settings *s, struct err *err);

/* view_gpu.c: the rows of the GPUs and their clients in order, and their history. */
void gpus_init(struct gpus *gpus);
void gpus_fini(struct gpus *gpus);
/* Newest frame, whatever is shown. */
void gpus_push(struct view *v, const struct frame *frame);
/* The frame that is shown. */
void gpus_update(struct view *v);
/* Is the GPU-only view on the screen? */
bool gpus_only(const struct view *v);
bool gpus_here(const struct view *v);
/* Is the panel of GPUs (with graph and power) wanted, and is there one? */
bool gpus_panel(const struct view *v);
/* The GPU-only view's keys. False: not one of them. */
bool gpus_key(struct view *v, u32 key, enum view_request *request);
/* panel_gpus.c */
void panel_gpus_only(struct view *v, struct grid *g);
/* panel_gpu.c */
void panel_gpu(struct view *v, struct grid *g);

/* view_act.c: tags, signals, nice values, CPUs. */
enum view_request act_key(struct view *v, enum action action);
void act_ask_signal(struct view *v, int sig);
enum view_request act_confirm(struct view *v, u32 key);
enum view_request act_entry(struct view *v, u32 key);
/* The process that the selection is on; false with a message when there is none. */
bool act_selected(struct view *v, struct target *out);
/* panel_details.c */
enum view_request details_open(struct view *v);
enum view_request details_key(struct view *v, u32 key);
void pane_fini(struct pane *p);
/* view_input.c: a prompt with this text; a key that writes in it, false: it is none. */
void entry_start(struct view *v, enum view_mode mode, const char *text);
bool entry_edit(struct view *v, u32 key);

void view_refresh(struct view *v);
int view_set_filter(struct view *v, const char *text, struct err *err);
void view_sort_by(struct view *v, u32 column);
/* Schema of a table of the frame, else of the list of schemas, or NULL. */
const struct schema *view_schema(const struct view *v, const char *name);
bool view_own_cpu(const struct view *v, double *cpu, double *user, double *system);

#endif
