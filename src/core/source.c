#include "core/source.h"

#include <string.h>

const char *source_option(const struct source_env *env, const char *name)
{
	size_t len = strlen(name);

	for (const char *const *option = env->options; option && *option; option++)
		if (!strncmp(*option, name, len) && (*option)[len] == '=')
			return *option + len + 1;
	return NULL;
}

bool source_guest(const struct source_env *env)
{
	return source_option(env, "guest");
}
