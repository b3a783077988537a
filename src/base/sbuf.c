#include "base/sbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sbuf_init(struct sbuf *sb, char *data, u32 size)
{
	*sb = (struct sbuf){.data = data, .size = size};
	data[0] = '\0';
}

void sbuf_add(struct sbuf *sb, const char *text, size_t len)
{
	size_t room = sb->size - 1 - sb->len;

	if (len > room) {
		len = room;
		sb->cut = true;
	}
	memcpy(sb->data + sb->len, text, len);
	sb->len += (u32)len;
	sb->data[sb->len] = '\0';
}

void sbuf_str(struct sbuf *sb, const char *text)
{
	sbuf_add(sb, text, strlen(text));
}

void sbuf_char(struct sbuf *sb, char c)
{
	sbuf_add(sb, &c, 1);
}

void sbuf_u64(struct sbuf *sb, u64 v)
{
	char tmp[20];
	u32 i = sizeof(tmp);

	do
		tmp[--i] = (char)('0' + v % 10);
	while (v /= 10);
	sbuf_add(sb, tmp + i, sizeof(tmp) - i);
}

void sbuf_printf(struct sbuf *sb, const char *fmt, ...)
{
	u32 room = sb->size - sb->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(sb->data + sb->len, room, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((u32)n >= room) {
		sb->cut = true;
		n = (int)room - 1;
	}
	sb->len += (u32)n;
}
