/* Will the code of this build run on a GPU? Told without asking the GPU, hence without a context. */
#ifndef COALESCED_KERNELS_DEVICE_ARCHITECTURE_H
#define COALESCED_KERNELS_DEVICE_ARCHITECTURE_H

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* built: CMake's list, "80-real;90a-real;120-virtual;120"; -real is machine code, -virtual is PTX, neither word is both.
   Machine code runs on its major version from its minor version on; PTX on everything from its version on; with "a"
   both run on that version alone, with "f" on that major version. 0, or -1: ERROR_UNAVAILABLE, with what there is. */
int architecture_check(const char *built, int major, int minor, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
