#include "process/rows.h"

#include <string.h>

#include "base/scan.h"

enum { EXPECTED_MOST = 1 << 16 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* By number: SCHED_… of include/uapi/linux/sched.h. */
static const char *const policies[ROWS_POLICIES] = {
	"other", "fifo", "rr", "batch", "iso", "idle", "deadline", "ext"};

static const u8 text_columns[PROCESS_TEXTS] = {
	[PROCESS_TEXT_CGROUP] = PROCESS_CGROUP,
	[PROCESS_TEXT_CONTAINER] = PROCESS_CONTAINER,
	[PROCESS_TEXT_EXE] = PROCESS_EXE,
	[PROCESS_TEXT_CWD] = PROCESS_CWD,
	[PROCESS_TEXT_COMMAND] = PROCESS_COMMAND,
	[PROCESS_TEXT_CMDLINE] = PROCESS_CMDLINE,
};

/* All tasks of the machine, behind the slash of /proc/loadavg. 0: it cannot be known. */
static u32 count_tasks(const struct root *root)
{
	char text[128];
	const char *slash;
	bool ok = true;
	u64 n = 0;
	int len = root_is_live(root) ? root_read(root, "/proc/loadavg", text, sizeof(text)) : 0;

	slash = len > 0 ? memchr(text, '/', (size_t)len) : NULL;
	if (!slash)
		return 0;
	scan_u64(slash + 1, text + len, &n, &ok);
	return ok ? (u32)min_u64(n, EXPECTED_MOST) : 0;
}

void rows_init(struct rows *rows, const struct root *root)
{
	*rows = (struct rows){.expected = count_tasks(root)};
	users_init(&rows->users, root, "/etc/passwd");
	users_init(&rows->groups, root, "/etc/group");
}

void rows_fini(struct rows *rows)
{
	users_fini(&rows->users);
	users_fini(&rows->groups);
}

int rows_begin(struct rows *rows, struct table *t)
{
	text_ref ref;
	int ret = 0;

	rows->table = t;
	ret = table_reserve(t, rows->expected);
	if (ret)
		return ret;
	rows->reading++;
	if (table_needs(t, PROCESS_USER) || table_needs(t, PROCESS_REAL_USER))
		ret = users_refresh(&rows->users, t->at.mono_ns);
	if (!ret && table_needs(t, PROCESS_GROUP))
		ret = users_refresh(&rows->groups, t->at.mono_ns);
	if (!ret)
		ret = table_text(t, letters, sizeof(letters) - 1, &ref);
	if (ret)
		return ret;
	rows->letters = ref >> 16;
	for (u32 i = 0; i < ROWS_POLICIES && !ret && table_needs(t, PROCESS_POLICY); i++)
		ret = table_text(t, policies[i], strlen(policies[i]), &rows->policies[i]);
	return ret;
}

/* One reference a letter: states are stored once a reading. */
static text_ref state_ref(const struct rows *rows, char state)
{
	u64 i = state >= 'a' ? (u64)(state - 'a') + 26 : (u64)(state - 'A');

	return (rows->letters + i) << 16 | 1;
}

static int add_name(struct rows *rows, struct users *names, u32 row, const struct process_record *r,
	enum process_column id, enum process_column column)
{
	text_ref ref;
	int ret;

	if (!table_needs(rows->table, column) || !(r->have & column_bit(id)))
		return 0;
	ret = users_text(names, (u32)r->value[id], rows->reading, rows->table, &ref);
	if (!ret)
		table_set(rows->table, row, column, ref);
	return ret;
}

static int add_texts(struct rows *rows, u32 row, const struct process_record *r)
{
	struct table *t = rows->table;
	int ret;

	if (table_needs(t, PROCESS_STATE))
		table_set(t, row, PROCESS_STATE, state_ref(rows, r->state));
	if (r->has_policy && r->policy < ROWS_POLICIES && table_needs(t, PROCESS_POLICY))
		table_set(t, row, PROCESS_POLICY, rows->policies[r->policy]);
	ret = add_name(rows, &rows->users, row, r, PROCESS_UID, PROCESS_USER);
	if (!ret)
		ret = add_name(rows, &rows->users, row, r, PROCESS_REAL_UID, PROCESS_REAL_USER);
	if (!ret)
		ret = add_name(rows, &rows->groups, row, r, PROCESS_GID, PROCESS_GROUP);
	for (u32 i = 0; i < PROCESS_TEXTS && !ret; i++)
		if (r->text[i].have && table_needs(t, text_columns[i]))
			ret = table_set_text(
				t, row, text_columns[i], r->text[i].text, r->text[i].len);
	return ret;
}

int rows_add(void *arg, const struct process_record *r)
{
	struct rows *rows = arg;
	struct table *t = rows->table;
	int row = table_row(t, r->key);

	if (row < 0)
		return row;
	t->mono_ns[row] = r->at.mono_ns;
	t->boot_ns[row] = r->at.boot_ns;
	for (u64 left = r->have & t->need; left; left &= left - 1) {
		u32 c = (u32)__builtin_ctzll(left);

		table_set(t, (u32)row, c, r->value[c]);
	}
	for (u64 left = r->approx & t->need; left; left &= left - 1)
		table_state(t, (u32)row, (u32)__builtin_ctzll(left), CELL_APPROX, REASON_NONE);
	for (u64 left = r->denied & t->need; left; left &= left - 1)
		table_absent(t, (u32)row, (u32)__builtin_ctzll(left), REASON_PERMISSION);
	return add_texts(rows, (u32)row, r);
}
