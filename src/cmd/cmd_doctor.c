/* tare doctor: what every source can measure here, what is missing, why, and what mends it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/safe.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/machine.h"
#include "core/cadence.h"
#include "lib/sources.h"
#include "sink/frame_json.h"

#define SLOW_WAIT_NS (500 * NSEC_PER_MSEC)

enum doctor_code {
	OPT_JSON = 256,
	OPT_NVML,
	OPT_ROOT,
	OPT_SCAN,
};

struct doctor_arguments {
	const char *root;
	struct source_choice choice;
	bool json;
};

static const struct args_entry entries[] = {
	{"json", NULL, "one JSON object instead of text", OPT_JSON, false},
	{"scan", "HOW", "look at processes by: auto, procfs or bpf", OPT_SCAN, false},
	{"nvml", "FILE", "load this library for NVIDIA's GPUs", OPT_NVML, true},
	{"root", "DIR", "read a recorded machine", OPT_ROOT, true},
	{"help", NULL, "this text", ARGS_HELP, false},
};

static int set(void *arg, int code, const char *value, struct err *err)
{
	struct doctor_arguments *a = arg;

	if (code == OPT_SCAN)
		return scan_parse(&a->choice, value, err);
	if (code == OPT_NVML)
		return nvml_choose(&a->choice, value, err);
	if (code == OPT_JSON)
		a->json = true;
	else
		a->root = value;
	return 0;
}

static void print_line(const char *head, const char *text)
{
	char safe[512];

	if (!*text)
		return;
	safe_text(safe, sizeof(safe), text, strlen(text));
	printf("%s%s\n", head, safe);
}

static int print_text(const struct findings *f, const char *scan)
{
	u32 good = 0, total = 0;

	for (; tare_sources[total]; total++) {
		const struct schema *schema = tare_sources[total]->schema;
		bool any = false;

		for (u32 i = 0; i < f->n; i++) {
			if (strcmp(f->items[i].source, schema->name) != 0)
				continue;
			printf("%-12s %s: ", any ? "" : schema->name,
				reason_text(f->items[i].reason));
			print_line("", f->items[i].what);
			print_line("             why  ", f->items[i].why);
			print_line("             fix  ", f->items[i].fix);
			any = true;
		}
		if (!any)
			printf("%-12s ok\n", schema->name);
		good += !any;
	}
	if (scan)
		printf("\nProcesses are looked at by %s.\n", scan);
	printf("%s%u of %u sources measure everything they can.\n", scan ? "" : "\n", good, total);
	return fflush(stdout) || ferror(stdout) ? -errno : 0;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct args_table table = {"doctor",
		"What can be measured here, what cannot, why, and what mends it.", entries,
		ARRAY_LEN(entries), set};
	static struct machine machine;
	const char *all[64] = {NULL}; /* optional sources too */
	struct doctor_arguments a = {0};
	struct findings findings = {0};
	const char *scan;
	struct err err = {0};
	int rc = args_run(&table, argc, argv, &a);

	if (rc >= 0)
		return rc;
	for (u32 i = 0; tare_sources[i] && i + 1 < ARRAY_LEN(all); i++)
		all[i] = tare_sources[i]->schema->name;
	rc = machine_open(&machine, a.root, all, &a.choice, local_interval(), &err);
	if (rc < 0) {
		fprintf(stderr, "tare doctor: %s\n", err.msg);
		return EXIT_FAILED;
	}
	tare_refresh(machine.tare);
	/* a mount that hangs shows as a reading that does not come back */
	engine_wait_slow(machine.engine, SLOW_WAIT_NS);
	engine_explain(machine.engine, &findings);
	scan = engine_shared(machine.engine)->scan;
	rc = a.json ? sink_json_findings(stdout, &findings, tare_sources, scan)
		    : print_text(&findings, scan);
	findings_free(&findings);
	machine_close(&machine);
	if (rc < 0 && rc != -EPIPE) {
		fprintf(stderr, "tare doctor: standard output: %s\n", strerror(-rc));
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}
