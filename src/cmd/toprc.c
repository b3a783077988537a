#include "cmd/toprc.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "tui/pcolumn.h"

enum { FILE_MOST = 64 << 10, LINE_COLUMNS = 90 };

const char *charset_word(u32 charset)
{
	static const char *const words[] = {[CHARSET_ASCII] = "ascii",
		[CHARSET_BLOCK] = "block",
		[CHARSET_BRAILLE] = "braille"};

	return charset < ARRAY_LEN(words) ? words[charset] : NULL;
}

/* XDG Base Directory Specification: a path that is not absolute is passed over. */
static void find_path(struct toprc *rc)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *real;
	int n = 0;

	if (config && config[0] == '/')
		n = snprintf(rc->path, sizeof(rc->path), "%s/tare/toprc", config);
	else if (home && home[0] == '/')
		n = snprintf(rc->path, sizeof(rc->path), "%s/.config/tare/toprc", home);
	if (n >= (int)sizeof(rc->path) || n <= 0)
		rc->path[0] = '\0';
	/* a link to where the user keeps such files stays one */
	real = rc->path[0] ? realpath(rc->path, NULL) : NULL;
	if (real && strlen(real) < sizeof(rc->path))
		strcpy(rc->path, real);
	free(real);
}

struct parsing {
	struct settings *to;
	const char *bad; /* key whose value is not right */
};

static int set_bool(bool *to, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return -EINVAL;
	*to = value[0] == 'y';
	return 0;
}

