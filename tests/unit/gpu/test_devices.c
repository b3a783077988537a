/* Devices: what identifies them, their gate, and what their files say. */
#include "machine.h"

#define CARD "0000:03:00.0"

static const struct gpu_record *card(void)
{
	for (u32 i = 0; i < machine.reading.ndevices; i++)
		if (!strcmp(machine.reading.devices[i].device, CARD))
			return &machine.reading.devices[i];
	fail_msg("no card");
	return NULL;
}

static u64 value(enum gpu_column c)
{
	if (!(card()->have & column_bit(c)))
		fail_msg("%s is absent: %u", gpu_table_schema.columns[c].name, card()->reason[c]);
	return card()->value[c];
}

static enum reason reason(enum gpu_column c)
{
	if (card()->have & column_bit(c))
		fail_msg("%s has a value", gpu_table_schema.columns[c].name);
	return (enum reason)card()->reason[c];
}

static void identified(void **state)
{
	(void)state;
	machine_card(3, "0000:0a:00.0", "i915", NULL);
	machine_card(1, CARD, "amdgpu", "active");
	tree_file("sys/class/drm/card1-DP-1/status", "connected\n");
	tree_file("sys/class/accel/accel0/dev", "261:0\n");
	tree_file("sys/class/accel/accel0/device/uevent",
		"DRIVER=intel_vpu\nPCI_SLOT_NAME=0000:00:0b.0\n");
	machine_open();
	machine_read();
	/* in order of addresses */
	assert_int_equal(gpu_devices_count(machine.devices), 3);
	assert_string_equal(machine.reading.devices[0].device, "0000:00:0b.0");
	assert_string_equal(machine.reading.devices[0].kind, "accel");
	assert_string_equal(machine.reading.devices[1].device, CARD);
	assert_string_equal(machine.reading.devices[1].number, "1");
	assert_string_equal(machine.reading.devices[1].driver, "amdgpu");
	assert_string_equal(machine.reading.devices[2].driver, "i915");
	/* both nodes of a card */
	assert_int_equal(gpu_devices_by_number(machine.devices, 226, 1), 1);
	assert_int_equal(gpu_devices_by_number(machine.devices, 226, 129), 1);
	assert_int_equal(gpu_devices_by_number(machine.devices, 261, 0), 0);
	assert_int_equal(gpu_devices_by_number(machine.devices, 226, 77), -1);
	assert_int_equal(gpu_devices_by_name(machine.devices, "00000000:03:00.0"), 1);
}

static void none(void **state)
{
	struct gpu_devices *devices;
	struct err err;

	(void)state;
	tree_file("proc/devices", "Character devices:\n  1 mem\n\nBlock devices:\n226 drm\n");
	assert_int_equal(root_init(&machine.root, tree_dir, &machine.clock, &err), 0);
	assert_int_equal(gpu_devices_new(&devices, &machine.root), -ENOENT);
	assert_false(gpu_majors_present(&machine.root));
	tree_file("proc/devices", "Character devices:\n  1 mem\n261 accel\n\nBlock devices:\n");
	assert_true(gpu_majors_present(&machine.root));
}

static void amdgpu(void **state)
{
	(void)state;
	machine_card(1, CARD, "amdgpu", "active");
	machine_file(1, "gpu_busy_percent", "42\n");
	machine_file(1, "mem_busy_percent", "1\n");
	machine_file(1, "mem_info_vram_used", "6800000000\n");
	machine_file(1, "mem_info_vram_total", "8500000000\n");
	machine_file(1, "mem_info_gtt_used", "100\n");
	machine_file(1, "hwmon/hwmon4/temp1_input", "51000\n");
	machine_file(1, "hwmon/hwmon4/temp1_label", "edge\n");
	machine_file(1, "hwmon/hwmon4/temp2_input", "66000\n");
	machine_file(1, "hwmon/hwmon4/temp2_label", "junction\n");
	machine_file(1, "hwmon/hwmon4/power1_average", "40000000\n");
	machine_file(1, "hwmon/hwmon4/power1_cap", "220000000\n");
	machine_file(1, "hwmon/hwmon4/freq1_input", "500000000\n");
	machine_file(1, "hwmon/hwmon4/freq1_label", "sclk\n");
	machine_file(1, "hwmon/hwmon4/fan1_input", "1200\n");
	machine_file(1, "hwmon/hwmon4/pwm1", "51\n");
	machine_file(1, "current_link_speed", "8.0 GT/s PCIe\n");
	machine_file(1, "current_link_width", "8\n");
	machine_file(1, "max_link_speed", "16.0 GT/s PCIe\n");
	machine_file(1, "max_link_width", "16\n");
	machine_open();
	machine_read();
	assert_int_equal(value(GPU_BUSY_NOW), 420000);
	assert_int_equal(value(GPU_MEMORY_BUSY), 10000);
	assert_int_equal(value(GPU_MEMORY_USED), 6800000000ull);
	assert_int_equal(value(GPU_MEMORY_TOTAL), 8500000000ull);
	assert_int_equal(value(GPU_SYSTEM_USED), 100);
	assert_int_equal(value(GPU_TEMPERATURE), 51000);
	assert_int_equal(value(GPU_HOTSPOT), 66000);
	assert_int_equal(value(GPU_POWER_NOW), 40000000);
	assert_int_equal(value(GPU_POWER_CAP), 220000000);
	assert_int_equal(value(GPU_CLOCK), 500000000);
	assert_int_equal(value(GPU_FAN_SPEED), 1200);
	assert_int_equal(value(GPU_FAN), 200000);
	assert_string_equal(card()->link, "gen3x8<gen4x16");
	assert_int_equal(reason(GPU_ENERGY), 0);
	/* a share of more than all */
	machine_file(1, "gpu_busy_percent", "4026531840\n");
	machine_read();
	assert_int_equal(reason(GPU_BUSY_NOW), REASON_INVALID);
}

