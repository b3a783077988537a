/* Text from strangers, made safe: the first byte is the room there is for it. */
#include "fuzz.h"

#include <string.h>

#include "base/safe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char out[256], again[256];
	u32 room, n;

	if (!size)
		return 0;
	room = data[0];
	n = safe_text(out, room, (const char *)data + 1, size - 1);
	MUST(!room || (n < room && !out[n]));
	MUST(safe_is(out, n));
	if (!room)
		return 0;
	MUST(safe_text(again, sizeof(again), out, n) == n && !memcmp(out, again, n));
	for (u32 i = 0; i < n;) {
		u32 cp, len;
		bool valid;

		len = utf8_decode(out + i, out + n, &cp, &valid);
		MUST(valid && safe_char(cp) && safe_width(cp) <= 2);
		i += len;
	}
	if (safe_is((const char *)data + 1, size - 1) && size <= room)
		MUST(n == size - 1 && !memcmp(out, data + 1, n));
	return 0;
}
