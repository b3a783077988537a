/* Descriptors of devices that the walk's program found. It looks at the table of a task that ran since; what a process
 * has no more is only told of one that is known to have had some. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process/bpf_scanner.h"

enum { MINOR_BITS = 20, FINDS_MOST = 4096 };

void bpf_finds_for(struct bpf_scanner *s, const struct gpu_majors *majors, find_fn *fn, void *arg)
{
	struct task_reader *reader = s->programs.reader;

	reader->look_anew = majors && !s->find;
	s->find = majors ? fn : NULL;
	s->find_arg = arg;
	memset(reader->majors, 0, sizeof(reader->majors));
	for (u32 i = 0; majors && i < majors->n; i++)
		reader->majors[majors->major[i] / 64 % MAJOR_WORDS] |= (u64)1
								       << majors->major[i] % 64;
}

void bpf_finds_begin(struct bpf_scanner *s)
{
	if (s->find)
		s->programs.reader->pass++;
}

static int add(struct bpf_scanner *s, const struct task_finds *from)
{
	u32 n = from->n < FINDS_A_RECORD ? from->n : FINDS_A_RECORD;

	if (s->nfinds + n > FINDS_MOST)
		return 0;
	if (s->nfinds + n > s->finds_cap) {
		u32 cap = (s->nfinds + n) * 2;
		struct gpu_find *grown = realloc(s->finds, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		s->finds = grown;
		s->finds_cap = cap;
	}
	for (u32 i = 0; i < n; i++)
		s->finds[s->nfinds++] = (struct gpu_find){.fd = from->fd[i],
			.major = from->device[i] >> MINOR_BITS,
			.minor = from->device[i] & ((1u << MINOR_BITS) - 1)};
	return 0;
}

static void remember(struct bpf_scanner *s, u32 tgid)
{
	u32 bit = tgid % (HAD_WORDS * 64);

	s->programs.reader->had[bit / 64] |= 1ull << bit % 64;
}

int bpf_finds_tell(struct bpf_scanner *s)
{
	int ret = 0;

	s->programs.reader->look_anew = 0;
	s->nfinds = 0;
	for (u32 i = 0; s->find && i < s->pass.nfinds && !ret; i++) {
		const struct task_finds *f = (const void *)(s->pass.buf + s->pass.finds[i]);
		const struct pass_process *p = bpf_pass_find(&s->pass, f->tgid);

		ret = add(s, f);
		if (ret || f->more)
			continue;
		if (s->nfinds)
			remember(s, f->tgid);
		if (p)
			s->find(s->find_arg, f->tgid,
				pass_part(&s->pass, p->at)->start_ns / s->facts.tick_ns, f->tid,
				s->finds, s->nfinds);
		s->nfinds = 0;
	}
	return ret;
}
