/* From a request's values at run time to what a kernel's file is compiled for: element type, variant, load
   path. Each function returns what f returns, an int. */
#pragma once

#include <tuple>
#include <utility>

#include "kernels/suite/suite.h"

/* In the order of enum dtype. */
using dtype_types = std::tuple<float, double, int32_t, uint8_t, uint16_t>;

/* Calls f(T{}) for the element type, if the kernel is compiled for it. */
template <class K, int D = 0, class F> int with_dtype(dtype type, F f)
{
    if constexpr (K::dtypes >> D & 1)
        if (type == D)
            return f(std::tuple_element_t<D, dtype_types>{});
    if constexpr (D + 1 < DTYPE_COUNT)
        return with_dtype<K, D + 1>(type, f);
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
template <class K, int P = LOAD_DEFAULT, class F> int with_load(const kernel &k, const domain &d, F f)
{
    if constexpr (K::load_paths && P + 1 < LOAD_COUNT)
        if (d.param[k.load_param] != P)
            return with_load<K, P + 1>(k, d, f);
    return f(load_tag<(load_path)P>{});
}
