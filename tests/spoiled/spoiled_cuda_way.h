/* As kernels/device/cuda_way.h, with every body spoiled. */
#include "tests/spoiled/spoiled.h"

#define WAY_CONTEXT(...) spoiled<__VA_ARGS__>
#define WAY_ENTRY(name) spoiled_cuda_entry_##name
#include "kernels/device/cuda_way.h"

/* Managed memory is written by the host between launches only. */
template <class K> static int spoiled_launch(const run *r, void *where)
{
    cudaError_t code = cudaDeviceSynchronize();
    if (code != cudaSuccess)
        return (int)code;
    spoil_set(r);
    int failed = cuda_launch<K>(r, where);
    code = cudaDeviceSynchronize();
    return failed ? failed : (int)code;
}

#undef SUITE_KERNEL
#define SUITE_KERNEL(name)                                                                                   \
    extern "C" const kernel_entry WAY_ENTRY(name);                                                           \
    extern "C" const kernel_entry WAY_ENTRY(name) = {spoiled_launch<name>, nullptr, nullptr, nullptr};
