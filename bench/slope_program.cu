/* An independent witness of hot times: the slope between graphs of 100 and of 400 launches of C[i] = A[i + offset] +
   B[i + offset], offset 0, block 512, by events around whole graphs. It is about the way of timing, so the kernel takes its
   arguments as ours does, in one structure: how many bytes they are shows at a microsecond a launch. Prints microseconds a
   launch. Usage: slope_program <elements> */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

#define DO(call)                                                                                             \
    do {                                                                                                     \
        cudaError_t code = (call);                                                                           \
        if (code) {                                                                                          \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code));                                    \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

struct arguments {
    float *a, *b, *c, *d;
    int n, rows, columns, params[4];
};

__global__ void __launch_bounds__(1024) add(const arguments x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i + x.params[0];
    if (k < x.n)
        x.c[i] = x.a[k] + x.b[k];
}

static cudaGraphExec_t record(cudaStream_t stream, int launches, const arguments &x)
{
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < launches; i++)
        add<<<(x.n + 511) / 512, 512, 0, stream>>>(x);
    DO(cudaStreamEndCapture(stream, &graph));
    DO(cudaGraphInstantiate(&ready, graph, 0));
    return ready;
}

/* The median of 21, in microseconds. */
static double time_graph(cudaStream_t stream, cudaGraphExec_t graph)
{
    std::vector<float> samples;
    cudaEvent_t begin, end;
    DO(cudaEventCreate(&begin));
    DO(cudaEventCreate(&end));
    for (int i = 0; i < 24; i++) {
        float ms;
        DO(cudaEventRecord(begin, stream));
        DO(cudaGraphLaunch(graph, stream));
        DO(cudaEventRecord(end, stream));
        DO(cudaEventSynchronize(end));
        DO(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 3)
            samples.push_back(ms);
    }
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2] * 1e3;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    float *a, *b, *c;
    cudaStream_t stream;
    /* One after the other with 8 KiB between, as the service has them: arrays that begin at the same place of a large
       power of two meet in the same channels of the memory, which costs 2 % at 16777216 elements. */
    size_t apart = ((size_t)n * sizeof(float) + 8192 + 255) / 256 * 256;
    DO(cudaMalloc(&a, 3 * apart));
    DO(cudaMemset(a, 0, 3 * apart));
    b = a + apart / sizeof(float);
    c = b + apart / sizeof(float);
    DO(cudaStreamCreate(&stream));
    arguments x = {a, b, c, nullptr, n, 1, n, {0, 0, 0, 0}};
    cudaGraphExec_t few = record(stream, 100, x), many = record(stream, 400, x);
    std::vector<double> slopes;
    for (int i = 0; i < 5; i++)
        slopes.push_back((time_graph(stream, many) - time_graph(stream, few)) / 300);
    std::sort(slopes.begin(), slopes.end());
    printf("%.4f\n", slopes[2]);
    return 0;
}
