/* Text to tokens. Positions in messages count characters from 1, as a person does. */
#include "core/expr_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/safe.h"
#include "base/scan.h"

static u32 position(const struct expr_parser *s, const char *at)
{
	u32 column = 1, cp;
	bool valid;

	for (const char *p = s->text; p < at; column++)
		p += utf8_decode(p, s->end, &cp, &valid);
	return column;
}

int expr_fail(struct expr_parser *s, const char *at, const char *fmt, ...)
{
	char what[sizeof(s->err->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	s->token = TOK_BAD;
	return err_set(s->err, EINVAL, "column %u: %s", position(s, at), what);
}

static bool is_name(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!first && scan_is_digit(c));
}

static const struct suffix {
	const char *name;
	double factor;
	enum expr_suffix kind;
} suffixes[] = {
	{"", 1, SUFFIX_NONE},
	{"K", 1e3, SUFFIX_SIZE},
	{"M", 1e6, SUFFIX_SIZE},
	{"G", 1e9, SUFFIX_SIZE},
	{"T", 1e12, SUFFIX_SIZE},
	{"Ki", 1024.0, SUFFIX_SIZE},
	{"Mi", 1048576.0, SUFFIX_SIZE},
	{"Gi", 1073741824.0, SUFFIX_SIZE},
	{"Ti", 1099511627776.0, SUFFIX_SIZE},
	{"%", 1, SUFFIX_PERCENT},
	{"ms", 1e-3, SUFFIX_TIME},
	{"us", 1e-6, SUFFIX_TIME},
	{"s", 1, SUFFIX_TIME},
	{"m", 60, SUFFIX_TIME},
	{"h", 3600, SUFFIX_TIME},
};

/* Not strtod: its decimal point is the locale's. */
static int lex_number(struct expr_parser *s)
{
	const char *start = s->p, *word;
	double v = 0, scale = 1;
	bool negative = *s->p == '-';

	if (negative)
		s->p++;
	for (; s->p < s->end && scan_is_digit(*s->p); s->p++)
		v = v * 10 + (*s->p - '0');
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		for (; s->p < s->end && scan_is_digit(*s->p); s->p++) {
			if (scale > 1e300)
				continue;
			scale *= 10;
			v += (*s->p - '0') / scale;
		}
	}
	word = s->p;
	if (s->p < s->end && *s->p == '%')
		s->p++;
	else
		while (s->p < s->end && is_name(*s->p, false))
			s->p++;
	s->token = TOK_NUMBER;
	s->len = (u32)(s->p - start);
	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		if (strlen(suffixes[i].name) != (size_t)(s->p - word) ||
			memcmp(suffixes[i].name, word, (size_t)(s->p - word)) != 0)
			continue;
		s->literal = (struct expr_operand){.kind = EXPR_NUMBER,
			.suffix = suffixes[i].kind,
			.at = (u32)(start - s->text),
			.num = (negative ? -v : v) * suffixes[i].factor};
		return 0;
	}
	return expr_fail(s, word,
		"unknown suffix \"%.*s\"; suffixes: K M G T Ki Mi Gi Ti %% us ms s m h",
		(int)min_u64(32, (u64)(s->p - word)), word);
}

static int lex_string(struct expr_parser *s)
{
	char *out = s->e->text + s->text_len;
	const char *start = s->p++;
	u32 n = 0;

	while (s->p < s->end && *s->p != '"') {
		/* only what has to be: \" and \\; others belong to a regular expression */
		if (*s->p == '\\' && s->end - s->p > 1 && (s->p[1] == '"' || s->p[1] == '\\'))
			s->p++;
		out[n++] = *s->p++;
	}
	if (s->p >= s->end)
		return expr_fail(s, start, "text without its closing \"");
	s->p++;
	s->text_len += n;
	s->token = TOK_STRING;
	s->len = (u32)(s->p - start);
	s->literal = (struct expr_operand){.kind = EXPR_STRING,
		.is_text = true,
		.at = (u32)(start - s->text),
		.text = out,
		.text_len = n};
	return 0;
}

static bool word_is(const struct expr_parser *s, const char *word)
{
	return s->len == strlen(word) && !memcmp(s->at, word, s->len);
}

static void lex_name(struct expr_parser *s)
{
	while (s->p < s->end && is_name(*s->p, false))
		s->p++;
	s->len = (u32)(s->p - s->at);
	s->token = TOK_NAME;
	if (word_is(s, "and"))
		s->token = TOK_AND;
	else if (word_is(s, "or"))
		s->token = TOK_OR;
	else if (word_is(s, "not"))
		s->token = TOK_NOT;
	else if (word_is(s, "for"))
		s->token = TOK_FOR;
}

static int lex_sign(struct expr_parser *s)
{
	static const struct {
		char text[3];
		enum expr_token token;
		enum expr_op op;
	} signs[] = {
		{"==", TOK_COMPARE, EXPR_EQ},
		{"!=", TOK_COMPARE, EXPR_NE},
		{"<=", TOK_COMPARE, EXPR_LE},
		{">=", TOK_COMPARE, EXPR_GE},
		{"!~", TOK_COMPARE, EXPR_UNLIKE},
		{"&&", TOK_AND, 0},
		{"||", TOK_OR, 0},
		{"<", TOK_COMPARE, EXPR_LT},
		{">", TOK_COMPARE, EXPR_GT},
		{"~", TOK_COMPARE, EXPR_LIKE},
		{"!", TOK_NOT, 0},
		{"(", TOK_OPEN, 0},
		{")", TOK_CLOSE, 0},
		{".", TOK_DOT, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if (!scan_starts(s->p, s->end, signs[i].text))
			continue;
		s->len = (u32)strlen(signs[i].text);
		s->p += s->len;
		s->token = signs[i].token;
		s->op = signs[i].op;
		return 0;
	}
	if (*s->p == '=')
		return expr_fail(s, s->p, "unknown \"=\"; equal is written ==");
	return expr_fail(s, s->p,
		"unexpected \"%c\"; operators: == != < <= > >= ~ !~ and or not ( )",
		(u8)*s->p < 0x80 ? *s->p : '?');
}

int expr_next(struct expr_parser *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n'))
		s->p++;
	s->at = s->p;
	s->len = 0;
	s->token = TOK_END;
	if (s->p >= s->end)
		return 0;
	if (scan_is_digit(*s->p) || (*s->p == '-' && s->end - s->p > 1 && scan_is_digit(s->p[1])))
		return lex_number(s);
	if (*s->p == '"')
		return lex_string(s);
	if (is_name(*s->p, true)) {
		lex_name(s);
		return 0;
	}
	return lex_sign(s);
}

int expr_expected(struct expr_parser *s, const char *what)
{
	if (s->token == TOK_END)
		return expr_fail(s, s->at, "expected %s, not the end", what);
	return expr_fail(
		s, s->at, "expected %s, not \"%.*s\"", what, (int)min_u64(32, s->len), s->at);
}
