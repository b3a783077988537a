/* How many entries a directory has, "." and ".." too: of /proc/self/fd and /proc/self/task to see that nothing is left. */
#ifndef TARE_TESTS_ENTRIES_H
#define TARE_TESTS_ENTRIES_H

#include "test.h"

#include <dirent.h>

static inline unsigned int entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

#endif
