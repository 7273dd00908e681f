/* Transpose, naive and by tiles; PAD 1 gives the tile a column that nobody uses. In the service: transpose. */
#include "plain.cuh"

__global__ void naive(const float *A, float *C, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    C[x * side + y] = A[y * side + x];
}

template <int PAD> __global__ void tiled(const float *A, float *C, int side)
{
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = A[y * side + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    C[y * side + x] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int side = 8192, n = side * side;
    float *A = numbers<float>(n), *C = numbers<float>(n);
    const dim3 block(32, 32), grid(side / 32, side / 32);
    std::printf("naive %7.1f us, shared %7.1f us, padded %7.1f us\n",
                median_us([=] { naive<<<grid, block>>>(A, C, side); }),
                median_us([=] { tiled<0><<<grid, block>>>(A, C, side); }),
                median_us([=] { tiled<1><<<grid, block>>>(A, C, side); }));
}
