#include "trace/text.h"

#include "base/safe.h"

static bool is_ascii(const u8 *text, size_t len)
{
	u8 any = 0;

	for (size_t i = 0; i < len; i++)
		any |= text[i];
	return any < 0x80;
}

u8 *trace_text(u8 *at, u32 number, const u8 *text, size_t size)
{
	const u8 *nul = memchr(text, 0, size);
	size_t len = nul ? (size_t)(nul - text) : size;
	u8 *begin;

	if (is_ascii(text, len))
		return proto_bytes(at, number, text, len);
	at = proto_open(at, number, &begin);
	for (const char *p = (const char *)text, *end = p + len; p < end;) {
		u32 cp;
		bool valid;

		p += utf8_decode(p, end, &cp, &valid);
		at += utf8_encode(cp, (char *)at);
	}
	proto_close(begin, at);
	return at;
}
