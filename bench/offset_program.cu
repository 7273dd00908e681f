/* The rival of bench/sweep.py: a program a question, in the way such programs are published. Allocates, fills from the
   host, warms up, launches once between two readings of the host's clock, checks on the host, prints a line. One sample;
   one process a point. Usage: offset_program <block> <offset> */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static double now_seconds(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + now.tv_usec * 1e-6;
}

__global__ void add_shifted(const float *a, const float *b, float *c, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = i + offset;
    if (k < n)
        c[i] = a[k] + b[k];
}

int main(int argc, char **argv)
{
    int n = 1 << 20, block = argc > 1 ? atoi(argv[1]) : 512, offset = argc > 2 ? atoi(argv[2]) : 0;
    size_t bytes = n * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
    float *d_a, *d_b, *d_c;
    for (int i = 0; i < n; i++)
        a[i] = b[i] = (float)(rand() & 0xFF) / 10.0f;
    if (cudaMalloc((void **)&d_a, bytes) || cudaMalloc((void **)&d_b, bytes) ||
        cudaMalloc((void **)&d_c, bytes))
        return 1;
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
    int grid = (n + block - 1) / block;
    add_shifted<<<grid, block>>>(d_a, d_b, d_c, n, offset);
    cudaDeviceSynchronize();
    double begin = now_seconds();
    add_shifted<<<grid, block>>>(d_a, d_b, d_c, n, offset);
    cudaDeviceSynchronize();
    double us = (now_seconds() - begin) * 1e6;
    if (cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (int i = 0; i + offset < n; i++)
        if (c[i] != a[i + offset] + b[i + offset])
            return 2;
    printf("block %d offset %d: %.3f us\n", block, offset, us);
    return 0;
}
