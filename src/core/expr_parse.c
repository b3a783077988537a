/* Text to tree. Lists (or, and) are chains of siblings, so that only brackets and `not` nest and the
 * depth that is allowed is also the depth of the stack. All checks of types and units are made here:
 * evaluation cannot fail. */
#include "core/expr_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"
#include "base/scan.h"

static int parse_or(struct expr_parser *s, s32 *out);

static int new_node(struct expr_parser *s, enum expr_op op, s32 *out)
{
	struct expr *e = s->e;

	if (e->n == e->cap) {
		u32 cap = e->cap ? 2 * e->cap : 8;
		struct expr_node *nodes = realloc(e->nodes, cap * sizeof(*nodes));

		if (!nodes)
			return err_set(s->err, ENOMEM, "out of memory");
		e->nodes = nodes;
		e->cap = cap;
	}
	*out = (s32)e->n;
	e->nodes[e->n++] = (struct expr_node){.op = op, .child = EXPR_NONE, .next = EXPR_NONE};
	return 0;
}

static int unknown(struct expr_parser *s, const char *at, u32 len, const struct schema *schema)
{
	char list[160];
	struct sbuf sb;
	bool more = false;

	sbuf_init(&sb, list, sizeof(list));
	for (u32 i = 0; i < schema->ncolumns; i++) {
		const struct column *c = &schema->columns[i];

		if (c->flags & COLUMN_HIDDEN)
			continue;
		if (sb.len + strlen(c->name) + 8 > sizeof(list)) {
			more = true;
			break;
		}
		sbuf_printf(&sb, "%s%s", sb.len ? ", " : "", c->name);
	}
	if (more)
		sbuf_str(&sb, ", …");
	return expr_fail(
		s, at, "unknown name \"%.*s\"; columns: %s", (int)min_u64(24, len), at, list);
}

static int unknown_table(struct expr_parser *s, const char *at, u32 len)
{
	char list[160];
	struct sbuf sb;

	sbuf_init(&sb, list, sizeof(list));
	for (u32 i = 0; s->others && s->others[i]; i++)
		sbuf_printf(&sb, "%s%s", sb.len ? ", " : "", s->others[i]->name);
	return expr_fail(s, at, "unknown table \"%.*s\"; tables: %s", (int)min_u64(24, len), at,
		sb.len ? list : "none");
}

static bool same_name(const char *name, const char *at, u32 len)
{
	return strlen(name) == len && !memcmp(name, at, len);
}

static int find_column(const struct schema *schema, const char *at, u32 len)
{
	for (u32 i = 0; i < schema->ncolumns; i++)
		if (same_name(schema->columns[i].name, at, len))
			return (int)i;
	return EXPR_NONE;
}

static const struct schema *find_table(const struct expr_parser *s, const char *at, u32 len)
{
	for (u32 i = 0; s->others && s->others[i]; i++)
		if (same_name(s->others[i]->name, at, len))
			return s->others[i];
	return same_name(s->schema->name, at, len) ? s->schema : NULL;
}

static void remember_need(struct expr *e, const struct schema *schema, u32 column, bool total)
{
	const struct column *c = &schema->columns[column];

	/* what a derived column is computed from is known to its function only */
	if (c->kind == COLUMN_DERIVED)
		e->need = ~0ull;
	e->need |= column_bit(column);
	if (c->kind == COLUMN_COUNTER && schema->birth_column >= 0)
		e->need |= column_bit((u32)schema->birth_column);
	if (total && schema->counted_column >= 0)
		e->need |= column_bit((u32)schema->counted_column);
}

static int column_operand(struct expr_parser *s, struct expr_operand *out)
{
	const struct schema *schema = s->schema;
	const char *at = s->at;
	u32 len = s->len;
	int column, ret;

	*out = (struct expr_operand){.kind = EXPR_COLUMN, .at = (u32)(at - s->text), .factor = 1};
	ret = expr_next(s);
	if (ret)
		return ret;
	if (s->token == TOK_DOT) {
		schema = find_table(s, at, len);
		if (!schema)
			return unknown_table(s, at, len);
		ret = expr_next(s);
		if (ret)
			return ret;
		if (s->token != TOK_NAME)
			return expr_expected(s, "the name of a column");
		at = s->at;
		len = s->len;
		out->kind = EXPR_OTHER;
		ret = expr_next(s);
		if (ret)
			return ret;
	}
	column = find_column(schema, at, len);
	if (column < 0)
		return unknown(s, at, len, schema);
	out->schema = schema;
	out->column = (u32)column;
	out->is_text = schema->columns[column].kind == COLUMN_TEXT;
	if (out->kind == EXPR_OTHER && schema->label_column >= 0 &&
		(out->is_text || schema->columns[column].total == TOTAL_NONE))
		return expr_fail(
			s, at, "%s.%s has no total", schema->name, schema->columns[column].name);
	if (schema == s->schema)
		remember_need(s->e, schema, out->column, out->kind == EXPR_OTHER);
	return 0;
}

