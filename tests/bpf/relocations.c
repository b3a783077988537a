#include "bpf/relocations.h"

#include <bpf/libbpf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct relocations *to;
	bool loud;
} recording;

/* "[20] struct task_struct.signal (0:26 @ offset 192)", of which some kinds lack the part in brackets. */
static bool parse_place(const char *text, struct relocation_place *place, char *spec, size_t size)
{
	const char *name, *end, *p;
	int used = 0;

	memset(place, 0, sizeof(*place));
	if (sscanf(text, "[%u] %*s %n", &place->type, &used) != 1 || !used)
		return false;
	name = text + used;
	end = strstr(name, " (");
	if (!end)
		end = name + strlen(name);
	if (spec)
		snprintf(spec, size, "%.*s", (int)strcspn(name, " (\n"), name);
	if (!*end)
		return true;
	for (p = end + 2; place->n < RELOCATION_DEPTH;) {
		char *after;

		place->way[place->n++] = (unsigned)strtoul(p, &after, 10);
		if (*after != ':')
			return sscanf(after, " @ offset %u", &place->byte) == 1;
		p = after + 1;
	}
	return false;
}

static struct relocation *add(struct relocations *r)
{
	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 256;
		struct relocation *all = realloc(r->all, room * sizeof(*all));

		if (!all)
			abort();
		r->all = all;
		r->room = room;
	}
	return memset(&r->all[r->n++], 0, sizeof(*r->all));
}

/* A relocation is one line about what the program wants, then lines about each of the kernel's types of that name.
 * Whether something exists is an answer in itself: such a relocation is found when it is answered with yes. */
static void read_line(struct relocations *r, const char *line)
{
	struct relocation *last = r->n ? &r->all[r->n - 1] : NULL;
	char program[64], kind[24];
	unsigned number;
	int used = 0;
	const char *rest;

	if (sscanf(line, "libbpf: prog '%63[^']': relo #%u: %n", program, &number, &used) != 2 ||
		!used)
		return;
	rest = line + used;
	if (sscanf(rest, "<%23[^>]> %n", kind, &used) == 1) {
		last = add(r);
		memcpy(last->program, program, sizeof(program));
		memcpy(last->kind, kind, sizeof(kind));
		last->number = number;
		last->insn = -1;
		if (!parse_place(rest + used, &last->local, last->spec, sizeof(last->spec)))
			r->unread++;
	} else if (last && !strncmp(rest, "matching candidate", strlen("matching candidate"))) {
		const char *place = strchr(rest, '[');

		if (place && parse_place(place, &last->kernel, NULL, 0))
			last->found = true;
		else
			r->unread++;
	} else if (last && (sscanf(rest, "patched insn #%d", &last->insn) == 1 ||
				   sscanf(rest, "substituting insn #%d", &last->insn) == 1)) {
		return;
	}
}

__attribute__((format(printf, 2, 0))) static int print(
	enum libbpf_print_level level, const char *format, va_list args)
{
	struct relocations *r = recording.to;
	char line[1024], name[64];

	vsnprintf(line, sizeof(line), format, args);
	if (level == LIBBPF_WARN && recording.loud)
		fprintf(stderr, "# %s", line);
	if (!r)
		return 0;
	if (sscanf(line, "libbpf: extern '%63[^']'", name) == 1 && strstr(line, "not resolved")) {
		size_t at = strlen(r->unresolved);

		snprintf(r->unresolved + at, sizeof(r->unresolved) - at, "%s ", name);
	}
	read_line(r, line);
	return 0;
}

void relocations_record(struct relocations *to, bool loud)
{
	recording.to = to;
	recording.loud = loud;
	libbpf_set_print(print);
}

void relocations_free(struct relocations *r)
{
	free(r->all);
	*r = (struct relocations){0};
}

/* Past what has no effect on how a value lies in memory. */
static const struct btf_type *bare(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* The type that the way leads to; 0: it leads nowhere. */
static uint32_t end_of(const struct btf *btf, const struct relocation_place *place)
{
	uint32_t id = place->type;

	for (size_t i = 1; i < place->n; i++) {
		const struct btf_type *t = bare(btf, id);

		if (t && btf_is_composite(t) && place->way[i] < btf_vlen(t))
			id = btf_members(t)[place->way[i]].type;
		else if (t && btf_is_array(t))
			id = btf_array(t)->type;
		else
			return 0;
	}
	return id;
}

/* Names up to the flavour, by which C keeps two views of one kernel type apart. */
static bool same_name(const char *a, const char *b)
{
	const char *flavour_a = strstr(a, "___"), *flavour_b = strstr(b, "___");
	size_t na = flavour_a ? (size_t)(flavour_a - a) : strlen(a);
	size_t nb = flavour_b ? (size_t)(flavour_b - b) : strlen(b);

	return !na || !nb || (na == nb && !memcmp(a, b, na));
}

static bool is_record(const struct btf_type *t)
{
	return btf_is_composite(t) || btf_is_fwd(t);
}

/* A record by its name; what it has inside is looked at where the program looks there. */
static const char *differ(const struct btf *lb, uint32_t l, const struct btf *kb, uint32_t k)
{
	const struct btf_type *a = bare(lb, l), *b = bare(kb, k);

	while (a && b && btf_is_array(a) && btf_is_array(b)) {
		/* a last member of no length is as long as its room */
		if (btf_array(b)->nelems && btf_array(a)->nelems > btf_array(b)->nelems)
			return "an array that is shorter";
		a = bare(lb, btf_array(a)->type);
		b = bare(kb, btf_array(b)->type);
	}
	if (!a || !b || btf_is_void(a) || btf_is_void(b))
		return a && b && btf_is_void(a) && btf_is_void(b) ? NULL : "nothing";
	if (is_record(a) && is_record(b))
		return same_name(btf__name_by_offset(lb, a->name_off),
			       btf__name_by_offset(kb, b->name_off))
			       ? NULL
			       : "a record of another name";
	if (btf_is_any_enum(a) && btf_is_any_enum(b))
		return NULL;
	if (btf_kind(a) != btf_kind(b))
		return "of another kind";
	if (!btf_is_int(a))
		return NULL;
	if (a->size != b->size)
		return "an integer of another size";
	/* whether char has a sign is the compiler's choice */
	return a->size > 1 && (btf_int_encoding(a) ^ btf_int_encoding(b)) & BTF_INT_SIGNED
		       ? "an integer with another sign"
		       : NULL;
}

const char *relocation_differs(
	const struct relocation *r, const struct btf *local, const struct btf *kernel)
{
	uint32_t l = end_of(local, &r->local), k = end_of(kernel, &r->kernel);
	const struct btf_type *a = bare(local, l), *b = bare(kernel, k);

	if (!l || !k || !a || !b)
		return "unknown";
	if (btf_is_ptr(a) && btf_is_ptr(b)) {
		const struct btf_type *to = bare(local, a->type);

		/* an address is all that is wanted of a pointer to nothing in particular */
		return to && btf_is_void(to) ? NULL : differ(local, a->type, kernel, b->type);
	}
	return differ(local, l, kernel, k);
}
