/* The kernel's tracing directory, and an instance of our own in it: the buffer, events and settings that other tracers
 * use are never touched. Documentation/trace/ftrace.rst, section "Instances". */
#ifndef TARE_FTRACE_TRACEFS_H
#define TARE_FTRACE_TRACEFS_H

#include "base/root.h"

struct tracefs {
	int top;       /* the directory; where it is mounted, or a mount that nobody else sees */
	int dir;       /* of the instance */
	char name[48]; /* "instances/tare-1234" */
};

/* Find it, remove what killed runs left, make the instance with tracing off. 0; -EACCES, -EPERM, -ENOENT (no tracefs in
 * this kernel) … with err. */
int tracefs_open(struct tracefs *t, const struct root *root, struct err *err);
/* Remove the instance. */
void tracefs_close(struct tracefs *t);

/* A file of the instance: descriptor or -errno. */
int tracefs_file(const struct tracefs *t, const char *path, int flags);
/* Write a setting. 0 or -errno. */
int tracefs_set(const struct tracefs *t, const char *path, const char *value);
int tracefs_set_number(const struct tracefs *t, const char *path, u64 value);
/* A whole file of the instance, terminated; heap, the caller's. NULL and errno. */
char *tracefs_read(const struct tracefs *t, const char *path, size_t *len);
/* Every event of this kernel, "group:name" a line; the caller's as well. */
char *tracefs_available(const struct tracefs *t, size_t *len);

#endif
