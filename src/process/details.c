#include "process/details.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/human.h"
#include "base/sbuf.h"
#include "base/scan.h"
#include "process/details_internal.h"
#include "process/names.h"

enum { ENVIRONMENT_LINES = 4096, RECORDED_HZ = 100, LINK_TEXT = 4096, KTHREAD = 0x200000 };

const char *reading_path(const struct reading *r, char out[READING_PATH], const char *file)
{
	snprintf(out, READING_PATH, "/proc/%u/%s", r->pid, file);
	return out;
}

int reading_load(struct reading *r, const char *path, struct kbuf *buf)
{
	struct kfile file;
	int rc = kfile_init(&file, path);

	if (rc)
		return rc;
	file.long_records = true;
	rc = kfile_read(&file, r->root, buf);
	kfile_fini(&file);
	return rc;
}

bool reading_status(const struct reading *r, const char *word, const char **p, const char **end)
{
	const char *line = r->status.data, *stop = line ? kbuf_end(&r->status) : NULL;

	for (; !r->status_rc && line < stop; line = scan_next_line(line, stop)) {
		if (!scan_starts(line, stop, word))
			continue;
		*p = scan_blank(line + strlen(word), stop);
		*end = scan_line_end(*p, stop);
		return true;
	}
	return false;
}

bool reading_number(const struct reading *r, const char *word, u64 *out)
{
	const char *p, *end;
	bool ok = true;

	if (!reading_status(r, word, &p, &end))
		return false;
	scan_u64(p, end, out, &ok);
	return ok;
}

const char *reading_why(int rc)
{
	switch (-rc) {
	case EACCES:
	case EPERM:
		return "permission denied: only its user or root may read this";
	case ENOENT:
		return "not there";
	case ESRCH:
		return "ended meanwhile";
	default:
		return strerror(-rc);
	}
}

void reading_absent(struct reading *r, const char *name, int rc)
{
	details_printf(r->out, DETAIL_ABSENT, name, "%s", reading_why(rc));
}

static int read_stat(struct reading *r, u64 key)
{
	const u64 want = 1ull << STAT_START_TICKS | 1ull << STAT_PPID | 1ull << STAT_FLAGS |
			 1ull << STAT_PRIORITY | 1ull << STAT_NICE | 1ull << STAT_THREADS |
			 1ull << STAT_PROCESSOR;
	char path[READING_PATH];
	int len = root_read(
		r->root, reading_path(r, path, "stat"), r->stat_text, sizeof(r->stat_text));

	if (len == -ENOENT || len == -ESRCH)
		return -ESRCH;
	if (len < 0)
		return len;
	r->stat_len = (u32)len;
	if (process_parse_stat(r->stat_text, r->stat_text + len, want, &r->st))
		return -EINVAL;
	if (!(r->st.have >> STAT_START_TICKS & 1) ||
		process_key(r->pid, r->st.value[STAT_START_TICKS]) != key)
		return -ESRCH;
	return 0;
}

/* "name (id)", or "id", by a file in the format of passwd(5) or group(5). */
static void add_id(struct reading *r, struct sbuf *sb, const char *list, u64 id)
{
	if (!reading_load(r, list, &r->buf)) {
		const char *p = r->buf.data, *end = kbuf_end(&r->buf);

		for (; p < end; p = scan_next_line(p, end)) {
			const char *stop = scan_line_end(p, end), *at;
			const char *name = memchr(p, ':', (size_t)(stop - p));
			bool ok = true;
			u64 v = 0;

			at = name ? memchr(name + 1, ':', (size_t)(stop - name - 1)) : NULL;
			if (!at)
				continue;
			scan_u64(at + 1, stop, &v, &ok);
			if (!ok || v != id)
				continue;
			sbuf_add(sb, p, (size_t)(name - p));
			sbuf_printf(sb, " (%llu)", (unsigned long long)id);
			return;
		}
	}
	sbuf_u64(sb, id);
}

static void add_ids(struct reading *r, const char *name, const char *word, const char *list)
{
	u64 real = 0, effective = 0;
	const char *p, *end;
	bool ok = true;
	char text[256];
	struct sbuf sb;

	if (!reading_status(r, word, &p, &end)) {
		reading_absent(r, name, r->status_rc ? r->status_rc : -ENOENT);
		return;
	}
	p = scan_u64(p, end, &real, &ok);
	scan_u64(p, end, &effective, &ok);
	if (!ok) {
		reading_absent(r, name, -EINVAL);
		return;
	}
	sbuf_init(&sb, text, sizeof(text));
	add_id(r, &sb, list, effective);
	if (real != effective) {
		sbuf_str(&sb, ", started by ");
		add_id(r, &sb, list, real);
	}
	details_add(r->out, DETAIL_VALUE, name, text, sb.len);
}

