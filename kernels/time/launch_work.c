/* Derives a launch's work: passes of loops, shared memory, what misses the L1, what DRAM reads. */
#include "kernels/time/launch_work.h"

#include <math.h>
#include <string.h>

#include "kernels/model/occupancy.h"

/* A DRAM page of which less than this part is read counts as opened for a few chunks. */
static const double whole_part = 0.9;

/* Data that a loop reads again hits the L1 completely up to the first part of the L1, and not at all from the
   second on: blocks are at different places, and the L1 has sets. */
static const double all_hit = 0.5, none_hit = 1.5;

/* Random accesses that repeat a request hit the L2 while the data are at most all_kept times what it keeps
   (CALIBRATION_DIRTY), and miss it from none_kept times on. An H200 (gather) read 1, 6, 14, 17, 53 and 96 % of the repeated
   requests from DRAM at 0.47, 0.54, 0.58, 0.62, 0.78 and 0.93 times that size: bench/results/gather_l2_h200.json. */
static const double all_kept = 0.55, none_kept = 0.95;

/* Iterations on average, tolerance: the last warp may have fewer lanes than the others, with less to do. */
static const double ragged = 0.01;

/* Gaps in stored sectors below this part are ragged ends. */
static const double gaps_least = 0.1;

/* Spilling is negligible up to this part of a thread's registers. */
static const double spilled_part = 0.25;

/* The sizes of an SM's shared memory, KB: the smallest that holds the resident blocks' is used, and the
   rest of the SM's memory is the L1 (CUDA C++ Programming Guide, "Shared Memory" of compute capability 9.0
   and 8.0). */
