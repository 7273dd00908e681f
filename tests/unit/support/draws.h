/* Draws from distributions, the same in each run: a xorshift generator that begins at `seed`, which is not 0. */
#pragma once

#include <math.h>
#include <stdint.h>

static uint64_t seed;

/* Between 0 and 1, not at either. */
static inline double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(void)
{
    double radius = sqrt(-2 * log(uniform()));
    return radius * cos(6.283185307179586 * uniform());
}
