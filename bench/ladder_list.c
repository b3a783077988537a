/* Steps that list /proc. */
#include "bench/ladder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int ladder_readdir(struct ladder *l, const struct ladder_step *step)
{
	DIR *dir = opendir("/proc");

	(void)l;
	(void)step;
	if (!dir)
		return -errno;
	while (readdir(dir))
		;
	closedir(dir);
	return 0;
}

/* count: entries a call that returned any. */
int ladder_getdents(struct ladder *l, const struct ladder_step *step)
{
	u64 entries = 0, calls = 0;
	long len;

	if (lseek(l->proc, 0, SEEK_SET) < 0)
		return -errno;
	while ((len = syscall(SYS_getdents64, l->proc, l->buf, step->arg)) > 0) {
		const struct dirent64 *d;

		calls++;
		for (long at = 0; at < len; at += d->d_reclen) {
			d = (const struct dirent64 *)(const void *)(l->buf + at);
			entries++;
		}
	}
	if (len < 0)
		return -errno;
	l->calls += calls + 2;
	l->count += calls ? entries / calls : 0;
	return 0;
}
