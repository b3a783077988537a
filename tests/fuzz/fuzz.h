/* What every fuzz target defines: eats the bytes, returns 0, and aborts when something that must hold
 * does not. The same source is a libFuzzer target (meson -Dfuzz=true, clang) and, with replay.c, a test. */
#ifndef TARE_TESTS_FUZZ_H
#define TARE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(what)               \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

#endif
