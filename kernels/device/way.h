/* Shared by the ways that execute: choosing the instance of a body for a request's element type and load
 * path. */
#ifndef COALESCED_KERNELS_DEVICE_WAY_H
#define COALESCED_KERNELS_DEVICE_WAY_H

#include <string.h>

#include "kernels/device/entry.h"
#include "kernels/suite/suite.h"

/* f.template operator()<T>() for the run's element type, as far as the kernel is compiled for it. */
template <class K, class F> auto with_dtype(const run *r, F f) -> decltype(f(float{}))
{
    if constexpr (K::dtypes & F64)
        if (r->dtype == DTYPE_F64)
            return f(double{});
    if constexpr (K::dtypes & I32)
        if (r->dtype == DTYPE_I32)
            return f(int32_t{});
    if constexpr (K::dtypes & F32)
        if (r->dtype == DTYPE_F32)
            return f(float{});
    return {};
}

template <load_path P> struct load_tag {
    static constexpr load_path path = P;
};

/* f(load_tag<P>{}) for the run's load path. */
template <class K, class F> auto with_load(const run *r, F f) -> decltype(f(load_tag<LOAD_DEFAULT>{}))
{
    if constexpr (K::load_paths) {
        switch (r->domain.param[r->kernel->load_param]) {
        case LOAD_CA:
            return f(load_tag<LOAD_CA>{});
        case LOAD_CG:
            return f(load_tag<LOAD_CG>{});
        case LOAD_LDG:
            return f(load_tag<LOAD_LDG>{});
        }
    }
    return f(load_tag<LOAD_DEFAULT>{});
}

/* The value of a buffer's element i, for prepare and check: false when nobody may touch it. */
template <class K, class T>
HOST_DEVICE bool element_expected(const expectation<T> &x, bool is_input, int buffer, uint64_t i, T &value)
{
    if (is_input) {
        value = x.input(buffer, i);
        return true;
    }
    return K::expected(x, buffer, i, value);
}

/* Bytes of an element as bits, to complement and to compare them: a NaN must not pass for anything. */
template <class T> struct bits_of {
    using type = uint32_t;
};
template <> struct bits_of<double> {
    using type = uint64_t;
};

template <class T> HOST_DEVICE typename bits_of<T>::type to_bits(T value)
{
    typename bits_of<T>::type bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <class T> HOST_DEVICE typename bits_of<T>::type pattern_bits()
{
    return (typename bits_of<T>::type)0xA5A5A5A5A5A5A5A5u;
}

/* What an element holds before the checked launch. */
template <class K, class T>
HOST_DEVICE typename bits_of<T>::type prepared_bits(const expectation<T> &x, bool is_input, int buffer,
                                                    uint64_t i)
{
    T value{};
    if (!element_expected<K>(x, is_input, buffer, i, value))
        return pattern_bits<T>();
    return is_input ? to_bits(value) : (typename bits_of<T>::type) ~to_bits(value);
}

/* Is the element wrong? Then *error is its distance from the value, or 0 when it should have been left alone.
 */
template <class K, class T>
HOST_DEVICE bool element_wrong(const expectation<T> &x, bool is_input, int buffer, uint64_t i, T found,
                               double *error)
{
    T value{};
    *error = 0;
    if (!element_expected<K>(x, is_input, buffer, i, value))
        return to_bits(found) != pattern_bits<T>();
    if (to_bits(found) == to_bits(value))
        return false;
    double distance = (double)found - (double)value;
    *error = distance < 0 ? -distance : distance;
    return true;
}

#endif
