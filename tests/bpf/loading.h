/* An object's programs as libbpf would hand them to a kernel, and what is wrong with them there. */
#ifndef TARE_TESTS_BPF_LOADING_H
#define TARE_TESTS_BPF_LOADING_H

#include "bpf/kernel.h"
#include "bpf/relocations.h"

#include <bpf/libbpf.h>

struct loading {
	struct bpf_object *object;
	struct btf *kernel;
	struct relocations relocations;
	int result;        /* of the load: 0 or -errno */
	bool loops, casts; /* the kernel has bpf_loop(), has bpf_rdonly_cast() */
};

/* Load the file `object` into a kernel with the types of `btf`. Programs that need bpf_loop, whose names are in
 * `looping` up to a NULL, only into one that has it; so with bpf_rdonly_cast and `casting`. 0, or -errno: a file cannot
 * be read. */
int loading_run(struct loading *l, const char *object, const char *btf, const char *const *looping,
	const char *const *casting);

void loading_free(struct loading *l);

/* Each says on stderr what it finds, and counts it. */

/* Instructions that a run of this program can come to and that need what the kernel does not have; -1: it is not
 * loaded. */
int loading_unguarded(const struct loading *l, const char *program);

/* Relocations of this program that were found, but are something else than the program takes them for. */
int loading_mistaken(const struct loading *l, const char *program);

/* Relocations of this program whose instruction is not what it should have become. */
int loading_unapplied(const struct loading *l, const char *program);

/* Calls, in this program, of functions that the kernel does not have. */
int loading_helpless(const struct loading *l, const char *program);

/* The value of an enumerator of the kernel; -1: it has none of this name. */
long loading_enumerator(const struct loading *l, const char *type, const char *name);

#endif
