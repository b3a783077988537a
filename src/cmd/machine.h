/* What the commands that measure share: a root, its clock and an engine on them. */
#ifndef TARE_CMD_MACHINE_H
#define TARE_CMD_MACHINE_H

#include "core/engine.h"
#include "core/expr.h"
#include "lib/handle.h"

struct machine {
	struct tare *tare;
	struct engine *engine; /* the handle's own, as the others */
	const struct root *root;
	const char *hostname; /* raw bytes; "" when it cannot be read */
};

/* What the engine's sources are told: --scan, how processes are looked at, and --nvml. */
struct source_choice {
	char scan[24], nvml[512];
	const char *options[3];
};

/* root NULL: this machine. include as in struct engine_config. 0 or -errno with *err. */
int machine_open(struct machine *m, const char *root, const char *const *include,
	const struct source_choice *choice, u64 interval_ns, struct err *err);
/* 0, or -EINVAL with *err. */
int scan_parse(struct source_choice *choice, const char *value, struct err *err);
int nvml_choose(struct source_choice *choice, const char *file, struct err *err);
void machine_close(struct machine *m);

/* Schema of the process table; NULL when this program has none. */
const struct schema *process_schema(void);
/* Compile the value of --filter. 0, or -EINVAL with *err naming the option. */
int filter_compile(struct expr **out, const char *text, struct err *err);

#endif
