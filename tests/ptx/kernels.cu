/* Kernels of one signature, which tests/unit/test_ptx_affine.c executes in both ways. kernels.ptx is what nvcc makes of
   this file: nvcc -ptx -arch=sm_90 -lineinfo kernels.cu. */
#include <cuda_fp16.h>

#define KERNEL(name)                                                                                         \
    extern "C" __global__ void name(float *a, float *b, float *c, int *index, unsigned n, unsigned m)

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ unsigned counter;

KERNEL(stream)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
KERNEL(early_return)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (int)n)
        return;
    c[i] = a[i] * 2;
}
KERNEL(offset)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + m < n)
        c[i] = a[i + m];
}
KERNEL(strided)
{
    unsigned long long i = (unsigned long long)(blockIdx.x * blockDim.x + threadIdx.x) * m;
    if (i < n)
        c[i] = a[i];
}
KERNEL(grid_stride)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x)
        c[i] = a[i] + b[i];
}
KERNEL(vectors)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        ((float4 *)c)[i] = ((float4 *)a)[i];
}
struct particle {
    float x, y, z;
};
KERNEL(structures)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 3)
        c[i] = ((particle *)a)[i].x + ((particle *)a)[i].z;
}
KERNEL(transposed)
{
    unsigned x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    if (x < m && y < n / m)
        c[x * (n / m) + y] = a[y * m + x];
}
KERNEL(tiled)
{
    __shared__ float tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 32 + threadIdx.x / 32;
    for (unsigned k = 0; k < 32; k += blockDim.x / 32)
        if (x < m && y + k < n / m)
            tile[threadIdx.x / 32 + k][threadIdx.x % 32] = a[(y + k) * m + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x % 32;
    y = blockIdx.x * 32 + threadIdx.x / 32;
    for (unsigned k = 0; k < 32; k += blockDim.x / 32)
        if (x < n / m && y + k < m)
            c[(y + k) * (n / m) + x] = tile[threadIdx.x % 32][threadIdx.x / 32 + k];
}
KERNEL(rows_of_index)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i % m * (n / m) % n + i / m] = a[i];
}
KERNEL(masks)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (n & ~31u))
        c[(i & ~31u) | (31 - (i & 31))] = a[(i >> 1) + (i & 1)];
}
KERNEL(block_groups)
{
    unsigned group = blockIdx.x / 3, part = blockIdx.x % 3, i = group * blockDim.x + threadIdx.x;
    if (i < n)
        c[(i * 3 + part) % n] = a[i];
}
KERNEL(backwards)
{
    unsigned i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        c[n - 1 - i] = a[i];
}
KERNEL(stencil)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (int)n)
        return;
    int left = max(i - 1, 0), right = min(i + 1, (int)n - 1);
    c[i] = a[left] + a[i] + a[right];
}
KERNEL(clamped)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned rest = min(blockDim.x, n - min(n, blockIdx.x * blockDim.x));
    if (threadIdx.x < rest)
        c[i] = a[blockIdx.x * blockDim.x + rest - 1 - threadIdx.x];
}
KERNEL(shared_sum)
{
    extern __shared__ float part[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        c[blockIdx.x] = part[0];
}
KERNEL(shuffled_sum)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? a[i] : 0;
    for (int s = 16; s > 0; s >>= 1)
        sum += __shfl_down_sync(0xFFFFFFFF, sum, s);
    if (threadIdx.x % 32 == 0)
        c[i / 32] = sum;
}
KERNEL(product)
{
    __shared__ float as[8][8], bs[8][8];
    unsigned tx = threadIdx.x % 8, ty = threadIdx.x / 8 % 8, row = blockIdx.y * 8 + ty,
             column = blockIdx.x * 8 + tx;
    float sum = 0;
    for (unsigned k = 0; k < m / 8; k++) {
        if (threadIdx.x < 64 && row < m && column < m) {
            as[ty][tx] = a[row * m + k * 8 + tx];
            bs[ty][tx] = b[(k * 8 + ty) * m + column];
        }
        __syncthreads();
        for (int j = 0; j < 8; j++)
            sum += as[ty][j] * bs[j][tx];
        __syncthreads();
    }
    if (threadIdx.x < 64 && row < m && column < m)
        c[row * m + column] = sum;
}
KERNEL(triangle)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= n)
        return;
    for (unsigned j = 0; j <= threadIdx.x; j++)
        sum += a[j];
    c[i] = sum;
}
KERNEL(triangle_of_block)
{
    float sum = 0;
    for (unsigned j = 0; j <= blockIdx.x && j < n; j++)
        sum += a[j * blockDim.x % n];
    if (blockIdx.x * blockDim.x + threadIdx.x < n)
        c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
KERNEL(ternary)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = i & 1 ? a[i] : b[i / 2];
}
KERNEL(odd_blocks)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (blockIdx.x & 1)
            c[i] = a[i];
        else
            c[i] = b[n - 1 - i];
    }
}
KERNEL(switched)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    switch (threadIdx.x % 5) {
    case 0:
        c[i] = a[i];
        break;
    case 1:
        c[i] = b[i] * a[i];
        break;
    case 2:
        c[i] = sqrtf(a[i]);
        break;
    case 3:
        c[i] = 1 / b[i];
        break;
    default:
        c[i] = -a[i];
    }
}
KERNEL(constants)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 16 < n)
        c[i] = a[i + table[m % 8]] + table[threadIdx.x % 8];
}
KERNEL(gathered)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[index[i]];
}
KERNEL(while_data)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int steps = 0, at = index[i];
    while (at > 0 && steps < 40) {
        at /= 2;
        steps++;
    }
    c[i] = steps;
}
KERNEL(histogram)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd((unsigned *)c + index[i] % 64, 1u);
}
KERNEL(counted)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] > 100) {
        unsigned at = atomicAdd(&counter, 1u);
        if (at < n)
            c[at] = a[i];
    }
}
KERNEL(local_array)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float values[16];
    if (i >= n)
        return;
    for (int j = 0; j < 16; j++)
        values[j] = a[(i + j) % n];
    c[i] = values[index[i] & 15];
}
__device__ __noinline__ float polynomial(float x, const float *coefficients, int degree)
{
    float sum = 0;
    for (int k = degree; k >= 0; k--)
        sum = sum * x + coefficients[k];
    return sum;
}
KERNEL(called)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = polynomial(a[i] * 0.001f, b, 3);
}
KERNEL(halves)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        __half2 x = __floats2half2_rn(a[2 * i], a[2 * i + 1]), y = __floats2half2_rn(b[2 * i], b[2 * i + 1]);
        ((__half2 *)c)[i] = __hfma2(x, y, __hadd2(x, y));
    }
}
KERNEL(doubles)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        ((double *)c)[i] = sqrt((double)a[i]) + (double)b[i] / 3.0;
}
KERNEL(wave)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = __sinf(a[i] * 0.01f) + __expf(-b[i] * 0.01f) + __logf(1 + a[i]);
}
KERNEL(hashed)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = i;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h ^= h >> 13;
    if (i < n)
        ((unsigned *)c)[i] = h;
}
KERNEL(hashed_address)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[__brev(i) % n];
}
KERNEL(three_axes)
{
    unsigned i = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.y + blockIdx.z < 3)
        c[i] = a[i] + (float)blockIdx.z;
}
KERNEL(diagonal)
{
    unsigned y = (blockIdx.x + blockIdx.y) % gridDim.y,
             i = (y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i];
}
KERNEL(wrapped)
{
    unsigned short s = (unsigned short)(blockIdx.x * blockDim.x + threadIdx.x) * 257;
    if (s < n)
        c[s] = a[s];
}
KERNEL(voted)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mask = __ballot_sync(0xFFFFFFFF, i < n);
    if (i < n)
        ((unsigned *)c)[i] = __popc(mask) + __shfl_sync(mask, i, 0);
}
KERNEL(fields)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = i >> 3 & 15, high = i >> 7 & 31;
    if (i < n)
        c[i] = a[low * 32 + high < n ? low * 32 + high : 0];
}
