/* Measures kernels that touch the same memory again: they load the members of a structure one by one, load one address
   between stores, or update an array in place. Prints JSON with the median time of 50 launches with empty caches, for
   comparison with predictions of the same kernels. Under ncu, dram__bytes_read.sum of the last launches is what DRAM reads. Usage: line_reuse_program */
#include "cold_median.h"
#include <cstdio>

struct two {
    float x, y;
};

__global__ void members(const two *in, two *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].x = in[i].x + 10;
        out[i].y = in[i].y + 20;
    }
}

__global__ void members_restrict(const two *__restrict__ in, two *__restrict__ out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].x = in[i].x + 10;
        out[i].y = in[i].y + 20;
    }
}

__global__ void one_address(const float *in, float *a, float *b, float *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = in[3 * i];
        b[i] = in[3 * i];
        c[i] = in[3 * i];
    }
}

__global__ void in_place(float *a, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[2 * i] *= 2.0f;
}

__global__ void out_of_place(const float *b, float *a, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[2 * i] = 2.0f * b[2 * i];
}

int main()
{
    const unsigned sizes[] = {1u << 20, 1u << 22, 1u << 24, 1u << 25, 1u << 27};
    const size_t bytes = (size_t)4 * 3 << 27;
    float *in, *out, *flush;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMalloc(&flush, 256 << 20);
    cudaMemset(in, 0, bytes);
    cudaMemset(out, 0, bytes);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("{\"device\": \"%s\", \"points\": [\n", p.name);
    for (unsigned n : sizes) {
        const unsigned grid = n / 256;
        const two *from = (const two *)in;
        two *to = (two *)out;
        float *a = out, *b = out + n, *c = out + 2 * (size_t)n;
        double us[] = {
            median_us([&] { members<<<grid, 256>>>(from, to, n); }, flush),
            median_us([&] { members_restrict<<<grid, 256>>>(from, to, n); }, flush),
            median_us([&] { one_address<<<grid, 256>>>(in, a, b, c, n); }, flush),
            median_us([&] { in_place<<<grid, 256>>>(out, n); }, flush),
            median_us([&] { out_of_place<<<grid, 256>>>(in, out, n); }, flush),
        };
        const char *names[] = {"members", "members_restrict", "one_address", "in_place", "out_of_place"};
        for (int k = 0; k < 5; k++)
            printf(" {\"kernel\": \"%s\", \"n\": %u, \"block\": 256, \"measured_us\": %.3f}%s\n", names[k], n,
                   us[k], n == sizes[4] && k == 4 ? "" : ",");
    }
    printf("], \"error\": \"%s\"}\n", cudaGetErrorString(cudaGetLastError()));
}
