/* The seven bounds, and the time that they are joined to. */
#include "kernels/time/predicted_time.h"

#include <math.h>

#include "kernels/time/launch_work.h"

/* The power that joins bounds of simultaneous work; docs/model.md compares other powers. */
static const double join = 5;
/* Beyond this number of busy L2 slices they are no bound: DRAM, or the way to the L2, limits first. */
static const double slices_most = 96;
/* Flits of a line that DRAM writes later: a header, and two of 64 bytes. */
static const double flits_of_line = 3;
/* Bytes of a lane above, and of a line below which stores count as narrow. */
static const double narrow_lane = 5, narrow_line = 64;
/* Lanes that follow loaded addresses wait for the slowest of their lines: longer by this part of the latency
   for each doubling of the number of lines. */
static const double slowest = 0.09;
/* Cycles of a load that hits the L1. */
static const double hit_cycles = 35;
/* Warp instructions on 64-bit floats that an SM executes a cycle (CUDA C++ Programming Guide, "Arithmetic
   Instructions": 64 results a cycle with compute capability 9.0 and 8.0). */
static const double doubles_per_cycle = 2;
/* A second bound of at least this part of the first limits too. */
static const double close_part = 0.8;

const char *const time_unit_slice = "requests to one slice", *const time_unit_back = "sectors to the SMs";

const char *predicted_time_bound_name(enum time_bound bound)
{
    static const char *const names[TIME_BOUNDS] = {"launch", "dram",  "ask",    "tag",
                                                   "lines",  "issue", "latency"};
    return names[bound];
}

/* The calibrated constants in microseconds, bytes and whole devices. */
struct rates {
    double cycle, launch, slot, request, extra, tail, dram_latency, l2_latency, queue, writes, sector,
        bandwidth, activate, dirty, flit, narrow, slice, step, tag, issue, word;
};

static struct rates rates_of(const struct calibration *calibration)
{
    const double cycle = 1e3 / calibration->clock_khz;
#define VALUE(name) calibration->constant[CALIBRATION_##name].value
    return (struct rates){
        .cycle = cycle,
        .launch = VALUE(LAUNCH) * 1e-3,
        .slot = VALUE(SLOT) * 1e-3,
        .request = VALUE(REQUEST) * 1e-3,
        .extra = VALUE(EXTRA) * 1e-3,
        .tail = VALUE(TAIL) * 1e-3,
        .dram_latency = VALUE(DRAM_LATENCY) * 1e-3,
        .l2_latency = VALUE(L2_LATENCY) * 1e-3,
        .queue = VALUE(QUEUE),
        .writes = VALUE(WRITES),
        .sector = VALUE(SECTOR) * 1e-3 / SECTOR_BYTES,
        .bandwidth = VALUE(BANDWIDTH) * 1e3,
        .activate = VALUE(ACTIVATE) * 1e-6,
        .dirty = VALUE(DIRTY) * 1e6,
        .flit = VALUE(FLIT) * 1e-6,
        .narrow = VALUE(NARROW),
        .slice = VALUE(SLICE) * 1e3,
        .step = VALUE(STEP) * 1e-3,
        .tag = VALUE(TAG) * cycle,
        .issue = cycle / VALUE(ISSUE),
        .word = VALUE(WORD) * cycle,
    };
#undef VALUE
}

/* Solves t = alone + waits * busy / t: the latency grows with the part of the time in which the memory is
   busy, until it is busy all the time. */
static double under_load(double alone, double waits, double busy)
{
    double t = (alone + sqrt(alone * alone + 4 * waits * busy)) / 2;
    return t < busy ? alone + waits : t;
}

static struct time_amount amount_of(double amount, const char *unit, double each_us)
{
    double us = amount * each_us;
    return (struct time_amount){amount, unit, each_us > 0 ? 1 / each_us : 0, us};
}

