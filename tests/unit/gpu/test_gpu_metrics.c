/* amdgpu's table by its revisions. */
#include "test.h"

#include <string.h>

#include "gpu/gpu_metrics.h"

static unsigned char data[512];
static struct gpu_record r;

static void start(u16 size, u8 format, u8 content, int fill)
{
	memset(data, fill, sizeof(data));
	data[0] = (unsigned char)(size & 0xff);
	data[1] = (unsigned char)(size >> 8);
	data[2] = format;
	data[3] = content;
	r = (struct gpu_record){.key = 1};
}

static void put16(u32 at, u16 v)
{
	data[at] = (unsigned char)(v & 0xff);
	data[at + 1] = (unsigned char)(v >> 8);
}

static bool has(enum gpu_column c)
{
	return r.have & column_bit(c);
}

static void card(void **state)
{
	(void)state;
	start(120, 1, 3, 0xff);
	put16(6, 95);
	put16(8, 88);
	put16(54, 2400);
	put16(58, 1250);
	put16(72, 1500);
	put16(106, 1050);
	memset(data + 112, 0, 8);
	data[112] = 1;     /* PPT0 */
	data[112 + 4] = 8; /* bit 35: TEMP_EDGE */
	gpu_metrics_take(data, 120, &r);
	assert_int_equal(r.value[GPU_HOTSPOT], 95000);
	assert_int_equal(r.value[GPU_MEMORY_TEMPERATURE], 88000);
	assert_int_equal(r.value[GPU_CLOCK], 2400000000ull);
	assert_int_equal(r.value[GPU_MEMORY_CLOCK], 1250000000ull);
	assert_int_equal(r.value[GPU_FAN_SPEED], 1500);
	assert_int_equal(r.value[GPU_VOLTAGE], 1050000);
	assert_string_equal(r.slowed, "power-cap,thermal");
	/* all ones: the chip does not say */
	assert_false(has(GPU_TEMPERATURE) || has(GPU_POWER_NOW));
	assert_int_equal(gpu_metrics_integrated(data, 120), 0);
}

/* S18: of the same size as a card's, by its revision an integrated one's. */
static void integrated(void **state)
{
	(void)state;
	start(120, 2, 1, 0xff);
	put16(4, 5500); /* hundredths */
	put16(40, 15000);
	put16(76, 800);
	gpu_metrics_take(data, 120, &r);
	assert_int_equal(r.value[GPU_TEMPERATURE], 55000);
	assert_int_equal(r.value[GPU_POWER_NOW], 15000000);
	assert_int_equal(r.value[GPU_CLOCK], 800000000);
	assert_false(has(GPU_HOTSPOT) || has(GPU_MEMORY_CLOCK));
	assert_int_equal(gpu_metrics_integrated(data, 120), 1);
}

static void first_version(void **state)
{
	(void)state;
	start(80, 1, 0, 0);
	put16(16, 60);
	put16(34, 210);
	gpu_metrics_take(data, 80, &r);
	assert_int_equal(r.value[GPU_TEMPERATURE], 60000);
	assert_int_equal(r.value[GPU_POWER_NOW], 210000000);
}

static void accelerator_counts_energy(void **state)
{
	(void)state;
	start(288, 1, 4, 0);
	data[24 + 2] = 1; /* 65536 units of 2^-16 J */
	gpu_metrics_take(data, 288, &r);
	assert_int_equal(r.value[GPU_ENERGY], 1000000);
}

static void what_is_better_stays(void **state)
{
	(void)state;
	start(120, 1, 3, 1);
	gpu_set(&r, GPU_TEMPERATURE, 51000);
	gpu_metrics_take(data, 120, &r);
	assert_int_equal(r.value[GPU_TEMPERATURE], 51000);
}

static void not_known(void **state)
{
	(void)state;
	start(120, 9, 9, 1);
	gpu_metrics_take(data, 120, &r);
	assert_int_equal(r.have, 0);
	assert_int_equal(gpu_metrics_integrated(data, 120), -1);
	/* shorter than its revision says */
	start(120, 1, 3, 1);
	gpu_metrics_take(data, 119, &r);
	assert_int_equal(r.have, 0);
	gpu_metrics_take(data, 0, &r);
	gpu_metrics_take(data, 3, &r);
	assert_int_equal(r.have, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(card),
		cmocka_unit_test(integrated),
		cmocka_unit_test(first_version),
		cmocka_unit_test(accelerator_counts_energy),
		cmocka_unit_test(what_is_better_stays),
		cmocka_unit_test(not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
