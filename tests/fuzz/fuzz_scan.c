/* The hand scanners. The first byte picks one. */
#include "fuzz.h"

#include <string.h>

#include "base/scan.h"

static void seen(void *arg, u32 cpu)
{
	u64 *n = arg;

	MUST(cpu < 65536);
	++*n;
}

static void cpu_list(const char *p, const char *end)
{
	u64 n = 0;
	/* a list may name a range again and again: that is slow, not wrong */
	if (end - p < 64)
		scan_cpu_list(p, end, seen, &n);
}

static void duration(const char *p, const char *end)
{
	char text[128];
	size_t len = (size_t)(end - p);
	u64 ns = 0;

	if (len >= sizeof(text))
		return;
	memcpy(text, p, len);
	text[len] = '\0';
	if (!scan_duration(text, &ns))
		MUST(ns <= 1000000000000000000ull && scan_is_digit(text[0]));
}

static void octal(const char *p, const char *end)
{
	size_t len = (size_t)(end - p), n;
	char *text = malloc(len ? len : 1);

	MUST(text);
	memcpy(text, p, len);
	n = scan_unescape_octal(text, len);
	MUST(n <= len && 4 * n >= len);
	if (!memchr(p, '\\', len))
		MUST(n == len && !memcmp(text, p, len));
	free(text);
}

static void numbers(const char *p, const char *end)
{
	const char *q = p, *at;

	while (q < end) {
		bool ok = true;
		u64 v, whole;
		s64 s;

		at = q;
		q = scan_u64(at, end, &v, &ok);
		MUST(q >= at && q <= end);
		if (ok && !scan_whole_u64(at, q, &whole))
			MUST(whole == v);
		q = scan_s64(at, end, &s, &ok);
		MUST(q >= at && q <= end);
		q = scan_fixed(at, end, (u32)(at - p) % 12, &v, &ok);
		MUST(q >= at && q <= end);
		q = scan_skip_words(at, end, 1);
		MUST(q >= at && q <= end);
		q = scan_next_line(at, end);
		MUST(q > at && q <= end);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const fns[])(const char *p, const char *end) = {
		cpu_list, duration, octal, numbers};
	const char *p = (const char *)data;

	if (size)
		fns[data[0] % 4](p + 1, p + size);
	return 0;
}
