/* Barriers: one big block stalls as a whole, of several small ones some go on. In the service: barrier_phases. */
#include "plain.cuh"

__global__ void barrier_phases(const float *A, float *C, int n, int phases)
{
    extern __shared__ float shared[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, next = (threadIdx.x + 1) % blockDim.x;
    float *from = shared, *to = shared + blockDim.x;
    from[threadIdx.x] = i < n ? A[i] : 0;
    for (; phases > 0; phases--) {
        __syncthreads();
        to[threadIdx.x] = from[next] + 1;
        float *read = from;
        from = to;
        to = read;
    }
    if (i < n)
        C[i] = from[threadIdx.x];
}

int main()
{
    const int n = 1 << 24, phases = 16;
    float *A = numbers<float>(n), *C = numbers<float>(n);
    for (int block = 64; block <= 1024; block *= 2) {
        size_t shared = 2 * block * sizeof(float);
        int resident;
        must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, barrier_phases, block, shared));
        std::printf("block %4d: %2d resident, %6.1f us\n", block, resident,
                    median_us([=] { barrier_phases<<<n / block, block, shared>>>(A, C, n, phases); }));
    }
}
