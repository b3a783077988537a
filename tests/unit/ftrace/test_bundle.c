/* Records to packets: every kind of field, what points outside of a record, columns of switches, bundles that have to
 * end. What was written is read by another walker. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ftrace/bundle.h"
#include "unit/ftrace/walk.h"

#define COMMON                                                                          \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"          \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"  \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(type, offset, size, sign) \
	"\tfield:" type ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"
#define SWITCH                                                                                    \
	"name: sched_switch\nID: 10\n" COMMON FIELD("char prev_comm[16]", 8, 16, 0)               \
		FIELD("pid_t prev_pid", 24, 4, 1) FIELD("int prev_prio", 28, 4, 1)                \
			FIELD("long prev_state", 32, 8, 1) FIELD("char next_comm[16]", 40, 16, 0) \
				FIELD("pid_t next_pid", 56, 4, 1) FIELD("int next_prio", 60, 4, 1)
#define WAKING                                                                                    \
	"name: sched_waking\nID: 11\n" COMMON FIELD("char comm[16]", 8, 16, 0) FIELD("pid_t pid", \
		24, 4, 1) FIELD("int prio", 28, 4, 1) FIELD("int target_cpu", 32, 4, 1)

enum { THING = 20, PACKET = 1, BUNDLE = 1, EVENT = 2, COMPACT = 4 };

static struct trace_writer writer;
static struct bundler b;
static int file = -1;
static u8 page_bytes[65536];
static size_t used;
static u8 *mapped;
static size_t mapped_size;

static int setup(void **state)
{
	(void)state;
	file = memfd_create("trace", MFD_CLOEXEC);
	assert_true(file >= 0);
	assert_int_equal(trace_writer_open(&writer, file, BUNDLE_WRITER), 0);
	assert_int_equal(bundler_init(&b, &writer, 2), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	bundler_fini(&b);
	trace_writer_close(&writer);
	if (mapped)
		munmap(mapped, mapped_size);
	mapped = NULL;
	close(file);
	return 0;
}

static void know(const char *group, const char *text)
{
	struct err err = {0};
	char *own = strdup(group);
	int ret = bundler_know(&b, own, text, strlen(text), &err);

	/* nothing of the caller's is kept */
	free(own);
	if (ret)
		print_message("%s\n", err.msg);
	assert_int_equal(ret, 0);
}

static void begin_page(u64 stamp)
{
	memset(page_bytes, 0, sizeof(page_bytes));
	memcpy(page_bytes, &stamp, 8);
	used = 0;
}

/* A record of `size` bytes (a multiple of 4), its number and pid set. */
static u8 *put(u16 id, u32 delta, u32 size)
{
	u8 *at = page_bytes + PAGE_HEADER + used;
	u32 head = size / 4 <= 28 ? size / 4 | delta << 5 : delta << 5, whole = size + 4, pid = 77;

	memcpy(at, &head, 4);
	at += 4;
	used += 4 + size;
	if (size / 4 > 28) {
		memcpy(at, &whole, 4);
		at += 4;
		used += 4;
	}
	memcpy(at, &id, 2);
	memcpy(at + 4, &pid, 4);
	return at;
}

static void end_page(u32 cpu, bool lost)
{
	u64 commit = used | (lost ? 1ull << 31 : 0);
	struct page p;

	memcpy(page_bytes + 8, &commit, 8);
	assert_int_equal(page_open(&p, page_bytes, sizeof(page_bytes)), PAGE_FINE);
	assert_int_equal(bundle_page(&b, cpu, &p), 0);
}

/* The nth bundle of what is in the file. */
static struct walk bundle(u32 nth)
{
	struct walk packet, message;

	assert_int_equal(bundle_end(&b), 0);
	assert_int_equal(trace_flush(&writer), 0);
	if (mapped)
		munmap(mapped, mapped_size);
	mapped_size = (size_t)lseek(file, 0, SEEK_END);
	mapped = mmap(NULL, mapped_size, PROT_READ, MAP_SHARED, file, 0);
	assert_true(mapped != MAP_FAILED);
	assert_true(
		walk_message((struct walk){mapped, mapped + mapped_size}, PACKET, nth, &packet));
	assert_true(walk_message(packet, BUNDLE, 0, &message));
	return message;
}

static struct walk event(struct walk of, u32 nth, u32 field)
{
	struct walk e, body;

	assert_true(walk_message(of, EVENT, nth, &e));
	assert_int_equal(walk_value(e, 2, 0, 0), 77);
	assert_true(walk_message(e, field, 0, &body));
	return body;
}

static void set_u32(u8 *at, u32 v)
{
	memcpy(at, &v, 4);
}

static void put_switch(u32 delta, const char *next, u32 pid, s64 state)
{
	u8 *at = put(10, delta, 64);

	memcpy(at + 8, "before", 6);
	set_u32(at + 24, 5);
	set_u32(at + 28, 120);
	memcpy(at + 32, &state, 8);
	memcpy(at + 40, next, strnlen(next, 16));
	set_u32(at + 56, pid);
	set_u32(at + 60, 100);
}

