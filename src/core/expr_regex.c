/* Compiled to a program of a few instructions whose jumps are relative, so that a block can be moved
 * and copied for {m,n}; run as a set of threads that advance together over the text (Thompson's
 * construction). The syntax is that of regex(7), "modern" expressions. */
#include "core/expr_regex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "base/safe.h"
#include "base/scan.h"

enum { PROGRAM_MOST = 4096, RANGES_MOST = 1024, DEPTH_MOST = 64, REPEAT_MOST = 255 };

enum opcode { OP_CHAR, OP_ANY, OP_SET, OP_SPLIT, OP_JUMP, OP_BEGIN, OP_END, OP_MATCH };

struct insn {
	enum opcode op;
	s32 x; /* CHAR: folded character; SET: first range; SPLIT, JUMP: relative target */
	s32 y; /* SET: number of ranges; SPLIT: other target */
	bool inverted;
};

/* A class is a range with hi 0 and its test. */
struct range {
	u32 lo, hi;
	int (*is)(wint_t c);
};

/* Threads: a sparse set, so that clearing costs nothing. */
struct threads {
	u32 n;
	u32 *list, *place;
};

struct regex {
	struct insn *prog;
	struct range *ranges;
	u32 n, cap, nranges;
	struct threads a, b;
	u32 *stack;
	u32 *memory; /* of the five arrays above */
};

struct parser {
	struct regex *re;
	const char *p, *end;
	u32 depth;
	const char *why;
	int code;
};

static void fail(struct parser *s, const char *why)
{
	if (!s->why)
		s->why = why;
	s->code = -EINVAL;
}

static bool room(struct parser *s, u32 more)
{
	struct regex *re = s->re;
	u32 want = re->cap ? re->cap : 16;
	struct insn *prog;

	if (s->code)
		return false;
	if (re->n + more > PROGRAM_MOST) {
		fail(s, "regular expression too large");
		return false;
	}
	if (re->n + more <= re->cap)
		return true;
	while (want < re->n + more)
		want *= 2;
	prog = realloc(re->prog, want * sizeof(*prog));
	if (!prog) {
		s->why = "out of memory";
		s->code = -ENOMEM;
		return false;
	}
	re->prog = prog;
	re->cap = want;
	return true;
}

/* Insert an instruction before `at`; jumps inside the block that moves stay right. */
static void insert(struct parser *s, u32 at, enum opcode op, s32 x, s32 y)
{
	struct regex *re = s->re;

	if (!room(s, 1))
		return;
	memmove(re->prog + at + 1, re->prog + at, (re->n - at) * sizeof(*re->prog));
	re->prog[at] = (struct insn){.op = op, .x = x, .y = y};
	re->n++;
}

static void emit(struct parser *s, enum opcode op, s32 x, s32 y)
{
	insert(s, s->re->n, op, x, y);
}

static u32 fold(u32 c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z' ? c + 32 : c;
	return (u32)towlower((wint_t)c);
}

static u32 next_char(struct parser *s)
{
	bool valid;
	u32 cp, raw = (u8)*s->p;

	s->p += utf8_decode(s->p, s->end, &cp, &valid);
	return valid ? cp : 0x110000 + raw;
}

static bool peek(const struct parser *s, char c)
{
	return s->p < s->end && *s->p == c;
}

static void add_range(struct parser *s, u32 lo, u32 hi, int (*is)(wint_t))
{
	struct regex *re = s->re;
	struct range *ranges;

	if (s->code)
		return;
	if (re->nranges == RANGES_MOST) {
		fail(s, "regular expression too large");
		return;
	}
	ranges = realloc(re->ranges, (re->nranges + 1) * sizeof(*ranges));
	if (!ranges) {
		s->why = "out of memory";
		s->code = -ENOMEM;
		return;
	}
	re->ranges = ranges;
	re->ranges[re->nranges++] = (struct range){lo, hi, is};
}

static void class(struct parser *s)
{
	static const struct {
		const char *name;
		int (*is)(wint_t c);
	} classes[] = {
		{"alpha:]", iswalpha},
		{"digit:]", iswdigit},
		{"alnum:]", iswalnum},
		{"upper:]", iswupper},
		{"lower:]", iswlower},
		{"space:]", iswspace},
		{"blank:]", iswblank},
		{"punct:]", iswpunct},
		{"print:]", iswprint},
		{"graph:]", iswgraph},
		{"cntrl:]", iswcntrl},
		{"xdigit:]", iswxdigit},
	};

	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		if (!scan_starts(s->p, s->end, classes[i].name))
			continue;
		s->p += strlen(classes[i].name);
		add_range(s, 0, 0, classes[i].is);
		return;
	}
	fail(s, "unknown character class in [ ]");
}