static int set_charset(struct settings *s, const char *value)
{
	s->charset = CHARSET_ASCII;
	s->charset_auto = strcmp(value, "auto") == 0;
	if (s->charset_auto)
		return 0;
	for (u32 i = 0; charset_word(i); i++) {
		if (strcmp(charset_word(i), value) == 0) {
			s->charset = (enum charset)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_panels(struct settings *s, const char *value)
{
	s->panels = 0;
	for (value += strspn(value, " "); *value; value += strspn(value, " ")) {
		size_t len = strcspn(value, " ");
		u32 i = 0;

		while (i < panel_entry_count && (strlen(panel_entries[i].word) != len ||
							memcmp(panel_entries[i].word, value, len)))
			i++;
		if (i == panel_entry_count)
			return -EINVAL;
		s->panels |= panel_entries[i].bit;
		value += len;
	}
	return 0;
}

static int set_text(char *to, u32 size, const char *value)
{
	if (strlen(value) >= size)
		return -EINVAL;
	memcpy(to, value, strlen(value) + 1);
	return 0;
}

/* A long list goes on in the next line, which comes as the same key again. */
static int add_columns(struct settings *s, const char *value)
{
	size_t len = strlen(s->columns), more = strlen(value);

	if (len + more + 2 > sizeof(s->columns))
		return -EINVAL;
	if (len)
		s->columns[len++] = ' ';
	memcpy(s->columns + len, value, more + 1);
	return 0;
}

static int set_key(struct settings *s, const char *name, const char *value)
{
	if (!strcmp(name, "columns"))
		return add_columns(s, value);
	if (!strcmp(name, "sort"))
		return set_text(s->sort, sizeof(s->sort), value);
	if (!strcmp(name, "descending"))
		return set_bool(&s->descending, value);
	if (!strcmp(name, "tree"))
		return set_bool(&s->tree, value);
	if (!strcmp(name, "hide_kernel"))
		return set_bool(&s->hide_kernel, value);
	if (!strcmp(name, "gpus"))
		return set_bool(&s->gpus, value);
	if (!strcmp(name, "charset"))
		return set_charset(s, value);
	if (!strcmp(name, "panels"))
		return set_panels(s, value);
	return 0;
}

/* inih: 1 is good. */
static int take(void *user, const char *section, const char *name, const char *value)
{
	struct parsing *p = user;

	if (strcmp(section, "top") != 0 || !value || set_key(p->to, name, value) == 0)
		return 1;
	if (!p->bad)
		p->bad = name[0] == 'c'   ? name[1] == 'h' ? "charset" : "columns"
			 : name[0] == 's' ? "sort"
			 : name[0] == 'p' ? "panels"
					  : "a value that is yes or no";
	return 0;
}

/* The whole file as text: a plain file of a sensible size. -ENOENT when there is none. */
static int read_file(const char *path, char *out, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret = 0;
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? -ENOENT
			       : err_set(err, errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		ret = err_set(err, EINVAL, "%s: not a file", path);
	else if (st.st_size > FILE_MOST)
		ret = err_set(err, EFBIG, "%s: too large", path);
	else if ((n = read(fd, out, FILE_MOST)) < 0)
		ret = err_set(err, errno, "%s: %s", path, strerror(errno));
	else if (memchr(out, '\0', (size_t)n))
		ret = err_set(err, EINVAL, "%s: not text", path);
	close(fd);
	if (ret)
		return ret;
	out[n] = '\0';
	return 0;
}

int toprc_parse(struct settings *s, const char *path, const char *text, struct err *err)
{
	struct parsing p = {.to = s};
	struct columns columns;
	const char *what;
	int line;

	settings_init(s);
	line = ini_parse_string(text, take, &p);

	if (line > 0)
		return err_set(err, EINVAL, "%s:%d: %s; the defaults are used", path, line,
			p.bad ? p.bad : "neither [section] nor name = value");
	if (line < 0)
		return err_set(err, ENOMEM, "%s: out of memory", path);
	if (settings_check(s, &what))
		return err_set(err, EINVAL, "%s: %s: no such process column; the defaults are used",
			path, what);
	/* however it was written by hand */
	columns_init(&columns);
	columns_set(&columns, s->columns, NULL);
	columns_text(&columns, s->columns, sizeof(s->columns));
	return 0;
}

int toprc_load(struct toprc *rc, struct err *err)
{
	static char text[FILE_MOST + 1];
	struct settings s;
	int ret;

	rc->path[0] = '\0';
	settings_init(&rc->kept);
	find_path(rc);
	if (!rc->path[0])
		return 0;
	ret = read_file(rc->path, text, err);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = toprc_parse(&s, rc->path, text, err);
	if (ret == 0)
		rc->kept = s;
	return ret;
}

static void write_columns(struct sbuf *sb, const char *list)
{
	u32 width = (u32)strlen("columns =");

	sbuf_str(sb, "columns =");
	while (*list) {
		size_t len = strcspn(list, " ");

		if (width + len + 1 > LINE_COLUMNS) {
			sbuf_str(sb, "\n   ");
			width = 3;
		}
		sbuf_char(sb, ' ');
		sbuf_add(sb, list, len);
		width += (u32)len + 1;
		list += len;
		list += strspn(list, " ");
	}
	sbuf_char(sb, '\n');
}

u32 toprc_text(const struct settings *s, char *out, u32 size)
{
	struct sbuf buffer, *sb = &buffer;

	sbuf_init(sb, out, size);
	sbuf_str(sb, "; kept by tare top, written anew when something is changed there\n[top]\n");
	if (s->columns[0])
		write_columns(sb, s->columns);
	sbuf_printf(sb,
		"sort = %s\ndescending = %s\ntree = %s\nhide_kernel = %s\ngpus = %s\ncharset = "
		"%s\n",
		s->sort, s->descending ? "yes" : "no", s->tree ? "yes" : "no",
		s->hide_kernel ? "yes" : "no", s->gpus ? "yes" : "no",
		s->charset_auto ? "auto" : charset_word((u32)s->charset));
	sbuf_str(sb, "panels =");
	for (u32 i = 0; i < panel_entry_count; i++) {
		if (!(s->panels & panel_entries[i].bit))
			continue;
		sbuf_char(sb, ' ');
		sbuf_str(sb, panel_entries[i].word);
	}
	sbuf_char(sb, '\n');
	return sb->len;
}

/* The two last directories of the path; those above them are the user's to make. */
static int make_directories(const char *path)
{
	char parent[4096];
	char *file, *own;

	memcpy(parent, path, strlen(path) + 1);
	file = strrchr(parent, '/');
	*file = '\0';
	own = strrchr(parent, '/');
	*own = '\0';
	if (mkdir(parent, 0700) && errno != EEXIST)
		return -errno;
	*own = '/';
	return mkdir(parent, 0700) && errno != EEXIST ? -errno : 0;
}

/* Root writes nothing where another user could have put a link in its way (sudo keeps HOME). */
static bool others_place(const char *path)
{
	char parent[4096];
	struct stat st;
	char *slash;

	if (geteuid() != 0)
		return false;
	memcpy(parent, path, strlen(path) + 1);
	while ((slash = strrchr(parent, '/')) && slash > parent) {
		*slash = '\0';
		if (stat(parent, &st) == 0)
			return st.st_uid != 0;
	}
	return false;
}

/* Whoever reads it meets the old file or the new one. */
static int replace(const char *path, const char *text, size_t len)
{
	char temp[4096 + 8];
	int fd, ret = 0;

	snprintf(temp, sizeof(temp), "%s.XXXXXX", path);
	fd = mkostemp(temp, O_CLOEXEC); /* mode 0600 */
	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != (ssize_t)len)
		ret = errno ? -errno : -ENOSPC;
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(temp, path))
		ret = -errno;
	if (ret)
		unlink(temp);
	return ret;
}

int toprc_keep(void *arg, const struct settings *started, const struct settings *now)
{
	struct toprc *rc = arg;
	struct settings merged = rc->kept;
	char text[TOPRC_TEXT];
	u32 len;
	int ret;

	if (!rc->path[0])
		return -ENOENT;
	if (others_place(rc->path))
		return -EPERM;
	settings_merge(&merged, started, now);
	len = toprc_text(&merged, text, sizeof(text));
	ret = make_directories(rc->path);
	errno = 0;
	return ret ? ret : replace(rc->path, text, len);
}
