/* Small trees of files in a temporary directory that goes away again. */
#ifndef TARE_TESTS_TREE_H
#define TARE_TESTS_TREE_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree_dir[512];

static inline int tree_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(tree_dir, sizeof(tree_dir), "%s/tare-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	return mkdtemp(tree_dir) ? 0 : -1;
}

static inline int tree_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int tree_teardown(void **state)
{
	(void)state;
	return nftw(tree_dir, tree_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* Full path of one below the tree; its folders are made. */
static inline const char *tree_path(const char *path)
{
	static char full[1024];

	snprintf(full, sizeof(full), "%s/%s", tree_dir, path);
	for (char *p = full + strlen(tree_dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	return full;
}

static inline void tree_bytes(const char *path, const void *data, size_t len)
{
	int fd = open(tree_path(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static inline void tree_file(const char *path, const char *text)
{
	tree_bytes(path, text, strlen(text));
}

static inline void tree_link(const char *path, const char *target)
{
	assert_int_equal(symlink(target, tree_path(path)), 0);
}

#endif