/* The times of DRAM, microseconds. */
struct traffic_time {
    double dirty_us; /* of stores that stay in the L2, which take DRAM's place */
    double moved_us; /* of moving bytes and opening pages */
    double busy_us;  /* as a load waits for it: writes reverse the bus */
};

static struct traffic_time dram_time(const struct launch_work *w, const struct rates *r,
                                     struct time_prediction *p)
{
    double dirty = fmin(w->store_moved, r->dirty * w->store_moved / fmax(w->store_moved + w->dram_read, 1));
    double write = w->store_moved - dirty, open_us = r->activate * w->dram_opened;
    double read = w->dram_read + (w->store_moved > 0 ? w->filled * write / w->store_moved : 0);
    p->dram_read_bytes = read;
    p->dram_write_bytes = write;
    p->dram_opened_us = open_us;
    struct traffic_time time = {
        .dirty_us = dirty * flits_of_line / LINE_BYTES * r->flit,
        .moved_us = (read + write) / r->bandwidth + open_us,
        .busy_us = (read + r->writes * write) / r->bandwidth + open_us,
    };
    p->dram_dirty_us = time.dirty_us;
    /* Opened pages and stores that stay lower the bandwidth: the ceiling is that of this launch. */
    double bytes = read + write, us = time.dirty_us + time.moved_us;
    p->bound[TIME_DRAM] = (struct time_amount){bytes, "bytes", us > 0 ? bytes / us : r->bandwidth, us};
    return time;
}

/* Flits between SMs and L2: a header for each line that is loaded or stored, and data in units of 64
   bytes. Or the sectors that come back; or one slice of the L2, where all request the same few chunks. */
static struct time_amount l2_time(const struct launch_work *w, const struct rates *r)
{
    double data = fmax(w->store_lines, w->store_sectors / 2);
    /* Lanes that store 8 bytes or more, each to a line of its own or nearly so. */
    double line = w->store_bytes / fmax(1, w->store_lines),
           lane = w->store_bytes / fmax(1, w->store_requests) / WARP_LANES;
    bool narrow = lane > narrow_lane && line < narrow_line;
    struct time_amount way = amount_of(w->load_lines * w->missed + w->store_lines + data +
                                           (narrow ? r->narrow * w->store_lines : 0),
                                       "flits", r->flit);
    struct time_amount back = amount_of(w->load_sectors * w->missed, time_unit_back, r->cycle / w->sms);
    if (back.us > way.us)
        way = back;
    double slices = fmax(1, fmin(slices_most, w->chunks));
    struct time_amount slice =
        amount_of(w->load_requests * w->missed, time_unit_slice, 1 / (r->slice * slices));
    return slice.us > way.us ? slice : way;
}

/* Of bounds that are equal up to rounding the later one limits: stores that all stay in the L2 are limited by
   TIME_L2. */
static void limit(struct time_prediction *p)
{
    const double rounding = 1e-12;
    p->limiter = TIME_LAUNCH;
    for (int b = 1; b < TIME_BOUNDS; b++)
        if (p->bound[b].us > p->bound[p->limiter].us * (1 - rounding))
            p->limiter = (enum time_bound)b;
    p->second = p->limiter == TIME_LAUNCH ? TIME_DRAM : TIME_LAUNCH;
    for (int b = 0; b < TIME_BOUNDS; b++)
        if (b != (int)p->limiter && p->bound[b].us > p->bound[p->second].us)
            p->second = (enum time_bound)b;
    p->close = p->bound[p->second].us > close_part * p->bound[p->limiter].us;
}

/* Blocks start while others work, so that bound is not added to the others; the others disturb each other
   where they are close. */
static double joined(const struct time_prediction *p)
{
    double top = 0, sum = 0;
    for (int b = TIME_LAUNCH + 1; b < TIME_BOUNDS; b++)
        top = fmax(top, p->bound[b].us);
    for (int b = TIME_LAUNCH + 1; b < TIME_BOUNDS && top > 0; b++)
        sum += pow(fmax(0, p->bound[b].us) / top, join);
    return fmax(p->bound[TIME_LAUNCH].us, top * pow(sum, 1 / join));
}

