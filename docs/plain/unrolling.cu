/* More loads a thread, the whole work every time. In the service: read_offset_unroll. */
#include "plain.cuh"

template <int UNROLL> __global__ void read_offset_unroll(const float *A, const float *B, float *C, int n)
{
    int i = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
#pragma unroll
    for (int u = 0; u < UNROLL; u++, i += blockDim.x)
        if (i < n)
            C[i] = A[i] + B[i];
}

template <int UNROLL> void ask(const float *A, const float *B, float *C, int n)
{
    for (int block : {64, 128, 256, 512, 1024})
        std::printf("%d a thread, block %4d: %7.1f us\n", UNROLL, block, median_us([=] {
                        read_offset_unroll<UNROLL><<<n / block / UNROLL, block>>>(A, B, C, n);
                    }));
}

int main()
{
    const int n = 1 << 26;
    float *A = numbers<float>(n), *B = numbers<float>(n), *C = numbers<float>(n);
    ask<1>(A, B, C, n);
    ask<2>(A, B, C, n);
    ask<4>(A, B, C, n);
}
