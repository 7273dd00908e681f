/* A launch of a source kernel for the PTX executor: the module, the buffers' contents, and what refers to them. C++. */
#pragma once

#include <memory>
#include <vector>

#include "kernels/source/source_launch.h"
#include "kernels/source/source_result.h"
#include "ptx/launch.h"

/* Not to be moved once it is made. */
struct source_launch_data {
    std::vector<std::unique_ptr<uint8_t[]>> bytes; /* of the buffers, then of constants */
    std::vector<ptx_buffer> buffers;
    std::vector<ptx_setting> settings;
    uint8_t parameters[SOURCE_PARAMETER_BYTES] = {};
    ptx_launch launch{};
};

/* Parses the PTX and finds the entry; *entry is its index. NULL: ERROR_INVALID, with the line; ERROR_MEMORY. To be freed with
   ptx_module_free(). */
ptx_module *source_launch_data_open(const struct source_kernel *kernel, const struct source_code *code,
                                    int *entry, struct error *error);

/* `contents`: allocates and fills; else the buffers have sizes alone. Throws std::bad_alloc. */
void source_launch_data_make(source_launch_data &data, const struct experiment *experiment,
                             const ptx_module *module, int entry, bool contents);

/* Bytes of all buffers; above SOURCE_COUNT_BYTES_MAX not exact. */
uint64_t source_launch_data_bytes(const struct experiment *experiment);

/* One fault as plain data. */
void source_launch_data_fault(const source_kernel *kernel, const ptx_fault *found,
                              struct source_fault *fault);
