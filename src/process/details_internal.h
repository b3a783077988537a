/* Shared by details*.c only. */
#ifndef TARE_PROCESS_DETAILS_INTERNAL_H
#define TARE_PROCESS_DETAILS_INTERNAL_H

#include "base/kfile.h"
#include "core/details.h"
#include "process/process.h"

enum { READING_PATH = 64, NEAR_PERCENT = 80 };

/* One process being read. */
struct reading {
	const struct root *root;
	const struct clock *clock;
	u32 pid, flags;
	struct details *out;
	struct process_stat st; /* comm lies in stat_text */
	char stat_text[2048];
	u32 stat_len;
	struct kbuf status; /* lists of CPUs may be long */
	int status_rc;
	struct kbuf buf;
};

/* "/proc/PID/file". */
const char *reading_path(const struct reading *r, char out[READING_PATH], const char *file);
/* The whole file in buf, r->buf for most. 0 or -errno. */
int reading_load(struct reading *r, const char *path, struct kbuf *buf);
/* What follows the word in its line of the status file, without blanks in front. false: no such line. */
bool reading_status(const struct reading *r, const char *word, const char **p, const char **end);
/* First number of such a line. */
bool reading_number(const struct reading *r, const char *word, u64 *out);
/* A line that says why there is no value. rc: -errno. */
void reading_absent(struct reading *r, const char *name, int rc);
const char *reading_why(int rc);

void details_limits(struct reading *r);
void details_cgroup(struct reading *r);
void details_rights(struct reading *r); /* namespaces, capabilities */

#endif
