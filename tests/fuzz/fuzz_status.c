/* A status file: values are those of whole lines. */
#include "fuzz.h"

#include <string.h>

#include "process/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size;
	const char *last = size ? memrchr(p, '\n', size) : NULL;
	const u32 all = STATUS_UIDS | STATUS_GIDS | STATUS_SWAP | STATUS_VOLUNTARY |
			STATUS_INVOLUNTARY;
	struct process_status st, whole;
	u32 uid;

	process_parse_status(p, end, &st);
	MUST(!(st.have & ~all));
	/* what stands behind the last line break says nothing */
	process_parse_status(p, last ? last + 1 : p, &whole);
	MUST(whole.have == st.have);
	for (u32 i = 0; i < 2; i++) {
		MUST(!(st.have & STATUS_UIDS) || st.uid[i] == whole.uid[i]);
		MUST(!(st.have & STATUS_GIDS) || st.gid[i] == whole.gid[i]);
	}
	MUST(!(st.have & STATUS_SWAP) || st.swap_kib == whole.swap_kib);
	MUST(!(st.have & STATUS_VOLUNTARY) || st.voluntary == whole.voluntary);
	MUST(!(st.have & STATUS_INVOLUNTARY) || st.involuntary == whole.involuntary);
	process_parse_uid(p, end, &uid);
	return 0;
}
