#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/safe.h"

int err_set(struct err *err, int code, const char *fmt, ...)
{
	char raw[sizeof(err->msg)];
	va_list ap;

	if (!err)
		return -code;
	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	err->code = code;
	safe_text(err->msg, sizeof(err->msg), raw, strlen(raw));
	return -code;
}
