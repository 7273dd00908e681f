/* The CPU device against a loop written by hand, over the same arrays on the same threads, in turns in one
   run. Prints one JSON object. Usage: bench_cpu [elements] [rounds] */
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "kernels/device/cpu_pool.h"
#include "kernels/device/kernel_entry.h"

extern "C" const kernel_entry *const cpu_entries[];

struct rival {
    const char *kernel;
    double bytes_per_element;
    void (*by_hand)(float *a, float *b, float *c, float *d, uint64_t begin, uint64_t end);
};

static void hand_copy(float *a, float *b, float *, float *, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++)
        b[i] = a[i];
}

static void hand_add(float *a, float *b, float *c, float *, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++)
        c[i] = a[i] + b[i];
}

static void hand_soa(float *a, float *b, float *c, float *d, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++) {
        c[i] = a[i] + 10;
        d[i] = b[i] + 20;
    }
}

static const rival rivals[] = {{"copy", 8, hand_copy},
                               {"read_offset", 12, hand_add},
                               {"vector_add", 12, hand_add},
                               {"stream_add", 12, hand_add},
                               {"soa", 16, hand_soa}};

template <class F> static double seconds(F f)
{
    int64_t begin = clock_monotonic_ns();
    f();
    return (double)(clock_monotonic_ns() - begin) / 1e9;
}

static run make_run(const rival &r, uint64_t n, std::vector<float> *arrays)
{
    const kernel *k = suite_find(r.kernel);
    run made{};
    made.kernel = k;
    made.dtype = DTYPE_F32;
    made.domain.n = made.domain.columns = n;
    made.domain.rows = 1;
    made.domain.block = k->block;
    shape cover = k->cover(&made.domain);
    made.grid = {(cover.x + k->block.x - 1) / k->block.x, 1, 1};
    for (int b = 0; b < k->buffer_count; b++) {
        made.buffer[b] = arrays[b].data();
        made.elements[b] = n;
    }
    return made;
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], nullptr, 10) : 1u << 25;
    int rounds = argc > 2 ? atoi(argv[2]) : 15;
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    cpu_pool *pool = cpu_pool_new(threads);
    std::vector<float> arrays[4];
    for (auto &array : arrays)
        array.assign(n, 1);
    printf("{\"benchmark\": \"cpu device against a loop by hand\", \"elements\": %llu, \"threads\": %u, "
           "\"rounds\": %d, \"rows\": [",
           (unsigned long long)n, threads, rounds);
    bool good = true;
    const char *separator = "";
    for (const rival &r : rivals) {
        run ours = make_run(r, n, arrays);
        std::vector<double> device, hand;
        for (int i = 0; i < rounds + 2; i++) {
            double d = seconds([&] { cpu_entries[suite_index(ours.kernel)]->launch(&ours, pool); });
            double h = seconds([&] {
                cpu_pool_each(pool, n, [&](uint64_t begin, uint64_t end) {
                    r.by_hand(arrays[0].data(), arrays[1].data(), arrays[2].data(), arrays[3].data(), begin,
                              end);
                });
            });
            if (i >= 2) { /* the first two warm up */
                device.push_back(d);
                hand.push_back(h);
            }
        }
        std::sort(device.begin(), device.end());
        std::sort(hand.begin(), hand.end());
        double bytes = r.bytes_per_element * (double)n / 1e9, d = device[device.size() / 2],
               h = hand[hand.size() / 2];
        printf("%s\n  {\"kernel\": \"%s\", \"device_gbps\": %.2f, \"by_hand_gbps\": %.2f, \"ratio\": %.3f}",
               separator, r.kernel, bytes / d, bytes / h, h / d);
        separator = ",";
        good = good && h / d >= 0.8;
    }
    printf("\n], \"at_least_0.8\": %s}\n", good ? "true" : "false");
    cpu_pool_free(pool);
    return good ? 0 : 1;
}
