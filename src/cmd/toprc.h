/* What `tare top` keeps from run to run, in $XDG_CONFIG_HOME/tare/toprc, else ~/.config/tare/toprc. */
#ifndef TARE_CMD_TOPRC_H
#define TARE_CMD_TOPRC_H

#include "base/err.h"
#include "tui/settings.h"

struct toprc {
	char path[4096]; /* "" when there is no place for it */
	struct settings kept;
};

/* Read what was kept. No file: the defaults, 0. A file that cannot be read or is not right: the defaults,
 * -errno and *err, which names the file and the line. Keys that are not known are passed over. */
int toprc_load(struct toprc *rc, struct err *err);
/* app_config.keep, arg is a struct toprc. The file is replaced as a whole, mode 0600; its directory is
 * made when missing. -ENOENT: there is no place for it; -EPERM: root in another user's home. */
int toprc_keep(void *arg, const struct settings *started, const struct settings *now);

/* Settings from the text of such a file; path only names it in *err. 0, or -EINVAL and the defaults or what
 * was read before the place that is wrong. */
int toprc_parse(struct settings *s, const char *path, const char *text, struct err *err);
/* The text that toprc_parse makes these settings of. Returns its length. */
enum { TOPRC_TEXT = 4096 };
u32 toprc_text(const struct settings *s, char *out, u32 size);

/* Word of a character set ("braille"), NULL beyond the last. */
const char *charset_word(u32 charset);

#endif
