/* A test program for the race detector of compute-sanitizer. Runs one kernel: plain, threads exchange values through shared
   memory without __syncthreads(); volatile, the same with the array declared volatile; warp, a sum within one warp with a
   volatile array. Prints the number of wrong elements. Usage: compute-sanitizer --tool racecheck volatile_race_program plain|volatile|warp */
#include <cstdio>
#include <cstring>

enum { BLOCK = 128, BLOCKS = 8, SIZE = BLOCK * BLOCKS };

__global__ void exchange(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x];
    out[blockIdx.x * BLOCK + threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
}

__global__ void exchange_volatile(const int *in, int *out)
{
    volatile __shared__ int s[BLOCK];
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x];
    out[blockIdx.x * BLOCK + threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
}

__global__ void sum_of_warp(const int *in, int *out)
{
    volatile __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    for (int apart = 32; apart > 0; apart /= 2)
        if (t < apart)
            s[t] += s[t + apart];
    if (t == 0)
        out[0] = s[0];
}

int main(int count, char **arguments)
{
    const char *which = count > 1 ? arguments[1] : "";
    int *in, *out, host[SIZE], wrong = 0;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    for (int i = 0; i < SIZE; i++)
        host[i] = i;
    cudaMemcpy(in, host, sizeof host, cudaMemcpyDefault);
    if (strcmp(which, "plain") == 0)
        exchange<<<BLOCKS, BLOCK>>>(in, out);
    else if (strcmp(which, "volatile") == 0)
        exchange_volatile<<<BLOCKS, BLOCK>>>(in, out);
    else
        sum_of_warp<<<1, 32>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDefault);
    if (strcmp(which, "warp") == 0)
        wrong = host[0] != 63 * 64 / 2;
    else
        for (int i = 0; i < SIZE; i++)
            wrong += host[i] != i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK;
    printf("{\"kernel\": \"%s\", \"wrong\": %d, \"error\": \"%s\"}\n", which, wrong,
           cudaGetErrorString(cudaGetLastError()));
}
