/* Limits of a process (/proc/PID/limits) and, where it is known, how much of each is in use. */
#include <stdio.h>

#include "base/human.h"
#include "base/sbuf.h"
#include "base/scan.h"
#include "process/details_internal.h"

enum { UNLIMITED_LEN = 9 };

static int count_name(void *arg, const char *name)
{
	u64 *n = arg;

	(void)name;
	++*n;
	return 0;
}

static bool open_files(struct reading *r, u64 *out)
{
	char path[READING_PATH];

	*out = 0;
	return root_list(r->root, reading_path(r, path, "fd"), count_name, out) == 0;
}

/* How much is in use of the limit of this name; false where nobody tells. */
static bool in_use(struct reading *r, const char *name, u64 *out)
{
	static const struct {
		const char *limit, *status;
		u32 factor;
	} known[] = {
		{"data size", "VmData:", 1024},
		{"stack size", "VmStk:", 1024},
		{"locked memory", "VmLck:", 1024},
		{"address space", "VmSize:", 1024},
		{"pending signals", "SigQ:", 1},
	};

	if (!strcmp(name, "open files"))
		return open_files(r, out);
	for (u32 i = 0; i < ARRAY_LEN(known); i++) {
		if (strcmp(name, known[i].limit))
			continue;
		if (!reading_number(r, known[i].status, out))
			return false;
		*out *= known[i].factor;
		return true;
	}
	return false;
}

static void add_value(struct sbuf *sb, u64 value, bool known, bool bytes)
{
	char number[HUMAN_SIZE];

	if (!known) {
		sbuf_str(sb, "unlimited");
		return;
	}
	if (bytes)
		human_bytes(number, (double)value);
	else
		snprintf(number, sizeof(number), "%llu", (unsigned long long)value);
	sbuf_str(sb, number);
}

static const char *value(const char *p, const char *end, u64 *out, bool *known)
{
	*known = true;
	p = scan_blank(p, end);
	if (!scan_starts(p, end, "unlimited"))
		return scan_u64(p, end, out, known);
	*known = false;
	return p + UNLIMITED_LEN;
}

/* "Max open files            1024                 1048576              files     " */
static void line(struct reading *r, const char *p, const char *end)
{
	const char *stop = p;
	char name[32], text[160];
	u64 soft = 0, hard = 0, used = 0;
	bool has_soft, has_hard, bytes;
	struct sbuf sb;
	u32 percent;

	if (!scan_starts(p, end, "Max "))
		return;
	p += 4;
	while (stop + 1 < end && (stop[0] != ' ' || stop[1] != ' '))
		stop++;
	if (stop <= p || stop + 1 >= end)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(stop - p), p);
	p = value(stop, end, &soft, &has_soft);
	p = scan_blank(value(p, end, &hard, &has_hard), end);
	bytes = scan_starts(p, end, "bytes");
	sbuf_init(&sb, text, sizeof(text));
	add_value(&sb, soft, has_soft, bytes);
	if (has_hard) {
		sbuf_str(&sb, " (hard ");
		add_value(&sb, hard, has_hard, bytes);
		sbuf_char(&sb, ')');
	}
	if (has_hard && p < end && !bytes) {
		sbuf_char(&sb, ' ');
		sbuf_add(&sb, p, (size_t)(scan_word_end(p, end) - p));
	}
	if (!in_use(r, name, &used)) {
		details_add(r->out, DETAIL_VALUE, name, text, sb.len);
		return;
	}
	sbuf_str(&sb, ", in use ");
	add_value(&sb, used, true, bytes);
	percent = has_soft && soft ? (u32)min_u64((u64)((double)used * 100 / (double)soft), 999)
				   : 0;
	if (percent > NEAR_PERCENT)
		sbuf_printf(&sb, ": %u%%, near the limit", percent);
	details_add(
		r->out, percent > NEAR_PERCENT ? DETAIL_WARN : DETAIL_VALUE, name, text, sb.len);
}

void details_limits(struct reading *r)
{
	char path[READING_PATH], text[4096];
	int len = root_read(r->root, reading_path(r, path, "limits"), text, sizeof(text));

	details_add(r->out, DETAIL_SECTION, "limits", "", 0);
	if (len < 0) {
		reading_absent(r, "limits", len);
		return;
	}
	for (const char *p = text, *end = text + len; p < end; p = scan_next_line(p, end))
		line(r, p, scan_line_end(p, end));
}
