/* Shared by the files of the expression language only. */
#ifndef TARE_CORE_EXPR_INTERNAL_H
#define TARE_CORE_EXPR_INTERNAL_H

#include "core/expr.h"
#include "core/expr_regex.h"

enum { EXPR_LENGTH_MOST = 4096, EXPR_DEPTH_MOST = 64, EXPR_NONE = -1 };

enum expr_op {
	EXPR_OR,  /* list of children */
	EXPR_AND, /* list of children */
	EXPR_NOT, /* one child */
	EXPR_TRUTH,
	EXPR_EQ,
	EXPR_NE,
	EXPR_LT,
	EXPR_LE,
	EXPR_GT,
	EXPR_GE,
	EXPR_LIKE,
	EXPR_UNLIKE,
};

enum expr_kind {
	EXPR_NUMBER,
	EXPR_STRING,
	EXPR_COLUMN, /* of the row that is filtered */
	EXPR_OTHER,  /* the total of a table of the frame, or its only row */
};

enum expr_suffix { SUFFIX_NONE, SUFFIX_SIZE, SUFFIX_PERCENT, SUFFIX_TIME };

struct expr_operand {
	enum expr_kind kind;
	enum expr_suffix suffix; /* of a number */
	bool is_text;
	u32 at;                      /* byte where it stands in the text */
	double num;                  /* number: in the unit it is compared in */
	double factor;               /* column: from display units to the unit it is compared in */
	const struct schema *schema; /* of a column */
	u32 column;
	const char *text; /* string: in expr.text */
	u32 text_len;
};

/* Three-valued: what is absent is neither true nor false. */
enum expr_truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_ABSENT };

struct expr_node {
	enum expr_op op;
	s32 child, next; /* first child and next sibling, EXPR_NONE */
	struct expr_operand left, right;
	struct regex *regex;
	bool timed; /* has `for`: evaluated once a frame, result kept in `held` */
	u64 for_ns;
	u64 since_mono_ns; /* the comparison has been true since; valid with `holding` */
	bool holding;
	enum expr_truth held;
};

struct expr {
	char *text; /* strings, without their escapes */
	struct expr_node *nodes;
	u32 n, cap;
	s32 root;
	u64 need;
	bool timed, seen; /* a node has `for`; a frame was seen */
	u64 seen_seq, seen_mono_ns;
};

enum expr_token {
	TOK_END,
	TOK_NAME,
	TOK_NUMBER,
	TOK_STRING,
	TOK_OPEN,
	TOK_CLOSE,
	TOK_DOT,
	TOK_COMPARE,
	TOK_AND,
	TOK_OR,
	TOK_NOT,
	TOK_FOR,
	TOK_BAD,
};

struct expr_parser {
	struct expr *e;
	const char *text, *p, *end;
	const struct schema *schema;
	const struct schema *const *others;
	struct err *err;
	u32 depth;
	/* the token that is looked at */
	enum expr_token token;
	const char *at;
	u32 len;
	enum expr_op op;
	struct expr_operand literal;
	u32 text_len; /* used of e->text */
};

/* Look at the next token. 0 or -EINVAL. */
int expr_next(struct expr_parser *s);
/* Fill *err with the place and what is wrong there; returns -EINVAL. */
int expr_fail(struct expr_parser *s, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int expr_expected(struct expr_parser *s, const char *what);

#endif
