/* Paths as the runtimes make them. */
#include "test.h"

#include <string.h>

#include "process/container.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void expect_container(const char *path, const char *want)
{
	struct cgroup_slice got = container_of_cgroup(
		(struct cgroup_slice){path, (u32)strlen(path)});

	assert_int_equal(got.len, strlen(want));
	if (got.len)
		assert_memory_equal(got.text, want, got.len);
}

static void test_runtimes(void **state)
{
	(void)state;
	expect_container("/", "");
	expect_container("/user.slice/user-1000.slice/session-2.scope", "");
	expect_container("/system.slice/docker-" ID ".scope", "0123456789ab");
	expect_container("/docker/" ID, "0123456789ab");
	expect_container("/kubepods/burstable/pod1/" ID, "0123456789ab");
	expect_container(
		"/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope", "0123456789ab");
	expect_container("/system.slice/containerd.service/kubepods-pod1.slice:cri-containerd:" ID,
		"0123456789ab");
	expect_container("/kubepods.slice/crio-" ID ".scope", "0123456789ab");
	expect_container("/machine.slice/libpod-" ID ".scope/container", "0123456789ab");
	expect_container("/lxc.payload.web/system.slice/cron.service", "web");
	expect_container("/lxc/web/init.scope", "web");
	expect_container("/machine.slice/machine-fedora.scope", "fedora");
	expect_container("/machine.slice/systemd-nspawn@deb.service/payload", "deb");
	/* a container in a container: the inner one */
	expect_container("/docker/" ID "/lxc.payload.inner", "inner");
}

static void test_what_is_none(void **state)
{
	(void)state;
	expect_container("/machine.slice/libpod-conmon-" ID ".scope", "");
	expect_container("/system.slice/docker.service", "");
	expect_container("/docker/" ID "0", "");
	expect_container("/x" ID, "");
	expect_container("/lxc", "");
	expect_container("/lxc.payload.", "");
	expect_container("", "");
}

static void expect_group(const char *file, const char *want)
{
	struct cgroup_slice got = cgroup_of_file(file, file + strlen(file));

	if (!want) {
		assert_null(got.text);
		return;
	}
	assert_int_equal(got.len, strlen(want));
	assert_memory_equal(got.text, want, got.len);
}

static void test_files(void **state)
{
	(void)state;
	expect_group("0::/user.slice\n", "/user.slice");
	expect_group("0::/\n", "/");
	expect_group("0::/a:b\n", "/a:b");
	expect_group("4:memory:/docker/x\n1:name=systemd:/docker\n0::/\n", "/docker/x");
	expect_group("0::/cut", "/cut");
	expect_group("", NULL);
	expect_group("nothing\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtimes),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
