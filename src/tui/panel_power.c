/* The line of power. What a card uses may be known twice: by its own driver (table `gpu`), and by a meter of the table
 * `energy`. It is counted once by this rule: a meter of the kind hwmon whose device is the card's, or its driver
 * (hwmon chips are named after it), is the card's, and the card is in the energy table's total already. So is a GPU
 * whose memory is the machine's: it is part of the package, where there is a meter of that. Every other card is added
 * to the total. The card's meters have no item of their own: "gpu" is the sum over all cards. */
#include "tui/panel.h"

#include <string.h>

#include "base/human.h"
#include "base/sbuf.h"

static bool same(const struct cell *a, const struct cell *b)
{
	return a->state != CELL_ABSENT && b->state != CELL_ABSENT && a->text_len &&
	       a->text_len == b->text_len && !memcmp(a->text, b->text, a->text_len);
}

/* Is this meter that of this card? */
static bool meters(const struct view *v, u32 meter, u32 gpu)
{
	static const char hwmon[] = "hwmon";
	const struct cell word = {
		.state = CELL_VALUE, .text = hwmon, .text_len = sizeof(hwmon) - 1};
	struct cell kind, device, name;

	field_cell(&v->whole, FIELD_ENERGY_kind, meter, &kind);
	field_cell(&v->whole, FIELD_ENERGY_device, meter, &device);
	if (!same(&kind, &word))
		return false;
	field_cell(&v->whole, FIELD_GPU_device, gpu, &name);
	if (same(&device, &name))
		return true;
	field_cell(&v->whole, FIELD_GPU_driver, gpu, &name);
	return same(&device, &name);
}

/* Is the card's power in the total of the energy table? */
static bool counted_there(const struct view *v, u32 gpu)
{
	const struct fields *f = &v->whole;
	bool shared = field_or_zero(f, FIELD_GPU_memory_shared, gpu) > 0;
	double value;

	for (u32 row = 0; row < fields_rows(f, TAB_ENERGY); row++) {
		if (field_or_zero(f, FIELD_ENERGY_counted, row) <= 0 ||
			!field_num(f, FIELD_ENERGY_power, row, &value))
			continue;
		if (shared || meters(v, row, gpu))
			return true;
	}
	return false;
}

static bool of_a_card(const struct view *v, u32 meter)
{
	for (u32 i = 0; i < v->gpus.n; i++)
		if (meters(v, meter, v->gpus.row[i]))
			return true;
	return false;
}

/* What the cards use, and what of it the energy table does not count. False: nothing is known. */
static bool cards(const struct view *v, double *all, double *besides)
{
	bool any = false;

	*all = *besides = 0;
	for (u32 i = 0; gpus_panel(v) && i < v->gpus.n; i++) {
		u32 row = v->gpus.row[i];
		double value;

		if (field_or_zero(&v->whole, FIELD_GPU_counted, row) <= 0 ||
			!field_num(&v->whole, FIELD_GPU_power, row, &value))
			continue;
		any = true;
		*all += value;
		*besides += counted_there(v, row) ? 0 : value;
	}
	return any;
}

static bool is_text(const struct view *v, enum field field, u32 row, const char *text)
{
	struct cell cell;

	field_cell(&v->f, field, row, &cell);
	return cell.state != CELL_ABSENT && cell.text_len == strlen(text) &&
	       !memcmp(cell.text, text, cell.text_len);
}

/* Charge of each battery, and how long it lasts. */
static void batteries(const struct view *v, struct line *l)
{
	char name[24], text[HUMAN_SIZE], value[VALUE_TEXT];
	struct sbuf sb;
	double num;

	for (u32 row = 0; row < fields_rows(&v->f, TAB_BATTERY) && l->n < LINE_ITEMS - 2; row++) {
		if (!is_text(v, FIELD_BATTERY_kind, row, "Battery") ||
			!field_num(&v->f, FIELD_BATTERY_capacity, row, &num))
			continue;
		field_label(name, sizeof(name), &v->f, FIELD_BATTERY_name, row);
		sbuf_init(&sb, value, sizeof(value));
		human_fixed(text, num, 0);
		sbuf_str(&sb, text);
		sbuf_str(&sb, "%");
		if (is_text(v, FIELD_BATTERY_status, row, "Charging"))
			sbuf_str(&sb, "+");
		if (field_num(&v->f, FIELD_BATTERY_time_left, row, &num)) {
			human_duration(text, num * 1e9);
			sbuf_str(&sb, " ");
			sbuf_str(&sb, text);
		}
		line_add(l, 3, ROLE_NORMAL, name, value);
	}
}

bool power_known(const struct view *v)
{
	return v->f.table[TAB_ENERGY] || fields_rows(&v->f, TAB_BATTERY) ||
	       (gpus_panel(v) && v->gpus.has & GPU_HAS_POWER);
}

static void watts_item(
	struct line *l, u32 priority, enum role role, const char *title, const struct cell *cell)
{
	char text[VALUE_TEXT];

	value_text(text, cell, VALUE_WATTS);
	line_add(l, priority, role, title, text);
}

void panel_power(struct view *v, struct grid *g, u32 y)
{
	struct cell total, gpu = {.state = CELL_VALUE};
	double besides;
	bool any;
	char name[24];
	struct line l;

	line_init(&l);
	any = cards(v, &gpu.num, &besides);
	if (v->f.table[TAB_ENERGY])
		table_head(v, &l, TAB_ENERGY, "PWR");
	else
		line_add(&l, 0, ROLE_NORMAL, "PWR", "");
	for (u32 row = 0; row < fields_rows(&v->f, TAB_ENERGY) && l.n < LINE_ITEMS - 3; row++) {
		struct cell cell;

		if (any && of_a_card(v, row))
			continue;
		field_label(name, sizeof(name), &v->f, FIELD_ENERGY_name, row);
		field_cell(&v->f, FIELD_ENERGY_power, row, &cell);
		watts_item(&l, 3, ROLE_NORMAL, name, &cell);
	}
	if (any)
		watts_item(&l, 2, ROLE_NORMAL, "gpu", &gpu);
	field_cell(&v->f, FIELD_ENERGY_power, ROW_TOTAL, &total);
	if (any && total.state == CELL_ABSENT)
		total = (struct cell){.state = CELL_VALUE};
	total.num += any ? besides : 0;
	if (total.state != CELL_ABSENT)
		watts_item(&l, 2, ROLE_STRONG, "known", &total);
	batteries(v, &l);
	line_draw(&l, g, 0, y, g->cols);
}
