/* Declarations that the files of the CUDA device share. */
#pragma once

#include <cuda_runtime.h>

#include "base/error.h"
#include "kernels/facts.h"

int cuda_device_count(void);
int cuda_device_describe(int index, device_facts *facts, error *error);

/* The uuid as in the facts; a MIG slice has its own. */
enum { CUDA_UUID_SIZE = 64 };
int cuda_device_uuid(int index, char uuid[CUDA_UUID_SIZE], error *error);

/* The CUcontext that is current in this thread. It comes from the driver, which is not linked. */
int cuda_device_context(void **context, error *error);

/* Sets *error from an error code of the runtime. Returns -1. */
int cuda_device_failed(cudaError_t code, const char *expression, const char *file, int line, error *error);

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t code_ = (cudaError_t)(call);                                                             \
        if (code_ != cudaSuccess)                                                                            \
            return cuda_device_failed(code_, #call, __FILE__, __LINE__, error);                              \
    } while (0)
