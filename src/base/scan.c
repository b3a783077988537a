#include "base/scan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

const char *scan_s64(const char *p, const char *end, s64 *out, bool *ok)
{
	bool negative = false, found = true;
	u64 v = 0;

	p = scan_blank(p, end);
	if (p < end && *p == '-') {
		negative = true;
		p++;
		if (p < end && !scan_is_digit(*p)) {
			*ok = false;
			return p;
		}
	}
	p = scan_u64(p, end, &v, &found);
	if (!found) {
		*ok = false;
		return p;
	}
	if (negative)
		*out = v > (u64)INT64_MAX ? INT64_MIN : -(s64)v;
	else
		*out = v > (u64)INT64_MAX ? INT64_MAX : (s64)v;
	return p;
}

const char *scan_fixed(const char *p, const char *end, u32 digits, u64 *out, bool *ok)
{
	bool found = true;
	bool over;
	u64 v = 0;

	p = scan_u64(p, end, &v, &found);
	if (!found) {
		*ok = false;
		return p;
	}
	over = v == UINT64_MAX;
	if (p < end && *p == '.')
		p++;
	else
		found = false;
	for (u32 i = 0; i < digits; i++) {
		u64 d = 0;

		if (found && p < end && scan_is_digit(*p))
			d = (u64)(*p++ - '0');
		over |= __builtin_mul_overflow(v, 10u, &v);
		over |= __builtin_add_overflow(v, d, &v);
	}
	while (found && p < end && scan_is_digit(*p))
		p++;
	*out = over ? UINT64_MAX : v;
	return p;
}

const char *scan_skip_words(const char *p, const char *end, u32 n)
{
	while (n--)
		p = scan_word_end(scan_blank(p, end), end);
	return p;
}

static bool only_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n'))
		p++;
	return p == end;
}

int scan_whole_u64(const char *p, const char *end, u64 *out)
{
	bool ok = true;
	u64 v = 0;

	p = scan_u64(p, end, &v, &ok);
	if (!ok || !only_space(p, end))
		return -EINVAL;
	*out = v;
	return 0;
}

int scan_whole_s64(const char *p, const char *end, s64 *out)
{
	bool ok = true;
	s64 v = 0;

	p = scan_s64(p, end, &v, &ok);
	if (!ok || !only_space(p, end))
		return -EINVAL;
	*out = v;
	return 0;
}

bool scan_line_u64(const char *p, const char *end, const char *word, u64 *out)
{
	size_t len = strlen(word);
	bool ok = true;

	for (; p < end; p = scan_next_line(p, end)) {
		const char *line = scan_line_end(p, end);

		if (!scan_starts(p, line, word) || scan_word_end(p, line) != p + len)
			continue;
		scan_u64(p + len, line, out, &ok);
		return ok;
	}
	return false;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

size_t scan_unescape_octal(char *text, size_t len)
{
	size_t w = 0;

	for (size_t r = 0; r < len; w++) {
		const char *p = text + r;

		if (*p == '\\' && len - r >= 4 && p[1] >= '0' && p[1] <= '3' && is_octal(p[2]) &&
			is_octal(p[3])) {
			text[w] = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			r += 4;
		} else {
			text[w] = *p;
			r++;
		}
	}
	return w;
}

int scan_cpu_list(const char *p, const char *end, void (*fn)(void *arg, u32 cpu), void *arg)
{
	if (only_space(p, end))
		return 0;
	for (;;) {
		bool ok = true;
		u64 first = 0, last;

		p = scan_u64(p, end, &first, &ok);
		last = first;
		if (ok && p < end && *p == '-')
			p = scan_u64(p + 1, end, &last, &ok);
		if (!ok || last < first || last >= 65536)
			return -EINVAL;
		for (u64 cpu = first; cpu <= last; cpu++)
			fn(arg, (u32)cpu);
		if (p < end && *p == ',') {
			p++;
			continue;
		}
		return only_space(p, end) ? 0 : -EINVAL;
	}
}

int scan_duration(const char *text, u64 *out_ns)
{
	static const struct {
		const char *suffix;
		u64 ns;
	} units[] = {
		{"", NSEC_PER_SEC},
		{"ns", 1},
		{"us", NSEC_PER_USEC},
		{"ms", NSEC_PER_MSEC},
		{"s", NSEC_PER_SEC},
		{"m", 60 * NSEC_PER_SEC},
		{"min", 60 * NSEC_PER_SEC},
		{"h", 3600 * NSEC_PER_SEC},
		{"d", 24 * 3600 * NSEC_PER_SEC},
	};
	const char *end = text + strlen(text), *p;
	bool ok = true;
	u64 nano = 0;

	if (!scan_is_digit(*text))
		return -EINVAL;
	p = scan_fixed(text, end, 9, &nano, &ok);
	if (!ok || nano == UINT64_MAX)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		double ns;

		if (strcmp(p, units[i].suffix) != 0)
			continue;
		ns = (double)nano / 1e9 * (double)units[i].ns;
		if (ns > 1e18)
			return -EINVAL;
		*out_ns = (u64)llround(ns);
		return 0;
	}
	return -EINVAL;
}
