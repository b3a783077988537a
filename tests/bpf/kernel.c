/* Both names of each function are taken, that for small files and that for large ones. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include "bpf/kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BTF_PATH "/sys/kernel/btf/vmlinux"

enum { PROGRAMS = 32, MAP_ROOM = 1 << 20 };

static struct {
	const char *btf;
	struct kernel_program programs[PROGRAMS];
	size_t n;
} kernel;

void kernel_forget(void)
{
	for (size_t i = 0; i < kernel.n; i++)
		free(kernel.programs[i].insns);
	kernel.n = 0;
}

void kernel_become(const char *path)
{
	kernel_forget();
	kernel.btf = path;
}

const struct kernel_program *kernel_program(const char *name)
{
	for (size_t i = kernel.n; i-- > 0;)
		if (!strncmp(kernel.programs[i].name, name, BPF_OBJ_NAME_LEN - 1))
			return &kernel.programs[i];
	return NULL;
}

/* The C library's own function of that name. */
static void *own(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static const char *here(const char *path)
{
	return path && kernel.btf && !strcmp(path, BTF_PATH) ? kernel.btf : path;
}

/* Stands for anything that the kernel would hand out; a map's may be mapped. */
static int handle(void)
{
	int fd = memfd_create("kernel", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, MAP_ROOM)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int keep(const union bpf_attr *attr)
{
	struct kernel_program *p = &kernel.programs[kernel.n];
	size_t bytes = attr->insn_cnt * sizeof(*p->insns);

	/* what libbpf loads to find out what a kernel can has no name or one of a few instructions */
	if (!attr->prog_name[0] || kernel.n == PROGRAMS)
		return handle();
	memcpy(p->name, attr->prog_name, sizeof(p->name));
	p->insns = malloc(bytes);
	if (!p->insns)
		return -1;
	memcpy(p->insns, (const void *)(uintptr_t)attr->insns, bytes);
	p->n = attr->insn_cnt;
	kernel.n++;
	return handle();
}

static int answer(int command, const union bpf_attr *attr)
{
	switch (command) {
	case BPF_PROG_LOAD:
		return keep(attr);
	case BPF_MAP_CREATE:
	case BPF_BTF_LOAD:
		return handle();
	case BPF_MAP_UPDATE_ELEM:
	case BPF_MAP_FREEZE:
	case BPF_PROG_BIND_MAP:
		return 0;
	case BPF_BTF_GET_NEXT_ID: /* of modules */
		errno = ENOENT;
		return -1;
	default:
		errno = EINVAL;
		return -1;
	}
}

long syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (kernel.btf && number == SYS_bpf)
		return answer((int)a[0], (const union bpf_attr *)a[1]);
	return ((long (*)(long, ...))own("syscall"))(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int access(const char *path, int how)
{
	return ((int (*)(const char *, int))own("access"))(here(path), how);
}

int faccessat(int dir, const char *path, int how, int flags)
{
	return ((int (*)(int, const char *, int, int))own("faccessat"))(
		dir, here(path), how, flags);
}

FILE *fopen(const char *path, const char *how)
{
	return ((FILE * (*)(const char *, const char *)) own("fopen"))(here(path), how);
}

FILE *fopen64(const char *path, const char *how)
{
	return ((FILE * (*)(const char *, const char *)) own("fopen64"))(here(path), how);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return ((int (*)(const char *, int, ...))own("open"))(here(path), flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return ((int (*)(const char *, int, ...))own("open64"))(here(path), flags, mode);
}
