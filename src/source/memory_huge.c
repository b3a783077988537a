#include "source/memory_huge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"

static int add_pool(void *arg, const char *name)
{
	static const char dir[] = "/sys/kernel/mm/hugepages", prefix[] = "hugepages-";
	struct huge_pools *h = arg;
	const char *end = name + strlen(name), *p;
	char path[128];
	bool ok = true;
	u64 kib = 0;
	u32 i = h->n;

	if (i == HUGE_POOLS || !scan_starts(name, end, prefix))
		return 0;
	p = scan_u64(name + strlen(prefix), end, &kib, &ok);
	if (!ok || strcmp(p, "kB") != 0 || !kib || kib > UINT64_MAX / 1024)
		return 0;
	h->pool[i].page_bytes = kib * 1024;
	h->n++;
	snprintf(path, sizeof(path), "%s/hugepages-%llukB/nr_hugepages", dir,
		(unsigned long long)kib);
	if (kfile_init(&h->pool[i].total, path))
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s/hugepages-%llukB/free_hugepages", dir,
		(unsigned long long)kib);
	return kfile_init(&h->pool[i].free, path);
}

int huge_pools_open(struct huge_pools *h, const struct root *root)
{
	*h = (struct huge_pools){0};
	return root_list(root, "/sys/kernel/mm/hugepages", add_pool, h) == -ENOMEM ? -ENOMEM : 0;
}

void huge_pools_close(struct huge_pools *h)
{
	for (u32 i = 0; i < h->n; i++) {
		kfile_fini(&h->pool[i].total);
		kfile_fini(&h->pool[i].free);
	}
	h->n = 0;
}

int huge_pools_read(struct huge_pools *h, const struct root *root, u64 *reserved, u64 *used)
{
	*reserved = *used = 0;
	if (!h->n)
		return -ENOENT;
	for (u32 i = 0; i < h->n; i++) {
		u64 total, free_pages;
		int ret = kfile_read_u64(&h->pool[i].total, root, &total);

		if (!ret)
			ret = kfile_read_u64(&h->pool[i].free, root, &free_pages);
		if (ret)
			return ret;
		*reserved += total * h->pool[i].page_bytes;
		*used += (total - min_u64(total, free_pages)) * h->pool[i].page_bytes;
	}
	return 0;
}
