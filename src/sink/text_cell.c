#include "sink/text_cell.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/safe.h"

static void number(const struct column *c, const struct cell *cell, char *out)
{
	switch (c->unit) {
	case UNIT_BYTES:
		human_bytes(out, cell->num);
		break;
	case UNIT_RATIO:
		human_percent(out, cell->num);
		break;
	case UNIT_NS:
		if (c->kind == COLUMN_COUNTER)
			human_percent(out, cell->num);
		else if (c->kind == COLUMN_GAUGE &&
			 c->total == TOTAL_SUM) /* time that adds up: CPU time */
			human_cpu_time(out, cell->raw);
		else
			human_duration(out, cell->num * 1e9);
		break;
	case UNIT_UJ:
	case UNIT_UW:
	case UNIT_UV:
	case UNIT_UA:
	case UNIT_CENTI:
		human_fixed(out, cell->num, 2);
		break;
	case UNIT_MILLIC:
		human_fixed(out, cell->num, 1);
		break;
	case UNIT_BOOTTIME:
		human_duration(out, cell->num * 1e9);
		break;
	case UNIT_ID:
		human_fixed(out, cell->num, 0);
		break;
	case UNIT_BOOL:
		strcpy(out, cell->num != 0 ? "yes" : "no");
		break;
	case UNIT_COUNT:
	case UNIT_HZ:
	case UNIT_BITS:
	case UNIT_TEXT:
		human_count(out, cell->num);
		break;
	}
}

void text_cell(const struct column *column, const struct cell *cell, char *out)
{
	if (cell->state == CELL_ABSENT) {
		strcpy(out, "n/a");
	} else if (column->unit == UNIT_TEXT) {
		if (cell->text_len)
			safe_text(out, TEXT_CELL_SIZE, cell->text, cell->text_len);
		else
			strcpy(out, "-");
	} else {
		if (cell->state == CELL_APPROX)
			*out++ = '~';
		number(column, cell, out);
	}
}

u32 text_width(const char *text)
{
	const char *end = text + strlen(text);
	u32 width = 0;

	while (text < end) {
		bool valid = true;
		u32 cp;

		text += utf8_decode(text, end, &cp, &valid);
		width += safe_width(cp);
	}
	return width;
}

void text_heading(const struct column *c, char *out, u32 size)
{
	const char *unit = schema_unit(c);
	/* these bring their unit with every value */
	bool own = c->unit == UNIT_BOOTTIME || (c->unit == UNIT_NS && c->kind != COLUMN_COUNTER);
	size_t title = strlen(c->title), n = strlen(unit);

	if (own || !n || (title >= n && !strcmp(c->title + title - n, unit)))
		snprintf(out, size, "%s", c->title);
	else
		snprintf(out, size, "%s %s", c->title, unit);
}

bool text_is_right(const struct column *column)
{
	return column->unit != UNIT_TEXT;
}
