#include "ftrace/select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_MOST = 64, WORD_SIZE = 64, LINE_SIZE = 256 };

static const struct preset {
	const char *name, *words;
} presets[] = {
	{"sched", "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,sched:sched_"
		  "process_*,"
		  "sched:sched_migrate_task,task:task_newtask,task:task_rename"},
	{"cpu", "sched,irq:*,ipi:*,power:cpu_*"},
	{"io", "block:block_rq_*,block:block_bio_queue,ext4:ext4_sync_file_*,filemap:mm_filemap_"
	       "fault"},
	{"memory", "kmem:rss_stat,oom:*,vmscan:mm_vmscan_*,compaction:mm_compaction_begin,"
		   "compaction:mm_compaction_end"},
	{"gpu", "gpu_mem:*,gpu_scheduler:*,dma_fence:*,power:gpu_*,drm:*"},
	{"power", "power:*,thermal:*"},
	{"syscalls", "raw_syscalls:*"},
};

const char select_presets[] = "sched cpu io memory gpu power syscalls";

struct word {
	char group[WORD_SIZE], name[WORD_SIZE]; /* patterns */
	bool either;                            /* name stands for a group or a name */
	bool optional, found;
};

struct words {
	struct word word[WORDS_MOST];
	u32 n;
};

static int add_list(
	struct words *w, const char *list, size_t len, bool optional, u32 depth, struct err *err);

static int add_word(
	struct words *w, const char *text, size_t len, bool optional, u32 depth, struct err *err)
{
	struct word *word = &w->word[w->n];
	const char *separator;

	if (!len)
		return err_set(err, EINVAL, "an empty word in the list of events");
	for (size_t i = 0; i < ARRAY_LEN(presets); i++)
		if (depth < 2 && strlen(presets[i].name) == len &&
			!memcmp(presets[i].name, text, len))
			return add_list(w, presets[i].words, strlen(presets[i].words), true,
				depth + 1, err);
	if (len >= WORD_SIZE || w->n == WORDS_MOST)
		return err_set(err, E2BIG, "the list of events is too long");
	*word = (struct word){.optional = optional};
	separator = memchr(text, ':', len) ?: memchr(text, '/', len);
	word->either = !separator;
	if (separator)
		memcpy(word->group, text, (size_t)(separator - text));
	separator = separator ? separator + 1 : text;
	memcpy(word->name, separator, len - (size_t)(separator - text));
	w->n++;
	return 0;
}

static int add_list(
	struct words *w, const char *list, size_t len, bool optional, u32 depth, struct err *err)
{
	const char *end = list + len;
	int ret = 0;

	while (!ret) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		const char *stop = comma ? comma : end;

		ret = add_word(w, list, (size_t)(stop - list), optional, depth, err);
		if (!comma)
			break;
		list = comma + 1;
	}
	return ret;
}

static bool matches(struct word *w, const char *group, const char *name)
{
	if (w->either)
		return !fnmatch(w->name, group, 0) || !fnmatch(w->name, name, 0);
	return !fnmatch(w->group, group, 0) && !fnmatch(w->name, name, 0);
}

static bool wanted(struct words *w, const char *group, const char *name)
{
	bool any = false;

	for (u32 i = 0; i < w->n; i++)
		if (matches(&w->word[i], group, name))
			any = w->word[i].found = true;
	return any;
}

int select_events(
	const char *list, const char *available, select_fn *fn, void *arg, struct err *err)
{
	struct words w = {.n = 0};
	int ret = add_list(&w, list, strlen(list), false, 0, err);

	for (const char *at = available; !ret && *at;) {
		const char *end = strchrnul(at, '\n');
		char line[LINE_SIZE], *colon;

		snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
		colon = strchr(line, ':');
		if (colon) {
			*colon = '\0';
			if (wanted(&w, line, colon + 1))
				ret = fn(arg, line, colon + 1);
		}
		at = *end ? end + 1 : end;
	}
	for (u32 i = 0; !ret && i < w.n; i++) {
		const struct word *word = &w.word[i];

		if (!word->found && !word->optional)
			ret = err_set(err, ENOENT, "this kernel has no event %s%s%s (presets: %s)",
				word->group, word->either ? "" : ":", word->name, select_presets);
	}
	return ret;
}
