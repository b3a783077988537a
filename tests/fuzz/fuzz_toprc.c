/* What the live view keeps: any text is settings or names a line; what is written is read as the same. */
#include "fuzz.h"

#include <string.h>

#include "base/safe.h"
#include "cmd/toprc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct settings s, again;
	struct err err = {0};
	char *text = malloc(size + 1), written[TOPRC_TEXT];
	const char *what;

	MUST(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (toprc_parse(&s, "toprc", text, &err)) {
		MUST(!strncmp(err.msg, "toprc:", 6) && safe_is(err.msg, strlen(err.msg)));
	} else {
		MUST(!settings_check(&s, &what));
		MUST(toprc_text(&s, written, sizeof(written)) < sizeof(written) - 1);
		MUST(!toprc_parse(&again, "toprc", written, &err));
		MUST(settings_equal(&s, &again));
	}
	free(text);
	return 0;
}
