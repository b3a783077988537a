#include "tui/fields.h"

#include <string.h>

static const char *const tabs[TAB_COUNT] = {
	[TAB_CPU] = "cpu",
	[TAB_SYSTEM] = "system",
	[TAB_MEMORY] = "memory",
	[TAB_SWAP] = "swap",
	[TAB_PRESSURE] = "pressure",
	[TAB_CGROUP] = "cgroup",
	[TAB_DISK] = "disk",
	[TAB_FILESYSTEM] = "filesystem",
	[TAB_NETWORK] = "network",
	[TAB_ENERGY] = "energy",
	[TAB_SENSOR] = "sensor",
	[TAB_BATTERY] = "battery",
	[TAB_PROCESS] = "process",
	[TAB_SELF] = "self",
	[TAB_EXITED] = "exited",
	[TAB_ATTRIBUTION] = "attribution",
	[TAB_GPU] = "gpu",
	[TAB_CLIENT] = "gpu_client",
	[TAB_ENGINE] = "gpu_engine",
};

#define FIELD_ENTRY(t, c) [FIELD_##t##_##c] = {TAB_##t, #c},
static const struct {
	u8 tab;
	const char *name;
} entries[FIELD_COUNT] = {FIELD_LIST(FIELD_ENTRY)};
#undef FIELD_ENTRY

void fields_init(struct fields *f)
{
	*f = (struct fields){0};
	memset(f->col, -1, sizeof(f->col));
}

void fields_bind(struct fields *f, const struct frame *frame)
{
	bool changed[TAB_COUNT], any = false;

	for (u32 t = 0; t < TAB_COUNT; t++) {
		const struct frame_table *ft = frame_find(
			frame, t == TAB_PROCESS && f->rows ? f->rows : tabs[t]);

		f->table[t] = ft;
		changed[t] = ft && f->schema[t] != ft->schema;
		any = any || changed[t];
		if (ft)
			f->schema[t] = ft->schema;
	}
	for (u32 i = 0; any && i < FIELD_COUNT; i++)
		if (changed[entries[i].tab])
			f->col[i] = (s8)schema_find(f->schema[entries[i].tab], entries[i].name);
}

const char *field_name(enum field field)
{
	return entries[field].name;
}

u32 fields_rows(const struct fields *f, enum tab tab)
{
	return f->table[tab] ? f->table[tab]->n : 0;
}

void field_cell(const struct fields *f, enum field field, u32 row, struct cell *out)
{
	const struct frame_table *t = f->table[entries[field].tab];

	if (!t || f->col[field] < 0) {
		*out = (struct cell){
			.state = CELL_ABSENT, .reason = REASON_UNSUPPORTED, .text = ""};
		return;
	}
	frame_cell(t, row, (u32)f->col[field], out);
	if (out->state == CELL_ABSENT && t->gap == REASON_STARTING)
		out->reason = REASON_STARTING;
}

bool field_num(const struct fields *f, enum field field, u32 row, double *out)
{
	struct cell cell;

	field_cell(f, field, row, &cell);
	*out = cell.num;
	return cell.state != CELL_ABSENT;
}

double field_or_zero(const struct fields *f, enum field field, u32 row)
{
	double v;

	return field_num(f, field, row, &v) ? v : 0;
}
