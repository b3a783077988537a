/* fdinfo of GPU clients as the drivers print it, and as they should not. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "gpu/fdinfo.h"

static struct fdinfo f;

static void parse(const char *text)
{
	fdinfo_parse(text, text + strlen(text), &f);
}

static const struct fdinfo_engine *engine(const char *name)
{
	for (u32 i = 0; i < f.nengines; i++)
		if (!strcmp(f.engines[i].name, name))
			return &f.engines[i];
	fail_msg("no engine %s", name);
	return NULL;
}

static const struct fdinfo_region *region(const char *name)
{
	for (u32 i = 0; i < f.nregions; i++)
		if (!strcmp(f.regions[i].name, name))
			return &f.regions[i];
	fail_msg("no region %s", name);
	return NULL;
}

static void amdgpu(void **state)
{
	(void)state;
	parse("pos:\t0\nflags:\t02100002\ndrm-driver:\tamdgpu\ndrm-client-id:\t41\ndrm-pdev:\t0000:"
	      "03:00.0\n"
	      "drm-memory-vram:\t290000 KiB\ndrm-resident-vram:\t280000 "
	      "KiB\ndrm-total-vram:\t300000 KiB\n"
	      "drm-memory-gtt: \t34000 KiB\ndrm-engine-gfx:\t10781000000 ns\ndrm-engine-enc_1:\t7 "
	      "ns\n");
	assert_true(f.is_client && f.has_id);
	assert_int_equal(f.client_id, 41);
	assert_string_equal(f.driver, "amdgpu");
	assert_string_equal(f.pdev, "0000:03:00.0");
	assert_int_equal(f.nregions, 2);
	/* resident is the better name, whichever stands first */
	assert_int_equal(region("vram")->bytes[MEMORY_RESIDENT], 280000ull << 10);
	assert_int_equal(region("vram")->bytes[MEMORY_TOTAL], 300000ull << 10);
	assert_int_equal(region("gtt")->bytes[MEMORY_RESIDENT], 34000ull << 10);
	assert_int_equal(engine("gfx")->time_ns, 10781000000ull);
	assert_int_equal(engine("enc_1")->time_ns, 7);
	assert_int_equal(engine("gfx")->capacity, 1);
	parse("drm-driver: a\ndrm-resident-vram:\t280000 KiB\ndrm-memory-vram:\t290000 KiB\n");
	assert_int_equal(region("vram")->bytes[MEMORY_RESIDENT], 280000ull << 10);
}

static void cycles_and_capacity(void **state)
{
	(void)state;
	parse("drm-driver:\txe\ndrm-engine-capacity-vcs:\t2\ndrm-cycles-vcs:\t3000000\n"
	      "drm-total-cycles-vcs:\t2000000\ndrm-maxfreq-vcs:\t2400 "
	      "MHz\ndrm-engine-capacity-rcs: 0\n"
	      "drm-engine-rcs: 1 ns\n");
	assert_int_equal(f.nengines, 2);
	assert_int_equal(f.nregions, 0);
	assert_int_equal(engine("vcs")->capacity, 2);
	assert_int_equal(engine("vcs")->cycles, 3000000);
	assert_int_equal(engine("vcs")->total_cycles, 2000000);
	assert_int_equal(engine("vcs")->max_hz, 2400000000ull);
	assert_true(
		engine("vcs")->has_cycles && engine("vcs")->has_total && !engine("vcs")->has_time);
	assert_int_equal(engine("rcs")->capacity, 1);
}

static void units(void **state)
{
	static const struct {
		const char *text;
		u64 bytes;
	} values[] = {{"3772 KiB", 3862528}, {"0", 0}, {"16 MiB", 16777216}, {"1234", 1234},
		{"\t  8 KiB", 8192}, {"2 GiB", 2ull << 30},
		{"18446744073709551615 KiB", UINT64_MAX}, {"99999999999999999999999", UINT64_MAX}};
	char text[128];

	(void)state;
	for (u32 i = 0; i < ARRAY_LEN(values); i++) {
		snprintf(text, sizeof(text), "drm-driver:\tx\ndrm-total-vram:%s\n", values[i].text);
		parse(text);
		if (region("vram")->bytes[MEMORY_TOTAL] != values[i].bytes)
			fail_msg("%s: %llu", values[i].text,
				(unsigned long long)region("vram")->bytes[MEMORY_TOTAL]);
	}
}

static void not_a_client(void **state)
{
	(void)state;
	parse("pos:\t0\nflags:\t0100000\neventfd-count:\t0\n");
	assert_false(f.is_client);
	parse("");
	assert_false(f.is_client);
}

/* A line that the file ends in may lack digits. */
static void cut_off(void **state)
{
	(void)state;
	parse("drm-driver:\tx\ndrm-engine-gfx:\t123456");
	assert_true(f.is_client);
	assert_int_equal(f.nengines, 0);
}

static void strange(void **state)
{
	char text[2048] = "drm-driver:\tx\n";

	(void)state;
	for (u32 i = 0; i < 40; i++)
		sprintf(text + strlen(text), "drm-engine-e%u:\t%u ns\n", i, i);
	parse(text);
	assert_int_equal(f.nengines, FDINFO_ENGINES);
	assert_true(f.too_many);
	parse("drm-driver:\tx\ndrm-engine-a-name-that-is-longer-than-there-is-room-for:\t5 ns\n"
	      "drm-engine-:\t5\ndrm-engine-nothing:\tword\ndrm-:\t1\ndrm-engine-n1 :\t9 ns\n");
	assert_int_equal(f.nengines, 2);
	assert_int_equal(strlen(f.engines[0].name), FDINFO_NAME - 1);
	assert_int_equal(engine("n1")->time_ns, 9);
}

static void classes(void **state)
{
	static const struct {
		const char *name;
		enum engine_class class;
	} names[] = {{"gfx", CLASS_GFX}, {"render", CLASS_GFX}, {"rcs", CLASS_GFX},
		{"compute", CLASS_COMPUTE}, {"ccs", CLASS_COMPUTE}, {"npu-amdxdna", CLASS_COMPUTE},
		{"video", CLASS_MEDIA}, {"video-enhance", CLASS_MEDIA}, {"dec", CLASS_MEDIA},
		{"enc_1", CLASS_MEDIA}, {"copy", CLASS_COPY}, {"bcs", CLASS_COPY},
		{"foo", CLASS_OTHER}, {"", CLASS_OTHER}};

	(void)state;
	for (u32 i = 0; i < ARRAY_LEN(names); i++)
		if (engine_class_of(names[i].name) != names[i].class)
			fail_msg("%s", names[i].name);
	assert_true(
		region_is_local("vram") && region_is_local("vram0") && region_is_local("local0"));
	assert_false(region_is_local("gtt") || region_is_local("system") ||
		     region_is_local("memory") || region_is_local("cpu") ||
		     region_is_local("stolen-system0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amdgpu),
		cmocka_unit_test(cycles_and_capacity),
		cmocka_unit_test(units),
		cmocka_unit_test(not_a_client),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(strange),
		cmocka_unit_test(classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
