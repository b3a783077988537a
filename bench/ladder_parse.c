/* Steps that only parse: stat lines of this machine, already in memory. */
#include "bench/ladder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "process/process.h"

enum { LINE_MOST = 1024 };

int ladder_load_lines(struct ladder *l, const struct ladder_step *step)
{
	u32 at = 0;

	(void)step;
	if (l->lines)
		return 0;
	l->lines = malloc((size_t)l->n * LINE_MOST + 1);
	l->line_at = malloc((l->n + 1) * sizeof(*l->line_at));
	if (!l->lines || !l->line_at)
		return -ENOMEM;
	for (u32 i = 0; i < l->n; i++) {
		char path[64];
		int len = ladder_read_at(l, l->proc, ladder_path(path, "", l->pids[i], "stat"));
		u32 take = len > 0 ? (u32)min_u64((u64)len, LINE_MOST) : 0;

		l->line_at[i] = at;
		memcpy(l->lines + at, l->buf, take);
		at += take;
	}
	l->line_at[l->n] = at;
	return 0;
}

/* Every number of the line, each converted. count is of numbers. */
int ladder_parse_line(struct ladder *l, const struct ladder_step *step)
{
	u64 numbers = 0;

	(void)step;
	for (u32 i = 0; i < l->n; i++) {
		const char *p = l->lines + l->line_at[i], *end = l->lines + l->line_at[i + 1];
		const char *close = memrchr(p, ')', (size_t)(end - p));
		bool ok = close && end - close > 3;
		volatile s64 kept;

		for (p = ok ? close + 3 : end; ok && p < end && *p != '\n'; numbers++) {
			s64 value = 0;

			p = scan_s64(p, end, &value, &ok);
			kept = value;
		}
		(void)kept;
	}
	l->count += l->n ? numbers / l->n : 0;
	return 0;
}

static int parse(struct ladder *l, u64 want)
{
	struct process_stat stat = {0};

	for (u32 i = 0; i < l->n; i++)
		process_parse_stat(
			l->lines + l->line_at[i], l->lines + l->line_at[i + 1], want, &stat);
	l->count += (u64)__builtin_popcountll(want);
	return 0;
}

int ladder_parse_fields(struct ladder *l, const struct ladder_step *step)
{
	(void)step;
	return parse(l, (1ull << STAT_FIELDS) - (1ull << STAT_PPID));
}

int ladder_parse_wanted(struct ladder *l, const struct ladder_step *step)
{
	(void)step;
	return parse(l, 1ull << STAT_PPID | 1ull << STAT_USER_TICKS | 1ull << STAT_SYSTEM_TICKS |
				1ull << STAT_THREADS | 1ull << STAT_START_TICKS |
				1ull << STAT_RESIDENT_PAGES);
}
