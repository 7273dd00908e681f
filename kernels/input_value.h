/* The generator of input data, of the suite's kernels and of others. */
#pragma once

#include <stdint.h>

#if defined(__CUDACC__)
#define INPUT_VALUE __host__ __device__ __forceinline__ constexpr
#elif defined(__cplusplus)
#define INPUT_VALUE inline constexpr
#else
#define INPUT_VALUE static inline
#endif

/* The generated value of input element i: 0 to 255, a hash of buffer and index, so that neighbours differ,
   sums are exact in every dtype, and any element is known without the others. */
INPUT_VALUE uint32_t input_value(int buffer, uint64_t i)
{
    uint32_t h =
        (uint32_t)i * 0x9E3779B1u ^ (uint32_t)(i >> 32) * 0x85EBCA77u ^ (uint32_t)(buffer + 1) * 0xC2B2AE3Du;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12;
    h *= 0x297A2D39u;
    return h >> 24;
}
