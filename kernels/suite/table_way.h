/* Compiles a kernel's file as a description: makes suite_describe_<name>(); no body is executed. */
#include "kernels/suite/choose.h"

/* Inputs must still have their generated values: a body must not write them. */
template <class K>
static bool table_expected(const domain *d, dtype type, bool is_input, int buffer, uint64_t i, double *value)
{
    return with_dtype<K>(type, [&](auto zero) {
        auto x = expectation<decltype(zero)>::of(*d);
        using T = decltype(zero);
        if (!is_input && !K::written(x, buffer, i))
            return false;
        *value = (double)(T)(is_input ? K::generate(x, buffer, i) : K::expected(x, buffer, i));
        return true;
    });
}

template <class K> static void table_describe(kernel *k)
{
    k->dtypes = K::dtypes;
    k->dtype = K::dtypes & F32   ? DTYPE_F32
               : K::dtypes & F64 ? DTYPE_F64
                                 : DTYPE_I32; /* unless describe() sets another */
    k->dims = k->grid_dims = k->block_dims = k->per_thread = 1;
    k->size[0] = 1048576;
    k->block = {256, 1, 1};
    k->load_param = -1;
    k->loads_by = K::loads_by;
    k->restricted = K::restricted;
    k->cover = [](const domain *d) { return K::cover(*d); };
    k->elements = [](const domain *d, int buffer) { return K::elements(*d, buffer); };
    k->unmodelled_traffic = [](const domain *d) { return K::unmodelled_traffic(*d); };
    k->ledger = [](const domain *d) { return K::ledger(*d); };
    k->expected = [](const domain *d, dtype type, int buffer, uint64_t i, double *value) {
        kernel own{};
        K::describe(own);
        return table_expected<K>(d, type, own.buffers[buffer].role == BUFFER_INPUT, buffer, i, value);
    };
    k->shared_bytes = [](const domain *d, dtype type) { return K::shared_bytes(*d, dtype_bytes(type)); };
    k->refuse = [](const domain *d, dtype type) { return K::refuse(*d, type); };
    k->variant = [](const domain *d) { return K::variant(*d); };
    k->memory_of = [](const domain *d, int buffer) { return K::memory_of(*d, buffer); };
    k->peer_access = [](const domain *d) { return K::peer_access(*d); };
    k->pages_before = [](const domain *d) { return K::pages_before(*d); };
    k->architecture = [](const domain *d) { return K::architecture(*d); };
    k->cluster = [](const domain *d) { return K::cluster(*d); };
    k->l2_persisting = [](const domain *d) { return K::l2_persisting(*d); };
    k->untimed = [](const domain *d) { return K::untimed(*d); };
    k->host_memory = K::host_memory;
    k->peer = K::peer;
    k->copied = K::copied;
    k->streamed = K::streamed;
    k->grid_stride = K::grid_stride_loop;
    k->sampled = K::sampled;
    static_assert(!K::grid_stride_loop || K::block_level, "a loop over the grid is a block's");
    static_assert(!K::clustered || K::block_level, "a cluster is of blocks");
    K::describe(*k);
}

#define SUITE_KERNEL(name)                                                                                   \
    extern "C" void suite_describe_##name(kernel *k);                                                        \
    extern "C" void suite_describe_##name(kernel *k)                                                         \
    {                                                                                                        \
        table_describe<name>(k);                                                                             \
    }
