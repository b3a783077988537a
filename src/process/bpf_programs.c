#include "process/bpf_programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process/caps.h"
/* made from src/bpf/process.bpf.c by bpftool, whose code this is */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#include "bpf/process.skel.h"
#pragma GCC diagnostic pop

#define BIT(n) (1ull << (n))

static const char types[] = "/sys/kernel/btf/vmlinux";

/* The first complaint of the library, for the person who asks why. */
static _Thread_local char complaint[128];

__attribute__((format(printf, 2, 0))) static int hear(
	enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_WARN || complaint[0])
		return 0;
	vsnprintf(complaint, sizeof(complaint), format, args);
	complaint[strcspn(complaint, "\n")] = '\0';
	return 0;
}

static int refuse(char *why, size_t size, int error, const char *text)
{
	snprintf(why, size, "%s: %s", text, complaint[0] ? complaint : strerror(-error));
	return error;
}

static bool may_load(void)
{
	return caps_has(CAP_SYS_ADMIN) || (caps_has(CAP_BPF) && caps_has(CAP_PERFMON));
}

/* Which of the programs that walk over the tasks is loaded: what this kernel lacks, the others do without. */
static struct bpf_program *choose(const struct process_bpf *skeleton)
{
	enum {
		FUNC_CGRP_STORAGE_GET = 210
	}; /* include/uapi/linux/bpf.h of 6.2, as old as bpf_rdonly_cast */
	struct bpf_program *all[] = {skeleton->progs.walk_tasks, skeleton->progs.walk_tasks_called,
		skeleton->progs.walk_tasks_plain};
	u32 which = 2;

	if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_loop, NULL) == 1)
		which = libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE,
				(enum bpf_func_id)FUNC_CGRP_STORAGE_GET, NULL) != 1;
	for (u32 i = 0; i < ARRAY_LEN(all); i++)
		bpf_program__set_autoload(all[i], i == which);
	return all[which];
}

static int load(struct bpf_programs *p, char *why, size_t why_size)
{
	int ret;
	/* a type that this kernel does not have is else looked for in its modules too, which takes CAP_SYS_ADMIN
	   and which libbpf before 1.5 insists on */
	DECLARE_LIBBPF_OPTS(bpf_object_open_opts, opts,
		.btf_custom_path = caps_has(CAP_SYS_ADMIN) ? NULL : types);
	p->skeleton = process_bpf__open_opts(&opts);
	if (!p->skeleton)
		return refuse(why, why_size, -errno, "the BPF programs cannot be opened");
	p->walker = choose(p->skeleton);
	ret = process_bpf__load(p->skeleton);
	if (ret)
		return refuse(why, why_size, ret, "the kernel refuses the BPF programs");
	p->reader = &p->skeleton->bss->reader;
	p->exits = &p->skeleton->bss->exits;
	p->reader->cpus = (u32)libbpf_num_possible_cpus();
	return 0;
}

static int attach(struct bpf_programs *p, ended_fn *fn, void *arg, char *why, size_t why_size)
{
	p->walk = bpf_program__attach_iter(p->walker, NULL);
	if (!p->walk)
		return refuse(why, why_size, -errno, "no walk over the tasks");
	p->ended = bpf_program__attach_trace(p->skeleton->progs.process_free);
	if (!p->ended)
		return refuse(why, why_size, -errno, "no notice of ended processes");
	p->ring = ring_buffer__new(bpf_map__fd(p->skeleton->maps.ended), fn, arg, NULL);
	if (!p->ring)
		return refuse(why, why_size, -errno, "no ring of ended processes");
	return 0;
}

/* Before 6.4 or so a pass needs CAP_BPF where unprivileged BPF is switched off: there it stays permitted, but
 * effective only while the pass is made. */
void bpf_programs_give_up(struct bpf_programs *p)
{
	u64 which = BIT(CAP_BPF) | BIT(CAP_PERFMON);
	int fd;

	/* the kernel's types took some megabytes, which are not needed again */
	malloc_trim(0);
	if (caps_lower(which))
		return;
	fd = bpf_iter_create(bpf_link__fd(p->walk));
	if (fd >= 0) {
		close(fd);
		caps_drop(which);
	} else {
		p->raise = true;
		caps_drop(BIT(CAP_PERFMON));
	}
}

int bpf_programs_open(struct bpf_programs *p, const struct root *root, ended_fn *fn, void *arg,
	char *why, size_t why_size)
{
	libbpf_print_fn_t print;
	int ret;

	*p = (struct bpf_programs){0};
	if (!may_load()) {
		snprintf(why, why_size, "needs CAP_BPF and CAP_PERFMON");
		return -EPERM;
	}
	if (!root_exists(root, types)) {
		snprintf(why, why_size, "this kernel does not describe its types (no BTF)");
		return -EOPNOTSUPP;
	}
	complaint[0] = '\0';
	print = libbpf_set_print(hear);
	ret = load(p, why, why_size);
	if (!ret)
		ret = attach(p, fn, arg, why, why_size);
	libbpf_set_print(print);
	if (ret) {
		bpf_programs_close(p);
		return ret;
	}
	return 0;
}

void bpf_programs_close(struct bpf_programs *p)
{
	ring_buffer__free(p->ring);
	bpf_link__destroy(p->ended);
	bpf_link__destroy(p->walk);
	process_bpf__destroy(p->skeleton);
	*p = (struct bpf_programs){0};
}

int bpf_programs_walk(struct bpf_programs *p)
{
	int fd;

	if (p->raise)
		caps_raise(BIT(CAP_BPF));
	fd = bpf_iter_create(bpf_link__fd(p->walk));
	if (p->raise)
		caps_lower(BIT(CAP_BPF));
	return fd < 0 ? -errno : fd;
}

int bpf_programs_ended(struct bpf_programs *p)
{
	int ret = ring_buffer__consume(p->ring);

	return ret < 0 ? ret : 0;
}

int bpf_programs_fd(const struct bpf_programs *p)
{
	return ring_buffer__epoll_fd(p->ring);
}
