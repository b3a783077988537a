#include "core/frame.h"

#include <string.h>

#include "core/unit.h"

static void derived(const struct frame_table *t, u32 row, u32 column, struct cell *out)
{
	const struct column *c = &t->schema->columns[column];
	double v = 0;
	u8 reason;

	if (row == ROW_TOTAL && c->total == TOTAL_NONE) {
		out->reason = REASON_UNSUPPORTED;
		return;
	}
	reason = c->derive(t, row, &v);
	out->reason = (enum reason)reason;
	if (reason)
		return;
	out->state = CELL_VALUE;
	out->num = v * unit_factor(c->unit);
}

static void total(const struct frame_table *t, u32 column, struct cell *out)
{
	out->state = cell_state(t->total_cell[column]);
	out->reason = cell_reason(t->total_cell[column]);
	if (out->state == CELL_ABSENT)
		return;
	out->num = t->total_num[column];
	out->diff = t->total_diff[column];
	out->raw = t->total_diff[column];
}

void frame_cell(const struct frame_table *t, u32 row, u32 column, struct cell *out)
{
	const struct column *c;

	*out = (struct cell){.state = CELL_ABSENT, .reason = REASON_UNSUPPORTED, .text = ""};
	if (column >= t->schema->ncolumns || (row != ROW_TOTAL && row >= t->n))
		return;
	c = &t->schema->columns[column];
	if (c->kind == COLUMN_DERIVED) {
		derived(t, row, column, out);
		return;
	}
	if (row == ROW_TOTAL) {
		total(t, column, out);
		return;
	}
	out->raw = t->now->col[column][row];
	if (c->kind == COLUMN_COUNTER) {
		u8 cell = t->cell[column][row];

		out->state = cell_state(cell);
		out->reason = cell_reason(cell);
		if (out->state == CELL_ABSENT)
			return;
		out->diff = t->diff[column][row];
		out->num = unit_rate(c->unit, out->diff, t->window_ns[row]);
		if ((c->flags & COLUMN_SIGNED) && (s64)out->diff < 0)
			out->num = -unit_rate(c->unit, 0 - out->diff, t->window_ns[row]);
		return;
	}
	out->state = cell_state(t->now->cell[column][row]);
	out->reason = cell_reason(t->now->cell[column][row]);
	if (out->state == CELL_ABSENT)
		return;
	if (c->kind == COLUMN_TEXT)
		out->text = table_get_text(t->now, row, column, &out->text_len);
	else
		out->num = unit_gauge(c, out->raw, t->now->boot_ns[row]);
}

bool frame_num(const struct frame_table *t, u32 row, u32 column, double *out)
{
	struct cell cell;

	frame_cell(t, row, column, &cell);
	*out = cell.num;
	return cell.state != CELL_ABSENT && t->schema->columns[column].kind != COLUMN_TEXT;
}

bool frame_diff(const struct frame_table *t, u32 row, u32 column, u64 *out)
{
	*out = 0;
	if (column >= t->schema->ncolumns || t->schema->columns[column].kind != COLUMN_COUNTER)
		return false;
	if (row == ROW_TOTAL) {
		*out = t->total_diff[column];
		return cell_state(t->total_cell[column]) != CELL_ABSENT;
	}
	if (row >= t->n || cell_state(t->cell[column][row]) == CELL_ABSENT)
		return false;
	*out = t->diff[column][row];
	return true;
}

bool frame_raw(const struct frame_table *t, u32 row, u32 column, u64 *out)
{
	*out = 0;
	if (column >= t->schema->ncolumns || t->schema->columns[column].kind == COLUMN_DERIVED)
		return false;
	if (row == ROW_TOTAL) {
		*out = t->total_diff[column];
		return cell_state(t->total_cell[column]) != CELL_ABSENT;
	}
	if (row >= t->n || cell_state(t->now->cell[column][row]) == CELL_ABSENT)
		return false;
	*out = t->now->col[column][row];
	return true;
}

u64 frame_window_ns(const struct frame_table *t, u32 row)
{
	if (row == ROW_TOTAL)
		return t->total_window_ns;
	return row < t->n ? t->window_ns[row] : 0;
}

const struct frame_table *frame_find(const struct frame *frame, const char *name)
{
	for (u32 i = 0; frame && i < frame->ntables; i++)
		if (!strcmp(frame->tables[i]->schema->name, name))
			return frame->tables[i];
	return NULL;
}