static void add_parent(struct reading *r)
{
	struct process_stat st;
	char path[32], text[2048];
	u64 ppid = r->st.value[STAT_PPID];
	int len = -ENOENT;

	if (!(r->st.have >> STAT_PPID & 1))
		return;
	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)ppid);
	if (ppid)
		len = root_read(r->root, path, text, sizeof(text));
	if (len < 0 || process_parse_stat(text, text + len, 0, &st))
		details_printf(r->out, DETAIL_VALUE, "parent", "%llu", (unsigned long long)ppid);
	else
		details_printf(r->out, DETAIL_VALUE, "parent", "%llu %.*s",
			(unsigned long long)ppid, (int)st.comm_len, st.comm);
}

static void add_start(struct reading *r)
{
	long hz = root_is_live(r->root) ? sysconf(_SC_CLK_TCK) : RECORDED_HZ;
	u64 since, born = r->st.value[STAT_START_TICKS] * (NSEC_PER_SEC / (u64)hz);
	char age[HUMAN_SIZE], date[64];
	struct stamp now;
	struct tm tm;
	time_t at;

	clock_read(r->clock, &now);
	since = now.boot_ns > born ? now.boot_ns - born : 0;
	human_duration(age, (double)since);
	at = (time_t)((now.real_ns > since ? now.real_ns - since : 0) / NSEC_PER_SEC);
	if (!(r->flags & DETAILS_UTC ? gmtime_r(&at, &tm) : localtime_r(&at, &tm)) ||
		!strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	details_printf(r->out, DETAIL_VALUE, "started", "%s, %s ago", date, age);
}

static void add_link(struct reading *r, const char *name, const char *file)
{
	char path[READING_PATH], target[LINK_TEXT];
	int len = root_readlink(r->root, reading_path(r, path, file), target, sizeof(target));

	if (len >= 0)
		details_add(r->out, DETAIL_VALUE, name, target, (size_t)len);
	else if (len == -ENOENT)
		details_printf(r->out, DETAIL_ABSENT, name, "none");
	else
		reading_absent(r, name, len);
}

static void add_command(struct reading *r)
{
	char path[READING_PATH];
	int rc = reading_load(r, reading_path(r, path, "cmdline"), &r->buf);
	u32 len = rc ? 0 : name_cmdline(r->buf.data, r->buf.len);

	if (rc)
		reading_absent(r, "command", rc);
	else if (len)
		details_add(r->out, DETAIL_VALUE, "command", r->buf.data, len);
	else
		details_printf(r->out, DETAIL_ABSENT, "command",
			r->st.value[STAT_FLAGS] & KTHREAD ? "none: a kernel thread" : "empty");
}

/* "4711\t12", from ours inwards */
static void add_pids(struct reading *r, const char *p, const char *end)
{
	char text[128];
	struct sbuf sb;

	sbuf_init(&sb, text, sizeof(text));
	for (; p < end; p++)
		sbuf_str(&sb, *p == '\t' ? ", " : (const char[]){*p, '\0'});
	details_add(r->out, DETAIL_VALUE, "pid by namespace", text, sb.len);
}

static void identity(struct reading *r)
{
	const char *p, *end;
	char text[96];
	struct sbuf sb;

	details_add(r->out, DETAIL_SECTION, "identity", "", 0);
	sbuf_init(&sb, text, sizeof(text));
	sbuf_u64(&sb, r->pid);
	sbuf_char(&sb, ' ');
	sbuf_add(&sb, r->st.comm, r->st.comm_len);
	details_add(r->out, DETAIL_VALUE, "process", text, sb.len);
	/* more than one number: it has another in each pid namespace below ours */
	if (reading_status(r, "NSpid:", &p, &end) && memchr(p, '\t', (size_t)(end - p)))
		add_pids(r, p, end);
	add_parent(r);
	add_ids(r, "user", "Uid:", "/etc/passwd");
	add_ids(r, "group", "Gid:", "/etc/group");
	add_start(r);
	add_link(r, "program", "exe");
	add_link(r, "directory", "cwd");
	add_command(r);
}

/* Fields 40 and 41 of the stat line; the words behind the name begin with field 3. */
static const char *policy_name(const struct reading *r, u64 *real_time)
{
	static const char *const names[] = {
		"other", "fifo", "rr", "batch", NULL, "idle", "deadline", "ext"};
	const char *end = r->stat_text + r->stat_len, *p = r->st.comm + r->st.comm_len + 1;
	bool ok = true;
	u64 policy = 0;

	p = scan_skip_words(p, end, 37);
	p = scan_u64(p, end, real_time, &ok);
	scan_u64(p, end, &policy, &ok);
	return ok && policy < ARRAY_LEN(names) ? names[policy] : NULL;
}

static void scheduling(struct reading *r)
{
	const char *p, *end, *policy;
	char path[READING_PATH];
	u64 real_time = 0, score;
	s64 adjust;

	details_add(r->out, DETAIL_SECTION, "scheduling", "", 0);
	policy = policy_name(r, &real_time);
	if (policy && real_time)
		details_printf(r->out, DETAIL_VALUE, "policy", "%s, real-time priority %llu",
			policy, (unsigned long long)real_time);
	else if (policy)
		details_printf(r->out, DETAIL_VALUE, "policy", "%s, nice %lld", policy,
			(long long)(s64)r->st.value[STAT_NICE]);
	else
		reading_absent(r, "policy", -ENOENT);
	if (reading_status(r, "Cpus_allowed_list:", &p, &end))
		details_add(r->out, DETAIL_VALUE, "CPUs", p, (size_t)(end - p));
	else
		reading_absent(r, "CPUs", r->status_rc ? r->status_rc : -ENOENT);
	if (reading_status(r, "Mems_allowed_list:", &p, &end))
		details_add(r->out, DETAIL_VALUE, "memory nodes", p, (size_t)(end - p));
	if (r->st.have >> STAT_THREADS & 1)
		details_printf(r->out, DETAIL_VALUE, "threads", "%llu",
			(unsigned long long)r->st.value[STAT_THREADS]);
	if (!root_read_u64(r->root, reading_path(r, path, "oom_score"), &score) &&
		!root_read_s64(r->root, reading_path(r, path, "oom_score_adj"), &adjust))
		details_printf(r->out, DETAIL_VALUE, "OOM score", "%llu, adjusted by %lld",
			(unsigned long long)score, (long long)adjust);
}

static void environment(struct reading *r)
{
	char path[READING_PATH];
	u32 lines = 0;
	int rc;

	details_add(r->out, DETAIL_SECTION, "environment", "", 0);
	if (!(r->flags & DETAILS_ENVIRONMENT)) {
		details_printf(r->out, DETAIL_HINT, "",
			"not read: press e to see it; it may hold passwords");
		return;
	}
	rc = reading_load(r, reading_path(r, path, "environ"), &r->buf);
	if (rc) {
		reading_absent(r, "", rc);
		return;
	}
	for (const char *p = r->buf.data, *end = kbuf_end(&r->buf); p < end; lines++) {
		const char *nul = memchr(p, '\0', (size_t)(end - p)), *stop = nul ? nul : end;

		if (lines == ENVIRONMENT_LINES) {
			details_printf(r->out, DETAIL_ABSENT, "", "… and %zu bytes more",
				(size_t)(end - p));
			break;
		}
		details_add(r->out, DETAIL_VALUE, "", p, (size_t)(stop - p));
		p = stop + 1;
	}
	if (!lines)
		details_printf(r->out, DETAIL_ABSENT, "", "empty");
	/* it may hold secrets; this copy goes when the pane is closed */
	explicit_bzero(r->buf.data, r->buf.size);
}

int process_details(const struct root *root, const struct clock *clock, u64 key, u32 flags,
	struct details *out, struct err *said)
{
	struct reading r = {.root = root,
		.clock = clock,
		.pid = process_key_pid(key),
		.flags = flags,
		.out = out};
	char path[READING_PATH];
	int rc;

	*out = (struct details){0};
	kbuf_init(&r.buf);
	kbuf_init(&r.status);
	rc = read_stat(&r, key);
	if (!rc) {
		r.status_rc = reading_load(&r, reading_path(&r, path, "status"), &r.status);
		identity(&r);
		details_limits(&r);
		details_cgroup(&r);
		scheduling(&r);
		details_rights(&r);
		environment(&r);
		rc = out->failed ? -ENOMEM : read_stat(&r, key);
	}
	kbuf_fini(&r.buf);
	kbuf_fini(&r.status);
	if (!rc)
		return 0;
	details_free(out);
	return err_set(said, -rc, "%s", reading_why(rc));
}
