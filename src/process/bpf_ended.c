/* Ended processes, as the ring brings them: what no scan has seen of each. */
#include <string.h>

#include "process/bpf_scanner.h"

static u64 above(u64 now, u64 was)
{
	return now > was ? now - was : 0;
}

static void name_it(const struct exit_event *e, const struct known *k, struct exit_record *r)
{
	r->command = e->comm;
	r->command_len = (u32)strnlen(e->comm, RECORD_COMM);
	r->parent = e->parent;
	r->parent_len = (u32)strnlen(e->parent, RECORD_COMM);
	if (!k || !k->text.looked || !k->text.command_len)
		return;
	/* the whole name, not only what the kernel keeps of it */
	r->command = k->text.heap ? k->text.heap : k->text.text;
	r->command_len = k->text.command_len;
}

int bpf_ended(void *scanner, void *event, size_t size)
{
	static const struct known nothing;
	struct bpf_scanner *s = scanner;
	const struct exit_event *e = event;
	const struct known *was = &nothing;
	u64 user_ns, system_ns;
	struct known *k;
	struct exit_record r;

	if (size < sizeof(*e) || !s->first_ns || s->error)
		return 0;
	k = known_find(&s->known, e->pid, e->start_ns, !s->programs.reader->level);
	/* one that no scan has seen: all of it is new, unless it began before the first scan */
	if (!k && e->start_ns < s->first_ns)
		return 0;
	if (k && k->ended)
		return 0;
	if (k) {
		k->ended = true;
		was = k;
	}
	user_ns = was->user_ns;
	system_ns = was->system_ns;
	bpf_split(e->run_ns, e->user_ns, e->system_ns, &user_ns, &system_ns);
	r = (struct exit_record){.ppid = e->ppid,
		.count = 1,
		.cpu_ns = above(e->run_ns, was->cpu_ns),
		.user_ns = user_ns - was->user_ns,
		.system_ns = system_ns - was->system_ns,
		.minor_faults = above(e->minor_faults, was->minor_faults),
		.major_faults = above(e->major_faults, was->major_faults),
		.disk_read = above(e->disk_read, was->disk_read),
		.disk_written = above(e->disk_written, was->disk_written),
		.has_io = s->may_trace || (e->uid == s->uid && e->euid == s->uid)};
	name_it(e, k, &r);
	s->error = s->fn(s->arg, &r);
	return 0;
}
