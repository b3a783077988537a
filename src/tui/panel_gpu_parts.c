/* Parts that the panel of GPUs and the GPU-only view have in common. */
#include <string.h>

#include "base/human.h"
#include "base/sbuf.h"
#include "tui/panel_gpu.h"

#define SPARK_NS (60 * NSEC_PER_SEC)

enum { SPARK_MOST = 64 };

enum gpu_state gpu_state(const struct view *v, u32 row)
{
	static const char *const words[] = {
		[GPU_ASLEEP] = "asleep", [GPU_LOST] = "lost", [GPU_LATE] = "late"};
	char state[16];

	field_label(state, sizeof(state), &v->whole, FIELD_GPU_state, row);
	for (u32 i = GPU_ASLEEP; i < ARRAY_LEN(words); i++)
		if (!strcmp(state, words[i]))
			return (enum gpu_state)i;
	return GPU_ACTIVE;
}

bool gpu_counted(const struct view *v, u32 row)
{
	return field_or_zero(&v->whole, FIELD_GPU_counted, row) > 0;
}

static void gib(struct sbuf *sb, double bytes)
{
	char number[HUMAN_SIZE];
	double v = bytes / (double)(1 << 30);

	human_fixed(number, v, v < 99.95 ? 1 : 0);
	sbuf_str(sb, number);
}

void gpu_memory_text(const struct view *v, u32 row, char out[VALUE_TEXT])
{
	double used, total;
	bool has_used = field_num(&v->whole, FIELD_GPU_memory_used, row, &used);
	bool has_total = field_num(&v->whole, FIELD_GPU_memory_total, row, &total);
	struct sbuf sb;

	sbuf_init(&sb, out, VALUE_TEXT);
	if (!has_used && !has_total)
		return;
	if (has_used)
		gib(&sb, used);
	else
		sbuf_char(&sb, '-');
	if (!has_total)
		return;
	sbuf_char(&sb, '/');
	gib(&sb, total);
}

void gpu_power_text(const struct view *v, u32 row, char out[VALUE_TEXT])
{
	char number[HUMAN_SIZE];
	double power, cap;
	struct sbuf sb;

	sbuf_init(&sb, out, VALUE_TEXT);
	if (!field_num(&v->whole, FIELD_GPU_power, row, &power))
		return;
	human_fixed(number, power, power < 9.95 ? 1 : 0);
	sbuf_str(&sb, number);
	if (!field_num(&v->whole, FIELD_GPU_power_cap, row, &cap) || cap <= 0)
		return;
	human_fixed(number, cap, 0);
	sbuf_char(&sb, '/');
	sbuf_str(&sb, number);
}

struct spark {
	u32 width;
	u64 cell_ns, last; /* last: number of the newest cell since the start of time, so that cells
	                    * stand still until the next begins */
	float sum[SPARK_MOST];
	u16 n[SPARK_MOST];
};

static void spark_add(struct spark *s, const struct history_point *p)
{
	u64 window = p->window_ns, end = p->end_mono_ns;
	u64 from, to = (end - window / 2) / s->cell_ns;

	if (cell_state(p->cell) == CELL_ABSENT)
		return;
	from = to;
	/* a long window fills all that it covers */
	if (window > s->cell_ns && end > window) {
		from = (end - window) / s->cell_ns + 1;
		to = end / s->cell_ns;
	}
	for (u64 at = from; at <= to && at <= s->last; at++) {
		u32 back = (u32)(s->last - at);

		if (s->last - at >= s->width)
			continue;
		s->sum[s->width - 1 - back] += p->num;
		s->n[s->width - 1 - back]++;
	}
}

static u32 spark_sign(double busy, enum charset charset)
{
	if (charset == CHARSET_ASCII)
		return busy >= 95 ? '#' : '0' + (u32)(busy / 10);
	return 0x2581 + (busy >= 100 ? 7 : (u32)(busy / 100 * 7 + 0.5));
}

void gpu_spark(struct view *v, struct grid *g, u32 row, u32 x, u32 y, u32 width)
{
	struct spark s = {.width = width < SPARK_MOST ? width : SPARK_MOST};
	int series = gpus_series(&v->gpus, v->whole.table[TAB_GPU]->now->key[row]);
	u64 until = v->paused ? v->frame->at.mono_ns : UINT64_MAX;
	struct history_point p;

	if (!s.width || series < 0)
		return;
	s.cell_ns = SPARK_NS / s.width;
	for (u32 back = 0; history_at(v->gpus.history, series, back, &p); back++) {
		if (p.end_mono_ns > until)
			continue;
		if (!s.last)
			s.last = (p.end_mono_ns - p.window_ns / 2) / s.cell_ns;
		if (p.end_mono_ns / s.cell_ns + s.width < s.last)
			break;
		spark_add(&s, &p);
	}
	for (u32 i = 0; i < s.width; i++)
		if (s.n[i])
			grid_put(g, x + i, y, ROLE_GRAPH,
				spark_sign((double)s.sum[i] / s.n[i], v->charset));
}

