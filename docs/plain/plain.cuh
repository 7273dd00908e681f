/* What the programs beside this file share: arrays, and the time of a launch. Build any of them with

       nvcc -O3 -arch=sm_90 offsets.cu && ./a.out

   with the architecture of your GPU. The service measures with more care (docs/measuring.md); at these sizes the two agree
   within a few per cent. */
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { LAUNCHES = 21, FLUSH_BYTES = 256 << 20 };

/* Ends the program when a call to CUDA has failed. */
inline void must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
}

template <class T> __global__ void fill(T *array, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        array[i] = (T)(i % 1000);
}

/* n elements on the device: 0, 1, ..., 999, 0, ... */
template <class T> T *numbers(size_t n)
{
    T *array;
    must(cudaMalloc(&array, n * sizeof(T)));
    fill<<<1024, 256>>>(array, n);
    must(cudaGetLastError());
    return array;
}

static __global__ void read_all(const int *array, size_t n, int *sum)
{
    int mine = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        mine += array[i];
    if (mine == -1)
        *sum = mine; /* never; but the compiler must not leave the loads out */
}

/* The median time of a launch in microseconds, with nothing in the caches. A launch that fails ends the program. */
template <class Launch> double median_us(Launch launch)
{
    static int *other = numbers<int>(FLUSH_BYTES / sizeof(int));
    std::vector<float> times(LAUNCHES);
    cudaEvent_t before, after;
    must(cudaEventCreate(&before));
    must(cudaEventCreate(&after));
    for (float &time : times) {
        read_all<<<1024, 256>>>(other, FLUSH_BYTES / sizeof(int), other);
        must(cudaEventRecord(before));
        launch();
        must(cudaGetLastError());
        must(cudaEventRecord(after));
        must(cudaEventSynchronize(after));
        must(cudaEventElapsedTime(&time, before, after));
    }
    must(cudaEventDestroy(before));
    must(cudaEventDestroy(after));
    std::sort(times.begin(), times.end());
    return 1000.0 * times[LAUNCHES / 2];
}
