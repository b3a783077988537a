/* What /proc says about a process. The first byte picks a parser. */
#include "fuzz.h"

#include <string.h>

#include "process/hidepid.h"
#include "process/names.h"
#include "process/process.h"

static void stat_line(const char *p, const char *end)
{
	struct process_stat st, all;
	u64 want = 0;

	/* the first eight bytes say which fields are wanted */
	if (end - p < 8)
		return;
	memcpy(&want, p, 8);
	p += 8;
	if (process_parse_stat(p, end, ~0ull, &all)) {
		MUST(process_parse_stat(p, end, want, &st));
		return;
	}
	MUST(all.comm > p && all.comm[-1] == '(' && all.comm[all.comm_len] == ')');
	MUST(all.comm + all.comm_len < end);
	MUST(!memchr(p, '(', (size_t)(all.comm - 1 - p)));
	MUST(!(all.have & 0xf) && !(all.have >> STAT_FIELDS));
	/* fields are found one after the other */
	MUST(((all.have | 0xf) & ((all.have | 0xf) + 1)) == 0);
	MUST(!process_parse_stat(p, end, want, &st));
	MUST(st.comm == all.comm && st.comm_len == all.comm_len && st.state == all.state);
	MUST(!(st.have & ~want));
	/* those that both found are the same */
	for (u32 f = 0; f < STAT_FIELDS; f++)
		if (st.have & all.have & 1ull << f)
			MUST(st.value[f] == all.value[f]);
	MUST((all.have & want & ~st.have) == 0);
}

static void statm_line(const char *p, const char *end)
{
	u64 pages[3];

	process_parse_statm(p, end, pages);
}

static void status(const char *p, const char *end)
{
	u32 uid;

	process_parse_uid(p, end, &uid);
}

static void mountinfo(const char *p, const char *end)
{
	char value[8];

	memset(value, 'x', sizeof(value));
	hidepid_parse(p, end, value, sizeof(value));
	MUST(memchr(value, '\0', sizeof(value)));
}

static void cmdline(const char *p, const char *end)
{
	u32 len = (u32)(end - p), n;
	char *text = malloc(len ? len : 1);
	struct name_slice exe, comm, line, got;

	MUST(text);
	memcpy(text, p, len);
	n = name_cmdline(text, len);
	MUST(n <= len && !memchr(text, '\0', n) && (!n || p[n - 1]));
	/* the line, and pieces of it as path and name */
	line = (struct name_slice){text, n};
	exe = (struct name_slice){text, n / 3};
	comm = (struct name_slice){text + n / 3, n / 3};
	got = name_program(exe, comm, line);
	MUST(got.len <= n && (!got.len || (got.text >= text && got.text + got.len <= text + n)));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const fns[])(const char *p, const char *end) = {
		stat_line, statm_line, status, mountinfo, cmdline};
	const char *p = (const char *)data;

	if (size)
		fns[data[0] % 5](p + 1, p + size);
	return 0;
}
