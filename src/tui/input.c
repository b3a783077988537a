/* Keys from bytes: see input.h. */
#include "tui/input.h"

#include <string.h>

#include "base/safe.h"

/* What a look at the front of the buffer gives. */
enum look {
	LOOK_MORE, /* not complete */
	LOOK_SKIP, /* used bytes mean nothing */
	LOOK_KEY,
};

static const u32 tilde_keys[] = {
	[1] = KEY_HOME_,
	[2] = KEY_INSERT_,
	[3] = KEY_DELETE_,
	[4] = KEY_END_,
	[5] = KEY_PAGE_UP,
	[6] = KEY_PAGE_DOWN,
	[7] = KEY_HOME_,
	[8] = KEY_END_,
	[11] = KEY_F1_,
	[12] = KEY_F2_,
	[13] = KEY_F3_,
	[14] = KEY_F4_,
	[15] = KEY_F5_,
	[17] = KEY_F6_,
	[18] = KEY_F7_,
	[19] = KEY_F8_,
	[20] = KEY_F9_,
	[21] = KEY_F10_,
};

void decoder_init(struct decoder *d, bool utf8)
{
	d->len = 0;
	d->utf8 = utf8;
}

void decoder_feed(struct decoder *d, const void *bytes, u32 n)
{
	if (n > decoder_room(d))
		n = decoder_room(d);
	memcpy(d->buf + d->len, bytes, n);
	d->len += n;
}

static u32 letter_key(u8 c)
{
	switch (c) {
	case 'A':
		return KEY_UP_;
	case 'B':
		return KEY_DOWN_;
	case 'C':
		return KEY_RIGHT_;
	case 'D':
		return KEY_LEFT_;
	case 'F':
		return KEY_END_;
	case 'H':
		return KEY_HOME_;
	case 'P':
		return KEY_F1_;
	case 'Q':
		return KEY_F2_;
	case 'R':
		return KEY_F3_;
	case 'S':
		return KEY_F4_;
	case 'Z':
		return KEY_SHIFT_TAB;
	default:
		return KEY_NONE;
	}
}

static enum look key_look(u32 key, struct input *out)
{
	*out = (struct input){.key = key};
	return key == KEY_NONE ? LOOK_SKIP : LOOK_KEY;
}

/* button as in xterm's ctlseqs; x and y count from 1. */
static enum look mouse_look(u32 button, u32 x, u32 y, bool press, struct input *out)
{
	u32 key = KEY_NONE;

	if (!press || x == 0 || y == 0 || (button & 32) != 0)
		return LOOK_SKIP;
	if ((button & 0xc3) == 64)
		key = KEY_WHEEL_UP;
	else if ((button & 0xc3) == 65)
		key = KEY_WHEEL_DOWN;
	else if ((button & 0xc3) == 0)
		key = KEY_CLICK;
	*out = (struct input){.key = key, .x = x - 1, .y = y - 1};
	return key == KEY_NONE ? LOOK_SKIP : LOOK_KEY;
}

/* Up to n decimal parameters separated by ';'. Returns how many there were. */
static u32 csi_numbers(const u8 *p, const u8 *end, u32 *out, u32 n)
{
	u32 at = 0;

	memset(out, 0, n * sizeof(*out));
	for (; p < end; p++) {
		if (*p == ';')
			at++;
		else if (at < n && *p >= '0' && *p <= '9' && out[at] < 100000)
			out[at] = out[at] * 10 + (u32)(*p - '0');
	}
	return at + 1;
}

/* buf starts with ESC [ */
static enum look csi_look(const u8 *buf, u32 len, u32 *used, struct input *out)
{
	u32 at = 2, number[3];
	u8 final;

