/* Block shapes, along rows and along columns. In the service: sum_matrix_2d. */
#include "plain.cuh"

__global__ void sum_rows(const int *A, const int *B, int *C, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows)
        C[y * columns + x] = A[y * columns + x] + B[y * columns + x];
}

__global__ void sum_columns(const int *A, const int *B, int *C, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < rows && y < columns)
        C[x * columns + y] = A[x * columns + y] + B[x * columns + y];
}

int main()
{
    const int side = 8192, n = side * side;
    int *A = numbers<int>(n), *B = numbers<int>(n), *C = numbers<int>(n);
    for (dim3 block : {dim3(32, 32), dim3(32, 16), dim3(16, 32), dim3(16, 16), dim3(256, 1), dim3(8, 32)}) {
        dim3 grid(side / block.x, side / block.y);
        std::printf("block %3u x %2u: rows %7.1f us, columns %7.1f us\n", block.x, block.y,
                    median_us([=] { sum_rows<<<grid, block>>>(A, B, C, side, side); }),
                    median_us([=] { sum_columns<<<grid, block>>>(A, B, C, side, side); }));
    }
}
