#include "process/hidepid.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kfile.h"
#include "base/scan.h"

static void copy(char *out, u32 size, const char *p, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(out, p, len);
	out[len] = '\0';
}

/* Super options stand in the third word behind " - ". */
static void parse_line(const char *p, const char *end, char *out, u32 size)
{
	static const char option[] = "hidepid=";
	const char *dash = memmem(p, (size_t)(end - p), " - ", 3), *at;
	size_t len;

	out[0] = '\0';
	if (!dash)
		return;
	p = scan_blank(scan_skip_words(dash + 3, end, 2), end);
	at = memmem(p, (size_t)(end - p), option, sizeof(option) - 1);
	if (!at)
		return;
	at += sizeof(option) - 1;
	for (len = 0; at + len < end && at[len] != ',' && at[len] != ' ';)
		len++;
	if ((len == 1 && *at == '0') || (len == 3 && !memcmp(at, "off", 3)))
		return;
	copy(out, size, at, len);
}

void hidepid_parse(const char *p, const char *end, char *out, u32 size)
{
	out[0] = '\0';
	for (; p < end; p = scan_next_line(p, end)) {
		const char *line_end = scan_line_end(p, end);
		const char *mount = scan_blank(scan_skip_words(p, line_end, 4), line_end);

		/* the last mount on it is the one that is seen */
		if (scan_starts(mount, line_end, "/proc "))
			parse_line(mount, line_end, out, size);
	}
}

/* Process 1 is another user's unless it is ours. */
static bool sees_others(const struct root *root)
{
	int fd = root_open(root, "/proc/1/stat", O_RDONLY);
	struct stat st;
	bool ours;

	if (fd < 0)
		return false;
	ours = root_is_live(root) && geteuid() && !fstat(fd, &st) && st.st_uid == geteuid();
	close(fd);
	return !ours;
}

void hidepid_read(const struct root *root, char *out, u32 size)
{
	struct kfile file;
	struct kbuf buf;

	out[0] = '\0';
	kbuf_init(&buf);
	if (kfile_init(&file, "/proc/self/mountinfo"))
		return;
	file.long_records = true;
	if (!kfile_read(&file, root, &buf))
		hidepid_parse(buf.data, kbuf_end(&buf), out, size);
	if (out[0] && sees_others(root))
		out[0] = '\0';
	kfile_fini(&file);
	kbuf_fini(&buf);
}
