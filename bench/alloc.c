#include "bench/alloc.h"

#include <stdatomic.h>

/* The linker sends every call of malloc to __wrap_malloc and gives the real one this name. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static atomic_ullong count, bytes;

u64 alloc_count(void)
{
	return atomic_load(&count);
}

u64 alloc_bytes(void)
{
	return atomic_load(&bytes);
}

static void add(size_t size)
{
	atomic_fetch_add(&count, 1);
	atomic_fetch_add(&bytes, size);
}

void *__wrap_malloc(size_t size)
{
	add(size);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	add(n * size);
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	add(size);
	return __real_realloc(p, size);
}
