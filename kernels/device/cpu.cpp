/* The CPU as a device: executes the same bodies, timed by the operating system's clock. */
#include "kernels/device/device.h"

#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

#include <fstream>
#include <initializer_list>
#include <map>
#include <mutex>
#include <new>
#include <string>

#include "base/clock.h"
#include "kernels/device/cpu_pool.h"
#include "kernels/device/host.h"
#include "kernels/live.h"

extern "C" const kernel_entry *const cpu_entries[];
void cpu_check_add(mismatches *sum, const mismatches *part);

struct cpu_device {
    cpu_pool *pool;
    char *memory;          /* the mapping */
    uint64_t spacer;       /* unused bytes at its beginning */
    uint64_t memory_bytes; /* behind the spacer */
    uint64_t allocations;
    uint64_t *flush; /* twice the last cache, read before each cold sample; NULL until the first one */
    uint64_t flush_words;
};

struct cpu_launches {
    const run *what;
    unsigned count;
};

/* The types behind the table's opaque device and launches. */
static cpu_device *own(device *device)
{
    return reinterpret_cast<cpu_device *>(device);
}
static cpu_launches *own(launches *launches)
{
    return reinterpret_cast<cpu_launches *>(launches);
}

#ifdef __x86_64__
static const uint64_t line_bytes = 64;
#endif
/* The assumed size of a cache of unknown size, for emptying it. */
static const uint64_t flush_default_bytes = 64u << 20;

void cpu_check_add(mismatches *sum, const mismatches *part)
{
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    sum->mismatches += part->mismatches;
    if (part->first < sum->first)
        sum->first = part->first;
    if (part->max_abs_error > sum->max_abs_error)
        sum->max_abs_error = part->max_abs_error;
}

static unsigned cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (unsigned)CPU_COUNT(&set);
    return 1;
}

static std::string first_line(const std::string &path)
{
    std::string line;
    std::getline(std::ifstream(path), line);
    return line;
}

/* The bytes of the caches of the highest level that the processors of this process use; a cache that several share counts
   once. sysconf() is asked only where Linux describes no caches: on some machines it returns those of the whole package. */
static uint64_t last_cache_bytes(void)
{
    std::map<std::string, uint64_t> caches; /* bytes, by the processors that share it */
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        const std::string directory = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index";
        std::string last, shared;
        for (int i = 0; CPU_ISSET(cpu, &set); i++) { /* in the order of their levels */
            const std::string index = directory + std::to_string(i), size = first_line(index + "/size");
            if (size.empty())
                break;
            last = size;
            shared = first_line(index + "/shared_cpu_list");
        }
        if (!last.empty())
            caches[shared] = strtoull(last.c_str(), nullptr, 10) << (last.back() == 'M' ? 20 : 10);
    }
    uint64_t sum = 0;
    for (const auto &cache : caches)
        sum += cache.second;
    if (sum)
        return sum;
    for (int name : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
        long bytes = sysconf(name);
        if (bytes > 0)
            return (uint64_t)bytes;
    }
    return 0;
}

static int cpu_count(void)
{
    return 1;
}

static int cpu_describe(int, device_facts *facts, error *)
{
    *facts = {};
    facts->numa_node = FACTS_NO_NODE;
    utsname system{};
    uname(&system);
    snprintf(facts->backend, sizeof facts->backend, "cpu");
    host_read_line("/proc/cpuinfo", "model name", facts->name, sizeof facts->name);
    if (!facts->name[0])
        snprintf(facts->name, sizeof facts->name, "CPU (%.64s)", system.machine);
    live_cpu_uuid(facts->uuid, sizeof facts->uuid);
    snprintf(facts->arch, sizeof facts->arch, "%.15s", system.machine);
    snprintf(facts->driver, sizeof facts->driver, "%.15s %.30s", system.sysname, system.release);
    snprintf(facts->runtime, sizeof facts->runtime, "%.47s", __VERSION__);
    facts->multiprocessors = cores();
    facts->warp_size = 1;
    facts->max_threads_per_block = 1024; /* as on a GPU, so that requests mean the same on both */
    facts->max_block[0] = facts->max_block[1] = 1024;
    facts->max_block[2] = 64;
    facts->max_grid[0] = 2147483647;
    facts->max_grid[1] = facts->max_grid[2] = 65535;
    facts->memory_bytes = host_memory_bytes();
    facts->l2_bytes = last_cache_bytes();
    snprintf(facts->compute_mode, sizeof facts->compute_mode, "default");
    snprintf(facts->peak_source, sizeof facts->peak_source, "not known for a CPU");
    return 0;
}