static void derive(const struct launch_work *w, const struct rates *r, double busy_us, double round_us,
                   struct time_prediction *p)
{
    double whole = p->us - p->floor_us, exact = w->blocks / (w->sms * w->blocks_per_sm);
    double idle = (w->near ? r->l2_latency : r->dram_latency) * 1e3;
    double share = fmin(1, busy_us / fmax(whole, 1e-9));
    /* Where starts limit, blocks are as short as possible; elsewhere they wait until all places are
       filled. */
    double lasts = p->limiter == TIME_LAUNCH ? round_us : fmax(round_us, whole / fmax(exact, 1) - r->slot);
    double filled = fmin(1, fmax(exact, 0) * lasts / fmax(whole, 1e-9));
    p->l1_hit_pct = w->load_sectors > 0 ? 100 * (1 - w->missed) : -1;
    p->blocks_per_sm = w->blocks_per_sm;
    p->warps_per_sm = w->warps_per_sm;
    p->places = fmin(1, w->blocks / (p->calibration->sms * w->blocks_per_sm));
    p->achieved_occupancy = w->warps_per_sm / w->warp_slots * fmin(1, filled);
    p->waits = w->waits;
    p->latency_ns = w->waits > 0 ? idle * (1 + r->queue * share) : 0;
    if (w->waits > 0) {
        double dram_us = fmax(p->bound[TIME_DRAM].us, 1e-9);
        p->in_flight_bytes = p->dram_read_bytes / w->sms * p->latency_ns * 1e-3 / fmax(whole, 1e-9);
        p->needed_bytes = p->dram_read_bytes / dram_us / w->sms * idle * 1e-3 * (1 + r->queue);
    }
}

static void predict(const struct launch_work *w, const struct calibration *calibration,
                    struct time_prediction *p)
{
    const struct rates r = rates_of(calibration);
    struct traffic_time dram = dram_time(w, &r, p);
    double per_sm = fmin(w->warps, w->warps_per_block * ceil(w->busy_blocks / w->sms - 1e-9));
    p->bound[TIME_LAUNCH] = amount_of(w->blocks, "blocks", r.launch);
    p->bound[TIME_L2] = l2_time(w, &r);
    p->bound[TIME_L1] =
        amount_of(per_sm * (w->load_lines / w->warps + w->shared_rows), "lines and shared rows an SM", r.tag);
    double issued_us = fmax(w->instructions * r.issue, w->doubles * r.cycle / doubles_per_cycle) +
                       w->constant_words * r.word;
    /* The ramp has the first block's instructions outside of loops. Where these take longer than the latency of DRAM,
       the other warps issue theirs meanwhile. */
    double meanwhile_us = fmax(0, r.cycle * w->ramp_cycles - r.dram_latency);
    p->bound[TIME_ISSUE] = amount_of(fmax(0, per_sm - meanwhile_us / issued_us) * w->instructions,
                                     "instructions an SM", issued_us / w->instructions);
    p->constant_words_us = p->bound[TIME_ISSUE].us * w->constant_words * r.word / issued_us;

    double latency = w->waits > 0 ? (w->near ? r.l2_latency : r.dram_latency) : 0;
    if (w->has_dependent_loads)
        latency *= 1 + slowest * log2(fmax(1, w->chain_lines));
    double lines = w->load_lines * w->missed / (w->sms * w->l1_lines);
    double lines_us = under_load(lines * latency, lines * latency * r.queue, dram.moved_us);
    p->bound[TIME_LINES] =
        (struct time_amount){w->load_lines * w->missed / w->sms, "lines an SM",
                             lines_us > 0 ? w->load_lines * w->missed / w->sms / lines_us : 0, lines_us};