static void set(struct parser *s)
{
	u32 first = s->re->nranges;
	bool inverted = peek(s, '^');
	const char *start;

	if (inverted)
		s->p++;
	start = s->p;
	while (!s->code) {
		u32 lo, hi;

		if (s->p >= s->end) {
			fail(s, "[ without ]");
			return;
		}
		if (*s->p == ']' && s->p != start)
			break;
		if (scan_starts(s->p, s->end, "[:")) {
			s->p += 2;
			class(s);
			continue;
		}
		if (scan_starts(s->p, s->end, "[.") || scan_starts(s->p, s->end, "[=")) {
			fail(s, "collating elements in [ ] are not supported");
			return;
		}
		lo = hi = next_char(s);
		if (peek(s, '-') && s->end - s->p > 1 && s->p[1] != ']') {
			s->p++;
			hi = next_char(s);
		}
		if (hi < lo)
			fail(s, "range in [ ] ends before it begins");
		add_range(s, lo, hi, NULL);
	}
	if (s->code)
		return;
	s->p++;
	emit(s, OP_SET, (s32)first, (s32)(s->re->nranges - first));
	if (!s->code)
		s->re->prog[s->re->n - 1].inverted = inverted;
}

static void alternatives(struct parser *s);

static void group(struct parser *s)
{
	if (++s->depth > DEPTH_MOST) {
		fail(s, "too many nested groups");
		return;
	}
	alternatives(s);
	s->depth--;
	if (!peek(s, ')'))
		fail(s, "( without )");
	else
		s->p++;
}

static void escape(struct parser *s)
{
	if (s->p >= s->end) {
		fail(s, "backslash at the end");
		return;
	}
	if ((*s->p >= '0' && *s->p <= '9') || (fold((u8)*s->p) >= 'a' && fold((u8)*s->p) <= 'z')) {
		fail(s, "backslash with a letter or digit; classes are written [[:digit:]]");
		return;
	}
	emit(s, OP_CHAR, (s32)fold(next_char(s)), 0);
}

static void atom(struct parser *s)
{
	switch (*s->p) {
	case '(':
		s->p++;
		group(s);
		return;
	case '[':
		s->p++;
		set(s);
		return;
	case '.':
		s->p++;
		emit(s, OP_ANY, 0, 0);
		return;
	case '^':
		s->p++;
		emit(s, OP_BEGIN, 0, 0);
		return;
	case '$':
		s->p++;
		emit(s, OP_END, 0, 0);
		return;
	case '\\':
		s->p++;
		escape(s);
		return;
	case '*':
	case '+':
	case '?':
		fail(s, "nothing to repeat before * + or ?");
		return;
	default:
		emit(s, OP_CHAR, (s32)fold(next_char(s)), 0);
	}
}

/* The block from `at` to the end: none or many times. */
static void star(struct parser *s, u32 at)
{
	s32 len = (s32)(s->re->n - at);

	insert(s, at, OP_SPLIT, 1, len + 2);
	emit(s, OP_JUMP, -(len + 1), 0);
}

static void copy(struct parser *s, u32 at, u32 len)
{
	if (!room(s, len))
		return;
	memcpy(s->re->prog + s->re->n, s->re->prog + at, len * sizeof(*s->re->prog));
	s->re->n += len;
}

/* least and most times; most < 0: without end. */
static void repeat(struct parser *s, u32 at, s64 least, s64 most)
{
	u32 len = s->re->n - at, body = at;

	if (!len)
		return;
	if (!most) {
		s->re->n = at;
		return;
	}
	if (!least) {
		if (most < 0) {
			star(s, at);
			return;
		}
		insert(s, at, OP_SPLIT, 1, (s32)len + 1);
		body = at + 1;
		least = 1;
	}
	for (s64 i = 1; i < least && !s->code; i++)
		copy(s, body, len);
	if (most < 0)
		emit(s, OP_SPLIT, -(s32)len, 1);
	for (s64 i = least; i < most && !s->code; i++) {
		emit(s, OP_SPLIT, 1, (s32)len + 1);
		copy(s, body, len);
	}
}

static void bounds(struct parser *s, u32 at)
{
	u64 least = 0, most;
	bool ok = true, endless = false;

	s->p = scan_u64(s->p, s->end, &least, &ok);
	most = least;
	if (peek(s, ',')) {
		s->p++;
		endless = peek(s, '}');
		if (!endless)
			s->p = scan_u64(s->p, s->end, &most, &ok);
	}
	if (!ok || !peek(s, '}') || least > REPEAT_MOST || most > REPEAT_MOST || most < least) {
		fail(s, "repetition must be {m}, {m,} or {m,n} with m <= n <= 255");
		return;
	}
	s->p++;
	repeat(s, at, (s64)least, endless ? -1 : (s64)most);
}

static void branch(struct parser *s)
{
	while (!s->code && s->p < s->end && *s->p != '|' && *s->p != ')') {
		u32 at = s->re->n;

		atom(s);
		while (!s->code && s->p < s->end) {
			if (*s->p == '*') {
				s->p++;
				repeat(s, at, 0, -1);
			} else if (*s->p == '+') {
				s->p++;
				repeat(s, at, 1, -1);
			} else if (*s->p == '?') {
				s->p++;
				repeat(s, at, 0, 1);
			} else if (*s->p == '{' && s->end - s->p > 1 && scan_is_digit(s->p[1])) {
				s->p++;
				bounds(s, at);
			} else {
				break;
			}
		}
	}
}

