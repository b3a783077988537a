#include "process/bpf_known.h"

#include <errno.h>
#include <stdlib.h>

enum { SLAB = 64, AT_FIRST = 256 };

void known_free(struct known_list *list)
{
	for (u32 s = 0; s < list->nslabs; s++) {
		for (u32 i = 0; i < SLAB; i++) {
			free(list->slabs[s][i].waits);
			free(list->slabs[s][i].text.heap);
		}
		free(list->slabs[s]);
	}
	free(list->slabs);
	free(list->now);
	free(list->before);
	*list = (struct known_list){0};
}

static int grow(struct known ***at, u32 cap)
{
	struct known **grown = realloc(*at, cap * sizeof(struct known *));

	if (!grown)
		return -ENOMEM;
	*at = grown;
	return 0;
}

int known_turn(struct known_list *list, u32 n)
{
	u32 want = list->n + n, cap = list->cap ? list->cap : AT_FIRST;
	struct known **old;

	while (cap < want)
		cap *= 2;
	if (cap > list->cap) {
		if (grow(&list->now, cap) || grow(&list->before, cap))
			return -ENOMEM;
		list->cap = cap;
	}
	old = list->before;
	list->before = list->now;
	list->nbefore = list->n;
	list->now = old;
	list->n = 0;
	return 0;
}

static int add_slab(struct known_list *list)
{
	if (grow(&list->slabs, list->nslabs + 1))
		return -ENOMEM;
	list->slabs[list->nslabs] = calloc(SLAB, sizeof(struct known));
	if (!list->slabs[list->nslabs])
		return -ENOMEM;
	for (u32 i = SLAB; i-- > 0;)
		known_put_back(list, &list->slabs[list->nslabs][i]);
	list->nslabs++;
	return 0;
}

struct known *known_take(struct known_list *list, u32 pid)
{
	struct known *k, was;

	if (!list->free && add_slab(list))
		return NULL;
	k = list->free;
	list->free = k->next;
	was = *k;
	*k = (struct known){.pid = pid, .waits = was.waits, .waits_cap = was.waits_cap};
	k->text.heap = was.text.heap;
	k->text.heap_size = was.text.heap_size;
	return k;
}

void known_put_back(struct known_list *list, struct known *k)
{
	k->next = list->free;
	list->free = k;
}

static bool is_it(const struct known *k, u32 global_pid, u64 start_ns)
{
	return k->global_pid == global_pid && k->start_ns == start_ns;
}

struct known *known_find(const struct known_list *list, u32 global_pid, u64 start_ns, bool same)
{
	u32 from = 0, to = same ? list->n : 0;

	while (from < to) {
		u32 mid = from + (to - from) / 2;

		if (list->now[mid]->pid < global_pid)
			from = mid + 1;
		else
			to = mid;
	}
	/* two may have the number: one that has ended and its successor */
	for (; from < list->n; from++) {
		if (is_it(list->now[from], global_pid, start_ns))
			return list->now[from];
		if (same && list->now[from]->pid > global_pid)
			break;
	}
	return NULL;
}
