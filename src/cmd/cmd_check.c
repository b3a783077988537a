/* tare check: is this recording whole, and what is in it? */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/safe.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "trace/check.h"

enum check_code { OPT_REPAIR = 256 };

struct check_arguments {
	bool repair;
};

static const struct args_entry entries[] = {
	{"repair", NULL, "cut off what is behind the last whole packet", OPT_REPAIR, false},
	{"help", NULL, "this text", ARGS_HELP, false},
};

static int set(void *arg, int code, const char *value, struct err *err)
{
	struct check_arguments *a = arg;

	(void)code;
	(void)value;
	(void)err;
	a->repair = true;
	return 0;
}

static const struct args_table table = {.command = "check",
	.help = "What a recording holds, what it lost, and whether it is whole: tare check FILE.",
	.entries = entries,
	.n = ARRAY_LEN(entries),
	.set = set};

static int fail(const char *name, int code)
{
	char safe[256];

	safe_text(safe, sizeof(safe), name, strlen(name));
	fprintf(stderr, "tare check: %s: %s\n", safe, strerror(code));
	return EXIT_FAILED;
}

static void print_text(const char *head, const char *text)
{
	char safe[256];

	if (!*text)
		return;
	safe_text(safe, sizeof(safe), text, strlen(text));
	printf("%-10s %s\n", head, safe);
}

/* Wall-clock time of a moment in boot time. */
static void print_moment(const struct check *c, u64 ns)
{
	u64 real = c->real_ns - c->boot_ns + ns;
	time_t seconds = (time_t)(real / NSEC_PER_SEC);
	char text[64];
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%F %T", &tm))
		snprintf(text, sizeof(text), "%lld s", (long long)seconds);
	printf("%s.%03u", text, (u32)(real % NSEC_PER_SEC / NSEC_PER_MSEC));
}

static void print_times(const struct check *c)
{
	if (!c->events)
		return;
	printf("%-10s ", "time");
	if (c->boot_ns && c->real_ns) {
		print_moment(c, c->first_ns);
		printf(" to ");
		print_moment(c, c->last_ns);
		printf(", ");
	}
	printf("%.3f s\n", (double)(c->last_ns - c->first_ns) / 1e9);
}

static void print_cpus(const struct check *c)
{
	for (u32 i = 0; i < c->ncpus; i++) {
		const struct check_cpu *cpu = &c->cpu[i];
		s64 lost = check_lost(cpu);
		char name[16];

		if (!cpu->events && lost <= 0 && !cpu->gaps)
			continue;
		snprintf(name, sizeof(name), "cpu%u", i);
		printf("%-10s %" PRIu64 " events, ", name, cpu->events);
		if (lost < 0)
			printf("losses not counted to the end");
		else if (lost)
			printf("%" PRId64 " lost", lost);
		else
			printf("none lost");
		if (cpu->gaps)
			printf(" in %" PRIu64 " gap%s", cpu->gaps, cpu->gaps == 1 ? "" : "s");
		printf("\n");
	}
}

static void print_clocks(const struct check *c)
{
	static const struct {
		u32 id;
		const char *name;
	} known[] = {{6, "boot"}, {3, "monotonic"}, {1, "real"}, {5, "monotonic raw"}};

	printf("%-10s", "clocks");
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (c->clocks >> known[i].id & 1)
			printf(" %s", known[i].name);
	puts(c->clocks ? "" : " none: times are taken for boot time");
}

/* In words: is it whole? */
static void print_state(const struct check *c, bool repaired)
{
	u64 tail = c->size - c->whole;

	printf("%-10s %" PRIu64 " packets, %" PRIu64 " bytes: ", "file", c->packets, c->size);
	if (!tail && !c->bad_packets)
		printf("whole\n");
	else if (!tail)
		printf("%" PRIu64 " packets are damaged\n", c->bad_packets);
	else
		printf("the last %" PRIu64 " bytes are no whole packet%s\n", tail,
			repaired ? ": cut off" : " (--repair cuts them off)");
	if (c->packets && !c->ended)
		printf("%-10s the recorder did not come to its end\n", "");
}

static int report(struct check *c, int fd, const char *name, bool repair)
{
	u64 tail = c->size - c->whole;
	bool repaired = false;

	if (!c->packets) {
		char safe[256];

		safe_text(safe, sizeof(safe), name, strlen(name));
		fprintf(stderr, "tare check: %s: no trace: it does not begin with a packet\n",
			safe);
		return EXIT_FAILED;
	}
	if (tail && repair) {
		if (ftruncate(fd, (off_t)c->whole))
			return fail(name, errno);
		repaired = true;
	}
	print_state(c, repaired);
	print_times(c);
	print_cpus(c);
	print_clocks(c);
	print_text("machine", c->system);
	print_text("recorder", c->recorder);
	if (fflush(stdout))
		return EXIT_FAILED;
	return c->bad_packets || (tail && !repaired) ? EXIT_FAILED : EXIT_DONE;
}

static int check_file(const char *name, bool repair)
{
	int fd = open(name, (repair ? O_RDWR : O_RDONLY) | O_CLOEXEC), ret;
	struct check *c = malloc(sizeof(*c));
	void *bytes = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !c) {
		ret = fail(name, fd >= 0 && !c ? ENOMEM : errno);
	} else if (!S_ISREG(st.st_mode)) {
		ret = fail(name, S_ISDIR(st.st_mode) ? EISDIR : ESPIPE);
	} else {
		if (st.st_size)
			bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes == MAP_FAILED) {
			ret = fail(name, errno);
		} else {
			check_trace(c, bytes, (u64)st.st_size);
			ret = report(c, fd, name, repair);
		}
		if (bytes && bytes != MAP_FAILED)
			munmap(bytes, (size_t)st.st_size);
	}
	free(c);
	if (fd >= 0)
		close(fd);
	return ret;
}

int cmd_check(int argc, char **argv)
{
	struct check_arguments a = {0};
	const char *name = NULL;
	int ret;

	/* the one word that is no option */
	for (int i = 1; i < argc && !name; i++)
		if (argv[i][0] != '-') {
			name = argv[i];
			for (int j = i; j < argc - 1; j++)
				argv[j] = argv[j + 1];
			argc--;
		}
	ret = args_run(&table, argc, argv, &a);
	if (ret >= 0)
		return ret;
	if (!name) {
		fprintf(stderr, "tare check: which FILE?\n");
		return EXIT_USAGE;
	}
	return check_file(name, a.repair);
}
