/* Occupancy, taken away by shared memory that nobody uses. In the service: read_offset and read_offset_unroll4 with
   "shared_bytes". */
#include "plain.cuh"

template <int UNROLL> __global__ void add(const float *A, const float *B, float *C, int n)
{
    int i = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
#pragma unroll
    for (int u = 0; u < UNROLL; u++, i += blockDim.x)
        if (i < n)
            C[i] = A[i] + B[i];
}

template <int UNROLL> double ask(const float *A, const float *B, float *C, int n, int shared)
{
    const int block = 256;
    must(cudaFuncSetAttribute(add<UNROLL>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    return median_us([=] { add<UNROLL><<<n / block / UNROLL, block, shared>>>(A, B, C, n); });
}

int main()
{
    const int n = 1 << 26;
    float *A = numbers<float>(n), *B = numbers<float>(n), *C = numbers<float>(n);
    for (int shared : {0, 28672, 57344, 115712, 231424})
        std::printf("%6d bytes a block: 1 a thread %7.1f us, 4 a thread %7.1f us\n", shared,
                    ask<1>(A, B, C, n, shared), ask<4>(A, B, C, n, shared));
}