static int operand(struct expr_parser *s, struct expr_operand *out)
{
	switch (s->token) {
	case TOK_NUMBER:
	case TOK_STRING:
		*out = s->literal;
		return expr_next(s);
	case TOK_NAME:
		return column_operand(s, out);
	case TOK_BAD:
		return -EINVAL;
	default:
		return expr_expected(s, "a column, a number or a \"text\"");
	}
}

static bool is_column(const struct expr_operand *o)
{
	return o->kind == EXPR_COLUMN || o->kind == EXPR_OTHER;
}

/* Shown as 0 to 100; a fraction in base units. */
static bool is_percent(const struct expr_operand *o)
{
	const struct column *c = is_column(o) ? &o->schema->columns[o->column] : NULL;

	return c && (c->unit == UNIT_RATIO || (c->unit == UNIT_NS && c->kind == COLUMN_COUNTER));
}

static bool is_seconds(const struct expr_operand *o)
{
	const struct column *c = is_column(o) ? &o->schema->columns[o->column] : NULL;

	return c && (c->unit == UNIT_BOOTTIME || (c->unit == UNIT_NS && c->kind != COLUMN_COUNTER));
}

/* Bring a literal into the unit of the operand it is compared with. */
static int settle_literal(
	struct expr_parser *s, struct expr_operand *literal, const struct expr_operand *with)
{
	if (literal->kind != EXPR_NUMBER)
		return 0;
	if (literal->suffix == SUFFIX_PERCENT) {
		if (is_column(with) && !is_percent(with))
			return expr_fail(s, s->text + literal->at,
				"%% is for columns that are percentages; %s is not",
				with->schema->columns[with->column].name);
		if (with->kind != EXPR_COLUMN)
			literal->num /= 100;
	}
	if (literal->suffix == SUFFIX_TIME && is_column(with) && !is_seconds(with))
		return expr_fail(s, s->text + literal->at,
			"a duration is for columns in seconds; %s is not",
			with->schema->columns[with->column].name);
	return 0;
}

static int settle_units(struct expr_parser *s, struct expr_operand *a, struct expr_operand *b)
{
	int ret = settle_literal(s, a, b);

	if (!ret)
		ret = settle_literal(s, b, a);
	if (ret)
		return ret;
	/* against a literal a dotted percentage is a fraction; two columns meet as they are shown */
	if (a->kind == EXPR_OTHER && is_percent(a) && !is_column(b))
		a->factor = 0.01;
	if (b->kind == EXPR_OTHER && is_percent(b) && !is_column(a))
		b->factor = 0.01;
	return 0;
}

static int settle_regex(struct expr_parser *s, struct expr_node *node)
{
	const char *why;
	int ret;

	if (!node->left.is_text)
		return expr_fail(s, s->text + node->left.at, "~ is for columns of text");
	if (node->right.kind != EXPR_STRING)
		return expr_fail(s, s->text + node->right.at,
			"~ wants a regular expression as \"text\" on its right");
	ret = regex_new(&node->regex, node->right.text, node->right.text_len, &why);
	if (ret == -EINVAL)
		return expr_fail(s, s->text + node->right.at, "%s", why);
	return ret ? err_set(s->err, ENOMEM, "out of memory") : 0;
}

static int settle_types(struct expr_parser *s, struct expr_node *node)
{
	const struct expr_operand *a = &node->left, *b = &node->right;

	if (node->op == EXPR_LIKE || node->op == EXPR_UNLIKE)
		return settle_regex(s, node);
	if (a->is_text != b->is_text) {
		const struct expr_operand *text = a->is_text ? a : b, *num = a->is_text ? b : a;

		if (is_column(text))
			return expr_fail(s, s->text + num->at,
				"%s is text and is compared with a \"text\"",
				text->schema->columns[text->column].name);
		return expr_fail(s, s->text + text->at, "%s is a number and is compared with one",
			is_column(num) ? num->schema->columns[num->column].name : "this");
	}
	return settle_units(s, &node->left, &node->right);
}

