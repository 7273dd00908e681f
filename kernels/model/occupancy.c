/* The resident blocks by each limit, and what fills the schedulers. */
#include "kernels/model/occupancy.h"

static uint64_t quotient_up(uint64_t value, uint64_t divisor)
{
    return (value + divisor - 1) / divisor;
}

static uint64_t multiple_up(uint64_t value, uint64_t unit)
{
    return quotient_up(value, unit) * unit;
}

static uint32_t warps_of(const struct occupancy_question *q)
{
    return (uint32_t)quotient_up(q->threads_per_block, ARCH_WARP_THREADS);
}

static uint32_t by_threads(const struct arch *arch, const struct occupancy_question *q)
{
    return q->threads_per_block > arch->threads_per_block ? 0 : arch->warps_per_sm / warps_of(q);
}

static uint32_t by_blocks(const struct arch *arch, const struct occupancy_question *q)
{
    (void)q;
    return arch->blocks_per_sm;
}

static uint32_t by_registers(const struct arch *arch, const struct occupancy_question *q)
{
    const struct arch_registers *has = &arch->registers;
    if (q->registers_per_thread == 0)
        return OCCUPANCY_UNLIMITED;
    if (q->registers_per_thread > has->per_thread)
        return 0;
    uint64_t warps = warps_of(q), warp = (uint64_t)q->registers_per_thread * ARCH_WARP_THREADS;
    if (has->owner == ARCH_REGISTERS_TO_BLOCKS)
        return (uint32_t)(has->per_sm / multiple_up(multiple_up(warps, 2) * warp, has->unit));
    warp = multiple_up(warp, has->unit);
    if (multiple_up(warps, has->launch_warps) * warp > has->per_block)
        return 0;
    uint64_t warps_per_partition = has->per_sm / arch->sub_partitions / warp;
    return (uint32_t)(warps_per_partition * arch->sub_partitions / warps);
}

static uint32_t by_shared(const struct arch *arch, const struct occupancy_question *q)
{
    const struct arch_shared *has = &arch->shared;
    uint64_t unseen =
        has->parameters ? has->reserved_bytes + q->parameter_bytes : 0; /* within a block's maximum */
    if (unseen > has->per_block_bytes || q->shared_bytes_per_block > has->per_block_bytes - unseen)
        return 0;
    uint64_t block_bytes =
        multiple_up(q->shared_bytes_per_block + (unseen ? unseen : has->reserved_bytes), has->unit_bytes);
    return block_bytes == 0 ? OCCUPANCY_UNLIMITED : (uint32_t)(has->per_sm_bytes / block_bytes);
}

static uint32_t by_barriers(const struct arch *arch, const struct occupancy_question *q)
{
    if (q->barriers_per_block > ARCH_BARRIERS_PER_BLOCK)
        return 0;
    if (q->barriers_per_block == 0 || arch->barriers_per_sm == 0)
        return OCCUPANCY_UNLIMITED;
    return arch->barriers_per_sm / q->barriers_per_block;
}

static const struct {
    const char *name;
    uint32_t (*blocks)(const struct arch *arch, const struct occupancy_question *q);
} limits[OCCUPANCY_LIMIT_COUNT] = {
    [OCCUPANCY_THREADS] = {"threads", by_threads},       [OCCUPANCY_BLOCKS] = {"blocks", by_blocks},
    [OCCUPANCY_REGISTERS] = {"registers", by_registers}, [OCCUPANCY_SHARED] = {"shared_memory", by_shared},
    [OCCUPANCY_BARRIERS] = {"barriers", by_barriers},
};

const char *occupancy_limit_name(enum occupancy_limit limit)
{
    return limits[limit].name;
}

static void count_waves(const struct occupancy_question *q, struct occupancy *o)
{
    uint64_t wave_blocks = (uint64_t)q->sms * o->blocks_per_sm;
    if (wave_blocks == 0 || q->grid_blocks == 0)
        return;
    uint64_t rest = q->grid_blocks % wave_blocks;
    o->waves = q->grid_blocks / wave_blocks + (rest > 0);
    o->last_wave_fill = rest > 0 ? (double)rest / (double)wave_blocks : 1;
}

