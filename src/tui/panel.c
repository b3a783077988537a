/* Header, CPU line and memory: what must be seen at a glance. */
#include "tui/panel.h"

#include <string.h>

#include "base/human.h"
#include "base/safe.h"
#include "base/sbuf.h"

void value_text(char out[VALUE_TEXT], const struct cell *cell, enum value_kind kind)
{
	static const char *const units[] = {
		[VALUE_PERCENT] = "%",
		[VALUE_BYTES] = "",
		[VALUE_RATE] = "/s",
		[VALUE_WATTS] = "W",
		[VALUE_COUNT] = "",
	};
	char number[HUMAN_SIZE];
	struct sbuf sb;

	sbuf_init(&sb, out, VALUE_TEXT);
	if (cell->state == CELL_ABSENT) {
		sbuf_str(&sb, "absent:");
		sbuf_str(&sb, reason_text(cell->reason));
		return;
	}
	if (cell->state == CELL_APPROX)
		sbuf_char(&sb, '~');
	if (kind == VALUE_PERCENT)
		human_percent(number, cell->num);
	else if (kind == VALUE_BYTES || kind == VALUE_RATE)
		human_bytes(number, cell->num);
	else if (kind == VALUE_WATTS)
		human_fixed(number, cell->num, cell->num < 9.995 ? 2 : cell->num < 99.95 ? 1 : 0);
	else
		human_count(number, cell->num);
	sbuf_str(&sb, number);
	sbuf_str(&sb, units[kind]);
}

void field_text(char out[VALUE_TEXT], const struct fields *f, enum field field, u32 row,
	enum value_kind kind)
{
	struct cell cell;

	field_cell(f, field, row, &cell);
	value_text(out, &cell, kind);
}

void field_label(char *out, u32 size, const struct fields *f, enum field field, u32 row)
{
	struct cell cell;

	field_cell(f, field, row, &cell);
	safe_text(out, size, cell.text, cell.text_len);
}

void table_note(char out[VALUE_TEXT], const struct frame_table *t)
{
	char number[HUMAN_SIZE];
	struct sbuf sb;

	sbuf_init(&sb, out, VALUE_TEXT);
	if (!t)
		return;
	if (!t->n && !t->seq)
		sbuf_str(&sb, reason_text(REASON_STARTING));
	else if (t->gap)
		sbuf_str(&sb, reason_text(t->gap));
	if (!t->stale)
		return;
	human_duration(number, (double)t->age_ns);
	sbuf_str(&sb, sb.len ? ", stale " : "stale ");
	sbuf_str(&sb, number);
}

static void two(struct sbuf *sb, u64 v)
{
	sbuf_char(sb, (char)('0' + v / 10 % 10));
	sbuf_char(sb, (char)('0' + v % 10));
}

static void clock_item(const struct view *v, struct line *l)
{
	s64 s = (s64)(v->frame->at.real_ns / NSEC_PER_SEC) + v->offset_ns / (s64)NSEC_PER_SEC;
	u64 day = (u64)(s < 0 ? 0 : s) % 86400;
	char text[16];
	struct sbuf sb;

	sbuf_init(&sb, text, sizeof(text));
	two(&sb, day / 3600);
	sbuf_char(&sb, ':');
	two(&sb, day / 60 % 60);
	sbuf_char(&sb, ':');
	two(&sb, day % 60);
	line_add(l, 1, ROLE_NORMAL, NULL, text);
}

static void mode_item(const struct view *v, struct line *l)
{
	char number[HUMAN_SIZE], text[ITEM_TEXT];
	u64 ns = v->frame ? v->frame->interval_ns : v->interval_ns;
	enum role role = v->paused ? ROLE_WARN : ROLE_OK;
	struct sbuf sb;

	sbuf_init(&sb, text, sizeof(text));
	sbuf_str(&sb, v->paused ? "PAUSED" : v->recorded ? "RECORDED" : "LIVE");
	if (!v->paused) {
		if (ns && ns % NSEC_PER_SEC == 0 && ns < 60 * NSEC_PER_SEC) {
			human_fixed(number, (double)(ns / NSEC_PER_SEC), 0);
			strcat(number, "s");
		} else {
			human_duration(number, (double)ns);
		}
		sbuf_str(&sb, " every ");
		sbuf_str(&sb, number);
	}
	line_add(l, 2, role, NULL, text);
}

