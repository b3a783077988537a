/* Which instructions of a loaded program a run can come to, as far as constants decide: what a guard such as
 * bpf_core_field_exists() leaves out is not reached, neither here nor by the kernel's verifier. */
#ifndef TARE_TESTS_BPF_REACH_H
#define TARE_TESTS_BPF_REACH_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>

/* One mark for each of n instructions, to be freed; NULL: no memory. A function whose address is taken on a
 * way that is reached is reached too. */
bool *reach(const struct bpf_insn *insns, size_t n);

#endif
