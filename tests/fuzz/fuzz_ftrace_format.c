/* Format files of the kernel's events, and what is made of them. */
#include "fuzz.h"

#include <string.h>

#include "ftrace/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_format f;
	struct plan plan;
	struct err err;

	format_page_data((const char *)data, size);
	if (format_parse(&f, (const char *)data, size, &err))
		return 0;
	MUST(f.n && f.ncommon <= f.n && f.id <= UINT16_MAX && f.name);
	for (u32 i = 0; i < f.n; i++) {
		MUST(strlen(f.fields[i].name) && f.fields[i].type);
		MUST(f.fields[i].offset <= 1 << 16 && f.fields[i].size <= 1 << 16);
	}
	if (!plan_make(&plan, "group", &f)) {
		MUST(plan.n <= f.n && plan.fixed <= 2 << 16);
		if (plan.generic) {
			u8 *room = malloc(plan_describe_room(&plan, &f));

			MUST(room && plan_describe(&plan, &f, room) <=
					     room + plan_describe_room(&plan, &f));
			free(room);
		}
		plan_free(&plan);
	}
	format_free(&f);
	return 0;
}
