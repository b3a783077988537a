#include "tui/intent.h"

#include "base/sbuf.h"

static int run_one(const struct intent *in, const struct process_ops *ops, const struct root *root,
	u64 key, struct err *said)
{
	switch (in->kind) {
	case INTENT_SIGNAL:
		return ops->signal(root, key, in->number, said);
	case INTENT_NICE_STEP:
	case INTENT_NICE:
		return ops->renice(root, key, in->number, in->kind == INTENT_NICE_STEP, said);
	case INTENT_CPUS:
		break;
	}
	return ops->set_cpus(root, key, in->cpus, said);
}

static const char *verb(const struct intent *in)
{
	return in->kind == INTENT_SIGNAL ? "cannot signal "
	       : in->kind == INTENT_CPUS ? "cannot bind "
					 : "cannot renice ";
}

static void whom(struct sbuf *sb, const struct target *t)
{
	sbuf_u64(sb, (u64)t->pid);
	sbuf_str(sb, " (");
	sbuf_str(sb, t->name);
	sbuf_str(sb, "): ");
}

void intent_run(const struct intent *in, const struct process_ops *ops, const struct root *root,
	char *text, u32 size)
{
	struct err first = {0}, said = {0};
	u32 done = 0, odd = 0, at = 0;
	struct sbuf sb;
	int rc = 0;

	sbuf_init(&sb, text, size);
	for (u32 i = 0; i < in->n; i++) {
		rc = run_one(in, ops, root, in->target[i].key, &said);
		done += rc >= 0;
		if (rc && !odd++) {
			first = said;
			at = i;
		}
	}
	if (in->n == 1) {
		if (rc < 0)
			sbuf_str(&sb, verb(in));
		whom(&sb, in->target);
		sbuf_str(&sb, said.msg);
		return;
	}
	sbuf_u64(&sb, done);
	sbuf_str(&sb, " of ");
	sbuf_u64(&sb, in->n);
	sbuf_str(&sb, " done; ");
	if (!odd) {
		/* where each had a value of its own, the last one's says nothing of the others */
		if (in->kind == INTENT_NICE_STEP)
			sbuf_printf(&sb, "nice %+d", in->number);
		else
			sbuf_str(&sb, said.msg);
		return;
	}
	whom(&sb, &in->target[at]);
	sbuf_str(&sb, first.msg);
	if (odd > 1) {
		sbuf_str(&sb, "; and ");
		sbuf_u64(&sb, odd - 1);
		sbuf_str(&sb, " more");
	}
}
