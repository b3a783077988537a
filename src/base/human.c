#include "base/human.h"

#include <math.h>

#include "base/sbuf.h"

static const u64 pow10_u64[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

u32 human_fixed(char *out, double v, u32 decimals)
{
	struct sbuf sb;
	double scaled;
	u64 n, scale = pow10_u64[decimals > 9 ? 9 : decimals];

	sbuf_init(&sb, out, HUMAN_SIZE);
	scaled = round(fabs(v) * (double)scale);
	if (!isfinite(v) || scaled >= 1.8e19) {
		sbuf_char(&sb, '-');
		return sb.len;
	}
	n = (u64)scaled;
	if (v < 0 && n)
		sbuf_char(&sb, '-');
	sbuf_u64(&sb, n / scale);
	if (decimals) {
		sbuf_char(&sb, '.');
		for (u64 d = scale / 10, rest = n % scale; d; d /= 10)
			sbuf_char(&sb, (char)('0' + rest / d % 10));
	}
	return sb.len;
}

static u32 scaled(char *out, double v, double step, const char *suffixes)
{
	u32 i = 0, n;
	double a = fabs(v);

	if (!isfinite(v))
		return human_fixed(out, v, 0);
	while (a >= 999.5 && suffixes[i + 1]) {
		a /= step;
		v /= step;
		i++;
	}
	if (a >= 999.5)
		return human_fixed(out, (double)NAN, 0);
	/* a sign takes the column of the decimal */
	n = human_fixed(out, v, i && a < (v < 0 ? 9.95 : 99.95) ? 1 : 0);
	if (suffixes[i] != ' ') {
		out[n++] = suffixes[i];
		out[n] = '\0';
	}
	return n;
}

u32 human_bytes(char *out, double bytes)
{
	return scaled(out, bytes, 1024, " KMGTPEZY");
}

u32 human_count(char *out, double count)
{
	return scaled(out, count, 1000, " kMGTPEZY");
}

u32 human_percent(char *out, double percent)
{
	return human_fixed(out, percent, fabs(percent) < 99.95 ? 1 : 0);
}

u32 human_duration(char *out, double ns)
{
	static const struct {
		double ns;
		const char *suffix;
	} units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
	double v = ns;
	struct sbuf sb;
	u32 i = 0, n;
	u64 s;

	if (!(ns >= 0 && ns < 1e18 * 1e9))
		return human_fixed(out, (double)NAN, 0);
	if (ns < 59.95e9) {
		while (i < 3 && v >= 999.5) {
			v /= 1e3;
			i++;
		}
		n = human_fixed(out, v, i == 0 ? 0 : v < 9.995 ? 2 : v < 99.95 ? 1 : 0);
		sbuf_init(&sb, out + n, HUMAN_SIZE - n);
		sbuf_str(&sb, units[i].suffix);
		return n + sb.len;
	}
	s = (u64)llround(ns / 1e9);
	sbuf_init(&sb, out, HUMAN_SIZE);
	if (s < 3600)
		sbuf_printf(
			&sb, "%llum%02llu", (unsigned long long)s / 60, (unsigned long long)s % 60);
	else if (s < 48 * 3600)
		sbuf_printf(&sb, "%lluh%02llu", (unsigned long long)s / 3600,
			(unsigned long long)s / 60 % 60);
	else
		sbuf_printf(&sb, "%llud", (unsigned long long)s / 86400);
	return sb.len;
}

static void two_digits(struct sbuf *sb, u64 v)
{
	sbuf_char(sb, (char)('0' + v / 10 % 10));
	sbuf_char(sb, (char)('0' + v % 10));
}

u32 human_cpu_time(char *out, u64 ns)
{
	u64 cs = ns / 10000000, s = cs / 100;
	struct sbuf sb;

	sbuf_init(&sb, out, HUMAN_SIZE);
	if (s < 3600) {
		sbuf_u64(&sb, s / 60);
		sbuf_char(&sb, ':');
		two_digits(&sb, s % 60);
		sbuf_char(&sb, '.');
		two_digits(&sb, cs % 100);
	} else if (s < 10 * 3600) {
		sbuf_u64(&sb, s / 3600);
		sbuf_char(&sb, 'h');
		two_digits(&sb, s / 60 % 60);
		sbuf_char(&sb, ':');
		two_digits(&sb, s % 60);
	} else if (s < 240 * 3600) {
		sbuf_u64(&sb, s / 3600);
		sbuf_char(&sb, 'h');
		two_digits(&sb, s / 60 % 60);
	} else {
		sbuf_u64(&sb, s / 86400);
		sbuf_char(&sb, 'd');
		two_digits(&sb, s / 3600 % 24);
		sbuf_char(&sb, 'h');
	}
	return sb.len;
}
