/* The machine's busy time and what it is made of. */
#include <string.h>

#include "tui/view_state.h"

bool view_own_cpu(const struct view *v, double *cpu, double *user, double *system)
{
	const struct fields *f = &v->whole;
	const struct frame_table *t = f->table[TAB_PROCESS];
	s8 own = f->col[FIELD_PROCESS_own];

	*cpu = *user = *system = 0;
	for (u32 row = 0; t && own >= 0 && row < t->n; row++) {
		if (cell_state(t->now->cell[own][row]) == CELL_ABSENT || !t->now->col[own][row])
			continue;
		*cpu += field_or_zero(f, FIELD_PROCESS_cpu, row);
		*user += field_or_zero(f, FIELD_PROCESS_user_cpu, row);
		*system += field_or_zero(f, FIELD_PROCESS_system_cpu, row);
	}
	return *cpu > 0;
}

static void sum_exited(const struct fields *f, struct sums *out)
{
	for (u32 row = 0; row < fields_rows(f, TAB_EXITED); row++) {
		out->exited += field_or_zero(f, FIELD_EXITED_cpu, row);
		out->exits += field_or_zero(f, FIELD_EXITED_exits, row);
	}
	/* no rows: nothing ended, unless the table itself has no window */
	out->has_exited = f->table[TAB_EXITED] && !f->table[TAB_EXITED]->gap &&
			  !f->table[TAB_EXITED]->now->missing && f->table[TAB_EXITED]->seq;
}

/* The account that was made with the reading itself, where there is one. False: there is none. */
static bool attribution(const struct fields *f, struct sums *out)
{
	struct {
		const char *name;
		double *to, value;
	} parts[] = {{"processes", &out->processes, 0}, {"exited", &out->exited, 0},
		{"interrupts", &out->irq, 0}, {"busy", &out->busy, 0}};
	u32 found = 0;

	for (u32 row = 0; row < fields_rows(f, TAB_ATTRIBUTION); row++) {
		struct cell cell;

		field_cell(f, FIELD_ATTRIBUTION_name, row, &cell);
		for (u32 i = 0; i < ARRAY_LEN(parts); i++) {
			if (cell.state == CELL_ABSENT || cell.text_len != strlen(parts[i].name) ||
				memcmp(cell.text, parts[i].name, cell.text_len) != 0)
				continue;
			if (field_num(f, FIELD_ATTRIBUTION_cpu, row, &parts[i].value))
				found |= 1u << i;
		}
	}
	if (found != (1u << ARRAY_LEN(parts)) - 1)
		return false;
	for (u32 i = 0; i < ARRAY_LEN(parts); i++)
		*parts[i].to = parts[i].value;
	out->unattributed = out->busy - out->processes - out->exited - out->irq;
	out->has_processes = out->has_exited = true;
	out->steal = 0; /* among the interrupts, or not busy */
	return true;
}

void view_sums(const struct view *v, struct sums *out)
{
	const struct fields *f = &v->whole;
	double busy, value, user, system;
	bool exact;

	*out = (struct sums){0};
	for (u32 row = 0; row < fields_rows(f, TAB_CPU); row++)
		out->cpus += field_num(f, FIELD_CPU_busy, row, &value);
	out->known = out->cpus && field_num(f, FIELD_CPU_busy, ROW_TOTAL, &busy);
	out->has_processes = field_num(f, FIELD_PROCESS_cpu, ROW_TOTAL, &out->processes);
	sum_exited(f, out);
	if (!out->known)
		return;
	out->busy = busy * out->cpus;
	out->irq = out->cpus * (field_or_zero(f, FIELD_CPU_irq, ROW_TOTAL) +
				       field_or_zero(f, FIELD_CPU_softirq, ROW_TOTAL));
	out->steal = out->cpus * field_or_zero(f, FIELD_CPU_steal, ROW_TOTAL);
	exact = attribution(f, out);
	if (v->without_own) {
		view_own_cpu(v, &out->own, &user, &system);
		out->busy -= out->own;
		out->processes -= out->own;
	}
	out->busy_share = out->busy / out->cpus;
	if (!exact)
		out->unattributed = out->busy - out->processes - out->exited - out->irq -
				    out->steal;
}
