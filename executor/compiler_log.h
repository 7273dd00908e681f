/* Errors with their places, out of what compilers print. */
#pragma once

#include "api/compilation.h"

/* Adds a fault for each error in NVRTC's log. */
void compiler_log_read_nvrtc(const char *log, struct compilation *result);

/* The same of clang's. */
void compiler_log_read_clang(const char *log, struct compilation *result);
