/* Updates that meet nowhere, at an address a block, and all at one. In the service: atomic_add. */
#include "plain.cuh"

__global__ void atomic_add(int *C, int n, int meet)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&C[meet == 2 ? 0 : meet == 1 ? blockIdx.x : i], 1);
}

int main()
{
    const int n = 1 << 20, block = 256;
    int *C = numbers<int>(n);
    for (int meet : {0, 1, 2})
        std::printf("meet %d: %6.1f us\n", meet, median_us([=] { atomic_add<<<n / block, block>>>(C, n, meet); }));
}