/* "power-cap:31%" of the window; the driver's word where it does not keep the time. */
static void slowed_items(const struct view *v, u32 row, struct line *l)
{
	static const struct {
		u32 field;
		u8 priority, role;
		const char *name;
	} parts[] = {{FIELD_GPU_slowed_thermal, 1, ROLE_ALERT, "thermal:"},
		{FIELD_GPU_slowed_power, 2, ROLE_WARN, "power-cap:"},
		{FIELD_GPU_slowed_other, 4, ROLE_WARN, "other:"}};
	char text[ITEM_TEXT];
	bool known = false;

	for (u32 i = 0; i < ARRAY_LEN(parts); i++) {
		char number[HUMAN_SIZE];
		struct sbuf sb;
		double share;

		if (!field_num(&v->whole, (enum field)parts[i].field, row, &share))
			continue;
		known = true;
		if (share < 0.05)
			continue;
		human_fixed(number, share > 100 ? 100 : share, share < 9.95 ? 1 : 0);
		sbuf_init(&sb, text, sizeof(text));
		sbuf_str(&sb, parts[i].name);
		sbuf_str(&sb, number);
		sbuf_char(&sb, '%');
		line_add(l, parts[i].priority, (enum role)parts[i].role, NULL, text);
	}
	if (known)
		return;
	field_label(text, sizeof(text), &v->whole, FIELD_GPU_slowed, row);
	if (text[0])
		line_add(l, 2, ROLE_WARN, NULL, text);
}

bool gpu_troubles(const struct view *v, u32 row, struct line *l)
{
	const struct fields *f = &v->whole;
	char text[ITEM_TEXT], number[HUMAN_SIZE];
	bool bad = false, xid;
	double value;

	slowed_items(v, row, l);
	field_label(text, sizeof(text), f, FIELD_GPU_link, row);
	if (strchr(text, '<'))
		line_add(l, 3, ROLE_WARN, NULL, text);
	xid = field_num(f, FIELD_GPU_xid, row, &value);
	if (xid) {
		human_fixed(number, value, 0);
		memcpy(text, "XID", 3);
		strcpy(text + 3, number);
		line_add(l, 0, ROLE_ALERT, NULL, text);
		bad = true;
	}
	field_label(text, sizeof(text), f, FIELD_GPU_health, row);
	if (text[0] && strcmp(text, "ok") != 0) {
		bad = true;
		if (!xid || strncmp(text, "XID", 3) != 0)
			line_add(l, 0, ROLE_ALERT, NULL, text);
	}
	if (gpu_state(v, row) == GPU_LATE) {
		line_add(l, 0, ROLE_ALERT, NULL, "late: no answer");
		bad = true;
	}
	return bad;
}

static void count_item(struct line *l, u32 priority, enum role role, u32 n, const char *what)
{
	char text[ITEM_TEXT];
	struct sbuf sb;

	if (!n)
		return;
	sbuf_init(&sb, text, sizeof(text));
	sbuf_u64(&sb, n);
	sbuf_char(&sb, ' ');
	sbuf_str(&sb, what);
	line_add(l, priority, role, NULL, text);
}

/* "XID79 on 3" when it is one, else how many. */
static void bad_item(const struct view *v, struct line *l, u32 n, u32 row)
{
	char text[ITEM_TEXT], number[16];
	struct line troubles;
	struct sbuf sb;

	if (n != 1) {
		count_item(l, 2, ROLE_ALERT, n, "in trouble");
		return;
	}
	line_init(&troubles);
	gpu_troubles(v, row, &troubles);
	field_label(number, sizeof(number), &v->whole, FIELD_GPU_number, row);
	sbuf_init(&sb, text, sizeof(text));
	for (u32 i = 0; i < troubles.n && !sb.len; i++)
		if (!troubles.item[i].priority)
			sbuf_str(&sb, troubles.item[i].text);
	sbuf_str(&sb, " on ");
	sbuf_str(&sb, number);
	line_add(l, 2, ROLE_ALERT, NULL, text);
}

static void summary_counts(const struct view *v, struct line *l)
{
	u32 lost = 0, asleep = 0, bad = 0, slowed = 0, one = 0;

	for (u32 i = 0; i < v->gpus.n; i++) {
		u32 row = v->gpus.row[i];
		enum gpu_state state = gpu_state(v, row);
		struct line troubles;
		bool wrong;

		if (!gpu_counted(v, row))
			continue;
		line_init(&troubles);
		wrong = gpu_troubles(v, row, &troubles);
		lost += state == GPU_LOST;
		asleep += state == GPU_ASLEEP;
		slowed += !wrong && troubles.n && state == GPU_ACTIVE;
		if (!wrong || state == GPU_LOST)
			continue;
		bad++;
		one = row;
	}
	count_item(l, 1, ROLE_ALERT, lost, "lost");
	bad_item(v, l, bad, one);
	count_item(l, 4, ROLE_WARN, slowed, "slowed");
	count_item(l, 7, ROLE_DIM, asleep, "asleep");
}

void gpu_summary(const struct view *v, struct line *l)
{
	char text[VALUE_TEXT], number[HUMAN_SIZE];
	u32 n = 0;
	double value;

	for (u32 i = 0; i < v->gpus.n; i++)
		n += gpu_counted(v, v->gpus.row[i]);
	human_fixed(number, n, 0);
	line_add(l, 0, ROLE_NORMAL, "GPU", number);
	field_text(text, &v->whole, FIELD_GPU_busy, ROW_TOTAL, VALUE_PERCENT);
	line_add(l, 3, ROLE_STRONG, "busy", text);
	gpu_memory_text(v, ROW_TOTAL, text);
	if (text[0]) {
		strcat(text, "G");
		line_add(l, 6, ROLE_NORMAL, "mem", text);
	}
	if (field_num(&v->whole, FIELD_GPU_power, ROW_TOTAL, &value)) {
		field_text(text, &v->whole, FIELD_GPU_power, ROW_TOTAL, VALUE_WATTS);
		line_add(l, 5, ROLE_NORMAL, NULL, text);
	}
	summary_counts(v, l);
}
