/* Evaluation, three-valued: what is absent stays absent through every operator that it decides, and
 * is no match at the end. */
#include "core/expr_internal.h"

#include <math.h>
#include <string.h>

struct value {
	bool absent;
	double num;
	const char *text;
	u32 len;
};

struct scope {
	const struct frame *frame;
	const struct frame_table *t;
	u32 row;
};

static void get(const struct expr_operand *o, const struct scope *s, struct value *out)
{
	const struct frame_table *t = s->t;
	struct cell cell;
	u32 row = s->row;

	*out = (struct value){.num = o->num, .text = o->text, .len = o->text_len};
	if (o->kind == EXPR_NUMBER || o->kind == EXPR_STRING)
		return;
	if (o->kind == EXPR_OTHER) {
		t = frame_find(s->frame, o->schema->name);
		row = o->schema->label_column < 0 ? 0 : ROW_TOTAL;
	}
	out->absent = true;
	if (!t || t->schema != o->schema)
		return;
	frame_cell(t, row, o->column, &cell);
	out->absent = cell.state == CELL_ABSENT || isnan(cell.num);
	out->num = cell.num * o->factor;
	out->text = cell.text;
	out->len = cell.text_len;
}

static enum expr_truth truth(bool b)
{
	return b ? TRUTH_TRUE : TRUTH_FALSE;
}

static int order(const struct value *a, const struct value *b, bool is_text)
{
	u32 least = a->len < b->len ? a->len : b->len;
	int c;

	if (!is_text)
		return (a->num > b->num) - (a->num < b->num);
	c = least ? memcmp(a->text, b->text, least) : 0;
	return c ? c : (a->len > b->len) - (a->len < b->len);
}

static enum expr_truth compare(struct expr_node *node, const struct scope *s)
{
	bool is_text = node->left.is_text;
	struct value a, b;
	int c;

	get(&node->left, s, &a);
	if (a.absent)
		return TRUTH_ABSENT;
	if (node->op == EXPR_TRUTH)
		return truth(is_text ? a.len > 0 : a.num < 0 || a.num > 0);
	if (node->op == EXPR_LIKE || node->op == EXPR_UNLIKE)
		return truth(regex_match(node->regex, a.text, a.len) == (node->op == EXPR_LIKE));
	get(&node->right, s, &b);
	if (b.absent)
		return TRUTH_ABSENT;
	c = order(&a, &b, is_text);
	switch (node->op) {
	case EXPR_EQ:
		return truth(c == 0);
	case EXPR_NE:
		return truth(c != 0);
	case EXPR_LT:
		return truth(c < 0);
	case EXPR_LE:
		return truth(c <= 0);
	case EXPR_GT:
		return truth(c > 0);
	default:
		return truth(c >= 0);
	}
}

static enum expr_truth eval(struct expr *e, s32 at, const struct scope *s);

/* One child that decides (true for or, false for and) is enough; else one that is absent. */
static enum expr_truth eval_list(
	struct expr *e, const struct expr_node *node, const struct scope *s)
{
	enum expr_truth decides = node->op == EXPR_OR ? TRUTH_TRUE : TRUTH_FALSE;
	enum expr_truth result = node->op == EXPR_OR ? TRUTH_FALSE : TRUTH_TRUE;

	for (s32 i = node->child; i >= 0; i = e->nodes[i].next) {
		enum expr_truth v = eval(e, i, s);

		if (v == decides)
			return v;
		if (v == TRUTH_ABSENT)
			result = v;
	}
	return result;
}

static enum expr_truth eval(struct expr *e, s32 at, const struct scope *s)
{
	struct expr_node *node = &e->nodes[at];
	enum expr_truth v;

	switch (node->op) {
	case EXPR_OR:
	case EXPR_AND:
		return eval_list(e, node, s);
	case EXPR_NOT:
		v = eval(e, node->child, s);
		return v == TRUTH_ABSENT ? v : truth(v == TRUTH_FALSE);
	default:
		return node->timed ? node->held : compare(node, s);
	}
}

static void hold(struct expr_node *node, const struct scope *s, bool broken)
{
	u64 now = s->frame->at.mono_ns;
	enum expr_truth v = compare(node, s);

	if (v != TRUTH_TRUE || broken)
		node->holding = false;
	if (v == TRUTH_TRUE && !node->holding) {
		node->holding = true;
		node->since_mono_ns = now;
	}
	node->held = v;
	if (v == TRUTH_TRUE)
		node->held = truth(now - node->since_mono_ns >= node->for_ns);
}

/* Once a frame, whether or not a short cut would skip it. Frames that were not seen may have been
 * otherwise: the time starts anew. */
static void hold_all(struct expr *e, const struct scope *s)
{
	const struct frame *f = s->frame;
	bool broken;

	if (e->seen && f->seq == e->seen_seq && f->at.mono_ns == e->seen_mono_ns)
		return;
	broken = e->seen && (f->at.mono_ns < e->seen_mono_ns || f->seq < e->seen_seq ||
				    f->seq - e->seen_seq > 1);
	for (u32 i = 0; i < e->n; i++)
		if (e->nodes[i].timed)
			hold(&e->nodes[i], s, broken);
	e->seen = true;
	e->seen_seq = f->seq;
	e->seen_mono_ns = f->at.mono_ns;
}

bool expr_match(struct expr *e, const struct frame *frame, const struct frame_table *t, u32 row)
{
	const struct scope s = {frame, t, row};

	if (e->timed && frame)
		hold_all(e, &s);
	return eval(e, e->root, &s) == TRUTH_TRUE;
}
