/* What libbpf says, as it loads an object, about each place that it adapts to the kernel. */
#ifndef TARE_TESTS_BPF_RELOCATIONS_H
#define TARE_TESTS_BPF_RELOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/btf.h>

enum { RELOCATION_DEPTH = 16 };

/* A type and the way from it to one of its members, as numbers: the first is that of an array of the type. */
struct relocation_place {
	uint32_t type;
	unsigned way[RELOCATION_DEPTH];
	size_t n;
	unsigned byte;
};

struct relocation {
	char program[64], kind[24]; /* libbpf's names: byte_off, field_exists, type_exists, ... */
	unsigned number;
	char spec[160];                        /* "task_struct.signal": without "struct" */
	struct relocation_place local, kernel; /* in the object's types and the kernel's */
	bool found;                            /* the kernel has it */
	int insn; /* which instruction of the program depends on it; -1: not said */
};

struct relocations {
	struct relocation *all;
	size_t n, room;
	size_t unread; /* lines about relocations that were not understood */
	char unresolved
		[256]; /* variables of the kernel's that it does not have, with a space after each */
};

/* From now on libbpf's messages are read into `to`; its warnings go to stderr too when `loud`. NULL: no longer. */
void relocations_record(struct relocations *to, bool loud);

void relocations_free(struct relocations *r);

/* NULL: it is what the program takes it for. Otherwise why not, in static memory: an integer of another size or sign,
 * a pointer to something else, another kind. Relocation itself looks at less than that: it follows names. */
const char *relocation_differs(
	const struct relocation *r, const struct btf *local, const struct btf *kernel);

#endif
