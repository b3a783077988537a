#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/toprc.h"
#include "tui/pcolumn.h"

static char folder[64], file[128];
static struct toprc rc;
static struct err err;

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/tare-toprc-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(file, sizeof(file), "%s/tare/toprc", folder);
	setenv("XDG_CONFIG_HOME", folder, 1);
	err = (struct err){0};
	return 0;
}

static int teardown(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static void put(const char *bytes, size_t n)
{
	char dir[128];
	FILE *f;

	snprintf(dir, sizeof(dir), "%s/tare", folder);
	mkdir(dir, 0700);
	f = fopen(file, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static int load(const char *text)
{
	put(text, strlen(text));
	return toprc_load(&rc, &err);
}

static void assert_defaults(void)
{
	struct settings want;

	settings_init(&want);
	assert_true(settings_equal(&rc.kept, &want));
}

static void test_what_is_kept_comes_back(void **state)
{
	struct settings start, now;
	struct columns all;
	struct stat st;

	(void)state;
	assert_int_equal(toprc_load(&rc, &err), 0);
	assert_defaults();
	settings_init(&start);
	now = start;
	columns_init(&all);
	for (u32 i = 0; i < pcolumn_count; i++)
		if (!columns_shows(&all, i, 80))
			columns_toggle(&all, i, 80);
	columns_text(&all, now.columns, sizeof(now.columns));
	strcpy(now.sort, "resident");
	now.descending = false;
	now.tree = now.hide_kernel = now.gpus = true;
	now.charset = CHARSET_BLOCK;
	now.panels = PANEL_MEMORY | PANEL_SUMS;
	assert_int_equal(toprc_keep(&rc, &start, &now), 0);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(toprc_load(&rc, &err), 0);
	now.charset_auto = false;
	assert_true(settings_equal(&rc.kept, &now));
	/* what this run did not change stays as it was kept */
	settings_init(&start);
	now = start;
	now.tree = true;
	assert_int_equal(toprc_keep(&rc, &start, &now), 0);
	assert_int_equal(toprc_load(&rc, &err), 0);
	assert_string_equal(rc.kept.sort, "resident");
	/* and all panels off is not all panels on */
	now.panels = 0;
	assert_int_equal(toprc_keep(&rc, &start, &now), 0);
	assert_int_equal(toprc_load(&rc, &err), 0);
	assert_int_equal(rc.kept.panels, 0);
}

static void test_a_link_stays_one(void **state)
{
	struct settings start, now;
	char real[128];
	struct stat st;

	(void)state;
	load("[top]\ntree = yes\n");
	snprintf(real, sizeof(real), "%s/elsewhere", folder);
	assert_int_equal(rename(file, real), 0);
	assert_int_equal(symlink(real, file), 0);
	assert_int_equal(toprc_load(&rc, &err), 0);
	assert_true(rc.kept.tree);
	settings_init(&start);
	now = start;
	now.hide_kernel = true;
	assert_int_equal(toprc_keep(&rc, &start, &now), 0);
	assert_int_equal(lstat(file, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(toprc_load(&rc, &err), 0);
	assert_true(rc.kept.tree && rc.kept.hide_kernel);
}

static void test_unknown_keys_are_passed_over(void **state)
{
	(void)state;
	assert_int_equal(
		load("; a comment\n[other]\nsort = nonsense\n[top]\nfuture = 7\ntree = yes\n"), 0);
	assert_true(rc.kept.tree);
	assert_string_equal(rc.kept.sort, "cpu");
}

static void test_what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"[top]\nsort = cpu\ncolumns = pid nonsense\n", "columns"},
		{"[top]\nsort = nonsense\n", "sort"},
		{"[top]\ntree = perhaps\n", "toprc:2"},
		{"[top]\n\ncharset = klingon\n", "toprc:3: charset"},
		{"[top]\npanels = memory nonsense\n", "panels"},
		{"[top\n", "toprc:1"},
		{"what is this\n", "toprc:1"},
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++) {
		assert_true(load(wrong[i].text) < 0);
		assert_non_null(strstr(err.msg, wrong[i].says));
		assert_non_null(strstr(err.msg, file));
		assert_defaults();
	}
}

static void test_what_is_no_file_of_settings(void **state)
{
	char *large = malloc(1 << 20);

	(void)state;
	put("[top]\0tree = yes\n", 17);
	assert_int_equal(toprc_load(&rc, &err), -EINVAL);
	memset(large, 'x', 1 << 20);
	put(large, 1 << 20);
	assert_int_equal(toprc_load(&rc, &err), -EFBIG);
	memset(large, ' ', 60000);
	put(large, 60000);
	toprc_load(&rc, &err);
	assert_defaults();
	free(large);
	unlink(file);
	assert_int_equal(mkfifo(file, 0600), 0); /* does not wait for a writer */
	assert_int_equal(toprc_load(&rc, &err), -EINVAL);
	unlink(file);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_int_equal(toprc_load(&rc, &err), -EINVAL);
	assert_defaults();
}

static void test_any_bytes(void **state)
{
	static const char good[] = "[top]\ncolumns = pid user\n cpu time\nsort = cpu\n"
				   "descending = yes\ncharset = auto\npanels = memory io\n";
	char text[sizeof(good)];
	u64 x = 11;

	(void)state;
	for (u32 i = 0; i < 3000; i++) {
		const char *what;

		memcpy(text, good, sizeof(good));
		for (u32 k = 0; k < 1 + i % 5; k++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			text[(x >> 33) % (sizeof(good) - 1)] = (char)(x >> 55);
		}
		put(text, sizeof(good) - 1 - i % 7);
		if (toprc_load(&rc, &err) < 0)
			assert_defaults();
		assert_int_equal(settings_check(&rc.kept, &what), 0);
	}
}

/* sudo keeps HOME: what root wrote there the user could not read, and its links are the user's */
static void test_root_leaves_the_homes_of_others(void **state)
{
	struct settings s;
	struct stat st;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(folder, 4321, 4321), 0);
	settings_init(&s);
	assert_int_equal(toprc_load(&rc, &err), 0);
	assert_int_equal(toprc_keep(&rc, &s, &s), -EPERM);
	assert_true(stat(file, &st) < 0);
}

static void test_nowhere_to_keep_it(void **state)
{
	struct settings s;

	(void)state;
	settings_init(&s);
	setenv("XDG_CONFIG_HOME", "not/absolute", 1);
	unsetenv("HOME");
	assert_int_equal(toprc_load(&rc, &err), 0);
	assert_int_equal(toprc_keep(&rc, &s, &s), -ENOENT);
	setenv("HOME", folder, 1);
	assert_int_equal(toprc_load(&rc, &err), 0);
	assert_non_null(strstr(rc.path, "/.config/tare/toprc"));
	assert_int_equal(toprc_keep(&rc, &s, &s), 0);
	setenv("HOME", "/proc/nowhere", 1);
	assert_int_equal(toprc_load(&rc, &err), 0);
	assert_true(toprc_keep(&rc, &s, &s) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_is_kept_comes_back, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_link_stays_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_keys_are_passed_over, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_wrong_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_no_file_of_settings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_any_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_root_leaves_the_homes_of_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nowhere_to_keep_it, setup, teardown),
	};

	return cmocka_run_group_tests_name("toprc", tests, NULL, NULL);
}
