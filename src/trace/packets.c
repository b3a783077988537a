#include "trace/packets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "trace/text.h"

enum { PACKET_PROCESS_TREE = 2, PACKET_CLOCKS = 6, PACKET_SEQUENCE = 10, PACKET_SYSTEM = 45 };
enum { CLOCK_REAL = 1, CLOCK_MONO = 3, CLOCK_BOOT = 6 }; /* BuiltinClock */
enum { TREE_PROCESS = 1, TREE_THREAD = 2, CMDLINE_SIZE = 4096, COMM_SIZE = 64 };
/* An argument of a command line takes at least two bytes, its NUL included. */
enum { PROCESS_ROOM = 256 + 3 * CMDLINE_SIZE + CMDLINE_SIZE / 2 * PROTO_HEAD };

static u8 *write_clock(u8 *at, u32 id, u64 ns)
{
	u8 *begin;

	at = proto_open(at, 1, &begin);
	at = proto_u64(at, 1, id);
	at = proto_u64(at, 2, ns);
	proto_close(begin, at);
	return at;
}

int trace_clocks(struct trace_writer *w, const struct clock *clock)
{
	u8 *at = trace_packet(w, 256), *begin;
	struct stamp now;

	if (!at)
		return w->error;
	clock_read(clock, &now);
	at = proto_u64(at, PACKET_SEQUENCE, TRACE_SEQUENCE);
	at = proto_open(at, PACKET_CLOCKS, &begin);
	at = write_clock(at, CLOCK_BOOT, now.boot_ns);
	at = write_clock(at, CLOCK_MONO, now.mono_ns);
	at = write_clock(at, CLOCK_REAL, now.real_ns);
	at = proto_u64(at, 2, CLOCK_BOOT);
	proto_close(begin, at);
	trace_packet_end(w, at);
	return 0;
}

static u8 *write_string(u8 *at, u32 field, const char *text)
{
	return trace_text(at, field, (const u8 *)text, strlen(text));
}

int trace_system(struct trace_writer *w)
{
	struct utsname name = {0};
	struct sysinfo info = {0};
	u8 *at = trace_packet(w, 4096), *begin, *uts;

	if (!at)
		return w->error;
	uname(&name);
	sysinfo(&info);
	at = proto_u64(at, PACKET_SEQUENCE, TRACE_SEQUENCE);
	at = proto_open(at, PACKET_SYSTEM, &begin);
	at = proto_open(at, 1, &uts);
	at = write_string(at, 1, name.sysname);
	at = write_string(at, 2, name.version);
	at = write_string(at, 3, name.release);
	at = write_string(at, 4, name.machine);
	proto_close(uts, at);
	at = write_string(at, 4, "tare " TARE_VERSION);
	at = proto_u64(at, 6, (u64)sysconf(_SC_PAGESIZE));
	at = proto_u64(at, 3, (u64)sysconf(_SC_CLK_TCK));
	at = proto_u64(at, 8, (u64)sysconf(_SC_NPROCESSORS_CONF));
	at = proto_u64(at, 16, (u64)info.totalram * info.mem_unit);
	at = write_string(at, 17, name.nodename);
	proto_close(begin, at);
	trace_packet_end(w, at);
	return 0;
}

struct tree {
	struct trace_writer *w;
	const struct root *root;
	u32 pid;
	u8 *at;   /* in the packet of that process */
	u8 *last; /* no thread is written behind this */
};

static int write_thread(void *arg, const char *name)
{
	struct tree *t = arg;
	u32 tid = (u32)strtoul(name, NULL, 10);
	char path[96], comm[COMM_SIZE];
	u8 *begin;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", t->pid, tid);
	if (tid == t->pid || t->at > t->last || root_read(t->root, path, comm, sizeof(comm)) < 0)
		return 0;
	t->at = proto_open(t->at, TREE_THREAD, &begin);
	t->at = proto_u64(t->at, 1, tid);
	t->at = write_string(t->at, 2, comm);
	t->at = proto_u64(t->at, 3, t->pid);
	proto_close(begin, t->at);
	return 0;
}

/* The parent, of "pid (comm) state ppid": comm may have brackets. 0: there is none. */
static u32 parent_of(const char *stat)
{
	const char *end = strrchr(stat, ')');

	return end && strlen(end) > 4 ? (u32)strtoul(end + 4, NULL, 10) : 0;
}

static u8 *write_process(
	u8 *at, u32 pid, const char *stat, char *cmdline, int len, const char *comm)
{
	u8 *begin;

	at = proto_open(at, TREE_PROCESS, &begin);
	at = proto_u64(at, 1, pid);
	at = proto_u64(at, 2, parent_of(stat));
	for (int i = 0; i < len; i += (int)strlen(cmdline + i) + 1)
		at = write_string(at, 3, cmdline + i);
	if (len <= 0) {
		/* of the kernel, or a zombie */
		at = write_string(at, 3, comm);
		at = proto_u64(at, 9, 1);
	}
	proto_close(begin, at);
	return at;
}

static int write_one(void *arg, const char *name)
{
	struct tree *t = arg;
	char path[64], stat[512], comm[COMM_SIZE], cmdline[CMDLINE_SIZE];
	const u32 room = 4 * PROCESS_ROOM;
	u8 *begin;
	int len;

	if (*name < '0' || *name > '9')
		return 0;
	t->pid = (u32)strtoul(name, NULL, 10);
	snprintf(path, sizeof(path), "/proc/%u/stat", t->pid);
	if (root_read(t->root, path, stat, sizeof(stat)) < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/comm", t->pid);
	if (root_read(t->root, path, comm, sizeof(comm)) < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/cmdline", t->pid);
	len = root_read(t->root, path, cmdline, sizeof(cmdline));
	t->at = trace_packet(t->w, room);
	if (!t->at)
		return t->w->error;
	t->last = t->at + room - PROCESS_ROOM;
	t->at = proto_u64(t->at, PACKET_SEQUENCE, TRACE_SEQUENCE);
	t->at = proto_open(t->at, PACKET_PROCESS_TREE, &begin);
	t->at = write_process(t->at, t->pid, stat, cmdline, len, comm);
	snprintf(path, sizeof(path), "/proc/%u/task", t->pid);
	root_list(t->root, path, write_thread, t);
	proto_close(begin, t->at);
	trace_packet_end(t->w, t->at);
	return 0;
}

int trace_processes(struct trace_writer *w, const struct root *root)
{
	struct tree t = {.w = w, .root = root};

	root_list(root, "/proc", write_one, &t);
	return w->error;
}
