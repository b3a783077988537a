/* A kernel that libbpf can load programs into: its BTF is a file, it accepts everything and runs nothing. What libbpf
 * would have handed to the real one, all relocations done, is kept. It takes the places of the C library's
 * functions by which libbpf reaches the kernel, in the whole program that links this. Needs no rights. */
#ifndef TARE_TESTS_BPF_KERNEL_H
#define TARE_TESTS_BPF_KERNEL_H

#include <stddef.h>

#include <linux/bpf.h>

struct kernel_program {
	char name[BPF_OBJ_NAME_LEN]; /* its first 15 letters */
	struct bpf_insn *insns;
	size_t n;
};

/* From now on the kernel is the one whose BTF this file is, and has no programs. `path` is borrowed. */
void kernel_become(const char *path);

/* The program of this name that was loaded last; NULL: none. The kernel's. */
const struct kernel_program *kernel_program(const char *name);

/* Frees the programs. */
void kernel_forget(void);

#endif