static void put_waking(u32 delta, const char *who, u32 pid)
{
	u8 *at = put(11, delta, 36);

	at[2] = 1;
	memcpy(at + 8, who, strnlen(who, 16));
	set_u32(at + 24, pid);
	set_u32(at + 28, 120);
	set_u32(at + 32, 1);
}

static u64 packed(struct walk of, u32 field, u32 nth)
{
	struct walk list;
	u64 v = 0;

	assert_true(walk_message(of, field, 0, &list));
	for (u32 i = 0; i <= nth; i++)
		assert_true(walk_varint(&list, &v));
	return v;
}

static void switches_are_columns(void **state)
{
	struct walk m, compact, first;

	(void)state;
	know("sched", SWITCH);
	know("sched", WAKING);
	begin_page(1000);
	put_waking(0, "early", 3);
	put_switch(0, "one", 1, 0);
	put_switch(0, "two", 2, 1);
	put_waking(500, "one", 1);
	put_switch(1500, "one", 1, -1);
	put_switch(3000, "a name of 16 byt", 3, 0x100);
	end_page(1, false);
	m = bundle(0);
	assert_int_equal(walk_value(m, 1, 0, 9), 1);
	/* what comes before the first of its CPU, and that one, are in full */
	assert_true(walk_is(event(m, 0, 20), 1, 0, "early"));
	first = event(m, 1, 4);
	assert_true(walk_is(first, 1, 0, "before"));
	assert_true(walk_is(first, 5, 0, "one"));
	assert_int_equal(walk_value(first, 6, 0, 0), 1);
	assert_true(walk_message(m, COMPACT, 0, &compact));
	assert_true(walk_is(compact, 5, 0, "two"));
	assert_true(walk_is(compact, 5, 1, "one"));
	assert_true(walk_is(compact, 5, 2, "a name of 16 byt"));
	assert_int_equal(packed(compact, 1, 0), 1000);
	assert_int_equal(packed(compact, 1, 1), 2000);
	assert_int_equal(packed(compact, 1, 2), 3000);
	assert_true(packed(compact, 2, 1) == UINT64_MAX);
	assert_int_equal(packed(compact, 2, 2), 0x100);
	assert_int_equal(packed(compact, 3, 0), 2);
	assert_int_equal(packed(compact, 4, 0), 100);
	assert_int_equal(packed(compact, 6, 1), 1);
	assert_int_equal(packed(compact, 7, 0), 1500);
	assert_int_equal(packed(compact, 8, 0), 1);
	assert_int_equal(packed(compact, 9, 0), 1);
	assert_int_equal(packed(compact, 10, 0), 120);
	assert_int_equal(packed(compact, 11, 0), 1);
	assert_int_equal(packed(compact, 12, 0), 1);
	assert_int_equal(b.cpus[1].events, 6);
}

/* Time that steps back, a list that is full, too many names: each begins another bundle, and nothing is lost. */
static void bundles_end(void **state)
{
	struct walk compact;
	char name[16];

	(void)state;
	know("sched", SWITCH);
	begin_page(5000);
	put_switch(0, "x", 1, 0);
	put_switch(0, "x", 1, 0);
	end_page(0, false);
	begin_page(4000);
	put_switch(0, "x", 1, 0);
	end_page(0, false);
	assert_true(walk_message(bundle(1), COMPACT, 0, &compact));
	assert_int_equal(packed(compact, 1, 0), 4000);
	for (u32 round = 0; round < 10; round++) {
		begin_page(6000 + round * 1000);
		for (u32 i = 0; i < 600; i++) {
			snprintf(name, sizeof(name), "n%u-%u", round, i);
			put_switch(1, name, i, 0);
		}
		end_page(0, false);
	}
	/* 1,024 names each */
	for (u32 i = 0, n = 0; i < 6; i++) {
		u32 names = 0;
		struct walk text;

		assert_true(walk_message(bundle(2 + i), COMPACT, 0, &compact));
		while (walk_message(compact, 5, names, &text))
			names++;
		assert_true(names <= COMPACT_NAMES);
		n += names;
		if (i == 5)
			assert_int_equal(n, 6000);
	}
	assert_int_equal(b.events[0].plan.seen, 6003);
}

static void losses_and_cpus(void **state)
{
	(void)state;
	know("sched", SWITCH);
	begin_page(1000);
	put_switch(0, "x", 1, 0);
	end_page(0, false);
	begin_page(1000);
	put_switch(0, "x", 1, 0);
	end_page(1, true);
	assert_int_equal(walk_value(bundle(0), 1, 0, 9), 0);
	assert_int_equal(walk_value(bundle(0), 3, 0, 0), 0);
	assert_int_equal(walk_value(bundle(1), 1, 0, 9), 1);
	assert_int_equal(walk_value(bundle(1), 3, 0, 0), 1);
	assert_int_equal(b.cpus[1].gaps, 1);
}