static void gaps_item(const struct view *v, struct line *l)
{
	char number[HUMAN_SIZE];
	u64 gaps = v->frame->gaps;

	if (!gaps) {
		line_add(l, 4, ROLE_DIM, NULL, "no gaps");
		return;
	}
	human_count(number, (double)gaps);
	strcat(number, gaps == 1 ? " gap" : " gaps");
	line_add(l, 4, ROLE_WARN, NULL, number);
}

static void load_items(const struct view *v, struct line *l)
{
	static const enum field loads[] = {
		FIELD_SYSTEM_load1, FIELD_SYSTEM_load5, FIELD_SYSTEM_load15};
	char text[VALUE_TEXT], number[HUMAN_SIZE];
	struct sbuf sb;
	double value;

	if (field_num(&v->f, FIELD_SYSTEM_uptime, 0, &value)) {
		human_duration(number, value * 1e9);
		line_add(l, 7, ROLE_NORMAL, "up", number);
	}
	sbuf_init(&sb, text, sizeof(text));
	for (u32 i = 0; i < 3; i++) {
		if (!field_num(&v->f, loads[i], 0, &value))
			return;
		human_fixed(number, value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
		if (i)
			sbuf_char(&sb, ' ');
		sbuf_str(&sb, number);
	}
	line_add(l, 6, ROLE_NORMAL, "load", text);
}

static void self_items(const struct view *v, struct line *l)
{
	char text[VALUE_TEXT], number[HUMAN_SIZE], scan[16];
	struct cell cell;
	struct sbuf sb;
	double value;

	sbuf_init(&sb, text, sizeof(text));
	if (field_num(&v->f, FIELD_SELF_cpu, 0, &value)) {
		human_fixed(number, value, value < 9.995 ? 2 : 1);
		sbuf_str(&sb, number);
		sbuf_char(&sb, '%');
	}
	if (field_num(&v->f, FIELD_SELF_resident, 0, &value)) {
		human_fixed(number, value / 1048576, 0);
		sbuf_str(&sb, sb.len ? " " : "");
		sbuf_str(&sb, number);
		sbuf_str(&sb, "MB");
	}
	field_cell(&v->f, FIELD_SELF_scan, 0, &cell);
	if (sb.len && cell.state != CELL_ABSENT && cell.text_len < sizeof(scan)) {
		safe_text(scan, sizeof(scan), cell.text, cell.text_len);
		sbuf_char(&sb, ' ');
		sbuf_str(&sb, scan);
	}
	if (sb.len)
		line_right(l, 3, ROLE_OWN, "self", text);
	if (!v->absent)
		return;
	sbuf_init(&sb, text, sizeof(text));
	sbuf_str(&sb, "absent:");
	sbuf_u64(&sb, v->absent);
	sbuf_str(&sb, " [d]");
	line_right(l, 5, ROLE_WARN, NULL, text);
}

void panel_header(struct view *v, struct grid *g)
{
	char host[40];
	struct line l;

	line_init(&l);
	if (v->hostname[0])
		safe_text(host, sizeof(host), v->hostname, strlen(v->hostname));
	else
		field_label(host, sizeof(host), &v->f, FIELD_SYSTEM_hostname, 0);
	line_add(&l, 0, ROLE_STRONG, NULL, host[0] ? host : "tare");
	if (v->frame)
		clock_item(v, &l);
	mode_item(v, &l);
	if (v->frame) {
		gaps_item(v, &l);
		load_items(v, &l);
		self_items(v, &l);
	}
	line_draw(&l, g, 0, 0, g->cols);
}

static void percent_item(
	struct line *l, u32 priority, enum role role, const char *title, double value)
{
	char number[HUMAN_SIZE];

	human_percent(number, value);
	line_add(l, priority, role, title, number);
}

static void memory_bar(const struct view *v, struct grid *g, u32 x, u32 y, u32 width)
{
	const struct fields *f = &v->f;
	double total;
	struct bar_part parts[5];

	if (!field_num(f, FIELD_MEMORY_total, 0, &total) || total <= 0)
		return;
#define SHARE(name) (field_or_zero(f, FIELD_MEMORY_##name, 0) / total)
	parts[0] = (struct bar_part){SHARE(anon) + SHARE(hugepages), '|', ROLE_USER};
	parts[1] = (struct bar_part){SHARE(shared), '*', ROLE_SHARED};
	parts[2] = (struct bar_part){SHARE(kernel) + SHARE(other), '+', ROLE_KERNEL};
	parts[3] = (struct bar_part){SHARE(buffers) + SHARE(cache), '.', ROLE_CACHE};
#undef SHARE
	bar_draw(g, x, y, width, parts, 4);
}

static void of_total(
	char out[VALUE_TEXT], const struct fields *f, enum field used, enum field total)
{
	char number[HUMAN_SIZE];
	double a, b;
	struct sbuf sb;

	if (!field_num(f, used, 0, &a) || !field_num(f, total, 0, &b)) {
		field_text(out, f, used, 0, VALUE_BYTES);
		return;
	}
	sbuf_init(&sb, out, VALUE_TEXT);
	human_bytes(number, a);
	sbuf_str(&sb, number);
	sbuf_char(&sb, '/');
	human_bytes(number, b);
	sbuf_str(&sb, number);
}

static void memory_items(const struct view *v, struct line *l)
{
	static const struct {
		enum field field;
		enum role role;
		const char *title;
	} classes[] = {
		{FIELD_MEMORY_anon, ROLE_USER, "anon"},
		{FIELD_MEMORY_cache, ROLE_CACHE, "cache"},
		{FIELD_MEMORY_shared, ROLE_SHARED, "shm"},
		{FIELD_MEMORY_kernel, ROLE_KERNEL, "kernel"},
		{FIELD_MEMORY_buffers, ROLE_CACHE, "buf"},
		{FIELD_MEMORY_hugepages, ROLE_USER, "huge"},
		{FIELD_MEMORY_free, ROLE_NORMAL, "free"},
	};
	char number[HUMAN_SIZE];
	double value;

	for (u32 i = 0; i < ARRAY_LEN(classes); i++) {
		if (!field_num(&v->f, classes[i].field, 0, &value))
			continue;
		/* an empty pool of huge pages is no news */
		if (classes[i].field == FIELD_MEMORY_hugepages && value <= 0)
			continue;
		human_bytes(number, value);
		line_add(l, 2 + i, classes[i].role, classes[i].title, number);
	}
}

static void swap_items(const struct view *v, struct line *l, u32 priority)
{
	static const char *const names[] = {"cpu", "mem", "io", "irq"};
	const struct frame_table *p = v->f.table[TAB_PRESSURE];
	char text[VALUE_TEXT], number[HUMAN_SIZE];
	struct sbuf sb;
	double value;

	if (field_num(&v->f, FIELD_MEMORY_swap_total, 0, &value)) {
		of_total(text, &v->f, FIELD_MEMORY_swap_used, FIELD_MEMORY_swap_total);
		line_add(l, priority, ROLE_NORMAL, "swap", value > 0 ? text : "none");
	}
	sbuf_init(&sb, text, sizeof(text));
	for (u32 row = 0; p && row < p->n && row < 3; row++) {
		u64 key = p->now->key[row];

		sbuf_str(&sb, sb.len ? " " : "");
		sbuf_str(&sb, key < ARRAY_LEN(names) ? names[key] : "?");
		sbuf_char(&sb, ' ');
		if (field_num(&v->f, FIELD_PRESSURE_some, row, &value)) {
			human_percent(number, value);
			sbuf_str(&sb, number);
			sbuf_char(&sb, '%');
		} else {
			sbuf_char(&sb, '-');
		}
	}
	if (sb.len)
		line_add(l, priority + 1, ROLE_NORMAL, "stall", text);
	if (field_num(&v->f, FIELD_MEMORY_oom_kills, 0, &value)) {
		human_count(number, value);
		line_add(l, priority + 2, value > 0 ? ROLE_ALERT : ROLE_DIM, "oom", number);
	}
}

void panel_memory(struct view *v, struct grid *g)
{
	u32 y = v->layout.memory_y, bar = g->cols >= 100 ? 30 : g->cols >= 60 ? 20 : 0, x;
	char text[VALUE_TEXT], note[VALUE_TEXT];
	struct line l;
	double limit;

	of_total(text, &v->f, FIELD_MEMORY_used, FIELD_MEMORY_total);
	table_note(note, v->f.table[TAB_MEMORY]);
	/* gauges are good from the first reading on */
	if (v->f.table[TAB_MEMORY] && v->f.table[TAB_MEMORY]->n && !v->f.table[TAB_MEMORY]->stale)
		note[0] = '\0';
	line_init(&l);
	line_add(&l, 0, ROLE_STRONG, "MEM", note[0] ? note : text);
	line_draw(&l, g, 0, y, g->cols);
	x = 4 + (u32)strlen(note[0] ? note : text) + 1;
	x = x < 16 ? 16 : x;
	if (bar && v->f.table[TAB_MEMORY]) {
		memory_bar(v, g, x, y, bar);
		x += bar + 1;
	}
	line_init(&l);
	if (field_num(&v->f, FIELD_CGROUP_memory_limit, 0, &limit)) {
		of_total(text, &v->f, FIELD_CGROUP_memory_used, FIELD_CGROUP_memory_limit);
		line_add(&l, 1, ROLE_WARN, "own limit", text);
	}
	if (v->layout.memory_h == 1)
		swap_items(v, &l, 3);
	memory_items(v, &l);
	line_draw(&l, g, x, y, g->cols);
	if (v->layout.memory_h < 2)
		return;
	line_init(&l);
	swap_items(v, &l, 0);
	line_draw(&l, g, 0, y + 1, g->cols);
}

static void cpu_shares(const struct view *v, struct line *l, const struct sums *s)
{
	const struct fields *f = &v->f;
	double own, own_user = 0, own_system = 0, nice, guest, steal, wait;
	double irq = field_or_zero(f, FIELD_CPU_irq, ROW_TOTAL) +
		     field_or_zero(f, FIELD_CPU_softirq, ROW_TOTAL);

	if (v->without_own)
		view_own_cpu(v, &own, &own_user, &own_system);
	nice = field_or_zero(f, FIELD_CPU_nice, ROW_TOTAL);
	guest = field_or_zero(f, FIELD_CPU_guest, ROW_TOTAL) +
		field_or_zero(f, FIELD_CPU_guest_nice, ROW_TOTAL);
	steal = field_or_zero(f, FIELD_CPU_steal, ROW_TOTAL);
	percent_item(l, 2, ROLE_USER, "= user",
		field_or_zero(f, FIELD_CPU_user, ROW_TOTAL) - own_user / s->cpus);
	percent_item(l, 2, ROLE_SYSTEM, "sys",
		field_or_zero(f, FIELD_CPU_system, ROW_TOTAL) - own_system / s->cpus);
	percent_item(l, 2, ROLE_IRQ, "irq", irq);
	if (nice >= 0.05)
		percent_item(l, 3, ROLE_NICE, "nice", nice);
	if (guest >= 0.05)
		percent_item(l, 3, ROLE_GUEST, "guest", guest);
	if (steal >= 0.05)
		percent_item(l, 3, ROLE_ALERT, "steal", steal);
	if (field_num(f, FIELD_CPU_iowait, ROW_TOTAL, &wait) && wait >= 0.05) {
		char number[HUMAN_SIZE + 10] = "(wait ";

		human_percent(number + 6, wait);
		strcat(number, ")");
		line_add(l, 5, ROLE_WAIT, NULL, number);
	}
}

/* Of the sensor that stands for the CPUs. */
static void cpu_temperature(const struct view *v, struct line *l)
{
	char number[HUMAN_SIZE];
	double value, limit;

	for (u32 row = 0; row < fields_rows(&v->f, TAB_SENSOR); row++) {
		enum role role = ROLE_NORMAL;

		if (field_or_zero(&v->f, FIELD_SENSOR_cpu, row) <= 0 ||
			!field_num(&v->f, FIELD_SENSOR_temperature, row, &value))
			continue;
		if (field_num(&v->f, FIELD_SENSOR_limit_high, row, &limit) && value >= limit)
			role = ROLE_WARN;
		if (field_num(&v->f, FIELD_SENSOR_limit_critical, row, &limit) && value >= limit)
			role = ROLE_ALERT;
		human_fixed(number, value, 0);
		strcat(number, "°C");
		line_add(l, 6, role, NULL, number);
		return;
	}
}

static void cpu_clock(const struct view *v, struct line *l)
{
	char number[HUMAN_SIZE];
	double value;

	if (!field_num(&v->f, FIELD_CPU_frequency, ROW_TOTAL, &value))
		return;
	human_fixed(number, value / 1e9, 2);
	strcat(number, "GHz");
	line_add(l, 6, ROLE_NORMAL, NULL, number);
}

void panel_cpu(struct view *v, struct grid *g, u32 y)
{
	char text[VALUE_TEXT], number[HUMAN_SIZE];
	struct sbuf sb;
	struct sums s;
	struct line l;
	double value;

	view_sums(v, &s);
	line_init(&l);
	sbuf_init(&sb, text, sizeof(text));
	sbuf_u64(&sb, s.cpus ? s.cpus : fields_rows(&v->f, TAB_CPU));
	line_add(&l, 0, ROLE_NORMAL, "CPU", text);
	if (s.known) {
		human_percent(number, s.busy_share);
		strcat(number, "%");
		line_add(&l, 1, ROLE_STRONG, "busy", number);
		cpu_shares(v, &l, &s);
	} else {
		table_note(text, v->f.table[TAB_CPU]);
		line_add(&l, 1, ROLE_DIM, NULL, text[0] ? text : "absent");
	}
	if (v->without_own)
		line_add(&l, 2, ROLE_OWN, NULL, "(without tare)");
	/* the figures are the machine's; a container may use less of it */
	if (field_num(&v->f, FIELD_CGROUP_cpu_limit, 0, &value)) {
		human_fixed(number, value, 1);
		strcat(number, " CPUs");
		line_add(&l, 4, ROLE_WARN, "own limit", number);
	}
	cpu_clock(v, &l);
	cpu_temperature(v, &l);
	if (field_num(&v->f, FIELD_SYSTEM_running, 0, &value)) {
		human_count(number, value);
		line_add(&l, 7, ROLE_NORMAL, "run", number);
	}
	if (field_num(&v->f, FIELD_SYSTEM_blocked, 0, &value)) {
		human_count(number, value);
		line_add(&l, 7, value > 0 ? ROLE_WARN : ROLE_NORMAL, "blk", number);
	}
	if (s.known && s.has_processes && s.busy > 0.5) {
		double share = (s.busy - s.unattributed) / s.busy * 100;

		human_percent(number, share);
		strcat(number, "% of busy");
		line_right(&l, 8, ROLE_DIM, "attributed", number);
	}
	line_draw(&l, g, 0, y, g->cols);
}