    double exact = w->busy_blocks / (calibration->sms * w->blocks_per_sm);
    double rounds = p->rounds = w->loop ? ceil(exact - 1e-9) : fmax(1, exact);
    double warps = fmin(w->warps, w->warps_per_block);
    double block = warps * (r.request * w->requests_at_once + r.extra * w->extra_lines);
    /* The warps of a block share the SM's issue slots and its shared memory; words of one bank wait for each
       other. */
    double alone = fmax(r.cycle * (w->cycles + warps * w->conflict_rows),
                        warps * fmax(issued_us, w->shared_rows * r.cycle));
    double other = r.slot + block + r.sector * w->in_flight * fmax(1, w->waits) +
                   r.step * w->warps_per_block * (1 + w->barriers) + alone + r.l2_latency * w->l2_waits +
                   hit_cycles * r.cycle * w->l1_waits;
    double first = r.slot + block + r.cycle * w->ramp_cycles + latency;
    double wait = latency * w->waits, busy_us = fmax(dram.busy_us, p->bound[TIME_L2].us);
    double idle_rounds = (w->blocks - w->busy_blocks) / (calibration->sms * w->blocks_per_sm);
    double latency_us =
        fmax(0, under_load(rounds * (wait + other), rounds * wait * r.queue, busy_us) - first) +
        idle_rounds * r.slot;
    p->bound[TIME_LATENCY] =
        (struct time_amount){rounds * fmax(1, w->waits), "waits in a row",
                             latency_us > 0 ? rounds * fmax(1, w->waits) / latency_us : 0, latency_us};
    limit(p);
    p->floor_us = calibration->constant[CALIBRATION_FLOOR].value;
    double rest = joined(p);
    /* Data that all SMs share come from DRAM once; other blocks start during that wait. */
    double shared_wait = w->near && w->load_requests > 0 ? fmax(0, r.dram_latency - latency - rest) : 0;
    p->ramp_us = r.tail + first + shared_wait;
    p->us = p->floor_us + p->ramp_us + rest;
    derive(w, &r, busy_us, wait + other - r.slot, p);
}

static struct text_pair not_applicable(const struct experiment *experiment, const struct access *access)
{
    const struct kernel *kernel = experiment->kernel;
    struct domain domain = experiment_domain(experiment);
    struct text_pair why = kernel->untimed(&domain);
    if (why.en)
        return why;
    if (kernel->copied)
        return (struct text_pair){"a copy engine does it, and no thread", "由复制引擎完成，没有线程参与"};
    if (kernel->peer)
        return (struct text_pair){
            "some of its arrays lie in another device's memory, and the link is not modelled",
            "部分数组位于另一块 GPU 的显存，模型不含 GPU 之间的链路"};
    if (access->atomic.requests)
        return (struct text_pair){"atomic updates of memory are not modelled", "模型不含对内存的原子更新"};
    return (struct text_pair){0};
}

void predicted_time_predict(const struct experiment *experiment, const struct access *access,
                            const struct calibration *calibration, int registers, int64_t shared_bytes,
                            struct time_prediction *prediction)
{
    struct code code;
    struct launch_work work;
    *prediction = (struct time_prediction){.calibration = calibration};
    prediction->why_not = not_applicable(experiment, access);
    if (prediction->why_not.en)
        return;
    if (calibration->memory_bytes && experiment_memory_bytes(experiment) > calibration->memory_bytes) {
        prediction->why_not = (struct text_pair){"its arrays need more memory than the device has",
                                                 "数组所需的显存超过该设备的显存"};
        return;
    }
    prediction->code_arch = machine_code_find(experiment, calibration->arch, &code);
    if (!prediction->code_arch) {
        prediction->why_not =
            (struct text_pair){"no machine code of this kernel was read yet (scripts/machine_code)",
                               "尚未读取此内核的机器码（scripts/machine_code）"};
        return;
    }
    prediction->why_not =
        launch_work_make(experiment, access, &code, calibration, registers, shared_bytes, &work);
    if (!prediction->why_not.en)
        predict(&work, calibration, prediction);
}
