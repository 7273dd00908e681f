/* Dependent additions: latency hidden by warps, or by chains in a thread. In the service: ilp_chain. */
#include "plain.cuh"

template <int CHAINS> __global__ void chain(const float *A, float *C, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float value[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        value[c] = A[i] + c;
    for (int step = 0; step < steps; step++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            value[c] += 1;
    for (int c = 1; c < CHAINS; c++)
        value[0] += value[c];
    C[i] = value[0];
}

template <int CHAINS> void ask(const float *A, float *C, int blocks)
{
    const int block = 128, n = blocks * block, steps = 4096;
    double us = median_us([=] { chain<CHAINS><<<blocks, block>>>(A, C, n, steps); });
    std::printf("%4d blocks, %d chains: %5.1f 10^12 additions a second\n", blocks, CHAINS,
                1e-6 * n * steps * CHAINS / us);
}

int main()
{
    float *A = numbers<float>(1 << 21), *C = numbers<float>(1 << 21);
    for (int blocks : {132, 264, 2112}) { /* of 132 multiprocessors: 1, 2 and 16 blocks each */
        ask<1>(A, C, blocks);
        ask<2>(A, C, blocks);
        ask<4>(A, C, blocks);
    }
}
