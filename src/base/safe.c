#include "base/safe.h"

#include <string.h>

#include "base/width.h"

u32 utf8_decode(const char *p, const char *end, u32 *cp, bool *valid)
{
	const u8 *s = (const u8 *)p;
	size_t left = (size_t)(end - p);
	u32 n, v, least;

	*valid = true;
	if (s[0] < 0x80) {
		*cp = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] < 0xe0) {
		n = 2, v = s[0] & 0x1fu, least = 0x80;
	} else if (s[0] >= 0xe0 && s[0] < 0xf0) {
		n = 3, v = s[0] & 0x0fu, least = 0x800;
	} else if (s[0] >= 0xf0 && s[0] < 0xf5) {
		n = 4, v = s[0] & 0x07u, least = 0x10000;
	} else {
		goto bad;
	}
	if (left < n)
		goto bad;
	for (u32 i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			goto bad;
		v = v << 6 | (s[i] & 0x3fu);
	}
	if (v < least || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		goto bad;
	*cp = v;
	return n;
bad:
	*cp = 0xfffd;
	*valid = false;
	return 1;
}

u32 utf8_encode(u32 cp, char out[4])
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

bool safe_char(u32 cp)
{
	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
		return false;
	if (cp == 0xad || cp == 0x61c || cp == 0xfeff)
		return false;
	/* marks, separators and embeddings that reorder or break a line */
	if ((cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
		(cp >= 0x2060 && cp <= 0x206f))
		return false;
	if ((cp & 0xfffe) == 0xfffe || (cp >= 0xfdd0 && cp <= 0xfdef) ||
		(cp >= 0xfff9 && cp <= 0xfffb))
		return false;
	return cp < 0xe0000 || cp > 0xe0fff;
}

u32 safe_width(u32 cp)
{
	if (cp < 0x300)
		return 1;
	if (width_is_zero(cp))
		return 0;
	return width_is_wide(cp) ? 2 : 1;
}

static bool take(const char *p, const char *end, u32 *len)
{
	bool valid;
	u32 cp;

	*len = utf8_decode(p, end, &cp, &valid);
	return valid && safe_char(cp);
}

u32 safe_text(char *dst, u32 size, const char *src, size_t len)
{
	const char *end = src + len;
	u32 n = 0;

	if (!size)
		return 0;
	while (src < end) {
		u32 step = 1;
		bool ok = (u8)*src >= 0x20 && (u8)*src < 0x7f;

		if (!ok)
			ok = take(src, end, &step);
		if (n + (ok ? step : 1) >= size)
			break;
		if (ok) {
			for (u32 i = 0; i < step; i++)
				dst[n++] = src[i];
		} else {
			dst[n++] = '?';
		}
		src += step;
	}
	dst[n] = '\0';
	return n;
}

bool safe_is(const char *src, size_t len)
{
	const char *end = src + len;

	while (src < end) {
		u32 step;

		if (!take(src, end, &step))
			return false;
		src += step;
	}
	return true;
}