static int duration(struct expr_parser *s, struct expr_node *node)
{
	const struct expr_operand *a = &node->left, *b = &node->right;
	const char *at = s->at;
	char word[32];
	int ret = expr_next(s);

	if (ret)
		return ret;
	if (a->kind == EXPR_COLUMN || b->kind == EXPR_COLUMN ||
		(a->kind != EXPR_OTHER && b->kind != EXPR_OTHER))
		return expr_fail(s, at, "for needs TABLE.NAME, not a column of each row");
	if (s->token != TOK_NUMBER || s->len >= sizeof(word))
		return expr_expected(s, "a duration (500ms, 2s, 1m, 1h)");
	memcpy(word, s->at, s->len);
	word[s->len] = '\0';
	if (scan_duration(word, &node->for_ns))
		return expr_expected(s, "a duration (500ms, 2s, 1m, 1h)");
	node->timed = true;
	node->held = TRUTH_ABSENT;
	s->e->timed = true;
	return expr_next(s);
}

static int parse_compare(struct expr_parser *s, s32 *out)
{
	struct expr_node node = {.op = EXPR_TRUTH, .child = EXPR_NONE, .next = EXPR_NONE};
	int ret = operand(s, &node.left);

	if (ret)
		return ret;
	if (s->token == TOK_COMPARE) {
		node.op = s->op;
		ret = expr_next(s);
		if (!ret)
			ret = operand(s, &node.right);
		if (!ret)
			ret = settle_types(s, &node);
	}
	if (!ret && s->token == TOK_FOR)
		ret = duration(s, &node);
	if (!ret)
		ret = new_node(s, node.op, out);
	if (ret) {
		regex_free(node.regex);
		return ret;
	}
	s->e->nodes[*out] = node;
	return 0;
}

static int parse_not(struct expr_parser *s, s32 *out)
{
	bool brackets = s->token == TOK_OPEN;
	s32 child = EXPR_NONE;
	int ret;

	if (s->token != TOK_NOT && !brackets)
		return parse_compare(s, out);
	if (++s->depth > EXPR_DEPTH_MOST)
		return expr_fail(s, s->at, "nested more than %d deep", EXPR_DEPTH_MOST);
	ret = expr_next(s);
	if (ret)
		return ret;
	ret = brackets ? parse_or(s, out) : parse_not(s, &child);
	if (ret)
		return ret;
	s->depth--;
	if (brackets) {
		if (s->token != TOK_CLOSE)
			return expr_expected(s, "\")\", and, or");
		return expr_next(s);
	}
	ret = new_node(s, EXPR_NOT, out);
	if (!ret)
		s->e->nodes[*out].child = child;
	return ret;
}

static int parse_list(struct expr_parser *s, enum expr_op op, s32 *out)
{
	enum expr_token separator = op == EXPR_OR ? TOK_OR : TOK_AND;
	s32 list = EXPR_NONE, last = EXPR_NONE, item = EXPR_NONE;

	for (;;) {
		int ret = op == EXPR_OR ? parse_list(s, EXPR_AND, &item) : parse_not(s, &item);

		if (ret)
			return ret;
		if (last >= 0)
			s->e->nodes[last].next = item;
		last = item;
		if (s->token != separator)
			break;
		if (list < 0) {
			ret = new_node(s, op, &list);
			if (ret)
				return ret;
			s->e->nodes[list].child = item;
		}
		ret = expr_next(s);
		if (ret)
			return ret;
	}
	*out = list < 0 ? item : list;
	return 0;
}

static int parse_or(struct expr_parser *s, s32 *out)
{
	return parse_list(s, EXPR_OR, out);
}

int expr_new(struct expr **out, const char *text, const struct schema *schema,
	const struct schema *const *others, struct err *err)
{
	size_t len = strnlen(text, EXPR_LENGTH_MOST + 1);
	struct expr_parser s = {.text = text,
		.p = text,
		.end = text + len,
		.schema = schema,
		.others = others,
		.err = err};
	int ret;

	*out = NULL;
	if (len > EXPR_LENGTH_MOST)
		return err_set(err, EINVAL, "column %d: longer than %d characters",
			EXPR_LENGTH_MOST + 1, EXPR_LENGTH_MOST);
	s.e = calloc(1, sizeof(*s.e));
	if (s.e)
		s.e->text = malloc(len + 1);
	if (!s.e || !s.e->text) {
		expr_free(s.e);
		return err_set(err, ENOMEM, "out of memory");
	}
	ret = expr_next(&s);
	if (!ret)
		ret = parse_or(&s, &s.e->root);
	if (!ret && s.token != TOK_END)
		ret = expr_expected(&s, "and, or, a comparison or the end");
	if (ret) {
		expr_free(s.e);
		return ret;
	}
	*out = s.e;
	return 0;
}

void expr_free(struct expr *e)
{
	if (!e)
		return;
	for (u32 i = 0; i < e->n; i++)
		regex_free(e->nodes[i].regex);
	free(e->nodes);
	free(e->text);
	free(e);
}

u64 expr_need(const struct expr *e)
{
	return e->need;
}
