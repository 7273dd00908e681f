/* A sandbox with one of the compilers, and sources for it. One at a time. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/compilation.h"
#include "tests/unit/support/sandbox_process.h"

/* A kernel `shifted` whose access stands in line 5. */
extern const char compiler_process_good[];

/* The one that runs. */
extern struct sandbox_process compiler_process;

/* Runs the tests with NVRTC, and again with clang; one that is not installed is left out, which is said. The sandbox gives
   each source so much processor time. Returns main()'s status: not 0 where no compiler is there. */
#define compiler_process_run(tests, processor_s)                                                             \
    compiler_process_run_all(tests, sizeof(tests) / sizeof *(tests), processor_s)
int compiler_process_run_all(const struct CMUnitTest *tests, size_t count, int processor_s);

bool compiler_process_is_nvrtc(void);

/* 0: *result is to be freed; -1: stopped, as *error says. Any thread. */
int compiler_process_ask(const char *source, const char *entry, int architecture, struct compilation *result,
                         struct error *error);

/* These fail the test where it does not end so. */
void compiler_process_must_compile(const char *source, const char *entry, int architecture,
                                   struct compilation *result);
void compiler_process_must_fail(const char *source, struct compilation *result);
void compiler_process_still_serves(void);
