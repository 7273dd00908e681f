/* What is launched of a source kernel, and the bytes that a launch begins with. Any thread. */
#pragma once

#include "kernels/source/source_kernel.h"

__BEGIN_DECLS

/* What the compiler made of the source. */
struct source_code {
    const char *symbol; /* of the entry in the PTX; NULL or empty: the only one */
    const char *ptx;
    size_t ptx_bytes;
    const void *cubin; /* of the same PTX; NULL: there is none */
    size_t cubin_bytes;
};

/* The parameters of a launch. address[b]: that of buffer b. Writes kernel->layout.parameter_bytes to `bytes`, which are at most
   SOURCE_PARAMETER_BYTES. */
void source_launch_parameters(const struct source_kernel *kernel, const struct domain *domain,
                              const uint64_t address[KERNEL_BUFFERS], void *bytes);

/* Elements `from` to `to` - 1 of a buffer. What a BUFFER_OUTPUT holds is undefined: the bytes of the pattern 0xA5. */
void source_launch_fill(const struct source_kernel *kernel, int buffer, uint64_t from, uint64_t to,
                        void *bytes);

/* The values of a constant as bytes of its type: value_count components. */
void source_launch_constant(const struct source_constant *constant, void *bytes);

__END_DECLS
