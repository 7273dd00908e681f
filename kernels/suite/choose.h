/* From a request's values at run time to what a kernel's file is compiled for: element type, variant, load
   path. Each function returns what f returns, an int. */
#ifndef COALESCED_KERNELS_SUITE_CHOOSE_H
#define COALESCED_KERNELS_SUITE_CHOOSE_H

#include <utility>

#include "kernels/suite/suite.h"

/* Calls f(T{}) for the element type, if the kernel is compiled for it. */
template <class K, class F> int with_dtype(dtype type, F f)
{
    if constexpr (K::dtypes & F32)
        if (type == DTYPE_F32)
            return f(float{});
    if constexpr (K::dtypes & F64)
        if (type == DTYPE_F64)
            return f(double{});
    if constexpr (K::dtypes & I32)
        if (type == DTYPE_I32)
            return f(int32_t{});
    if constexpr (K::dtypes & U8)
        if (type == DTYPE_U8)
            return f(uint8_t{});
    if constexpr (K::dtypes & U16)
        if (type == DTYPE_U16)
            return f(uint16_t{});
    return 0;
}

template <int V> using variant_tag = std::integral_constant<int, V>;

/* Calls f(variant_tag<V>{}) for the request's variant. */
template <class K, int V = 0, class F> int with_variant(const domain &d, F f)
{
    if constexpr (V + 1 < K::variants)
        if (K::variant(d) != V)
            return with_variant<K, V + 1>(d, f);
    return f(variant_tag<V>{});
}

template <load_path P> using load_tag = std::integral_constant<load_path, P>;

/* Calls f(load_tag<P>{}) for the request's load path. */
template <class K, class F> int with_load(const kernel &k, const domain &d, F f)
{
    if constexpr (K::load_paths) {
        switch (d.param[k.load_param]) {
        case LOAD_CA:
            return f(load_tag<LOAD_CA>{});
        case LOAD_CG:
            return f(load_tag<LOAD_CG>{});
        case LOAD_LDG:
            return f(load_tag<LOAD_LDG>{});
        case LOAD_CS:
            return f(load_tag<LOAD_CS>{});
        case LOAD_VOLATILE:
            return f(load_tag<LOAD_VOLATILE>{});
        }
    }
    return f(load_tag<LOAD_DEFAULT>{});
}

#endif