int occupancy_compute(const struct arch *arch, const struct occupancy_question *question,
                      struct occupancy *occupancy, struct error *error)
{
    if (question->threads_per_block == 0)
        return error_set(error, ERROR_INVALID, "a block has at least one thread");
    *occupancy =
        (struct occupancy){.blocks_per_sm = OCCUPANCY_UNLIMITED, .warps_per_block = warps_of(question)};
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++) {
        uint32_t blocks = limits[i].blocks(arch, question);
        occupancy->blocks_by[i] = blocks;
        if (blocks < occupancy->blocks_per_sm)
            occupancy->blocks_per_sm = blocks;
    }
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (occupancy->blocks_by[i] == occupancy->blocks_per_sm)
            occupancy->limited_by |= 1u << i;
    occupancy->warps_per_sm = occupancy->blocks_per_sm * occupancy->warps_per_block;
    occupancy->theoretical = (double)occupancy->warps_per_sm / arch->warps_per_sm;
    count_waves(question, occupancy);
    return 0;
}

/* ---- how it depends on one figure ---- */

/* What fits with that value of the figure. */
static struct occupancy_step step_at(const struct arch *arch, struct occupancy_question question,
                                     enum occupancy_axis axis, uint64_t value)
{
    struct occupancy occupancy = {0};
    struct error error = {0};
    if (axis == OCCUPANCY_BY_SHARED)
        question.shared_bytes_per_block = value;
    else
        *(axis == OCCUPANCY_BY_REGISTERS ? &question.registers_per_thread : &question.threads_per_block) =
            (uint32_t)value;
    occupancy_compute(arch, &question, &occupancy, &error);
    return (struct occupancy_step){value, value, occupancy.blocks_per_sm, occupancy.warps_per_sm};
}

int occupancy_staircase(const struct arch *arch, const struct occupancy_question *question,
                        enum occupancy_axis axis, struct occupancy_step steps[OCCUPANCY_STEPS])
{
    const uint64_t last = axis == OCCUPANCY_BY_REGISTERS ? arch->registers.per_thread
                          : axis == OCCUPANCY_BY_SHARED  ? arch->shared.per_block_bytes
                                                         : arch->threads_per_block;
    int count = 0;
    if (!question->threads_per_block)
        return 0;
    for (uint64_t value = axis != OCCUPANCY_BY_SHARED; value <= last && count < OCCUPANCY_STEPS; count++) {
        struct occupancy_step *step = &steps[count];
        *step = step_at(arch, *question, axis, value);
        /* Blocks only become fewer, and warps of a block more, so that equal values lie side by side. */
        for (uint64_t beyond = last + 1; step->to + 1 < beyond;) {
            uint64_t middle = step->to + (beyond - step->to) / 2;
            struct occupancy_step there = step_at(arch, *question, axis, middle);
            bool same =
                there.blocks_per_sm == step->blocks_per_sm && there.warps_per_sm == step->warps_per_sm;
            *(same ? &step->to : &beyond) = middle;
        }
        value = step->to + 1;
    }
    return count;
}

struct occupancy_thresholds occupancy_thresholds(const struct occupancy_question *question,
                                                 enum occupancy_axis axis, const struct occupancy_step *steps,
                                                 int count)
{
    const uint64_t asked = axis == OCCUPANCY_BY_REGISTERS ? question->registers_per_thread
                           : axis == OCCUPANCY_BY_SHARED  ? question->shared_bytes_per_block
                                                          : question->threads_per_block;
    struct occupancy_thresholds found = {0};
    uint32_t blocks = 0; /* beyond the last step nothing fits */
    for (int i = count - 1; i >= 0 && asked <= steps[i].to; i--)
        blocks = steps[i].blocks_per_sm;
    for (int i = 0; i < count && steps[i].to < asked; i++)
        if (steps[i].blocks_per_sm > blocks)
            found.more = &steps[i];
    for (int i = count - 1; i >= 0 && steps[i].from > asked; i--)
        if (steps[i].blocks_per_sm < blocks)
            found.fewer = &steps[i];
    return found;
}

uint64_t occupancy_warps_to_hide(const struct arch *arch, uint32_t latency_cycles, uint32_t parallelism)
{
    return quotient_up((uint64_t)latency_cycles * arch->issue.warps,
                       (uint64_t)arch->issue.cycles * (parallelism ? parallelism : 1));
}

uint64_t occupancy_instructions_to_hide(const struct arch *arch, uint32_t latency_cycles)
{
    return quotient_up((uint64_t)latency_cycles * arch->issue.warps * arch->issue.instructions,
                       arch->issue.cycles);
}
