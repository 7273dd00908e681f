/* Loads and stores that begin off a boundary. In the service: read_offset, write_offset. */
#include "plain.cuh"

__global__ void read_offset(const float *A, const float *B, float *C, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i + offset;
    if (k < n)
        C[i] = A[k] + B[k];
}

__global__ void write_offset(const float *A, const float *B, float *C, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i + offset;
    if (k < n)
        C[k] = A[i] + B[i];
}

int main()
{
    const int n = 1 << 26, block = 512, grid = n / block;
    float *A = numbers<float>(n), *B = numbers<float>(n), *C = numbers<float>(n);
    for (int offset : {0, 8, 11, 32, 128})
        std::printf("offset %3d: loads %7.1f us, stores %7.1f us\n", offset,
                    median_us([=] { read_offset<<<grid, block>>>(A, B, C, n, offset); }),
                    median_us([=] { write_offset<<<grid, block>>>(A, B, C, n, offset); }));
}
