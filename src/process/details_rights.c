/* What sets a process apart from us: its namespaces and its capabilities. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sbuf.h"
#include "base/scan.h"
#include "process/details_internal.h"

static const char *const namespaces[] = {
	"cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"};

/* As <linux/capability.h> numbers them. */
static const char *const capabilities[] = {"chown", "dac_override", "dac_read_search", "fowner",
	"fsetid", "kill", "setgid", "setuid", "setpcap", "linux_immutable", "net_bind_service",
	"net_broadcast", "net_admin", "net_raw", "ipc_lock", "ipc_owner", "sys_module", "sys_rawio",
	"sys_chroot", "sys_ptrace", "sys_pacct", "sys_admin", "sys_boot", "sys_nice",
	"sys_resource", "sys_time", "sys_tty_config", "mknod", "lease", "audit_write",
	"audit_control", "setfcap", "mac_override", "mac_admin", "syslog", "wake_alarm",
	"block_suspend", "audit_read", "perfmon", "bpf", "checkpoint_restore"};

static void add_word(struct sbuf *sb, const char *word)
{
	if (sb->len)
		sbuf_char(sb, ' ');
	sbuf_str(sb, word);
}

static void add_namespaces(struct reading *r)
{
	char file[16], path[READING_PATH], ours_path[READING_PATH], ours[64], theirs[64];
	char own_text[128], shared_text[128];
	struct sbuf own, shared;
	int failed = 0;

	sbuf_init(&own, own_text, sizeof(own_text));
	sbuf_init(&shared, shared_text, sizeof(shared_text));
	for (u32 i = 0; i < ARRAY_LEN(namespaces); i++) {
		int rc;

		snprintf(file, sizeof(file), "ns/%s", namespaces[i]);
		snprintf(ours_path, sizeof(ours_path), "/proc/self/%s", file);
		rc = root_readlink(r->root, reading_path(r, path, file), theirs, sizeof(theirs));
		/* a kernel without this kind has no such link for anybody */
		if (rc >= 0)
			rc = root_readlink(r->root, ours_path, ours, sizeof(ours));
		if (rc == -ENOENT)
			continue;
		if (rc < 0)
			failed = rc;
		else
			add_word(strcmp(ours, theirs) ? &own : &shared, namespaces[i]);
	}
	if (failed || (!own.len && !shared.len))
		reading_absent(r, "namespaces", failed ? failed : -ENOENT);
	else if (!own.len)
		details_printf(r->out, DETAIL_VALUE, "namespaces", "the same as ours");
	else
		details_printf(r->out, DETAIL_VALUE, "namespaces", "not ours: %s", own_text);
}

static void add_capabilities(struct reading *r)
{
	char text[768], number[24];
	const char *p, *end;
	u64 have, last = ARRAY_LEN(capabilities) - 1, all, named;
	bool most;
	struct sbuf sb;

	if (!reading_status(r, "CapEff:", &p, &end)) {
		reading_absent(r, "capabilities", r->status_rc ? r->status_rc : -ENOENT);
		return;
	}
	/* the file ends in a NUL */
	have = strtoull(p, NULL, 16);
	root_read_u64(r->root, "/proc/sys/kernel/cap_last_cap", &last);
	all = last < 63 ? (1ull << (last + 1)) - 1 : UINT64_MAX;
	if (!have || have == all) {
		details_printf(r->out, DETAIL_VALUE, "capabilities", "%s", have ? "all" : "none");
		return;
	}
	most = __builtin_popcountll(all & ~have) < __builtin_popcountll(have);
	named = most ? all & ~have : have;
	sbuf_init(&sb, text, sizeof(text));
	if (most)
		sbuf_str(&sb, "all but");
	for (u32 i = 0; i < 64; i++) {
		if (!(named >> i & 1))
			continue;
		snprintf(number, sizeof(number), "%u", i);
		add_word(&sb, i < ARRAY_LEN(capabilities) ? capabilities[i] : number);
	}
	details_add(r->out, DETAIL_VALUE, "capabilities", text, sb.len);
}

static void add_restrictions(struct reading *r)
{
	static const char *const modes[] = {"none", "strict", "filter"};
	u64 seccomp, locked;

	if (reading_number(r, "Seccomp:", &seccomp) && seccomp < ARRAY_LEN(modes))
		details_printf(r->out, DETAIL_VALUE, "seccomp", "%s", modes[seccomp]);
	if (reading_number(r, "NoNewPrivs:", &locked))
		details_printf(r->out, DETAIL_VALUE, "new privileges", "%s",
			locked ? "not with exec" : "may be gained with exec");
}

void details_rights(struct reading *r)
{
	details_add(r->out, DETAIL_SECTION, "rights", "", 0);
	add_namespaces(r);
	add_capabilities(r);
	add_restrictions(r);
}
