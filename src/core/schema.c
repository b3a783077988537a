#include "core/schema.h"

#include <stdio.h>
#include <string.h>

int schema_find(const struct schema *schema, const char *name)
{
	for (u32 i = 0; i < schema->ncolumns; i++)
		if (!strcmp(schema->columns[i].name, name))
			return (int)i;
	return -1;
}

u64 schema_usual(const struct schema *schema)
{
	u64 need = ~0ull;

	for (u32 c = 0; c < schema->ncolumns; c++)
		if (schema->columns[c].flags & COLUMN_ON_REQUEST)
			need &= ~column_bit(c);
	return need;
}

static const char *suffix(const struct column *c)
{
	static const char *const counter[] = {
		[UNIT_COUNT] = "_per_second",
		[UNIT_BYTES] = "_bytes_per_second",
		[UNIT_NS] = "_percent",
		[UNIT_UJ] = "_watts",
		[UNIT_BITS] = "_bits_per_second",
	};
	static const char *const gauge[] = {
		[UNIT_BYTES] = "_bytes",
		[UNIT_NS] = "_seconds",
		[UNIT_UJ] = "_joules",
		[UNIT_HZ] = "_hertz",
		[UNIT_BITS] = "_bits_per_second",
		[UNIT_RATIO] = "_percent",
		[UNIT_MILLIC] = "_celsius",
		[UNIT_BOOTTIME] = "_age_seconds",
		[UNIT_UW] = "_watts",
		[UNIT_UV] = "_volts",
		[UNIT_UA] = "_amperes",
	};
	const char *s = NULL;

	if (c->kind == COLUMN_COUNTER)
		s = c->unit < ARRAY_LEN(counter) ? counter[c->unit] : NULL;
	else
		s = c->unit < ARRAY_LEN(gauge) ? gauge[c->unit] : NULL;
	return s ? s : "";
}

void schema_key(const struct column *column, char *out, u32 size)
{
	snprintf(out, size, "%s%s", column->name, suffix(column));
}

const char *schema_unit(const struct column *c)
{
	bool counter = c->kind == COLUMN_COUNTER;

	switch (c->unit) {
	case UNIT_COUNT:
		return counter ? "/s" : "";
	case UNIT_BYTES:
		return counter ? "B/s" : "B";
	case UNIT_NS:
		return counter ? "%" : "s";
	case UNIT_UJ:
		return counter ? "W" : "J";
	case UNIT_HZ:
		return "Hz";
	case UNIT_BITS:
		return "bit/s";
	case UNIT_RATIO:
		return "%";
	case UNIT_MILLIC:
		return "°C";
	case UNIT_BOOTTIME:
		return "s";
	case UNIT_UW:
		return "W";
	case UNIT_UV:
		return "V";
	case UNIT_UA:
		return "A";
	case UNIT_CENTI:
	case UNIT_ID:
	case UNIT_TEXT:
	case UNIT_BOOL:
		break;
	}
	return "";
}