static const uint32_t shared_kb[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
enum { SHARED_SIZES = sizeof shared_kb / sizeof *shared_kb };

static double l1_bytes(const struct calibration *calibration, double shared)
{
    int i = 0;
    while (i < SHARED_SIZES - 1 && shared_kb[i] * 1024.0 < shared)
        i++;
    return (double)calibration->l1_bytes - shared_kb[i] * 1024.0;
}

/* Iterations of its loop that a warp does on average: by its loads, by its steps, or by its barriers. */
static double loop_iterations(const struct launch_work *w, const struct access *access,
                              const struct code *code, bool last_apart)
{
    if (code->loop_loads)
        return fmax(0, (w->load_requests / w->warps - (last_apart ? 0 : code->loads)) / code->loop_loads);
    if (w->steps > 0)
        return w->steps;
    return code->loop_barriers ? fmax(0, (access->barriers - code->barriers) / code->loop_barriers) : 0;
}

/* An unrolled loop does its iterations in passes, the longest first. A fraction of an iteration is one
   more for some warps, for which all of their block has to wait: its code stands behind the loop
   (`last_apart`), or it is the shortest pass. */
static void take_passes(struct launch_work *w, const struct access *access, const struct code *code)
{
    bool last_apart = code->loop_loads && code->loads == code->loop_loads;
    double iterations = loop_iterations(w, access, code, last_apart);
    /* Steps without loads are iterations of a loop around the loop, which begins anew in each. */
    double around = code->loop_loads ? fmax(1, floor(w->steps - iterations + ragged)) : 1;
    iterations /= around;
    double left = floor(iterations + ragged), part = fmax(0, iterations - left);
    double more = part <= ragged ? 0 : left >= 1 ? 1 : part, together = 0;
    const struct code_pass *shortest = &code->pass[code->passes - 1];
    if (last_apart)
        w->waits = more * code->waits;
    else
        w->waits += more * shortest->waits;
    for (int p = 0; p < code->passes; p++) {
        const struct code_pass *pass = &code->pass[p];
        double times = floor(left / pass->iterations);
        if (p > 0 && pass != shortest)
            times = fmin(times, 1);
        left -= times * pass->iterations;
        w->waits += around * times * pass->waits;
        if (pass == shortest && !last_apart)
            times += part;
        w->instructions += around * times * pass->instructions;
        w->cycles += around * times * pass->cycles;
        w->doubles += around * times * pass->doubles;
        if (times > 0 && !together)
            together = (double)code->loop_loads * pass->iterations / fmax(1, pass->waits);
    }
    if (code->longer_iterations && floor(iterations + ragged) >= code->longer_iterations) {
        w->instructions += around * code->longer_instructions;
        w->cycles += around * code->longer_cycles;
    }
    w->again = around > 1;
    w->instructions += (around - 1) * code->around_instructions;
    w->cycles += (around - 1) * code->around_cycles;
    if (together > 0)
        w->requests_at_once = fmin(w->requests_at_once, 2 * together);
}

static void count_program(struct launch_work *w, const struct access *access, const struct code *code)
{
    w->instructions = code->instructions;
    w->doubles = code->doubles;
    w->cycles = w->ramp_cycles = code->cycles;
    w->waits = code->waits;
    w->barriers = access->barriers;
    w->requests_at_once = (w->load_requests + w->store_requests) / w->warps;
    w->loop = code->passes > 0 && code->loop_loads > 0;
    if (code->passes)
        take_passes(w, access, code);
    if (code->step_instructions) {
        double steps = fmax(0, access->barriers - code->barriers);
        w->instructions += steps * code->step_instructions;
        w->cycles += steps * code->step_cycles;
    }
    if (code->last_stores) {
        double others = fmax(0, 1 - w->store_requests / w->warps / code->last_stores);
        w->instructions -= others * code->last_instructions;
        w->cycles -= others * code->last_cycles;
    }
    if (!access->load.requests)
        w->waits = 0;
    w->constant_words = (double)access->constant_extra / w->warps;
    const struct shared_sums *in = &access->shared_load, *out = &access->shared_store;
    w->shared_rows = (double)(in->wavefronts + out->wavefronts) / w->warps;
    w->conflict_rows = (double)(in->conflicts + out->conflicts) / w->warps;
}

/* The part of repeated reads that hits the L1 of an SM with so many blocks. */
static double hit_part(const struct launch_work *w, double blocks, double block_lines)
{
    double filled = blocks * block_lines / w->l1_lines;
    return fmin(1, fmax(0, (none_hit - filled) / (none_hit - all_hit)));
}

/* The sectors that the SMs load: the distinct ones of each block, or where the L1 holds all that the launch loads, those that
   the blocks of an SM load together. */
static double sm_sectors(const struct launch_work *w, const struct access_reach *reach)
{
    double distinct = (double)reach->block_sectors, chunks = (double)reach->grid_chunks;
    double together = fmin(distinct, w->sms * CHUNK_BYTES / SECTOR_BYTES * chunks);
    return distinct - hit_part(w, 1, chunks) * (distinct - together);
}

/* The part of the load sectors that misses the L1. A sector that a block requests again hits it. In a loop
   around a loop, and in a chain of loads, the second request comes after all others, and the least recently used lines
   are gone if not all fit; elsewhere it comes at once, or soon. */
static double missed_part(const struct launch_work *w, const struct access *access, bool past_l1)
{
    double sectors = (double)access->load.sectors, distinct = sm_sectors(w, &access->load_reach);
    if (past_l1 || distinct >= sectors)
        return 1;
    if (!w->again && !access->has_dependent_loads)
        return distinct / sectors;
    /* With fewer blocks than fit, some SMs have one block more than others. */
    double lines = (double)access->load_reach.block_lines / w->blocks;
    double each = fmin(w->blocks_per_sm, w->blocks / w->sms), more = each - floor(each);
    double hit = (1 - more) * hit_part(w, floor(each), lines) + more * hit_part(w, ceil(each), lines);
    return 1 - hit * (1 - distinct / sectors);
}

/* A warp whose loads follow each other waits for DRAM only where the data are new to its block; other waits are for the L1
   or the L2. In nested loops the first round loads all the new data. Elsewhere each new line may cause a wait of its own. */
static void wait_again(struct launch_work *w, const struct access_reach *reach, bool past_l1)
{
    double new_part = w->load_sectors > 0 ? (double)reach->block_sectors / w->load_sectors : 1;
    if (w->waits <= 1 || new_part >= 1)
        return;
    double waits = w->waits * new_part;
    if (!w->again)
        waits = fmax(waits, fmin(w->load_requests, (double)reach->block_lines) / w->warps);
    double again = w->waits - fmin(w->waits, fmax(1, waits));
    if (again <= 0)
        return;
    w->l1_waits = past_l1 ? 0 : again * fmin(1, (1 - w->missed) / (1 - new_part));
    w->l2_waits = again - w->l1_waits;
    w->waits -= again;
}

/* Each load of a chain waits for the previous one. The first request to a chunk waits for DRAM, a block's first request to a
   sector waits for the L2, and the others wait for the L1 if they hit it. */
static void wait_dependent(struct launch_work *w, const struct access_reach *reach, bool past_l1)
{
    const double requests = fmax(1, w->load_requests);
    double from_dram = fmin(1, w->chunks / requests);
    double new_part = fmin(1, (double)reach->block_sectors / requests);
    double from_l1 =
        past_l1 || new_part >= 1 ? 0 : (1 - new_part) * fmin(1, (1 - w->missed) / (1 - new_part));
    w->l1_waits = w->waits * from_l1;
    w->l2_waits = w->waits * fmax(0, 1 - from_dram - from_l1);
    w->waits *= from_dram;
}

/* Bytes of the input buffers. */
static double input_bytes(const struct experiment *e)
{
    struct domain domain = experiment_domain(e);
    double bytes = 0;
    for (int b = 0; b < e->kernel->buffer_count; b++)
        if (e->kernel->buffers[b].role == BUFFER_INPUT)
            bytes += (double)e->kernel->elements(&domain, b) *
                     (double)kernel_element_bytes(e->kernel, b, e->dtype);
    return bytes;
}

/* Returns whether the launch is taken to load the sectors that it stores to, for example to update an array in place. That
   is so if no buffer is only written, and if it loads at least as many sectors as it stores to. */
static bool loads_what_it_stores(const struct experiment *e, const struct access *access)
{
    bool in_place = false;
    for (int b = 0; b < e->kernel->buffer_count; b++) {
        if (e->kernel->buffers[b].role == BUFFER_OUTPUT)
            return false;
        in_place = in_place || e->kernel->buffers[b].role == BUFFER_ACCUMULATED;
    }
    return in_place && access->load_reach.block_sectors >= access->store_reach.block_sectors;
}

/* A sector that is only partly written is read before DRAM can write it back, unless the launch has loaded it. */
static void count_gaps(struct launch_work *w, const struct experiment *e, const struct access *access)
{
    const struct access_reach *reach = &access->store_reach;
    double moved = SECTOR_BYTES * fmin((double)reach->block_sectors, 2.0 * (double)reach->grid_chunks);
    double gaps = moved > 0 ? 1 - w->store_bytes / moved : 0;
    w->store_moved = w->store_bytes;
    if (gaps < gaps_least)
        return;
    w->store_moved = moved;
    w->filled = loads_what_it_stores(e, access) ? 0 : moved * fmin(1, 2 * gaps);
    if (moved < whole_part * (double)reach->block_pages * PAGE_BYTES)
        w->dram_opened += 2.0 * (double)reach->block_pages;
}

static void count_memory(struct launch_work *w, const struct experiment *e, const struct access *access,
                         const struct calibration *calibration, bool past_l1)
{
    const struct access_reach *reach = &access->load_reach;
    const double kept_bytes = calibration->constant[CALIBRATION_DIRTY].value * 1e6;
    w->has_dependent_loads = access->has_dependent_loads;
    w->missed = missed_part(w, access, past_l1);
    w->chunks = (double)reach->grid_chunks;
    w->dram_read = w->chunks * CHUNK_BYTES;
    double pages = fmin(w->chunks, input_bytes(e) / PAGE_BYTES);
    if (reach->exact) /* a launch may touch a part of its arrays only */
        pages = fmin(pages, (double)reach->block_pages);
    /* Random accesses read data that the L2 no longer has from DRAM again. */
    if (!access->exact && !reach->exact && w->dram_read > all_kept * kept_bytes) {
        double asked = fmin((double)reach->block_sectors, 2.0 * (double)reach->block_lines) * CHUNK_BYTES;
        double lost = fmin(1, (w->dram_read / kept_bytes - all_kept) / (none_kept - all_kept));
        w->dram_read += lost * fmax(0, asked - w->dram_read);
        pages += lost * fmax(0, (double)reach->block_pages - pages);
    }
    /* A stream reads whole pages, and the cost of opening them is part of its bandwidth. */
    w->dram_opened = w->dram_read < whole_part * pages * PAGE_BYTES ? pages : 0;
    count_gaps(w, e, access);
    if (w->has_dependent_loads)
        wait_dependent(w, reach, past_l1);
    else
        wait_again(w, reach, past_l1);
    w->in_flight = w->waits > 0 ? w->dram_read / w->warps / fmax(1, w->waits) : 0;
    if (w->has_dependent_loads && w->load_lines > 0) /* the full warps are the slowest */
        w->in_flight *= w->chain_lines * w->load_requests / w->load_lines;
    /* More sectors than the chunks have: blocks load the same ones. */
    w->near = !w->has_dependent_loads && w->chunks * CHUNK_BYTES < w->sms * LINE_BYTES &&
              (double)reach->block_sectors > 2 * w->chunks;
    if (w->near && !past_l1)
        w->waits = 0;
}

struct text_pair launch_work_make(const struct experiment *e, const struct access *access,
                                  const struct code *code, const struct calibration *calibration,
                                  int registers, int64_t shared_bytes, struct launch_work *w)
{
    const struct arch *arch = arch_find(calibration->arch);
    int64_t path = e->kernel->load_param >= 0 ? e->param[e->kernel->load_param] : LOAD_DEFAULT;
    bool past_l1 = path == LOAD_CG || path == LOAD_VOLATILE;
    struct occupancy occupancy;
    double threads = (double)(e->block[0] * e->block[1] * e->block[2]);
    *w = (struct launch_work){0};
    if (code->local_bytes > spilled_part * 4 * code->registers)
        return (struct text_pair){
            "a thread keeps more in local memory (spilled registers, or arrays indexed at run time) than is "
            "modelled",
            "线程放在本地内存中的数据（溢出的寄存器，或运行时才确定下标的数组）超出了模型的范围"};
    w->blocks = (double)e->grid[0] * (double)e->grid[1] * (double)e->grid[2];
    w->warps_per_block = ceil(threads / WARP_LANES);
    w->warps = w->blocks * w->warps_per_block;
    struct domain domain = experiment_domain(e);
    struct shape cover = e->kernel->cover(&domain);
    /* A thread without work does no steps and exits at once, unless barriers hold it: then its warp counts, too. */
    w->steps = access->steps;
    if (cover.y * cover.z == 1 && access->barriers == 0) {
        w->steps *= fmax(1, w->blocks * threads / (double)cover.x);
        double full = fmin(w->blocks, floor((double)cover.x / threads)),
               rest = (double)cover.x - full * threads;
        w->warps = fmin(w->warps, full * w->warps_per_block + ceil(fmax(0, rest) / WARP_LANES));
    }
    if (access->working_warps > 0 && access->barriers == 0)
        w->warps = fmin(w->warps, access->working_warps);
    w->busy_blocks = fmin(w->blocks, ceil(w->warps / w->warps_per_block));
    w->sms = fmin(w->busy_blocks, calibration->sms);
    struct occupancy_question question = {
        .threads_per_block = (uint32_t)threads,
        .registers_per_thread = registers > 0 ? (uint32_t)registers : code->registers,
        .shared_bytes_per_block = shared_bytes >= 0 ? (uint64_t)shared_bytes : experiment_shared_bytes(e),
        .barriers_per_block = access->barriers > 0,
    };
    if (!arch || occupancy_compute(arch, &question, &occupancy, NULL) < 0 || !occupancy.blocks_per_sm)
        return (struct text_pair){"a block does not fit a multiprocessor", "一个 SM 放不下一个线程块"};
    w->blocks_per_sm = occupancy.blocks_per_sm;
    w->warps_per_sm = occupancy.warps_per_sm;
    w->warp_slots = arch->warps_per_sm;
    w->l1_lines = l1_bytes(calibration, w->blocks_per_sm * (double)(question.shared_bytes_per_block +
                                                                    arch->shared.reserved_bytes)) /
                  LINE_BYTES;
    w->load_requests = (double)access->load.requests;
    w->load_lines = (double)access->load.lines;
    w->load_sectors = (double)access->load.sectors;
    w->load_bytes = (double)access->load.bytes;
    w->chain_lines = w->load_lines / fmax(1, w->load_requests);
    if (cover.y * cover.z == 1)
        w->chain_lines *= fmax(1, w->warps * fmin(WARP_LANES, (double)cover.x) / (double)cover.x);
    w->store_requests = (double)access->store.requests;
    w->store_lines = (double)access->store.lines;
    w->store_sectors = (double)access->store.sectors;
    w->store_bytes = (double)access->store.used;
    count_program(w, access, code);
    count_memory(w, e, access, calibration, past_l1);
    if (!w->loop)
        w->extra_lines = fmax(0, w->load_lines - w->load_requests) / w->warps +
                         fmax(0, w->store_lines - w->store_requests) / w->warps;
    return (struct text_pair){0};
}
