/* Shared by the ways that execute: what elements hold before a launch, and must hold after it. */
#ifndef COALESCED_KERNELS_DEVICE_WAY_H
#define COALESCED_KERNELS_DEVICE_WAY_H

#include <string.h>

#include "kernels/device/kernel_entry.h"
#include "kernels/suite/choose.h"

/* Bytes of an element as bits, to complement and to compare them: a NaN must not pass for anything. */
template <unsigned bytes> struct bits_of_size;
template <> struct bits_of_size<1> {
    using type = uint8_t;
};
template <> struct bits_of_size<2> {
    using type = uint16_t;
};
template <> struct bits_of_size<4> {
    using type = uint32_t;
};
template <> struct bits_of_size<8> {
    using type = uint64_t;
};
template <class T> using bits_of = typename bits_of_size<sizeof(T)>::type;

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

/* What an element holds before the checked launch. */
template <class K, class T>
HOST_DEVICE bits_of<T> prepared_bits(const expectation<T> &x, buffer_role role, int buffer, uint64_t i)
{
    T value{};
    if (role == BUFFER_INPUT)
        return to_bits((T)K::generate(x, buffer, i));
    if (!K::expected(x, buffer, i, value))
        return pattern_bits<T>();
    if (role == BUFFER_ACCUMULATED)
        return to_bits((T)K::generate(x, buffer, i));
    return (bits_of<T>)~to_bits(value);
}

/* Is the element wrong? Then *error is its distance from the value, or 0 when it should have been left alone. */
template <class K, class T>
HOST_DEVICE bool element_wrong(const expectation<T> &x, buffer_role role, int buffer, uint64_t i, T found,
                               double *error)
{
    T value{};
    *error = 0;
    if (role == BUFFER_INPUT)
        value = K::generate(x, buffer, i);
    else if (!K::expected(x, buffer, i, value))
        return to_bits(found) != pattern_bits<T>();
    if (to_bits(found) == to_bits(value))
        return false;
    double distance = (double)found - (double)value;
    *error = distance < 0 ? -distance : distance;
    return true;
}

#endif
