/* One thread, each load waiting for the one before. In the service: pointer_chase. */
#include "plain.cuh"

__global__ void chase(const unsigned *next, int steps, unsigned *end)
{
    unsigned at = 0;
    for (int step = 0; step < steps; step++)
        at = next[at];
    *end = at;
}

int main()
{
    const int steps = 4096;
    unsigned *end = numbers<unsigned>(1);
    for (size_t n = 1 << 10; n <= 1 << 26; n *= 4) {
        /* One cycle through all: i, i x 5 + 1 modulo a power of two, has it. */
        std::vector<unsigned> order(n);
        for (size_t i = 0; i < n; i++)
            order[i] = (unsigned)((i * 5 + 1) % n);
        unsigned *next = numbers<unsigned>(n);
        must(cudaMemcpy(next, order.data(), n * sizeof *next, cudaMemcpyHostToDevice));
        std::printf("%9zu bytes: %6.1f ns a load\n", n * sizeof *next,
                    1000 / (double)steps * median_us([=] { chase<<<1, 1>>>(next, steps, end); }));
        must(cudaFree(next));
    }
}
