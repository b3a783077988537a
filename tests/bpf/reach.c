#include "bpf/reach.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What is known before an instruction: a register has one value whichever way led here, or any. */
struct known {
	uint64_t value[MAX_BPF_REG];
	bool sure[MAX_BPF_REG];
};

struct reach {
	const struct bpf_insn *insns;
	size_t n;
	bool *reached;
	struct known *before;
	size_t *todo; /* a stack; an instruction is in it at most once */
	bool *in_todo;
	size_t ntodo;
};

static void come(struct reach *r, size_t to, const struct known *k)
{
	struct known *b = &r->before[to];
	bool changed;

	if (to >= r->n)
		return;
	changed = !r->reached[to];
	if (changed)
		*b = *k;
	for (int i = 0; i < MAX_BPF_REG; i++) {
		if (b->sure[i] && (!k->sure[i] || k->value[i] != b->value[i])) {
			b->sure[i] = false;
			changed = true;
		}
	}
	r->reached[to] = true;
	if (changed && !r->in_todo[to]) {
		r->in_todo[to] = true;
		r->todo[r->ntodo++] = to;
	}
}

static void come_to_function(struct reach *r, size_t to)
{
	come(r, to, &(struct known){.sure = {0}});
}

static bool compute(unsigned op, bool wide, uint64_t a, uint64_t b, uint64_t *out)
{
	unsigned shift = (unsigned)(b & (wide ? 63 : 31));

	switch (op) {
	case BPF_MOV:
		*out = b;
		return true;
	case BPF_ADD:
		*out = a + b;
		return true;
	case BPF_SUB:
		*out = a - b;
		return true;
	case BPF_AND:
		*out = a & b;
		return true;
	case BPF_OR:
		*out = a | b;
		return true;
	case BPF_XOR:
		*out = a ^ b;
		return true;
	case BPF_LSH:
		*out = a << shift;
		return true;
	case BPF_RSH:
		*out = (wide ? a : (uint32_t)a) >> shift;
		return true;
	case BPF_ARSH:
		*out = (uint64_t)(wide ? (int64_t)a >> shift : (int32_t)a >> shift);
		return true;
	default:
		return false;
	}
}

static void reckon(struct known *k, const struct bpf_insn *in)
{
	bool wide = BPF_CLASS(in->code) == BPF_ALU64, from_register = BPF_SRC(in->code) == BPF_X;
	uint64_t b = from_register ? k->value[in->src_reg] : (uint64_t)(int64_t)in->imm;
	unsigned op = BPF_OP(in->code);
	uint64_t out = 0;
	/* a move with an offset extends a sign */
	bool sure = (!from_register || k->sure[in->src_reg]) &&
		    (op == BPF_MOV || k->sure[in->dst_reg]) && !in->off &&
		    compute(op, wide, k->value[in->dst_reg], b, &out);

	k->sure[in->dst_reg] = sure;
	k->value[in->dst_reg] = wide ? out : (uint32_t)out;
}

static bool holds(unsigned op, uint64_t a, uint64_t b, int64_t sa, int64_t sb)
{
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSET:
		return (a & b) != 0;
	case BPF_JSGT:
		return sa > sb;
	case BPF_JSGE:
		return sa >= sb;
	case BPF_JSLT:
		return sa < sb;
	default:
		return sa <= sb; /* BPF_JSLE */
	}
}

static void branch(struct reach *r, size_t at, const struct known *k)
{
	const struct bpf_insn *in = &r->insns[at];
	bool wide = BPF_CLASS(in->code) == BPF_JMP, from_register = BPF_SRC(in->code) == BPF_X;
	uint64_t a = k->value[in->dst_reg];
	uint64_t b = from_register ? k->value[in->src_reg] : (uint64_t)(int64_t)in->imm;
	bool sure = k->sure[in->dst_reg] && (!from_register || k->sure[in->src_reg]), taken;

	if (!wide) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	taken = holds(BPF_OP(in->code), a, b, wide ? (int64_t)a : (int32_t)a,
		wide ? (int64_t)b : (int32_t)b);
	if (!sure || taken)
		come(r, (size_t)((int64_t)at + 1 + in->off), k);
	if (!sure || !taken)
		come(r, at + 1, k);
}

static void jump(struct reach *r, size_t at, struct known *k)
{
	const struct bpf_insn *in = &r->insns[at];

	switch (BPF_OP(in->code)) {
	case BPF_EXIT:
		return;
	case BPF_JA:
		come(r,
			(size_t)((int64_t)at + 1 +
				 (BPF_CLASS(in->code) == BPF_JMP ? in->off : in->imm)),
			k);
		return;
	case BPF_CALL:
		if (in->src_reg == BPF_PSEUDO_CALL)
			come_to_function(r, (size_t)((int64_t)at + 1 + in->imm));
		memset(k->sure, 0, BPF_REG_6 * sizeof(k->sure[0]));
		come(r, at + 1, k);
		return;
	default:
		branch(r, at, k);
	}
}

static void step(struct reach *r, size_t at)
{
	const struct bpf_insn *in = &r->insns[at];
	struct known k = r->before[at];

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		reckon(&k, in);
		come(r, at + 1, &k);
		return;
	case BPF_JMP:
	case BPF_JMP32:
		jump(r, at, &k);
		return;
	case BPF_LD:
		if (in->code == (BPF_LD | BPF_IMM | BPF_DW) && at + 1 < r->n) {
			if (in->src_reg == BPF_PSEUDO_FUNC)
				come_to_function(r, (size_t)((int64_t)at + 1 + in->imm));
			k.sure[in->dst_reg] = !in->src_reg;
			k.value[in->dst_reg] = (uint32_t)in->imm | (uint64_t)(uint32_t)in[1].imm
									   << 32;
			come(r, at + 2, &k);
			return;
		}
		k.sure[BPF_REG_0] = false;
		break;
	case BPF_LDX:
		k.sure[in->dst_reg] = false;
		break;
	case BPF_STX:
		/* an atomic one may bring a value back */
		if (BPF_MODE(in->code) == BPF_ATOMIC)
			k.sure[in->src_reg] = k.sure[BPF_REG_0] = false;
		break;
	default:
		break;
	}
	come(r, at + 1, &k);
}

bool *reach(const struct bpf_insn *insns, size_t n)
{
	struct reach r = {.insns = insns, .n = n, .reached = calloc(n + 1, sizeof(bool))};

	r.before = calloc(n + 1, sizeof(*r.before));
	r.todo = calloc(n + 1, sizeof(*r.todo));
	r.in_todo = calloc(n + 1, sizeof(bool));
	if (r.reached && r.before && r.todo && r.in_todo) {
		come_to_function(&r, 0);
		while (r.ntodo) {
			size_t at = r.todo[--r.ntodo];

			r.in_todo[at] = false;
			step(&r, at);
		}
	} else {
		free(r.reached);
		r.reached = NULL;
	}
	free(r.before);
	free(r.todo);
	free(r.in_todo);
	return r.reached;
}