static void *map_memory(uint64_t bytes)
{
    void *at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return nullptr;
    madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

static void memory_free(cpu_device *d)
{
    if (d->memory)
        munmap(d->memory, d->spacer + d->memory_bytes);
    d->memory = nullptr;
    d->spacer = d->memory_bytes = 0;
}

static void cpu_close(device *device)
{
    cpu_device *d = own(device);
    if (!d)
        return;
    cpu_pool_free(d->pool);
    memory_free(d);
    if (d->flush)
        munmap(d->flush, d->flush_words * sizeof *d->flush);
    delete d;
}

static int cpu_open(device **out, int, error *error)
{
    auto *d = new (std::nothrow) cpu_device{};
    if (!d)
        return error_set(error, ERROR_MEMORY, "no memory for the CPU device");
    uint64_t cache = last_cache_bytes();
    d->flush_words = 2 * (cache ? cache : flush_default_bytes) / sizeof *d->flush;
    d->pool = cpu_pool_new(cores());
    *out = reinterpret_cast<device *>(d);
    return 0;
}

/* Pages of the spacer are never touched, so they take no memory. */
static int memory_map(cpu_device *d, uint64_t bytes, uint64_t spacer, error *error)
{
    if (host_memory_check(bytes, error) < 0)
        return -1;
    d->memory = (char *)map_memory(spacer + bytes);
    if (!d->memory)
        return error_set(error, ERROR_OUT_OF_MEMORY, "needs %llu bytes, the system refused them",
                         (unsigned long long)bytes);
    d->spacer = spacer;
    d->memory_bytes = bytes;
    d->allocations++;
    return 0;
}

static int cpu_reserve(device *device, uint64_t bytes, memory, bool anew, reserved *place, error *error)
{
    cpu_device *d = own(device);
    bool fresh = anew || bytes > d->memory_bytes;
    if (fresh) {
        uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
        memory_free(d);
        if (memory_map(d, bytes,
                       anew ? placement_spacer(page, PLACEMENT_SPACER_LEAST, PLACEMENT_SPACER_MOST) : 0,
                       error) < 0)
            return -1;
    }
    *place = {d->memory + d->spacer, d->allocations, fresh};
    return 0;
}

static int cpu_fill(device *, void *at, int byte, uint64_t bytes, error *)
{
    memset(at, byte, bytes);
    return 0;
}

static int cpu_count_other(device *, const void *at, int byte, uint64_t bytes, mismatches *found, error *)
{
    *found = {0, ~0ull, 0};
    for (uint64_t i = 0; i < bytes; i++)
        if (((const unsigned char *)at)[i] != (unsigned char)byte && found->mismatches++ == 0)
            found->first = i;
    return 0;
}

/* Copies in either direction: the device's memory is the host's. */
static int cpu_copy(device *, void *to, const void *from, uint64_t bytes, error *)
{
    memcpy(to, from, bytes);
    return 0;
}

static const kernel_entry *entry_of(const run *r)
{
    return cpu_entries[suite_index(r->kernel)];
}

static int cpu_prepare(device *device, const run *r, int buffer, error *)
{
    return entry_of(r)->prepare(r, buffer, own(device)->pool);
}

static int cpu_launch(device *device, const run *r, error *)
{
    return entry_of(r)->launch(r, own(device)->pool);
}

static int cpu_check(device *device, const run *r, int buffer, mismatches *found, error *)
{
    *found = {0, ~0ull, 0};
    return entry_of(r)->check(r, buffer, found, own(device)->pool);
}

static int cpu_launch_facts(device *, const run *r, launch_facts *facts, error *)
{
    *facts = {-1, 0, r->shared_bytes, 0};
    return 0;
}

/* Writes every line of the run's buffers back to memory and drops it from the caches. */
static int flush(cpu_device *d, const run *r, error *error)
{
#ifdef __x86_64__
    (void)error;
    for (int b = 0; b < r->kernel->buffer_count; b++)
        cpu_pool_each(d->pool, run_buffer_bytes(r, b) / line_bytes + 1, [&](uint64_t begin, uint64_t end) {
            for (uint64_t i = begin; i < end; i++)
                _mm_clflush((const char *)r->buffer[b] + i * line_bytes);
            _mm_mfence();
        });
#else
    /* Without such an instruction: reads twice the last cache, which replaces everything else in it. */
    (void)r;
    if (!d->flush) {
        d->flush = (uint64_t *)map_memory(d->flush_words * sizeof *d->flush);
        if (!d->flush)
            return error_set(error, ERROR_OUT_OF_MEMORY, "no memory to empty the caches with");
        for (uint64_t i = 0; i < d->flush_words; i++)
            d->flush[i] =
                i; /* otherwise every page is the shared zero page, and reading it empties nothing */
    }
    cpu_pool_each(d->pool, d->flush_words, [&](uint64_t begin, uint64_t end) {
        uint64_t sum = 0;
        for (uint64_t i = begin; i < end; i++)
            sum += d->flush[i];
        *(volatile uint64_t *)&d->flush[begin] =
            d->flush[begin] + (sum & 0); /* keeps the compiler from removing the reads */
    });
#endif
    return 0;
}

static int cpu_time_cold(device *device, const run *r, double *us, error *error)
{
    cpu_device *d = own(device);
    if (r && flush(d, r, error) < 0)
        return -1;
    int64_t begin = clock_monotonic_ns();
    if (r)
        entry_of(r)->launch(r, d->pool);
    else
        cpu_pool_each(d->pool, cpu_pool_threads(d->pool), [](uint64_t, uint64_t) {});
    *us = (double)(clock_monotonic_ns() - begin) / 1e3;
    return 0;
}

static int launches_new(device *, const run *r, unsigned count, launches **out, error *error)
{
    auto *made = new (std::nothrow) cpu_launches{r, count};
    *out = reinterpret_cast<launches *>(made);
    return made ? 0 : error_set(error, ERROR_MEMORY, "no memory for %u launches", count);
}

static int launches_time(device *device, launches *launches, double *us, error *)
{
    const cpu_launches *l = own(launches);
    int64_t begin = clock_monotonic_ns();
    for (unsigned i = 0; i < l->count; i++)
        entry_of(l->what)->launch(l->what, own(device)->pool);
    *us = (double)(clock_monotonic_ns() - begin) / 1e3;
    return 0;
}

static void launches_free(device *, launches *launches)
{
    delete own(launches);
}

extern "C" const device_kind device_cpu;
const device_kind device_cpu = {
    "cpu",         true,         cpu_count,     cpu_describe,    cpu_open,  cpu_close,
    nullptr,       cpu_reserve,  cpu_fill,      cpu_count_other, cpu_copy,  cpu_copy,
    nullptr,       nullptr,      cpu_prepare,   cpu_launch,      cpu_check, cpu_launch_facts,
    cpu_time_cold, launches_new, launches_time, launches_free,   nullptr,   nullptr,
};
