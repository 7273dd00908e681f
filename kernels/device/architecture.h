/* Decides whether the code of this build runs on a GPU, from its compute capability alone: no context is
   needed. */
#pragma once

#include <sys/cdefs.h>

#include "base/error.h"

__BEGIN_DECLS

/* `built` is CMake's list, "80-real;90a-real;120-virtual;120": -real is machine code, -virtual is PTX,
   neither word is both. Machine code runs on its major version from its minor version on; PTX on every
   version from its own on; with "a" both run on that version alone, with "f" on that major version.
   Returns 0, or -1: ERROR_UNAVAILABLE, with the list. */
int architecture_check(const char *built, int major, int minor, struct error *error);

__END_DECLS