static void intel(void **state)
{
	(void)state;
	machine_card(1, CARD, "i915", "active");
	tree_file("sys/class/drm/card1/gt/gt0/rps_act_freq_mhz", "1300\n");
	tree_file("sys/class/drm/card1/gt/gt0/rc6_residency_ms", "5000\n");
	tree_file("sys/class/drm/card1/gt/gt0/throttle_reason_status", "1\n");
	tree_file("sys/class/drm/card1/gt/gt0/throttle_reason_pl1", "1\n");
	tree_file("sys/class/drm/card1/gt/gt0/throttle_reason_thermal", "0\n");
	machine_file(1, "hwmon/hwmon2/energy1_input", "300\n");
	machine_file(1, "hwmon/hwmon2/energy1_label", "pkg\n");
	machine_file(1, "hwmon/hwmon2/energy2_input", "500\n");
	machine_file(1, "hwmon/hwmon2/energy2_label", "card\n");
	machine_open();
	machine_read();
	assert_int_equal(value(GPU_CLOCK), 1300000000);
	assert_int_equal(value(GPU_IDLE_TIME), 5000000000ull);
	assert_string_equal(card()->slowed, "pl1");
	/* the card's meter holds the package's */
	assert_int_equal(value(GPU_ENERGY), 500);
}

static void wakes_and_sleeps(void **state)
{
	(void)state;
	machine_card(1, CARD, "amdgpu", "suspended");
	machine_file(1, "gpu_busy_percent", "42\n");
	machine_open();
	machine_read();
	assert_string_equal(card()->state, "asleep");
	assert_int_equal(reason(GPU_BUSY_NOW), REASON_ASLEEP);
	assert_int_equal(gpu_devices_gate(machine.devices, 0), GATE_ASLEEP);
	machine_card(1, CARD, "amdgpu", "resuming");
	machine_read();
	assert_string_equal(card()->state, "asleep");
	machine_card(1, CARD, "amdgpu", "active");
	machine_read();
	assert_string_equal(card()->state, "active");
	assert_int_equal(value(GPU_BUSY_NOW), 420000);
	machine_card(1, CARD, "amdgpu", "suspended");
	machine_read();
	assert_int_equal(reason(GPU_BUSY_NOW), REASON_ASLEEP);
}

/* A file that fails is absent, and tried again after a while; the others stay. */
static void a_failing_file(void **state)
{
	(void)state;
	machine_card(1, CARD, "amdgpu", "active");
	machine_file(1, "gpu_busy_percent", "garbage\n");
	machine_file(1, "mem_busy_percent", "3\n");
	machine_open();
	machine_read();
	assert_int_equal(reason(GPU_BUSY_NOW), REASON_ERROR);
	assert_int_equal(value(GPU_MEMORY_BUSY), 30000);
	machine_file(1, "gpu_busy_percent", "7\n");
	machine_read();
	assert_int_equal(reason(GPU_BUSY_NOW), REASON_ERROR);
	for (u32 i = 0; i < 10; i++)
		machine_read();
	assert_int_equal(value(GPU_BUSY_NOW), 70000);
}

static int remove_all(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return tree_remove(path, st, type, ftw);
}

static void unplugged(void **state)
{
	char path[1100];

	(void)state;
	machine_card(0, "0000:02:00.0", "amdgpu", "active");
	machine_card(1, CARD, "amdgpu", "active");
	machine_file(1, "gpu_busy_percent", "7\n");
	machine_open();
	machine_read();
	assert_int_equal(machine.reading.ndevices, 2);
	for (u32 i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s",
			tree_path(i ? "sys/class/drm/card1" : "sys/class/drm/renderD129"));
		assert_int_equal(nftw(path, remove_all, 16, FTW_DEPTH | FTW_PHYS), 0);
	}
	/* at the latest when devices are looked for again */
	for (u32 i = 0; i < 12; i++)
		machine_read();
	assert_int_equal(machine.reading.ndevices, 1);
	machine_card(1, CARD, "amdgpu", "active");
	for (u32 i = 0; i < 12; i++)
		machine_read();
	assert_int_equal(machine.reading.ndevices, 2);
}

static void keys_are_in_order(void **state)
{
	(void)state;
	assert_true(gpu_device_key("0000:03:00.0") < gpu_device_key("0000:03:00.0/1.0"));
	assert_true(gpu_device_key("0000:03:00.0/1.0") < gpu_device_key("0000:03:00.1"));
	assert_true(gpu_device_key("0000:03:00.0/1.0") != gpu_device_key("0000:03:00.0/2.0"));
	assert_true(gpu_device_key("0000:ff:00.0") < gpu_device_key("0001:00:00.0"));
	assert_true(gpu_device_key("0001:00:00.0") < gpu_device_key("gpu@fde60000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(identified),
		MACHINE_TEST(none),
		MACHINE_TEST(amdgpu),
		MACHINE_TEST(intel),
		MACHINE_TEST(wakes_and_sleeps),
		MACHINE_TEST(a_failing_file),
		MACHINE_TEST(unplugged),
		cmocka_unit_test(keys_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
