/* Measures STEPS dependent additions a thread, without a loop, in launches of one block up to several blocks a
   multiprocessor. Prints JSON: medians of 50 launches with empty caches, less the time of an empty kernel.
   Predictions of such a source are compared with these times. Usage: straight_program */
#include "cold_median.h"
#include <cstdio>
template <int STEPS> __global__ void adds(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = in[i];
#pragma unroll
    for (int j = 0; j < STEPS; j++)
        a = a + 1.0f;
    out[i] = a;
}
__global__ void nothing() {}
int main()
{
    float *in, *out, *flush;
    cudaMalloc(&in, 4 << 20);
    cudaMalloc(&out, 4 << 20);
    cudaMalloc(&flush, 256 << 20);
    cudaMemset(in, 0, 4 << 20);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    int driver;
    cudaDriverGetVersion(&driver);
    double empty = median_us([] { nothing<<<1, 32>>>(); }, flush);
    printf("{\"device\": \"%s\", \"driver\": %d, \"empty_event_us\": %.3f, \"rows\": [\n", p.name, driver,
           empty);
    const unsigned sizes[][2] = {{256, 256}, {33792, 256}, {135168, 256}, {540672, 256}, {32, 32}};
    for (auto &s : sizes) {
        double a = median_us([&] { adds<4096><<<(s[0] + s[1] - 1) / s[1], s[1]>>>(in, out, s[0]); }, flush);
        double b = median_us([&] { adds<1024><<<(s[0] + s[1] - 1) / s[1], s[1]>>>(in, out, s[0]); }, flush);
        printf(" {\"n\": %u, \"block\": %u, \"steps4096_us\": %.3f, \"steps1024_us\": %.3f}%s\n", s[0], s[1],
               a - empty, b - empty, s[1] == 32 ? "" : ",");
    }
    puts("]}");
}
