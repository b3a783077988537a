#include "base/errno_name.h"

#include <errno.h>
#include <string.h>

#include "base/types.h"

int errno_from_name(const char *name)
{
	static const struct {
		const char *name;
		int code;
	} names[] = {
		{"EPERM", EPERM},
		{"ENOENT", ENOENT},
		{"ESRCH", ESRCH},
		{"EIO", EIO},
		{"EAGAIN", EAGAIN},
		{"EACCES", EACCES},
		{"ENODEV", ENODEV},
		{"EINVAL", EINVAL},
		{"ENODATA", ENODATA},
		{"EOPNOTSUPP", EOPNOTSUPP},
		{"ENXIO", ENXIO},
		{"ESTALE", ESTALE},
		{"ETIMEDOUT", ETIMEDOUT},
		{"EBUSY", EBUSY},
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].code;
	return 0;
}
