#include "base/kfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scan.h"

enum { KBUF_START = 16384, KBUF_MOST = 1 << 28 };

void kbuf_init(struct kbuf *buf)
{
	*buf = (struct kbuf){0};
}

void kbuf_fini(struct kbuf *buf)
{
	free(buf->data);
	*buf = (struct kbuf){0};
}

int kbuf_reserve(struct kbuf *buf, u32 size)
{
	u32 want = buf->size ? buf->size : KBUF_START;
	char *data;

	if (size < buf->size)
		return 0;
	if (size >= KBUF_MOST)
		return -ENOMEM;
	while (want <= size)
		want *= 2;
	data = realloc(buf->data, want);
	if (!data)
		return -ENOMEM;
	buf->data = data;
	buf->size = want;
	return 0;
}

int kfile_init(struct kfile *file, const char *path)
{
	*file = (struct kfile){.fd = -1, .path = strdup(path)};
	return file->path ? 0 : -ENOMEM;
}

static void drop(struct kfile *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	file->read_error = 0;
}

void kfile_fini(struct kfile *file)
{
	if (!file || !file->path)
		return;
	drop(file);
	free(file->path);
	file->path = NULL;
}

static int ready(struct kfile *file, const struct root *root)
{
	int fd;

	if (file->generation != root->generation)
		drop(file);
	if (file->fd >= 0)
		return 0;
	fd = root_open_marked(root, file->path, O_RDONLY | O_NONBLOCK, &file->read_error);
	if (file->read_error)
		return -file->read_error;
	if (fd < 0)
		return fd;
	file->fd = fd;
	file->generation = root->generation;
	return 0;
}

int kfile_read(struct kfile *file, const struct root *root, struct kbuf *buf)
{
	int ret = ready(file, root);
	u32 len = 0;

	if (!ret && !buf->size)
		ret = kbuf_reserve(buf, KBUF_START);
	if (ret)
		return ret;
	for (;;) {
		ssize_t n = pread(file->fd, buf->data + len, buf->size - 1 - len, (off_t)len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			ret = -errno;
			drop(file);
			return ret;
		}
		len += (u32)n;
		/* seq_file hands out whole records of about a page at a time: less than half a page
		 * is the end unless records are longer than that, anything else is not known to be */
		if (n == 0 || (len < 2048 && !file->long_records))
			break;
		if (len + 1 >= buf->size / 2 && kbuf_reserve(buf, buf->size * 2 - 1)) {
			drop(file);
			return -ENOMEM;
		}
	}
	buf->len = len;
	buf->data[len] = '\0';
	return 0;
}

static int read_small(struct kfile *file, const struct root *root, char *out, u32 size)
{
	int ret = ready(file, root);
	ssize_t n;

	if (ret)
		return ret;
	do
		n = pread(file->fd, out, size, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		ret = -errno;
		drop(file);
		return ret;
	}
	return (int)n;
}

int kfile_read_u64(struct kfile *file, const struct root *root, u64 *out)
{
	char text[64];
	int n = read_small(file, root, text, sizeof(text));

	return n < 0 ? n : scan_whole_u64(text, text + n, out);
}

int kfile_read_s64(struct kfile *file, const struct root *root, s64 *out)
{
	char text[64];
	int n = read_small(file, root, text, sizeof(text));

	return n < 0 ? n : scan_whole_s64(text, text + n, out);
}
