/* Block sizes. In the service: vector_add. */
#include "plain.cuh"

__global__ void vector_add(const int *A, const int *B, int *C, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        C[i] = A[i] + B[i];
}

int main()
{
    const int n = 1 << 26;
    int *A = numbers<int>(n), *B = numbers<int>(n), *C = numbers<int>(n);
    for (int block : {32, 64, 128, 256, 512, 1024}) {
        double us = median_us([=] { vector_add<<<n / block, block>>>(A, B, C, n); });
        std::printf("block %4d: %7.1f us, %6.0f blocks a us\n", block, us, n / block / us);
    }
}
