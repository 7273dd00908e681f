#include "kernels/time/launch_work.h"

#include <math.h>
#include <string.h>

#include "kernels/model/occupancy.h"

/* Bytes that a bank of shared memory gives at once. */
enum { BANK_BYTES = 4 };

/* A page of which less than this part is read was opened for a few chunks. */
static const double whole_part = 0.9;

/* What is gone over again is found in the L1 where it fills no more of it than the first part, and all of it is gone where
   it would fill the second: blocks are at different places, and the L1 has sets. */
static const double all_kept = 0.5, none_kept = 1.5;

/* Turns, on average: where the last warp has fewer lanes than the others, and they less to do. */
static const double ragged = 0.01;

/* Stores that leave out less of their sectors than this only have ragged ends. */
static const double gaps_least = 0.1;

/* What is spilled counts little up to this part of a thread's registers. */
static const double spilled_part = 0.25;

/* A launch of blocks that hold so much shared memory leaves the rest of an SM's memory to the L1: the smallest of these
   shares that holds them is taken (CUDA C++ Programming Guide, "Shared Memory" of compute capability 9.0 and 8.0). */
static const uint32_t shared_kb[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};

static double l1_bytes(const struct calibration *calibration, double shared)
{
    for (size_t i = 0; i < sizeof shared_kb / sizeof *shared_kb; i++)
        if (shared_kb[i] * 1024.0 >= shared)
            return (double)calibration->l1_bytes - shared_kb[i] * 1024.0;
    return (double)calibration->l1_bytes - shared_kb[sizeof shared_kb / sizeof *shared_kb - 1] * 1024.0;
}

/* How many turns of its loop a warp takes on average: told by its loads, by its steps, or by its barriers. */
static double loop_turns(const struct launch_work *w, const struct access *access, const struct code *code,
                         bool last_apart)
{
    if (code->loop_loads)
        return fmax(0, (w->load_requests / w->warps - (last_apart ? 0 : code->loads)) / code->loop_loads);
    if (w->steps > 0)
        return w->steps;
    return code->loop_barriers ? fmax(0, (access->barriers - code->barriers) / code->loop_barriers) : 0;
}

/* A loop that was unrolled takes its turns in passes, the longest first. A part of a turn is one more that some warps
   take, for which all of their block has to wait: its code stands behind the loop (`last_apart`), or it is the shortest
   pass. */
static void take_passes(struct launch_work *w, const struct access *access, const struct code *code)
{
    bool last_apart = code->loop_loads && code->loads == code->loop_loads;
    double turns = loop_turns(w, access, code, last_apart);
    /* Steps that no load accounts for are the turns of a loop around it: it begins anew in each. */
    double around = code->loop_loads ? fmax(1, floor(w->steps - turns + ragged)) : 1;
    turns /= around;
    double left = floor(turns + ragged), part = fmax(0, turns - left);
    double more = part <= ragged ? 0 : left >= 1 ? 1 : part, together = 0;
    const struct code_pass *shortest = &code->pass[code->passes - 1];
    if (last_apart)
        w->waits = more * code->waits;
    else
        w->waits += more * shortest->waits;
    for (int p = 0; p < code->passes; p++) {
        const struct code_pass *pass = &code->pass[p];
        double times = floor(left / pass->turns);
        if (p > 0 && pass != shortest)
            times = fmin(times, 1);
        left -= times * pass->turns;
        w->waits += around * times * pass->waits;
        if (pass == shortest && !last_apart)
            times += part;
        w->instructions += around * times * pass->instructions;
        w->cycles += around * times * pass->cycles;
        w->doubles += around * times * pass->doubles;
        if (times > 0 && !together)
            together = (double)code->loop_loads * pass->turns / fmax(1, pass->waits);
    }
    if (code->longer_turns && floor(turns + ragged) >= code->longer_turns) {
        w->instructions += around * code->longer_instructions;
        w->cycles += around * code->longer_cycles;
    }
    w->again = around > 1;
    w->instructions += (around - 1) * code->around_instructions;
    w->cycles += (around - 1) * code->around_cycles;
    if (together > 0)
        w->requests_at_once = fmin(w->requests_at_once, 2 * together);
}

static void count_program(struct launch_work *w, const struct experiment *e, const struct access *access,
                          const struct code *code)
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
    double halves = fmax(1, (double)dtype_bytes(e->dtype) / BANK_BYTES);
    w->shared_rows =
        (halves * (double)(in->requests + out->requests) + (double)(in->conflicts + out->conflicts)) /
        w->warps;
    w->conflict_rows = (double)(in->conflicts + out->conflicts) / w->warps;
}

/* Of what an SM with so many blocks goes over again. */
static double kept_part(const struct launch_work *w, double blocks, double block_lines)
{
    double filled = blocks * block_lines / w->l1_lines;
    return fmin(1, fmax(0, (none_kept - filled) / (none_kept - all_kept)));
}

/* What a block asks for again comes from the L1. In a loop around a loop it comes back when all else was loaded, and the
   least recently used is gone where that does not fit. Elsewhere it is asked for at once, or soon. */
