/* Loads through the L1 and past it. In the service: read_offset with "load". */
#include "plain.cuh"

__global__ void through(const float *A, const float *B, float *C, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i + offset;
    if (k < n)
        C[i] = A[k] + B[k];
}

__global__ void past(const float *A, const float *B, float *C, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i + offset;
    if (k < n)
        C[i] = __ldcg(A + k) + __ldcg(B + k);
}

int main()
{
    const int n = 1 << 26, block = 512, grid = n / block;
    float *A = numbers<float>(n), *B = numbers<float>(n), *C = numbers<float>(n);
    for (int offset : {0, 11})
        std::printf("offset %2d: through the L1 %6.1f us, past it %6.1f us\n", offset,
                    median_us([=] { through<<<grid, block>>>(A, B, C, n, offset); }),
                    median_us([=] { past<<<grid, block>>>(A, B, C, n, offset); }));
}
