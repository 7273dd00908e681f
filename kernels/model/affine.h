/* Indices that are affine in the block's coordinates, with the operators that a body may use. */
#pragma once

#include <stdint.h>

/* c + b[0] * block_x + b[1] * block_y + b[2] * block_z */
struct affine {
    int64_t c;
    int64_t b[3];

    affine(int64_t constant = 0) : c(constant), b{0, 0, 0} {}
    affine(int64_t constant, int64_t x, int64_t y, int64_t z) : c(constant), b{x, y, z} {}
    bool is_constant() const { return !b[0] && !b[1] && !b[2]; }
};

/* Thrown when a body needs an index that is not affine. The tracer then traces block by block. */
struct not_affine {
};

/* True when d < 0 in the first block of the traced box, which is narrowed to blocks with the same outcome. */
bool affine_is_negative(const affine &d);

inline affine operator+(affine l, const affine &r)
{
    l.c += r.c;
    for (int i = 0; i < 3; i++)
        l.b[i] += r.b[i];
    return l;
}
inline affine operator*(affine l, int64_t r)
{
    l.c *= r;
    for (int i = 0; i < 3; i++)
        l.b[i] *= r;
    return l;
}
inline affine operator*(const affine &l, const affine &r)
{
    if (r.is_constant())
        return l * r.c;
    if (l.is_constant())
        return r * l.c;
    throw not_affine();
}
inline affine operator-(const affine &l, const affine &r)
{
    return l + r * -1;
}
inline affine operator-(const affine &r)
{
    return r * -1;
}
inline int64_t constant_of(const affine &a)
{
    if (!a.is_constant())
        throw not_affine();
    return a.c;
}
/* An affine index can be divided by a constant, or reduced by it, for all blocks at once when the constant
   divides every coefficient: then only the constant part decides. Block coordinates and indices are not
   negative. */
inline bool divides(const affine &l, int64_t by)
{
    return by > 0 && l.c >= 0 && l.b[0] % by == 0 && l.b[1] % by == 0 && l.b[2] % by == 0;
}
inline affine operator/(const affine &l, const affine &r)
{
    int64_t by = constant_of(r);
    if (!divides(l, by))
        return constant_of(l) / by;
    return affine(l.c / by, l.b[0] / by, l.b[1] / by, l.b[2] / by);
}
inline affine operator%(const affine &l, const affine &r)
{
    int64_t by = constant_of(r);
    return divides(l, by) ? l.c % by : constant_of(l) % by;
}
#define AFFINE_OF_CONSTANTS(op)                                                                              \
    inline affine operator op(const affine &l, const affine &r)                                              \
    {                                                                                                        \
        return constant_of(l) op constant_of(r);                                                             \
    }
AFFINE_OF_CONSTANTS(^)
AFFINE_OF_CONSTANTS(&)
AFFINE_OF_CONSTANTS(|)
#undef AFFINE_OF_CONSTANTS
inline affine operator<<(const affine &l, const affine &r)
{
    return l * ((int64_t)1 << constant_of(r));
}
inline affine operator>>(const affine &l, const affine &r)
{
    return l / ((int64_t)1 << constant_of(r)); /* indices are not negative */
}
inline bool operator<(const affine &l, const affine &r)
{
    return affine_is_negative(l - r);
}
inline bool operator>(const affine &l, const affine &r)
{
    return r < l;
}
inline bool operator>=(const affine &l, const affine &r)
{
    return !(l < r);
}
inline bool operator<=(const affine &l, const affine &r)
{
    return !(r < l);
}
inline bool operator==(const affine &l, const affine &r)
{
    return !(l < r) && !(r < l);
}
inline bool operator!=(const affine &l, const affine &r)
{
    return !(l == r);
}
#define AFFINE_ASSIGNMENT(op)                                                                                \
    inline affine &operator op##=(affine &l, const affine &r)                                                \
    {                                                                                                        \
        return l = l op r;                                                                                   \
    }
AFFINE_ASSIGNMENT(+)
AFFINE_ASSIGNMENT(-)
AFFINE_ASSIGNMENT(*)
AFFINE_ASSIGNMENT(/)
AFFINE_ASSIGNMENT(%)
#undef AFFINE_ASSIGNMENT
inline affine &operator++(affine &i)
{
    return i += 1;
}
inline affine &operator--(affine &i)
{
    return i -= 1;
}
inline affine operator++(affine &i, int)
{
    return (i += 1) - 1;
}
inline affine operator--(affine &i, int)
{
    return (i -= 1) + 1;
}