#define THINGS                                                                                    \
	"name: thing\nID: 20\n" COMMON FIELD("__data_loc char[] name", 8, 4, 0)                   \
		FIELD("__rel_loc char[] other", 12, 4, 0)                                         \
			FIELD("unsigned long args[2]", 16, 16, 0) FIELD("short small", 32, 2, 1)  \
				FIELD("bool on", 34, 1, 0) FIELD("dev_t dev", 36, 4, 0)           \
					FIELD("u8 mac[4]", 40, 4, 0) FIELD("void *ptr", 48, 8, 0) \
						FIELD("char comm[8]", 56, 8, 0)                   \
							FIELD("char rest[]", 64, 0, 0)

static u8 *put_thing(u32 name, u32 other)
{
	const u64 args[2] = {7, UINT64_MAX}, kernel = 0xffff888012345678;
	const s16 small = -1000;
	u8 *at = put(THING, 0, 84);

	set_u32(at + 8, name);
	set_u32(at + 12, other);
	memcpy(at + 16, args, 16);
	memcpy(at + 32, &small, 2);
	at[34] = 1;
	set_u32(at + 36, 0x00800001);
	memcpy(at + 40, "\x01\x02\x03\xff", 4);
	memcpy(at + 48, &kernel, 8);
	memcpy(at + 56, "bad\xff\xfe", 5);
	memcpy(at + 64, "hello\n", 6);
	memcpy(at + 72, "init", 5);
	return at;
}

static void every_kind_of_field(void **state)
{
	struct walk m, t, descriptor, message, field;

	(void)state;
	know("group", THINGS);
	begin_page(1000);
	put_thing(0x00050048, 0x00050038); /* both to byte 72: 56 behind 16 */
	end_page(0, false);
	m = bundle(0);
	t = event(m, 0, PLAN_GENERIC + THING);
	assert_true(walk_is(t, 1, 0, "init"));
	assert_true(walk_is(t, 2, 0, "init"));
	assert_int_equal(walk_value(t, 3, 0, 0), 7);
	assert_true(walk_value(t, 3, 1, 0) == UINT64_MAX);
	assert_true((s64)walk_value(t, 4, 0, 0) == -1000);
	assert_int_equal(walk_value(t, 5, 0, 0), 1);
	assert_int_equal(walk_value(t, 6, 0, 0), 2049);
	assert_true(walk_is(t, 7, 0, "\x01\x02\x03\xff"));
	/* never a kernel's address */
	assert_int_equal(walk_value(t, 8, 0, 0), 1);
	assert_true(walk_is(t, 9, 0, "bad\xef\xbf\xbd\xef\xbf\xbd"));
	assert_true(walk_is(t, 10, 0, "hello\n"));
	assert_true(walk_message(m, 11, 0, &descriptor));
	assert_int_equal(walk_value(descriptor, 1, 0, 0), PLAN_GENERIC + THING);
	assert_true(walk_is(descriptor, 3, 0, "group"));
	assert_true(walk_message(descriptor, 2, 0, &message));
	assert_true(walk_is(message, 1, 0, "thing"));
	assert_true(walk_message(message, 2, 2, &field));
	assert_true(walk_is(field, 1, 0, "args"));
	assert_int_equal(walk_value(field, 3, 0, 0), 3);
	assert_int_equal(walk_value(field, 4, 0, 0), 3);
	assert_int_equal(walk_value(field, 5, 0, 0), 4);
	/* once */
	begin_page(2000);
	put_thing(0x00050048, 0x00050038);
	end_page(0, false);
	assert_false(walk_message(bundle(1), 11, 0, &descriptor));
}

static void what_points_outside(void **state)
{
	struct walk e;

	(void)state;
	know("group", THINGS);
	begin_page(1000);
	put_thing(0x00ff0f00, 0x00050038);
	put_thing(0x00050048, 0xffff0000);
	put_thing(0x00000048, 0x00000000); /* empty texts are fine */
	put(THING, 0, 60);                 /* too short */
	put(99, 5, 12);                    /* nobody asked for it; its time counts */
	put_thing(0x00000048, 0x00000000);
	end_page(0, false);
	assert_int_equal(b.events[0].plan.bad, 3);
	assert_int_equal(b.events[0].plan.seen, 2);
	assert_int_equal(b.unknown, 1);
	assert_true(walk_is(event(bundle(0), 0, PLAN_GENERIC + THING), 1, 0, ""));
	assert_true(walk_message(bundle(0), EVENT, 1, &e));
	assert_int_equal(walk_value(e, 1, 0, 0), 1005);
	assert_false(walk_message(bundle(0), EVENT, 2, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(switches_are_columns, setup, teardown),
		cmocka_unit_test_setup_teardown(bundles_end, setup, teardown),
		cmocka_unit_test_setup_teardown(losses_and_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(every_kind_of_field, setup, teardown),
		cmocka_unit_test_setup_teardown(what_points_outside, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
