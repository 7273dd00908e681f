/* A record for each granule of memory: the last store, and the last two loads by different warps. Within a block two
   accesses are ordered by a barrier between, or by one warp's own order where its lanes were together in between. Two
   blocks are ordered by nothing but a fence and an atomic in the earlier one and an atomic in the later one. */
#include "ptx/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/fault.h"

/* An access. `block` counts those that were executed, from 1 on; 0: there was none. */
struct record {
    uint32_t block, epoch, time;
    uint32_t thread : 10, instruction : 22;
};

struct granule {
    struct record store, load, other_load;
};

struct shadow {
    struct granule *granules;
    unsigned shift; /* bytes of a granule, as a power of two */
    bool between_blocks;
};

int shadow_add(struct machine *run, struct segment *segment, unsigned granule, bool between_blocks)
{
    unsigned shift = (unsigned)__builtin_ctz(granule);
    uint64_t count = (segment->bytes >> shift) + 1, bytes = count * sizeof(struct granule);
    if (run->arena.total + run->shadow_bytes + bytes > run->arena.limit)
        return -1;
    struct shadow *shadow = arena_new(&run->arena, sizeof *shadow);
    if (!shadow)
        return -1;
    /* Zeroed pages that nobody touches cost nothing. */
    shadow->granules = calloc(count, sizeof *shadow->granules);
    if (!shadow->granules)
        return -1;
    run->shadow_bytes += bytes;
    shadow->shift = shift;
    shadow->between_blocks = between_blocks;
    segment->shadow = shadow;
    return 0;
}

void shadow_free(struct segment *segment)
{
    if (segment->shadow)
        free(segment->shadow->granules);
    segment->shadow = NULL;
}

/* An atomic, or a volatile access. */
static bool is_strong(const struct instruction *i)
{
    return i->kind == PTX_ATOMIC || i->is_volatile;
}

/* Returns whether two accesses are no race though nothing orders them: atomic operations, and between blocks volatile
   accesses, as of a flag. Within a block two volatile accesses are a race, because `volatile` is no barrier. */
static bool may_meet(const struct instruction *one, const struct instruction *other, bool same_block)
{
    if (!is_strong(one) || !is_strong(other))
        return false;
    return !same_block || one->kind == PTX_ATOMIC || other->kind == PTX_ATOMIC || one->has_order ||
           other->has_order;
}

static bool ordered(const struct warp *warp, const struct shadow *shadow, const struct record *record,
                    int lane)
{
    const struct machine *run = warp->run;
    unsigned thread = state_thread(warp, lane);
    if (record->block != run->block_number) {
        if (!shadow->between_blocks)
            return true;
        return run->acquired && record->block < run->released_count &&
               record->epoch <= run->released[record->block];
    }
    if (record->epoch != run->epoch || record->thread == thread)
        return true;
    if (record->thread / LANES != warp->number)
        return false;
    unsigned other = record->thread % LANES;
    if (record->time == (uint32_t)warp->time) /* this very instruction */
        return false;
    if (warp->paths[warp->top].mask >> other & 1)
        return true;
    return record->time <= (uint32_t)warp->together[lane][other];
}

/* Both accesses store, and the same. */
static bool stores_equal(const struct warp *warp, const struct shadow_access *access,
                         const struct record *record, int lane)
{
    if (!access->values || warp->run->program->instructions[record->instruction].kind != PTX_STORE)
        return false;
    bool now = record->block == warp->run->block_number && record->thread / LANES == warp->number &&
               record->time == (uint32_t)warp->time;
    const void *other =
        now ? (const void *)access->values[record->thread % LANES] : (const void *)(access->at[lane]);
    return memcmp(access->values[lane], other, access->bytes) == 0;
}

static struct ptx_thread thread_of(const struct machine *run, const struct record *record)
{
    const struct instruction *i = &run->program->instructions[record->instruction];
    struct ptx_thread thread = fault_thread(run, record->thread, i);
    const uint32_t *grid = run->launch->grid;
    uint64_t block = run->launch->blocks ? run->launch->blocks[record->block - 1] : record->block - 1;
    thread.block[0] = (uint32_t)(block % grid[0]);
    thread.block[1] = (uint32_t)(block / grid[0] % grid[1]);
    thread.block[2] = (uint32_t)(block / grid[0] / grid[1]);
    return thread;
}

static void race(struct warp *warp, const struct shadow_access *access, const struct record *record, int lane)
{
    const struct segment *segment = access->segment;
    bool same = record->block == warp->run->block_number;
    struct ptx_fault fault =
        fault_of(warp, access->instruction, lane, same ? PTX_FAULT_RACE : PTX_FAULT_RACE_OF_BLOCKS);
    fault.note = stores_equal(warp, access, record, lane);
    fault.has_other = true;
    fault.other = thread_of(warp->run, record);
    fault.other_access = (enum ptx_access_kind)warp->run->program->instructions[record->instruction].kind;
    fault_place(&fault, segment, (int64_t)access->offset[lane], access->bytes);
    fault.address = segment->base + access->offset[lane];
    fault.bytes = access->bytes;
    fault_add(warp->run, &fault);
}

static bool conflicts(struct warp *warp, const struct shadow_access *access, const struct record *record,
                      int lane)
{
    if (!record->block || ordered(warp, access->segment->shadow, record, lane))
        return false;
    if (may_meet(access->instruction, &warp->run->program->instructions[record->instruction],
                 record->block == warp->run->block_number))
        return false;
    race(warp, access, record, lane);
    return true;
}

static void remember_load(struct granule *granule, const struct record *now)
{
    if (granule->load.block != now->block || granule->load.thread / LANES != now->thread / LANES)
        granule->other_load = granule->load;
    granule->load = *now;
}

void shadow_note(struct warp *warp, const struct shadow_access *access)
{
    struct machine *run = warp->run;
    struct shadow *shadow = access->segment->shadow;
    const struct instruction *i = access->instruction;
    struct record now = {.block = run->block_number,
                         .epoch = run->epoch,
                         .time = (uint32_t)warp->time,
                         .instruction = (uint32_t)(i - run->program->instructions) & 0x3FFFFF};
    if (shadow->between_blocks && is_strong(i)) {
        run->acquired |= i->kind != PTX_STORE;
        if (run->fenced && i->kind != PTX_LOAD && run->block_number < run->released_count)
            run->released[run->block_number] = run->epoch;
    }
    for (uint32_t left = access->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t first = access->offset[lane] >> shadow->shift;
        uint64_t last = (access->offset[lane] + access->bytes - 1) >> shadow->shift;
        now.thread = state_thread(warp, lane) & 0x3FF;
        bool told = false;
        for (uint64_t g = first; g <= last; g++) {
            struct granule *granule = &shadow->granules[g];
            if (!told)
                told = conflicts(warp, access, &granule->store, lane);
            if (i->kind != PTX_LOAD && !told)
                told = conflicts(warp, access, &granule->load, lane) ||
                       conflicts(warp, access, &granule->other_load, lane);
            if (i->kind != PTX_LOAD)
                granule->store = now;
            else
                remember_load(granule, &now);
        }
    }
}
