/* cmocka needs these before it; every unit test includes this and nothing else of cmocka. */
#ifndef TARE_TESTS_TEST_H
#define TARE_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