	if (len > 2 && buf[2] == '[') { /* F1 to F5 of the Linux console */
		*used = 4;
		if (len < 4)
			return LOOK_MORE;
		return key_look(
			buf[3] >= 'A' && buf[3] <= 'E' ? KEY_F1_ + (u32)(buf[3] - 'A') : KEY_NONE,
			out);
	}
	if (len > 2 && buf[2] == 'M') { /* X10 mouse */
		*used = 6;
		if (len < 6)
			return LOOK_MORE;
		return mouse_look((u32)buf[3] - 32, (u32)buf[4] - 32, (u32)buf[5] - 32,
			(buf[3] & 3) != 3, out);
	}
	while (at < len && buf[at] >= 0x20 && buf[at] <= 0x3f)
		at++;
	if (at == len)
		return LOOK_MORE;
	final = buf[at];
	if (final < 0x40 || final > 0x7e) { /* broken off: the byte belongs to what follows */
		*used = at;
		return LOOK_SKIP;
	}
	*used = at + 1;
	if (buf[2] == '<' && (final == 'M' || final == 'm')) {
		csi_numbers(buf + 3, buf + at, number, 3);
		return mouse_look(number[0], number[1], number[2], final == 'M', out);
	}
	csi_numbers(buf + 2, buf + at, number, 3);
	if (final == '~' || final == '^' || final == '@')
		return key_look(
			number[0] < ARRAY_LEN(tilde_keys) ? tilde_keys[number[0]] : KEY_NONE, out);
	return key_look(letter_key(final), out);
}

/* Answers of the terminal (OSC, DCS, APC, PM): to BEL or ST. */
static enum look string_look(const u8 *buf, u32 len, u32 *used)
{
	for (u32 i = 2; i < len; i++) {
		if (buf[i] == 7 || (buf[i] == '\\' && buf[i - 1] == 27)) {
			*used = i + 1;
			return LOOK_SKIP;
		}
	}
	return LOOK_MORE;
}

static enum look escape_look(const u8 *buf, u32 len, u32 *used, struct input *out)
{
	if (len == 1)
		return LOOK_MORE;
	switch (buf[1]) {
	case '[':
		return csi_look(buf, len, used, out);
	case 'O':
		*used = 3;
		if (len < 3)
			return LOOK_MORE;
		return key_look(buf[2] == 'M' ? (u32)KEY_ENTER_ : letter_key(buf[2]), out);
	case ']':
	case 'P':
	case '_':
	case '^':
		return string_look(buf, len, used);
	default: /* the key, and then another */
		*used = 1;
		return key_look(KEY_ESCAPE, out);
	}
}

static u32 utf8_length(u8 first)
{
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	if (first >= 0xe0)
		return first < 0xf0 ? 3 : 1;
	return first >= 0xc2 ? 2 : 1;
}

static enum look char_look(const struct decoder *d, u32 *used, struct input *out)
{
	const char *p = (const char *)d->buf;
	u32 cp;
	bool valid;

	*used = 1;
	if (d->buf[0] < 0x80) {
		if (d->buf[0] == '\n')
			return key_look(KEY_ENTER_, out);
		return key_look(d->buf[0] == 8 ? (u32)KEY_ERASE : d->buf[0], out);
	}
	if (!d->utf8)
		return LOOK_SKIP;
	if (d->len < utf8_length(d->buf[0]))
		return LOOK_MORE;
	*used = utf8_decode(p, p + d->len, &cp, &valid);
	return key_look(valid && safe_char(cp) ? cp : KEY_NONE, out);
}

bool decoder_next(struct decoder *d, bool idle, struct input *out)
{
	while (d->len > 0) {
		u32 used = 1;
		enum look look = d->buf[0] == 27 ? escape_look(d->buf, d->len, &used, out)
						 : char_look(d, &used, out);

		if (look == LOOK_MORE) {
			if (!idle && d->len < DECODER_SIZE)
				return false;
			used = d->len;
			look = d->buf[0] == 27 && d->len == 1 ? key_look(KEY_ESCAPE, out)
							      : LOOK_SKIP;
		}
		d->len -= used;
		memmove(d->buf, d->buf + used, d->len);
		if (look == LOOK_KEY)
			return true;
	}
	return false;
}
