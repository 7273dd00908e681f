/* The first way: a kernel's file as a description. Makes suite_describe_<name>() of it; nothing is executed.
 */
#include "kernels/suite/suite.h"

template <class K, class T> static bool table_expect(const domain *d, int buffer, uint64_t i, double *value)
{
    auto x = expectation<T>::of(*d);
    T v{};
    if (!K::expected(x, buffer, i, v))
        return false;
    *value = (double)v;
    return true;
}

/* Inputs are expected to hold what the generator put there: nobody may write them. */
template <class K>
static bool table_expected(const domain *d, dtype type, int buffer, uint64_t i, double *value)
{
    kernel k{};
    K::describe(k);
    if (k.buffers[buffer].role == BUFFER_INPUT) {
        *value = (double)input_value(buffer, i);
        return true;
    }
    switch (type) {
    case DTYPE_F64:
        return table_expect<K, double>(d, buffer, i, value);
    case DTYPE_I32:
        return table_expect<K, int32_t>(d, buffer, i, value);
    default:
        return table_expect<K, float>(d, buffer, i, value);
    }
}

template <class K> static void table_describe(kernel *k)
{
    k->dtypes = K::dtypes;
    k->dtype = K::dtypes & F32 ? DTYPE_F32 : K::dtypes & F64 ? DTYPE_F64 : DTYPE_I32;
    k->dims = k->grid_dims = k->block_dims = k->per_thread = 1;
    k->size[0] = 1048576;
    k->block = {256, 1, 1};
    k->load_param = -1;
    k->cover = [](const domain *d) { return K::cover(*d); };
    k->elements = [](const domain *d, int buffer) { return K::elements(*d, buffer); };
    k->ledger = [](const domain *d) { return K::ledger(*d); };
    k->expected = table_expected<K>;
    K::describe(*k);
}

#define SUITE_KERNEL(name)                                                                                   \
    extern "C" void suite_describe_##name(kernel *k);                                                        \
    extern "C" void suite_describe_##name(kernel *k)                                                         \
    {                                                                                                        \
        table_describe<name>(k);                                                                             \
    }
