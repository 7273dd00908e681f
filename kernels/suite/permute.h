/* A permutation of 0 to count - 1 that can be computed: i x prime mod count. The prime is no factor of count,
   so no two i get the same place, and neighbours get distant ones. */
#pragma once

#include "kernels/suite/suite.h"

HOST_DEVICE uint64_t permute_prime(uint64_t count)
{
    return count % 2654435761u ? 2654435761u : 2246822519u;
}

HOST_DEVICE uint64_t permuted(uint64_t i, uint64_t count)
{
    return i * permute_prime(count) % count;
}

/* Going from i to i + hop (mod count) again and again reaches all of them. */
HOST_DEVICE uint64_t permute_hop(uint64_t count)
{
    return permute_prime(count) % count;
}

/* Beyond 2^31 elements the products would overflow. */
static inline kernel_problem permute_refuse(const domain &d)
{
    kernel_problem problem = {};
    if (d.n > INT32_MAX) {
        problem.pointer = "#/size";
        snprintf(problem.detail, sizeof problem.detail, "must be at most %d elements, is %llu", INT32_MAX,
                 (unsigned long long)d.n);
    }
    return problem;
}
