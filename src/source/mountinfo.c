#include "source/mountinfo.h"

#include <errno.h>
#include <string.h>

#include "base/scan.h"

static int copy_path(char *out, u32 size, u32 *len, const char *p, const char *end)
{
	if ((size_t)(end - p) >= size)
		return -ENAMETOOLONG;
	memcpy(out, p, (size_t)(end - p));
	*len = (u32)scan_unescape_octal(out, (size_t)(end - p));
	out[*len] = '\0';
	return 0;
}

int mount_parse(struct mount *m, const char *p, const char *line)
{
	const char *end, *dash;
	u64 major = 0, minor = 0;
	bool ok = true;
	u32 len;

	*m = (struct mount){0};
	p = scan_blank(scan_skip_words(p, line, 2), line); /* ids of the mount and its parent */
	p = scan_u64(p, line, &major, &ok);
	if (!ok || p >= line || *p != ':')
		return -EINVAL;
	p = scan_u64(p + 1, line, &minor, &ok);
	if (!ok)
		return -EINVAL;
	m->key = major << 20 | minor;
	p = scan_blank(p, line);
	end = scan_word_end(p, line);
	m->whole = end - p == 1 && *p == '/';
	p = scan_blank(end, line);
	end = scan_word_end(p, line);
	if (end == p || copy_path(m->point, sizeof(m->point), &m->point_len, p, end))
		return end == p ? -EINVAL : -ENAMETOOLONG;
	p = scan_blank(end, line);
	m->read_only = line - p >= 2 && !memcmp(p, "ro", 2) &&
		       (p + 2 == line || p[2] == ',' || p[2] == ' ');
	dash = memmem(p, (size_t)(line - p), " - ", 3);
	if (!dash)
		return -EINVAL;
	p = dash + 3;
	end = scan_word_end(p, line);
	if (end == p || copy_path(m->type, sizeof(m->type), &len, p, end))
		return -EINVAL;
	p = scan_blank(end, line);
	end = scan_word_end(p, line);
	return copy_path(m->device, sizeof(m->device), &m->device_len, p, end);
}

bool mount_is_storage(const struct mount *m)
{
	static const char *const types[] = {"tmpfs", "nfs", "nfs4", "cifs", "smb3", "zfs", "btrfs",
		"overlay", "9p", "virtiofs", "ceph", "lustre", "glusterfs", "bcachefs"};

	if (m->device[0] == '/')
		return true;
	if (!strncmp(m->type, "fuse", 4) && strcmp(m->type, "fusectl") != 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (!strcmp(m->type, types[i]))
			return true;
	return false;
}

bool mount_same_device(const struct mount *a, const struct mount *b)
{
	return a->device[0] == '/' && !strcmp(a->device, b->device) && !strcmp(a->type, b->type);
}