static double missed_part(const struct launch_work *w, const struct access *access, bool past_l1)
{
    double sectors = (double)access->load.sectors, distinct = (double)access->load_reach.block_sectors;
    if (past_l1 || distinct >= sectors)
        return 1;
    if (!w->again)
        return distinct / sectors;
    /* Blocks that are fewer than there is room for lie one more on some SMs than on others. */
    double lines = (double)access->load_reach.block_lines / w->blocks;
    double each = fmin(w->blocks_per_sm, w->blocks / w->sms), more = each - floor(each);
    double kept = (1 - more) * kept_part(w, floor(each), lines) + more * kept_part(w, ceil(each), lines);
    return 1 - kept * (1 - distinct / sectors);
}

/* Who loads one thing after another, and some of it again, waits for DRAM where it is new. */
static void wait_again(struct launch_work *w, const struct access_reach *reach, bool past_l1)
{
    double new_part = w->load_sectors > 0 ? (double)reach->block_sectors / w->load_sectors : 1;
    if (w->waits <= 1 || new_part >= 1)
        return;
    double again = w->waits - fmax(1, w->waits * new_part);
    w->l1_waits = past_l1 ? 0 : again * fmin(1, (1 - w->missed) / (1 - new_part));
    w->l2_waits = again - w->l1_waits;
    w->waits -= again;
}

/* Of the buffers that are read. */
static double input_bytes(const struct experiment *e)
{
    struct domain domain = experiment_domain(e);
    double elements = 0;
    for (int b = 0; b < e->kernel->buffer_count; b++)
        if (e->kernel->buffers[b].role == BUFFER_INPUT)
            elements += (double)e->kernel->elements(&domain, b);
    return elements * (double)dtype_bytes(e->dtype);
}

/* A sector of which some bytes are never written is read before DRAM can write it back. */
static void count_gaps(struct launch_work *w, const struct access *access)
{
    const struct access_reach *reach = &access->store_reach;
    double moved = SECTOR_BYTES * fmin((double)reach->block_sectors, 2.0 * (double)reach->grid_chunks);
    double gaps = moved > 0 ? 1 - w->store_bytes / moved : 0;
    w->store_moved = w->store_bytes;
    if (gaps < gaps_least)
        return;
    w->store_moved = moved;
    w->filled = moved * fmin(1, 2 * gaps);
    if (moved < whole_part * (double)reach->block_pages * PAGE_BYTES)
        w->dram_opened += 2.0 * (double)reach->block_pages;
}

static void count_memory(struct launch_work *w, const struct experiment *e, const struct access *access,
                         const struct calibration *calibration, bool past_l1)
{
    const struct access_reach *reach = &access->load_reach;
    const double keeps = calibration->constant[CALIBRATION_DIRTY].value * 1e6;
    w->has_dependent_loads = access->has_dependent_loads;
    w->missed = missed_part(w, access, past_l1);
    w->chunks = (double)reach->grid_chunks;
    w->dram_read = w->chunks * CHUNK_BYTES;
    double pages = fmin(w->chunks, input_bytes(e) / PAGE_BYTES);
    /* In no order that is known, what does not fit the L2 is asked of DRAM by each block again, page by page. */
    if (!access->exact && !reach->exact && w->dram_read > keeps) {
        double asked = fmin((double)reach->block_sectors, 2.0 * (double)reach->block_lines);
        w->dram_read = fmax(w->dram_read, asked * CHUNK_BYTES);
        pages = (double)reach->block_pages;
    }
    /* A stream reads its pages whole, and what it takes to open them is part of its bandwidth. */
    w->dram_opened = w->dram_read < whole_part * pages * PAGE_BYTES ? pages : 0;
    count_gaps(w, access);
    /* Who follows addresses that it loads goes on to another place each time. */
    if (!w->has_dependent_loads)
        wait_again(w, reach, past_l1);
    w->in_flight = w->waits > 0 ? w->dram_read / w->warps / fmax(1, w->waits) : 0;
    w->near = !w->has_dependent_loads && w->chunks * CHUNK_BYTES < w->sms * LINE_BYTES;
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
            "its registers do not suffice, and what it spills to local memory is not modelled",
            "寄存器不够用，模型不含溢出到本地内存的访问"};
    w->blocks = (double)e->grid[0] * (double)e->grid[1] * (double)e->grid[2];
    w->warps_per_block = ceil(threads / WARP_LANES);
    w->warps = w->blocks * w->warps_per_block;
    struct domain domain = experiment_domain(e);
    struct shape cover = e->kernel->cover(&domain);
    /* Whom nothing is left for takes no steps, and leaves at once but where barriers keep it. */
    w->steps = access->steps;
    if (cover.y * cover.z == 1)
        w->steps *= fmax(1, w->blocks * threads / (double)cover.x);
    if (cover.y * cover.z == 1 && access->barriers == 0)
        w->warps = fmin(w->warps, ceil((double)cover.x / WARP_LANES));
    w->busy_blocks = fmin(w->blocks, ceil(w->warps / w->warps_per_block));
    w->busy_part = w->warps / (w->busy_blocks * w->warps_per_block);
    w->sms = fmin(w->blocks, calibration->sms);
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
    w->store_requests = (double)access->store.requests;
    w->store_lines = (double)access->store.lines;
    w->store_sectors = (double)access->store.sectors;
    w->store_bytes = (double)access->store.used;
    count_program(w, e, access, code);
    count_memory(w, e, access, calibration, past_l1);
    if (!w->loop)
        w->extra_lines = fmax(0, w->load_lines - w->load_requests) / w->warps +
                         fmax(0, w->store_lines - w->store_requests) / w->warps;
    return (struct text_pair){0};
}
