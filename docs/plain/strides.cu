/* Loads that leave gaps. In the service: strided. */
#include "plain.cuh"

__global__ void strided(const float *A, float *C, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        C[i] = A[(size_t)i * stride];
}

int main()
{
    const int n = 1 << 24, block = 256;
    float *A = numbers<float>((size_t)n * 32), *C = numbers<float>(n);
    for (int stride : {1, 2, 4, 8, 16, 32})
        std::printf("stride %2d: %6.1f us\n", stride,
                    median_us([=] { strided<<<n / block, block>>>(A, C, n, stride); }));
}
