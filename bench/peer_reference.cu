/* What cudaMemcpyPeerAsync itself reaches between two GPUs, and a chain of dependent loads: for bench/machine.py, which holds
   peer_copy and peer_chase against it. Nothing of the service's code.

     peer_reference [BYTES]

   Prints a JSON object: for each ordered pair of the first two visible GPUs and access on and off, the best and the median of
   twenty copies in GB/s (10^9 bytes, each counted once), as the difference between eleven copies and one, behind a kernel that
   holds the stream until all is enqueued; and nanoseconds a dependent load of four bytes through as many bytes. */
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t code_ = (call);                                                                          \
        if (code_ != cudaSuccess) {                                                                          \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code_));        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

enum { ROUNDS = 20, MANY = 11, STEPS = 4096 };

__global__ void hold(long long ns)
{
    long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
}

/* One ring, each step a large odd distance on. */
__global__ void make_ring(unsigned *ring, unsigned count)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        ring[i] = (unsigned)((i + 2654435761ull) % count);
}

__global__ void chase(const unsigned *ring, unsigned *out)
{
    unsigned at = 0;
    for (int i = 0; i < STEPS; i++)
        at = ring[at];
    *out = at;
}

struct timer {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    timer()
    {
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
    }
    template <class F> double us(F enqueue)
    {
        float ms;
        hold<<<1, 1, 0, stream>>>(500000);
        CHECK(cudaEventRecord(begin, stream));
        enqueue();
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        return ms * 1e3;
    }
};

struct figure {
    double best, median;
};

static figure figure_of(std::vector<double> us, double bytes)
{
    std::sort(us.begin(), us.end());
    return {bytes / us[0] / 1e3, bytes / us[us.size() / 2] / 1e3};
}

/* The current device is `from` for a write, `to` for a read: `own` copies. */
static figure copies(timer &t, void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    std::vector<double> us;
    for (int round = -1; round < ROUNDS; round++) {
        double each[2];
        for (int many = 0; many < 2; many++)
            each[many] = t.us([&] {
                for (int i = 0; i < (many ? MANY : 1); i++)
                    CHECK(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, t.stream));
            });
        if (round >= 0)
            us.push_back((each[1] - each[0]) / (MANY - 1));
    }
    return figure_of(us, (double)bytes);
}

static double chase_ns(timer &t, const unsigned *ring, unsigned *out)
{
    double best = 1e30;
    for (int round = 0; round < 5; round++)
        best = std::min(best, t.us([&] { chase<<<1, 1, 0, t.stream>>>(ring, out); }));
    return best * 1e3 / STEPS;
}

static void print_copies(const char *name, figure f)
{
    printf("\"%s\":{\"best_gbps\":%.2f,\"median_gbps\":%.2f},", name, f.best, f.median);
}

static void pair(int own, int other, size_t bytes, bool last)
{
    void *here, *there;
    unsigned *out;
    int possible = 0;
    CHECK(cudaSetDevice(other));
    CHECK(cudaMalloc(&there, bytes));
    make_ring<<<256, 256>>>((unsigned *)there, (unsigned)(bytes / sizeof(unsigned)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(own));
    CHECK(cudaMalloc(&here, bytes));
    CHECK(cudaMalloc((void **)&out, sizeof *out));
    timer t;
    CHECK(cudaDeviceCanAccessPeer(&possible, own, other));
    printf("{\"own\":%d,\"peer\":%d,\"access_possible\":%s,", own, other, possible ? "true" : "false");
    print_copies("write_disabled", copies(t, there, other, here, own, bytes));
    CHECK(cudaSetDevice(other));
    make_ring<<<256, 256>>>((unsigned *)there, (unsigned)(bytes / sizeof(unsigned)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(own));
    print_copies("read_disabled", copies(t, here, own, there, other, bytes));
    if (possible) {
        CHECK(cudaDeviceEnablePeerAccess(other, 0));
        print_copies("read_enabled", copies(t, here, own, there, other, bytes));
        make_ring<<<256, 256, 0, t.stream>>>((unsigned *)here, (unsigned)(bytes / sizeof(unsigned)));
        double far = chase_ns(t, (unsigned *)there, out);
        double near = chase_ns(t, (unsigned *)here, out);
        printf("\"chase_ns\":%.1f,\"chase_own_ns\":%.1f,", far, near);
        print_copies("write_enabled", copies(t, there, other, here, own, bytes));
        CHECK(cudaDeviceDisablePeerAccess(other));
    }
    printf("\"bytes\":%zu}%s", bytes, last ? "" : ",");
    CHECK(cudaFree(here));
    CHECK(cudaFree(out));
    CHECK(cudaFree(there));
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoull(argv[1], nullptr, 10) : 67108864;
    int count;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("{\"devices\":%d,\"pairs\":[]}\n", count);
        return 0;
    }
    printf("{\"devices\":%d,\"pairs\":[", count);
    pair(0, 1, bytes, false);
    pair(1, 0, bytes, true);
    printf("]}\n");
    return 0;
}
