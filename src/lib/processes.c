/* Processes as structures: those that live, and when asked those that ended since the refresh before. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/unit.h"
#include "lib/walk.h"
#include "process/process.h"

#define MEMBER(bit, name, member, what) [bit] = {name, offsetof(struct tare_process, member), what}
#define NUMBER(bit, name, member)       MEMBER(TARE_PROCESS_##bit, name, member, MEMBER_NUMBER)
#define COUNT(bit, name, member)        MEMBER(TARE_PROCESS_##bit, name, member, MEMBER_COUNT)
#define TEXT(bit, name, member)         MEMBER(TARE_PROCESS_##bit, name, member, MEMBER_TEXT)

static const struct member members[] = {
	COUNT(PPID, "ppid", ppid),
	COUNT(UID, "uid", uid),
	COUNT(GID, "gid", gid),
	COUNT(THREADS, "threads", threads),
	COUNT(PROCESSOR, "processor", processor),
	NUMBER(STARTED, "started", age_seconds),
	NUMBER(TIME, "time", cpu_time_seconds),
	NUMBER(CPU, "cpu", cpu_percent),
	NUMBER(USER_CPU, "user_cpu", user_cpu_percent),
	NUMBER(SYSTEM_CPU, "system_cpu", system_cpu_percent),
	NUMBER(WAIT, "sched_wait", wait_percent),
	COUNT(VIRTUAL, "virtual", virtual_bytes),
	COUNT(RESIDENT, "resident", resident_bytes),
	COUNT(SHARED, "shared", shared_bytes),
	COUNT(SWAP, "swap", swap_bytes),
	NUMBER(MINOR_FAULTS, "minor_faults", minor_faults_per_second),
	NUMBER(MAJOR_FAULTS, "major_faults", major_faults_per_second),
	NUMBER(DISK_READ, "disk_read", disk_read_bytes_per_second),
	NUMBER(DISK_WRITTEN, "disk_written", disk_written_bytes_per_second),
	NUMBER(IO_READ, "io_read", io_read_bytes_per_second),
	NUMBER(IO_WRITTEN, "io_written", io_written_bytes_per_second),
	NUMBER(VOLUNTARY, "voluntary_switches", voluntary_switches_per_second),
	NUMBER(INVOLUNTARY, "involuntary_switches", involuntary_switches_per_second),
	COUNT(FILES, "files", files),
	NUMBER(GPU, "gpu_busy", gpu_percent),
	COUNT(GPU_MEMORY, "gpu_memory", gpu_memory_bytes),
	TEXT(STATE, "state", state),
	TEXT(COMMAND, "command", command),
	TEXT(CMDLINE, "cmdline", cmdline),
	TEXT(USER, "user", user),
	TEXT(EXE, "exe", exe),
	TEXT(CWD, "cwd", cwd),
	TEXT(CGROUP, "cgroup", cgroup),
	TEXT(CONTAINER, "container", container),
	TEXT(GPUS, "gpu", gpus),
};

static const struct frame_table *table_of(const struct tare *t)
{
	return frame_find(&t->seen, "process");
}

void processes_bind(struct tare *t)
{
	const struct frame_table *f = t->bound ? NULL : table_of(t);

	for (u32 i = 0; f && i < ARRAY_LEN(members); i++)
		t->process_columns[i] = (s8)schema_find(f->schema, members[i].column);
	t->bound |= f != NULL;
}

int processes_keep(struct tare *t)
{
	const struct frame_table *f = table_of(t);
	int rc;

	t->nended = 0;
	if (!f || !f->seq)
		return 0;
	if (!t->before.schema) {
		rc = table_init(&t->before, f->schema);
		if (rc)
			return rc;
	}
	return table_copy(&t->before, f->now);
}

static bool is_chosen(const struct tare *t, u32 pid)
{
	size_t low = 0, high = t->npids;

	if (!t->pids)
		return true;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->pids[middle] == pid)
			return true;
		if (t->pids[middle] < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

int processes_compare(struct tare *t)
{
	const struct frame_table *f = table_of(t);

	t->nended = 0;
	if (!f || !t->before.schema)
		return 0;
	if (t->before.n > t->ended_cap) {
		u32 *grown = realloc(t->ended, t->before.n * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->ended = grown;
		t->ended_cap = t->before.n;
	}
	/* what was not chosen was not read: it has not ended for that */
	for (u32 i = 0; i < t->before.n; i++)
		if (is_chosen(t, process_key_pid(t->before.key[i])) &&
			table_find(f->now, t->before.key[i]) < 0)
			t->ended[t->nended++] = i;
	return 0;
}

