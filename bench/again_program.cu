/* Measures loads of places that all blocks read again: 256 words of a large array, one a thread; 1024 of them, a quarter a
   block; a block's part of a smaller array, every 128 blocks. Prints JSON: medians of 50 launches with empty caches, less
   the time of an empty kernel. Predictions of such a source are compared with these times, and the bytes from DRAM with
   ncu's. Usage: again_program */
#include "cold_median.h"
#include <cstdio>
template <int PATTERN> __global__ void again(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (PATTERN == 0)
        out[i] = in[threadIdx.x * 1024];
    else if (PATTERN == 1)
        out[i] = in[(i & 1023) * 32768];
    else
        out[i] = in[i * 32 % (1 << 20)];
}
__global__ void nothing() {}
template <int PATTERN> double net_us(const float *in, float *out, float *flush, unsigned n, double empty_us)
{
    return median_us([&] { again<PATTERN><<<(n + 255) / 256, 256>>>(in, out, n); }, flush) - empty_us;
}
int main()
{
    float *in, *out, *flush;
    cudaMalloc(&in, 128 << 20);
    cudaMalloc(&out, 16 << 20);
    cudaMalloc(&flush, 256 << 20);
    cudaMemset(in, 0, 128 << 20);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    int driver;
    cudaDriverGetVersion(&driver);
    double empty = median_us([] { nothing<<<1, 32>>>(); }, flush);
    printf("{\"device\": \"%s\", \"driver\": %d, \"empty_event_us\": %.3f, \"rows\": [\n", p.name, driver,
           empty);
    for (unsigned n : {262144u, 262400u, 1048576u, 2097152u})
        printf(" {\"n\": %u, \"words_us\": %.3f, \"parts_us\": %.3f, \"rows_us\": %.3f}%s\n", n,
               net_us<0>(in, out, flush, n, empty), net_us<1>(in, out, flush, n, empty),
               net_us<2>(in, out, flush, n, empty), n == 2097152 ? "" : ",");
    puts("]}");
}
