/* A sub-buffer of the kernel's ring to a trace: whatever the bytes are, what is written is whole. */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ftrace/bundle.h"
#include "trace/check.h"

#define COMMON                                                                          \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(type, offset, size, sign) \
	"\tfield:" type ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

/* With the numbers that the recorded pages have. */
static const struct {
	const char *group, *format;
} events[] = {
	{"sched", "name: sched_switch\nID: 372\n" COMMON FIELD("char prev_comm[16]", 8, 16,
			  0) FIELD("pid_t prev_pid", 24, 4, 1) FIELD("int prev_prio", 28, 4,
			  1) FIELD("long prev_state", 32, 8, 1) FIELD("char next_comm[16]", 40, 16,
			  0) FIELD("pid_t next_pid", 56, 4, 1) FIELD("int next_prio", 60, 4, 1)},
	{"sched", "name: sched_waking\nID: 375\n" COMMON FIELD("char comm[16]", 8, 16, 0)
			  FIELD("pid_t pid", 24, 4, 1) FIELD("int prio", 28, 4, 1)
				  FIELD("int target_cpu", 32, 4, 1)},
	{"ftrace", "name: print\nID: 5\n" COMMON FIELD("unsigned long ip", 8, 8, 0)
			   FIELD("char buf[]", 16, 0, 0)},
	{"other", "name: thing\nID: 363\n" COMMON FIELD("__data_loc char[] a", 8, 4, 0)
			  FIELD("__rel_loc u64[] b", 12, 4, 0) FIELD("u8 c[4]", 16, 4, 0)
				  FIELD("__data_loc u8[] d", 20, 4, 0) FIELD("dev_t e", 24, 4, 0)},
};

static int file = -1;

static void open_bundler(struct bundler *b, struct trace_writer *w)
{
	struct err err;

	file = memfd_create("trace", MFD_CLOEXEC);
	MUST(file >= 0);
	MUST(!trace_writer_open(w, file, BUNDLE_WRITER));
	MUST(!bundler_init(b, w, 2));
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		MUST(!bundler_know(
			b, events[i].group, events[i].format, strlen(events[i].format), &err));
}

/* As many events as were taken, in packets of which none is damaged. */
static void check_written(const struct bundler *b, u64 before)
{
	static struct check check;
	off_t size = lseek(file, 0, SEEK_END);
	u8 *bytes = size ? mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, file, 0) : NULL;
	u64 seen = 0;

	MUST(bytes != MAP_FAILED);
	for (u32 i = 0; i < b->nevents; i++)
		seen += b->events[i].plan.seen;
	check_trace(&check, bytes, (u64)size);
	MUST(check.whole == (u64)size);
	MUST(!check.bad_packets);
	MUST(check.events == seen - before);
	if (bytes)
		munmap(bytes, (size_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct trace_writer w;
	static struct bundler b;
	struct page p;
	u64 before = 0;

	if (file < 0)
		open_bundler(&b, &w);
	MUST(!ftruncate(file, 0) && !lseek(file, 0, SEEK_SET));
	for (u32 i = 0; i < b.nevents; i++)
		before += b.events[i].plan.seen;
	page_open(&p, data, size);
	MUST(!bundle_page(&b, size & 1, &p));
	MUST(!bundle_end(&b));
	MUST(!trace_flush(&w));
	check_written(&b, before);
	return 0;
}
