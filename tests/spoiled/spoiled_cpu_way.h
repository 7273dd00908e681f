/* As kernels/device/cpu_way.h, with every body spoiled. */
#include "tests/spoiled/spoiled.h"

#define WAY_CONTEXT(...) spoiled<__VA_ARGS__>
#define WAY_ENTRY(name) spoiled_cpu_entry_##name
#include "kernels/device/cpu_way.h"

template <class K> static int spoiled_launch(const run *r, void *where)
{
    spoil_set(r);
    return cpu_launch<K>(r, where);
}

#undef SUITE_KERNEL
#define SUITE_KERNEL(name)                                                                                   \
    extern "C" const kernel_entry WAY_ENTRY(name);                                                           \
    extern "C" const kernel_entry WAY_ENTRY(name) = {spoiled_launch<name>, nullptr, nullptr, nullptr};
