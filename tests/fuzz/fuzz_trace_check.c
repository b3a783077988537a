/* A trace that anybody may have written. */
#include "fuzz.h"

#include <string.h>

#include "trace/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct check c;

	check_trace(&c, data, size);
	MUST(c.whole <= c.size && c.size == size);
	MUST(c.bad_packets <= c.packets && c.packets <= size);
	MUST(c.ncpus <= CHECK_CPUS && c.events <= size);
	MUST(memchr(c.system, '\0', CHECK_TEXT) && memchr(c.recorder, '\0', CHECK_TEXT));
	return 0;
}