static void fill(const struct tare *t, const struct frame_table *f, u32 row, struct tare_process *p)
{
	walk_fill(f, row, members, t->process_columns, ARRAY_LEN(members), p);
	p->pid = process_key_pid(f->now->key[row]);
}

/* One that has ended: gauges and texts of its last row. */
static void fill_ended(const struct tare *t, u32 row, struct tare_process *p)
{
	const struct table *b = &t->before;

	for (u32 i = 0; i < ARRAY_LEN(members); i++) {
		int column = t->process_columns[i];
		const struct column *c = column < 0 ? NULL : &b->schema->columns[column];
		char *at = (char *)p + members[i].at;
		u32 len;

		/* what it did on GPUs is a rate too */
		if (!c || i == TARE_PROCESS_GPU || !b->cell[column] ||
			cell_state(b->cell[column][row]) == CELL_ABSENT ||
			c->kind == COLUMN_COUNTER || c->kind == COLUMN_DERIVED)
			continue;
		p->have |= 1ull << i;
		if (members[i].kind == MEMBER_TEXT) {
			struct tare_text *text = (void *)at;

			text->data = table_get_text(b, row, (u32)column, &len);
			text->len = len;
		} else if (members[i].kind == MEMBER_COUNT) {
			*(uint64_t *)(void *)at = b->col[column][row];
		} else {
			*(double *)(void *)at = unit_gauge(c, b->col[column][row], b->boot_ns[row]);
		}
	}
	p->pid = process_key_pid(b->key[row]);
	p->ended = 1;
}

int tare_process_next(const struct tare *t, size_t *cursor, struct tare_process *out)
{
	const struct frame_table *f = table_of(t);
	struct tare_process p = {.size = sizeof(p)};
	int rc;

	if (!walk_has_room(out))
		return -EINVAL;
	if (!f)
		return 0;
	while (*cursor < f->n && !is_chosen(t, process_key_pid(f->now->key[*cursor])))
		(*cursor)++;
	if (*cursor < f->n) {
		fill(t, f, (u32)*cursor, &p);
	} else {
		while (*cursor - f->n < t->nended &&
			!is_chosen(t, process_key_pid(t->before.key[t->ended[*cursor - f->n]])))
			(*cursor)++;
		if (*cursor - f->n >= t->nended)
			return 0;
		fill_ended(t, t->ended[*cursor - f->n], &p);
	}
	rc = walk_give(out, &p, sizeof(p));
	if (rc < 0)
		return rc;
	(*cursor)++;
	return 1;
}

int tare_process_find(const struct tare *t, uint32_t pid, struct tare_process *out)
{
	const struct frame_table *f = table_of(t);
	struct tare_process p = {.size = sizeof(p)};
	u32 low = 0, high = f ? f->n : 0;

	if (!walk_has_room(out))
		return -EINVAL;
	while (low < high) {
		u32 middle = (low + high) / 2;

		if (process_key_pid(f->now->key[middle]) < pid)
			low = middle + 1;
		else
			high = middle;
	}
	if (!f || low == f->n || process_key_pid(f->now->key[low]) != pid || !is_chosen(t, pid))
		return -ESRCH;
	fill(t, f, low, &p);
	return walk_give(out, &p, sizeof(p));
}

long tare_process_environment(struct tare *t, uint32_t pid, char *out, size_t size)
{
	char path[48];
	int fd, failed = 0;
	ssize_t n = 0;
	size_t len = 0;

	snprintf(path, sizeof(path), "/proc/%u/environ", pid);
	fd = root_open(&t->root, path, O_RDONLY);
	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	while (len < size && (n = read(fd, out + len, size - len)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		len += (size_t)n;
	}
	if (n < 0 && !len)
		failed = errno;
	close(fd);
	return failed ? -failed : (long)len;
}

long tare_process_root(struct tare *t, uint32_t pid, char *out, size_t size)
{
	char path[48], target[PATH_MAX];
	int n;

	if (!size)
		return -EINVAL;
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	n = root_readlink(&t->root, path, target, sizeof(target));
	if (n < 0)
		return n == -ENOENT ? -ESRCH : n;
	size = size < (size_t)n ? size : (size_t)n;
	memcpy(out, target, size);
	return (long)size;
}
