/* A kept file: opened once, read whole with pread at every tick. The buffer belongs to the caller
 * and is shared by all files of a source; it grows when a file does (not in the steady state). */
#ifndef TARE_BASE_KFILE_H
#define TARE_BASE_KFILE_H

#include "base/root.h"

struct kbuf {
	char *data; /* NUL-terminated behind len bytes */
	u32 len;
	u32 size;
};

void kbuf_init(struct kbuf *buf);
void kbuf_fini(struct kbuf *buf);
/* Room for at least size bytes. 0 or -ENOMEM. */
int kbuf_reserve(struct kbuf *buf, u32 size);
static inline const char *kbuf_end(const struct kbuf *buf)
{
	return buf->data + buf->len;
}

struct kfile {
	int fd;         /* -1: not open */
	int read_error; /* recorded root: error that reads give; else 0 */
	u32 generation;
	bool long_records; /* records beyond 2 KiB (mountinfo): read until end of file is seen */
	char *path;        /* heap; absolute, below the root */
};

/* Remember path; opens lazily at the first read. 0 or -ENOMEM. */
int kfile_init(struct kfile *file, const char *path);
void kfile_fini(struct kfile *file);
/* Read the whole file into buf (len set, NUL behind). Opens it if it is not open or the root moved
 * on. Returns 0 or -errno; after an error the file is closed so that the next read tries again.
 * Costs one pread when the file fits in the buffer with room to spare. */
int kfile_read(struct kfile *file, const struct root *root, struct kbuf *buf);
/* One number in a small file; uses the stack, no buffer. */
int kfile_read_u64(struct kfile *file, const struct root *root, u64 *out);
int kfile_read_s64(struct kfile *file, const struct root *root, s64 *out);

#endif
