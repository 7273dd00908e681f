/* Loops over 32 lanes, for the files of lanes.h. P: the lanes' storage, T: the type that they are computed in, whose
   unsigned type U the result is stored as. */
#pragma once

#include "ptx/lanes.h"
#include "ptx/program.h"

#define LANES_1(name, P, T, U, Q, expression)                                                                \
    static void name(void *restrict to, const void *const *from)                                             \
    {                                                                                                        \
        const P *p = from[0];                                                                                \
        Q *restrict out = to;                                                                                \
        for (int i = 0; i < LANES; i++) {                                                                    \
            T a = (T)p[i];                                                                                   \
            out[i] = (Q)(U)(expression);                                                                     \
        }                                                                                                    \
    }

#define LANES_2(name, P, T, U, Q, expression)                                                                \
    static void name(void *restrict to, const void *const *from)                                             \
    {                                                                                                        \
        const P *p = from[0], *q = from[1];                                                                  \
        Q *restrict out = to;                                                                                \
        for (int i = 0; i < LANES; i++) {                                                                    \
            T a = (T)p[i], b = (T)q[i];                                                                      \
            out[i] = (Q)(U)(expression);                                                                     \
        }                                                                                                    \
    }

/* R: the storage of the third operand, V: its type. */
#define LANES_3(name, P, T, R, V, U, Q, expression)                                                          \
    static void name(void *restrict to, const void *const *from)                                             \
    {                                                                                                        \
        const P *p = from[0], *q = from[1];                                                                  \
        const R *r = from[2];                                                                                \
        Q *restrict out = to;                                                                                \
        for (int i = 0; i < LANES; i++) {                                                                    \
            T a = (T)p[i], b = (T)q[i];                                                                      \
            V c = (V)r[i];                                                                                   \
            out[i] = (Q)(U)(expression);                                                                     \
        }                                                                                                    \
    }

/* A shift by a second operand of 32 bits. */
#define LANES_SHIFT(name, P, T, U, expression)                                                               \
    static void name(void *restrict to, const void *const *from)                                             \
    {                                                                                                        \
        const P *p = from[0];                                                                                \
        const uint32_t *q = from[1];                                                                         \
        P *restrict out = to;                                                                                \
        for (int i = 0; i < LANES; i++) {                                                                    \
            T a = (T)p[i];                                                                                   \
            uint32_t b = q[i];                                                                               \
            out[i] = (P)(U)(expression);                                                                     \
        }                                                                                                    \
    }
