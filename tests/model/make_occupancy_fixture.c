/* Asks NVIDIA's cuda_occupancy.h and prints its answers. tests/model/occupancy_fixture.csv was made by this,
   with the header of CUDA 13.0:

       cc -std=c17 -O1 -I /usr/local/cuda/include -o /tmp/make_fixture tests/model/make_occupancy_fixture.c
       /tmp/make_fixture > tests/model/occupancy_fixture.csv

   The header comes with the CUDA toolkit and knows the rules but not the totals of an architecture: these
   are in the table below, kept apart from the project's own, so that an error in either shows. What the
   header lets pass and the guide's limits do not is left out: 256 registers a thread from sm_70 on, more
   than 63 on sm_30. The random numbers are always the same. */
#include <cuda_occupancy.h>
#include <stdint.h>
#include <stdio.h>

enum { CASES_PER_ARCH = 700, KB = 1024 };

struct totals {
    int major, minor;
    int threads_per_sm;
    int registers_per_sm;
    int registers_per_thread; /* asked for at most, where the header does not know the limit */
    int shared_per_sm_kb, shared_per_block_kb;
};

static const struct totals table[] = {
    {3, 0, 2048, 65536, 63, 48, 48},     {3, 5, 2048, 65536, 300, 48, 48},
    {3, 7, 2048, 131072, 300, 112, 48},  {5, 0, 2048, 65536, 300, 64, 48},
    {5, 2, 2048, 65536, 300, 96, 48},    {6, 0, 2048, 65536, 300, 64, 48},
    {6, 1, 2048, 65536, 300, 96, 48},    {7, 0, 2048, 65536, 300, 96, 96},
    {7, 2, 2048, 65536, 300, 96, 96},    {7, 5, 1024, 65536, 300, 64, 64},
    {8, 0, 2048, 65536, 300, 164, 163},  {8, 6, 1536, 65536, 300, 100, 99},
    {8, 7, 1536, 65536, 300, 164, 163},  {8, 9, 1536, 65536, 300, 100, 99},
    {9, 0, 2048, 65536, 300, 228, 227},  {10, 0, 2048, 65536, 300, 228, 227},
    {10, 3, 2048, 65536, 300, 228, 227}, {12, 0, 1536, 65536, 300, 100, 99},
    {12, 1, 1536, 65536, 300, 100, 99},
};

struct question {
    int threads, registers, shared_bytes, barriers;
};

static uint64_t random_state = 88172645463325252u;

/* From 0 up to limit - 1 (xorshift). */
static int draw(int limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (uint64_t)limit);
}

static int draw_threads(void)
{
    static const int usual[] = {32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024};
    switch (draw(8)) {
    case 0:
        return 1 + draw(1200); /* some above the limit of a block */
    case 1:
    case 2:
        return 32 * (1 + draw(32));
    case 3:
        return 1 + draw(1024);
    default:
        return usual[draw((int)(sizeof usual / sizeof *usual))];
    }
}

/* The sizes where one block more or less fits, and their neighbours, are the ones worth asking. */
static int draw_shared(const struct totals *has)
{
    int per_sm = has->shared_per_sm_kb * KB, per_block = has->shared_per_block_kb * KB;
    switch (draw(6)) {
    case 0:
    case 1:
        return 0;
    case 2:
        return draw(per_block + 2 * KB);
    case 3:
        return draw(8 * KB);
    case 4:
        return per_block - 2 + draw(4);
    default: {
        int edge = per_sm / (1 + draw(32)) - (has->major >= 8 ? KB : 0) + 128 * (draw(5) - 2) + draw(3) - 1;
        return edge < 0 ? 0 : edge;
    }
    }
}

static struct question draw_question(const struct totals *has)
{
    struct question q = {.threads = draw_threads(), .shared_bytes = draw_shared(has)};
    do
        q.registers = draw(3) ? draw(100) : draw(has->registers_per_thread + 1);
    while (q.registers > has->registers_per_thread || (has->major >= 7 && q.registers == 256));
    q.barriers = draw(2) ? draw(2) : draw(17);
    return q;
}

static int none_is_minus_one(int blocks)
{
    return blocks == INT_MAX ? -1 : blocks;
}

static int print_answer(const struct totals *has, const struct question *q)
{
    int opt_in = has->major >= 7;
    cudaOccDeviceProp device = {
        .computeMajor = has->major,
        .computeMinor = has->minor,
        .maxThreadsPerBlock = 1024,
        .maxThreadsPerMultiprocessor = has->threads_per_sm,
        .regsPerBlock = 65536,
        .regsPerMultiprocessor = has->registers_per_sm,
        .warpSize = 32,
        .sharedMemPerBlock = 48 * KB,
        .sharedMemPerMultiprocessor = (size_t)has->shared_per_sm_kb * KB,
        .numSms = 1,
        .sharedMemPerBlockOptin = opt_in ? (size_t)has->shared_per_block_kb * KB : 0,
        .reservedSharedMemPerBlock = has->major >= 8 ? KB : 0,
    };
    /* A part of it static, as a kernel could have it; the rest dynamic, opted in to. */
    int static_bytes = q->shared_bytes / 3 < 48 * KB ? q->shared_bytes / 3 : 48 * KB;
    size_t dynamic_bytes = (size_t)(q->shared_bytes - static_bytes);
    cudaOccFuncAttributes kernel = {
        .maxThreadsPerBlock = INT_MAX,
        .numRegs = q->registers,
        .sharedSizeBytes = (size_t)static_bytes,
        .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = dynamic_bytes,
        .numBlockBarriers = q->barriers,
    };
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE,
                                .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    cudaOccResult r;
    cudaOccError status =
        cudaOccMaxActiveBlocksPerMultiprocessor(&r, &device, &kernel, &state, q->threads, dynamic_bytes);
    if (status != CUDA_OCC_SUCCESS) {
        fprintf(stderr, "sm_%d%d: error %d\n", has->major, has->minor, (int)status);
        return -1;
    }
    printf("sm_%d%d,%d,%d,%d,%d,%d,%u,%d,%d,%d,%d\n", has->major, has->minor, q->threads, q->registers,
           q->shared_bytes, q->barriers, r.activeBlocksPerMultiprocessor, r.limitingFactors,
           r.blockLimitWarps, none_is_minus_one(r.blockLimitRegs), none_is_minus_one(r.blockLimitSharedMem),
           none_is_minus_one(r.blockLimitBarriers));
    return 0;
}

int main(void)
{
    printf("arch,threads,registers,shared_bytes,barriers,blocks,limits,by_warps,by_registers,by_shared,by_"
           "barriers\n");
    for (size_t a = 0; a < sizeof table / sizeof *table; a++)
        for (int i = 0; i < CASES_PER_ARCH; i++) {
            struct question q = draw_question(&table[a]);
            if (print_answer(&table[a], &q))
                return 1;
        }
    return 0;
}
