/* Shared by the ways that execute bodies: the values of elements before and after a launch. */
#pragma once

#include <string.h>

#include <type_traits>

#include "kernels/device/kernel_entry.h"
#include "kernels/suite/choose.h"

/* An element as bits, to complement and to compare: a NaN must equal only itself. */
template <class T>
using bits_of = std::conditional_t<sizeof(T) <= 2, std::conditional_t<sizeof(T) == 1, uint8_t, uint16_t>,
                                   std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

template <class T> HOST_DEVICE bits_of<T> to_bits(T value)
{
    bits_of<T> bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <class T> HOST_DEVICE bits_of<T> pattern_bits()
{
    return (bits_of<T>)0xA5A5A5A5A5A5A5A5u;
}

/* The bits of an element before the checked launch. */
template <class K, class T>
HOST_DEVICE bits_of<T> prepared_bits(const expectation<T> &x, buffer_role role, int buffer, uint64_t i)
{
    if (role != BUFFER_INPUT && !K::written(x, buffer, i))
        return pattern_bits<T>();
    if (role != BUFFER_OUTPUT)
        return to_bits((T)K::generate(x, buffer, i));
    return (bits_of<T>)~to_bits((T)K::expected(x, buffer, i));
}

/* True when the element is wrong; *error is then its distance from the value, or 0 for an element that
   must not change. */
template <class K, class T>
HOST_DEVICE bool element_wrong(const expectation<T> &x, buffer_role role, int buffer, uint64_t i, T found,
                               double *error)
{
    *error = 0;
    if (role != BUFFER_INPUT && !K::written(x, buffer, i))
        return to_bits(found) != pattern_bits<T>();
    T value = (T)(role == BUFFER_INPUT ? K::generate(x, buffer, i) : K::expected(x, buffer, i));
    if (to_bits(found) == to_bits(value))
        return false;
    double distance = (double)found - (double)value;
    *error = distance < 0 ? -distance : distance;
    return true;
}