static void alternatives(struct parser *s)
{
	s32 chain = -1;

	for (;;) {
		u32 at = s->re->n;

		branch(s);
		if (s->code || !peek(s, '|'))
			break;
		s->p++;
		insert(s, at, OP_SPLIT, 1, (s32)(s->re->n - at) + 2);
		/* until the end is known each jump holds the place of the one before */
		emit(s, OP_JUMP, chain, 0);
		chain = (s32)s->re->n - 1;
	}
	while (!s->code && chain >= 0) {
		s32 before = s->re->prog[chain].x;

		s->re->prog[chain].x = (s32)s->re->n - chain;
		chain = before;
	}
}

static int reserve_threads(struct regex *re)
{
	u32 *m = calloc((size_t)re->n * 6, sizeof(*m));

	if (!m)
		return -ENOMEM;
	re->memory = m;
	re->a = (struct threads){.list = m, .place = m + re->n};
	re->b = (struct threads){.list = m + 2 * re->n, .place = m + 3 * re->n};
	re->stack = m + 4 * re->n; /* every instruction pushes at most two */
	return 0;
}

int regex_new(struct regex **out, const char *text, size_t len, const char **why)
{
	struct parser s = {.p = text, .end = text + len};

	*out = NULL;
	*why = "out of memory";
	s.re = calloc(1, sizeof(*s.re));
	if (!s.re)
		return -ENOMEM;
	alternatives(&s);
	if (!s.code && s.p < s.end)
		fail(&s, ") without (");
	emit(&s, OP_MATCH, 0, 0);
	if (!s.code)
		s.code = reserve_threads(s.re);
	if (s.code) {
		*why = s.why ? s.why : *why;
		regex_free(s.re);
		return s.code;
	}
	*out = s.re;
	return 0;
}

void regex_free(struct regex *re)
{
	if (!re)
		return;
	free(re->prog);
	free(re->ranges);
	free(re->memory);
	free(re);
}

static bool in_ranges(const struct regex *re, const struct insn *in, u32 c)
{
	for (s32 i = 0; i < in->y; i++) {
		const struct range *r = &re->ranges[in->x + i];

		if (r->is ? c <= 0x10ffff && r->is((wint_t)c) : c >= r->lo && c <= r->hi)
			return true;
	}
	return false;
}

static bool takes(const struct regex *re, const struct insn *in, u32 c)
{
	switch (in->op) {
	case OP_CHAR:
		return fold(c) == (u32)in->x;
	case OP_ANY:
		return true;
	case OP_SET:
		if (in_ranges(re, in, c) || in_ranges(re, in, fold(c)))
			return !in->inverted;
		return in_ranges(re, in,
			       c < 0x80 && c >= 'a' && c <= 'z'
				       ? c - 32
				       : (u32)towupper((wint_t)c)) != in->inverted;
	default:
		return false;
	}
}

static bool has(const struct threads *t, u32 pc)
{
	return t->place[pc] < t->n && t->list[t->place[pc]] == pc;
}

/* Add a thread and everything it reaches without taking a character. true: that is a match. */
static bool add(struct regex *re, struct threads *t, u32 pc, bool begin, bool end)
{
	u32 depth = 0;

	re->stack[depth++] = pc;
	while (depth) {
		const struct insn *in;

		pc = re->stack[--depth];
		if (has(t, pc))
			continue;
		t->place[pc] = t->n;
		t->list[t->n++] = pc;
		in = &re->prog[pc];
		if (in->op == OP_MATCH)
			return true;
		if (in->op == OP_JUMP || in->op == OP_SPLIT)
			re->stack[depth++] = pc + (u32)in->x;
		if (in->op == OP_SPLIT)
			re->stack[depth++] = pc + (u32)in->y;
		if ((in->op == OP_BEGIN && begin) || (in->op == OP_END && end))
			re->stack[depth++] = pc + 1;
	}
	return false;
}

bool regex_match(struct regex *re, const char *text, size_t len)
{
	struct threads *now = &re->a, *then = &re->b;
	struct parser s = {.p = text, .end = text + len};

	now->n = 0;
	for (;;) {
		struct threads *swap = now;
		u32 c;

		if (add(re, now, 0, s.p == text, s.p == s.end))
			return true;
		if (s.p >= s.end)
			return false;
		c = next_char(&s);
		then->n = 0;
		for (u32 i = 0; i < now->n; i++) {
			u32 pc = now->list[i];

			if (takes(re, &re->prog[pc], c) &&
				add(re, then, pc + 1, false, s.p == s.end))
				return true;
		}
		now = then;
		then = swap;
	}
}
