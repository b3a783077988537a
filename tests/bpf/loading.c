#include "bpf/loading.h"

#include "bpf/reach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0xbad2310: libbpf calls it in place of what it did not find. */
enum { POISON = 195896080 };

static bool is_call(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) && !in->src_reg;
}

static bool is_poison(const struct bpf_insn *in)
{
	return is_call(in) && in->imm == POISON;
}

long loading_enumerator(const struct loading *l, const char *type, const char *name)
{
	int id = btf__find_by_name_kind(l->kernel, type, BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(l->kernel, (unsigned)id) : NULL;

	for (unsigned i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(l->kernel, btf_enum(t)[i].name_off), name))
			return btf_enum(t)[i].val;
	return -1;
}

static void leave_out(struct loading *l, const char *const *programs)
{
	for (; *programs; programs++)
		bpf_program__set_autoload(
			bpf_object__find_program_by_name(l->object, *programs), false);
}

int loading_run(struct loading *l, const char *object, const char *btf, const char *const *looping,
	const char *const *casting)
{
	*l = (struct loading){0};
	relocations_record(&l->relocations, true);
	l->kernel = btf__parse(btf, NULL);
	if (!l->kernel)
		return -errno;
	kernel_become(btf);
	l->object = bpf_object__open_file(object, NULL);
	if (!l->object)
		return -errno;
	l->loops = loading_enumerator(l, "bpf_func_id", "BPF_FUNC_loop") > 0;
	l->casts = btf__find_by_name_kind(l->kernel, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
	if (!l->loops)
		leave_out(l, looping);
	if (!l->casts)
		leave_out(l, casting);
	l->result = bpf_object__load(l->object);
	relocations_record(NULL, true);
	return 0;
}

void loading_free(struct loading *l)
{
	bpf_object__close(l->object);
	btf__free(l->kernel);
	relocations_free(&l->relocations);
	kernel_forget();
}

/* The relocation by which the program has its nth instruction. */
static const char *spec_at(const struct loading *l, const char *program, size_t n)
{
	const struct relocations *r = &l->relocations;

	for (size_t i = 0; i < r->n; i++)
		if (r->all[i].insn == (int)n && !strcmp(r->all[i].program, program))
			return r->all[i].spec;
	return "something that a function of it needs";
}

int loading_unguarded(const struct loading *l, const char *program)
{
	const struct kernel_program *p = kernel_program(program);
	bool *reached = p ? reach(p->insns, p->n) : NULL;
	int found = 0;

	if (!reached)
		return -1;
	for (size_t i = 0; i < p->n; i++) {
		if (reached[i] && is_poison(&p->insns[i])) {
			fprintf(stderr, "# %s: instruction %zu: no %s, and no guard\n", program, i,
				spec_at(l, program, i));
			found++;
		}
	}
	free(reached);
	return found;
}

int loading_mistaken(const struct loading *l, const char *program)
{
	const struct relocations *r = &l->relocations;
	int found = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct relocation *one = &r->all[i];
		const char *why;

		if (!one->found || strcmp(one->program, program))
			continue;
		why = relocation_differs(one, bpf_object__btf(l->object), l->kernel);
		if (why) {
			fprintf(stderr, "# %s: %s is %s\n", program, one->spec, why);
			found++;
		}
	}
	return found;
}

static bool is_applied(const struct relocation *r, const struct bpf_insn *in)
{
	unsigned class = BPF_CLASS(in->code);

	if (!strcmp(r->kind, "field_exists") || !strcmp(r->kind, "type_exists"))
		return in->imm == r->found;
	if (!r->found)
		return is_poison(in);
	if (strcmp(r->kind, "byte_off"))
		return true;
	if (class == BPF_LDX || class == BPF_ST || class == BPF_STX)
		return in->off == (int)r->kernel.byte;
	return in->imm == (int)r->kernel.byte;
}

int loading_unapplied(const struct loading *l, const char *program)
{
	const struct kernel_program *p = kernel_program(program);
	const struct relocations *r = &l->relocations;
	int found = 0;

	for (size_t i = 0; p && i < r->n; i++) {
		const struct relocation *one = &r->all[i];

		if (strcmp(one->program, program))
			continue;
		if (one->insn < 0 || (size_t)one->insn >= p->n ||
			!is_applied(one, &p->insns[one->insn])) {
			fprintf(stderr, "# %s: relocation %u, %s %s, is not in instruction %d\n",
				program, one->number, one->kind, one->spec, one->insn);
			found++;
		}
	}
	return found;
}

int loading_helpless(const struct loading *l, const char *program)
{
	const struct kernel_program *p = kernel_program(program);
	long end = loading_enumerator(l, "bpf_func_id", "__BPF_FUNC_MAX_ID");
	int found = 0;

	for (size_t i = 0; p && i < p->n; i++) {
		const struct bpf_insn *in = &p->insns[i];

		if (is_call(in) && !is_poison(in) && in->imm >= end) {
			fprintf(stderr, "# %s: instruction %zu: no helper %d\n", program, i,
				in->imm);
			found++;
		}
	}
	return found;
}
