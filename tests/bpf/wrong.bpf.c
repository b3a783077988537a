/* Programs with one fault each, which test_checks wants found. */
#include "bpf/kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

KERNEL_TYPES_BEGIN

struct task_struct___renamed {
	int no_such_member;
};

/* The same names as the kernel's, but other kinds: a record for an integer, an integer for a pointer. */
struct task_struct___other_kind {
	struct list_head tgid;
	int exit_state;
};

struct task_struct___other_pointer {
	struct cred *signal;
};

struct task_struct___other_size {
	u64 tgid;
};

struct task_struct___longer {
	char comm[32];
};

KERNEL_TYPES_END

u64 seen = 0;

SEC("tp_btf/sched_process_free")
int BPF_PROG(unguarded, struct task_struct___renamed *t)
{
	seen = (u64)t->no_such_member;
	return 0;
}

/* The guard is of something else that the kernel has. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(wrong_guard, struct task_struct *t)
{
	if (bpf_core_field_exists(t->signal))
		seen = (u64)((struct task_struct___renamed *)t)->no_such_member;
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(guarded, struct task_struct___renamed *t)
{
	if (bpf_core_field_exists(t->no_such_member))
		seen = (u64)t->no_such_member;
	return 0;
}

/* In a function of its own that another one calls back. */
static long call_back(u32 i, struct task_struct___renamed **t)
{
	seen = (u64)BPF_CORE_READ(*t, no_such_member);
	return i > 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(unguarded_call, struct task_struct___renamed *t)
{
	bpf_loop(1, call_back, &t, 0);
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(other_kind, struct task_struct___other_kind *t)
{
	seen = (u64)t->tgid.next;
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(other_pointer, struct task_struct___other_pointer *t)
{
	seen = (u64)t->signal;
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(other_size, struct task_struct___other_size *t)
{
	seen = BPF_CORE_READ(t, tgid);
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(longer, struct task_struct___longer *t)
{
	char comm[32] = {0};

	bpf_core_read(comm, sizeof(comm), &t->comm);
	seen = (u64)comm[31];
	return 0;
}

/* A helper that no kernel has yet. */
static long (*const later)(void) = (void *)4000;

SEC("tp_btf/sched_process_free")
int BPF_PROG(helpless, struct task_struct *t)
{
	seen = (u64)later();
	return 0;
}
