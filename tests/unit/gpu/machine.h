/* A made-up machine with GPUs in a temporary directory, one moment that tests rewrite in place. */
#ifndef TARE_TESTS_GPU_MACHINE_H
#define TARE_TESTS_GPU_MACHINE_H

#include "test.h"

#include <errno.h>

#include "gpu/clients.h"
#include "gpu/devices.h"
#include "unit/base/tree.h"

static struct {
	struct root root;
	struct clock clock;
	struct stamp at;
	struct gpu_devices *devices;
	struct gpu_clients *clients;
	struct gpu_reading reading;
} machine;

/* A card: its class entry, its node's number, what identifies its device, and its power state. */
static inline void machine_card(
	u32 number, const char *pdev, const char *driver, const char *status)
{
	char path[256], text[128];

	snprintf(path, sizeof(path), "sys/class/drm/card%u/dev", number);
	snprintf(text, sizeof(text), "226:%u\n", number);
	tree_file(path, text);
	snprintf(path, sizeof(path), "sys/class/drm/renderD%u/dev", 128 + number);
	snprintf(text, sizeof(text), "226:%u\n", 128 + number);
	tree_file(path, text);
	for (u32 i = 0; i < 2; i++) {
		const char *node = i ? "renderD" : "card";

		snprintf(path, sizeof(path), "sys/class/drm/%s%u/device/uevent", node,
			number + (i ? 128 : 0));
		snprintf(text, sizeof(text), "DRIVER=%s\nPCI_SLOT_NAME=%s\n", driver, pdev);
		tree_file(path, text);
		snprintf(path, sizeof(path), "sys/class/drm/%s%u/device/power/runtime_status", node,
			number + (i ? 128 : 0));
		snprintf(text, sizeof(text), "%s\n", status);
		if (status)
			tree_file(path, text);
	}
}

/* A file of a card's device, by way of its entry in the class. */
static inline void machine_file(u32 card, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/class/drm/card%u/device/%s", card, name);
	tree_file(path, text);
}

static inline void machine_info(u32 pid, u32 fd, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%u/fdinfo/%u", pid, fd);
	tree_file(path, text);
	snprintf(path, sizeof(path), "proc/%u/comm", pid);
	tree_file(path, "app\n");
}

static inline void machine_open(void)
{
	struct err err;

	machine.at = (struct stamp){NSEC_PER_SEC, NSEC_PER_SEC, NSEC_PER_SEC};
	assert_int_equal(root_init(&machine.root, tree_dir, &machine.clock, &err), 0);
	assert_int_equal(gpu_devices_new(&machine.devices, &machine.root), 0);
	assert_int_equal(gpu_clients_new(&machine.clients, &machine.root), 0);
}

/* A reading, a second after the one before. */
static inline void machine_read(void)
{
	machine.at.mono_ns += NSEC_PER_SEC;
	machine.at.boot_ns += NSEC_PER_SEC;
	gpu_reading_begin(&machine.reading, &machine.at);
	assert_int_equal(gpu_devices_refresh(machine.devices, machine.at.mono_ns), 0);
	assert_int_equal(gpu_devices_read(machine.devices, &machine.reading), 0);
	assert_int_equal(gpu_clients_read(machine.clients, machine.devices, &machine.reading), 0);
}

static inline int machine_setup(void **state)
{
	memset(&machine, 0, sizeof(machine));
	return tree_setup(state);
}

static inline int machine_teardown(void **state)
{
	gpu_clients_free(machine.clients);
	gpu_devices_free(machine.devices);
	gpu_reading_fini(&machine.reading);
	root_fini(&machine.root);
	return tree_teardown(state);
}

#define MACHINE_TEST(fn) cmocka_unit_test_setup_teardown(fn, machine_setup, machine_teardown)

#endif
