/* Cases P04, P05, P07 and P08: what a process is called. */
#include "test.h"

#include <string.h>

#include "base/types.h"
#include "process/hidepid.h"
#include "process/names.h"

static struct name_slice slice(const char *text)
{
	return (struct name_slice){text, (u32)strlen(text)};
}

static void program_is(const char *exe, const char *comm, const char *cmdline, const char *want)
{
	struct name_slice got = name_program(slice(exe), slice(comm), slice(cmdline));

	assert_int_equal(got.len, strlen(want));
	assert_memory_equal(got.text, want, got.len);
}

static void test_p08_program(void **state)
{
	static const char title[] = "/opt/x/app --type=r /*Exp/Default/ --tok=1";

	(void)state;
	program_is("/opt/x/app", "renderer", title, "app");
	program_is("", "app", title, "app");
	program_is("", "", title, "app");
	program_is("/usr/bin/a b", "c", "", "a b");
	program_is("/usr/bin/gone (deleted)", "c", "", "gone");
	program_is("/ (deleted)", "c", "", "c");
	program_is("/", "c", "", "c");
	program_is("(deleted)", "", "", "(deleted)");
	program_is("", "", "sshd: user [priv]", "sshd:");
	program_is("", "", " x", "");
	program_is("", "", "", "");
}

static void cmdline_is(const char *text, u32 len, const char *want)
{
	char copy[64];

	memcpy(copy, text, len);
	assert_int_equal(name_cmdline(copy, len), strlen(want));
	assert_memory_equal(copy, want, strlen(want));
}

static void test_p07_command_lines(void **state)
{
	(void)state;
	cmdline_is("my title\0\0\0\0\0", 13, "my title");
	cmdline_is("a\0b c\0d\0", 8, "a b c d");
	cmdline_is("a\0\0b\0", 5, "a  b");
	cmdline_is("no end", 6, "no end");
	cmdline_is("\0\0\0", 3, "");
	cmdline_is("", 0, "");
}

static void hidepid_is(const char *mountinfo, const char *want)
{
	char got[24] = "?";

	hidepid_parse(mountinfo, mountinfo + strlen(mountinfo), got, sizeof(got));
	assert_string_equal(got, want);
}

static void test_p14_mount_options(void **state)
{
	(void)state;
	hidepid_is("", "");
	hidepid_is("21 26 0:20 / /proc rw,relatime - proc proc rw\n", "");
	hidepid_is("21 26 0:20 / /proc rw shared:5 - proc proc rw,gid=4,hidepid=invisible\n",
		"invisible");
	hidepid_is("21 26 0:20 / /proc rw - proc proc rw,hidepid=2,gid=4\n", "2");
	hidepid_is("21 26 0:20 / /proc rw - proc proc rw,hidepid=0\n", "");
	hidepid_is("21 26 0:20 / /proc rw - proc proc rw,hidepid=off", "");
	/* another mount of it, and one that was mounted over */
	hidepid_is("21 26 0:20 / /mnt/proc rw - proc proc rw,hidepid=2\n", "");
	hidepid_is("1 26 0:20 / /proc rw - proc proc rw,hidepid=2\n"
		   "2 26 0:21 / /proc rw - proc proc rw\n",
		"");
	hidepid_is("1 26 0:20 / /proc rw - proc", "");
	hidepid_is("1 26 0:20 / /proc", "");
	hidepid_is("21 26 0:20 / /proc rw - proc proc hidepid=averylongvalueofsomefuturekernel\n",
		"averylongvalueofsomefut");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_p08_program),
		cmocka_unit_test(test_p07_command_lines),
		cmocka_unit_test(test_p14_mount_options),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
